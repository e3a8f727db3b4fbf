/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MULTIHOP_H
#define FGTI_MULTIHOP_H

/* Y[:, columns of a] = sum_{i<kappa} A_a^i X W_i[:, columns of a], without any power of A. Graphs go through
 * all of it, with one head; attention has its products with A in attention_chain.c.
 *
 * Horner:     U_i = X W_i + A U_{i+1} from i = kappa-1 down, Y = U_0; a hop costs 2 T^2 H flop a group.
 * Propagate:  Z_i = A_a Z_{i-1}, Z_0 = X, Y = sum Z_i W_i;             a hop costs 2 T^2 A D flop a group.
 * The cheaper one is taken: propagate when A D < H.
 *
 * A pass runs *_before on everything, *_block on each group, *_after on everything. */

#include "nn/layer.h"

typedef struct fgti_multihop {
    const fgti_run  *run;
    int64_t          groups, tokens, d, h, heads, kappa;
    bool             propagate;
    const fgt_graph *graph;
    const fgti_real *x, *w; /* [R,D], [kappa,D,H] */
    fgti_real       *u;     /* Horner [kappa,R,H], propagate [R,H]; the first [R,H] is Y */
    fgti_real       *z;     /* propagate: Z_1 .. [kappa-1,heads,R,D] */
    fgti_real       *du;    /* gradient of u, same layout; the caller fills the first [R,H] */
    fgti_real       *dz;    /* gradient of Z_0 .. : [kappa,heads,R,D] */
} fgti_multihop;

static inline bool fgti_multihop_propagates(int64_t heads, int64_t d, int64_t h)
{
    return fgti_mul(heads, d) < h;
}

/* Elements of u + z (kept from forward to backward) and of du + dz. */
int64_t fgti_multihop_cache(int64_t rows, int64_t d, int64_t h, int64_t heads, int64_t kappa);
int64_t fgti_multihop_scratch(int64_t rows, int64_t d, int64_t h, int64_t heads, int64_t kappa);
/* Sets u, z from `cache`, and du, dz from `scratch` (NULL: forward). */
void fgti_multihop_place(fgti_multihop *m, fgti_real *cache, fgti_real *scratch);

void fgti_multihop_before(const fgti_multihop *m);
void fgti_multihop_block(const fgti_multihop *m, void *scratch, int64_t g);
void fgti_multihop_after(const fgti_multihop *m);

void fgti_multihop_grad_before(const fgti_multihop *m);
void fgti_multihop_grad_block(const fgti_multihop *m, void *scratch, int64_t g);
/* dw += ..., dx = ... (NULL: nobody asks) */
void fgti_multihop_grad_after(const fgti_multihop *m, fgti_real *dw, fgti_real *dx);

/* y = A x or A'x, or added to y, of one group: n columns */
void fgti_multihop_apply(const fgti_multihop *m, void *scratch, bool transposed, int64_t n,
                         const fgti_real *x, int64_t ldx, bool add, fgti_real *y, int64_t ldy);

#endif
