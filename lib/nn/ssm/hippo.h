/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_HIPPO_H
#define FGTI_HIPPO_H

#include <stdint.h>

/* Computes the HiPPO-LegS matrix of size 2 x pairs as a normal matrix minus a matrix of rank 1: A = V (L - P
 * P^*) V^*. L has two eigenvalues for each element of omega [pairs], the largest first: -1/2 + i omega and
 * -1/2 - i omega. p [pairs] has one element of P for each of these pairs. The phases of the eigenvectors are
 * chosen so that P is real and positive. B = sqrt(2) P. */
void fgti_hippo_legs(int64_t pairs, double *omega, double *p);

#endif
