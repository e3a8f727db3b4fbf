/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_HIPPO_H
#define FGTI_HIPPO_H

#include <stdint.h>

/* Computes the HiPPO-LegS matrix of size 2 x pairs as a normal matrix minus a matrix of rank 1, A = V (L - P
 * P^*) V^*. The eigenvalues of L are -1/2 + i omega and -1/2 - i omega for each element of omega [pairs], the
 * largest first; p [pairs] has one element of P for each. With suitable phases of the eigenvectors P is real
 * and positive. B = sqrt(2) P. */
void fgti_hippo_legs(int64_t pairs, double *omega, double *p);

#endif
