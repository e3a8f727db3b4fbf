/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_HIPPO_H
#define FGTI_HIPPO_H

#include <stdint.h>

/* HiPPO-LegS of size 2 pairs as a normal matrix minus a rank-1 one, A = V (L - P P^*) V^*: L's
 * eigenvalues are -1/2 +- i omega; only the ones with one sign are given, the largest omega first; P is
 * real and positive for a suitable choice of the eigenvectors' phases. B = sqrt(2) P. */
void fgti_hippo_legs(int64_t pairs, double *omega, double *p);

#endif
