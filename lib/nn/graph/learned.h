/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LEARNED_H
#define FGTI_LEARNED_H

/* A learned dense adjacency, computed from two vectors of r numbers for each of n nodes, E_1 and E_2 [n,r]:
 *     P_f = softmax(relu(E_1 E_2')),   P_b = softmax(relu(E_2 E_1')),   each row a softmax.
 * P_f and P_b depend only on the weights and are kept from pass to pass. */

#include "nn/kept.h"

typedef struct fgti_learned {
    const fgti_run  *run;
    int64_t          n, r;
    int32_t          walks; /* 1: only P_f; 2: both */
    const fgti_real *e[2];  /* E_1, E_2 [n,r] */
    fgti_kept        kept;
    fgti_real       *p; /* [walks,n,n] */
} fgti_learned;

/* Places p, for the sizes n and walks of a. With keep == NULL the function only counts. */
void fgti_learned_place(fgti_learned *a, fgti_real *keep, int64_t *at);
/* Computes p if the weights have changed. */
void fgti_learned_update(const fgti_learned *a);
/* Adds the gradients of one walk to dE_1 and dE_2. It reads dP [n,n], and overwrites dP with the gradient of
 * the scores. s: memory, [n,n]. */
void fgti_learned_grad(const fgti_learned *a, int32_t walk, fgti_real *dp, fgti_real *s,
                       fgti_real *const de[2]);

#endif
