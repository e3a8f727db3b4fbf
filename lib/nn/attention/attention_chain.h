/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATTENTION_CHAIN_H
#define FGTI_ATTENTION_CHAIN_H

/* Products with attention matrices, one after the other, while the blocks of A are in the cache:
 *     O_i = A X_i,   X_{i+1} = O_i, or Y_i += O_i and X_{i+1} = Y_i            i = 0 .. hops-1
 * With one hop that is A V; with kappa-1 of them the hops of a Fighter layer, by Horner's rule (Y_i = X W_m
 * before) or over the input (Z_i = A Z_{i-1}). Backward, from the last hop to the first:
 *     dX_i = A'dO_i (+ what is there),   dA = sum_i dO_i X_i',   dS = A * (dA - sum_i <dO_i, O_i>),
 *     dQ = dS K / sqrt(dh),   dK = dS'Q / sqrt(dh)
 * The row sums of A * dA come from O_i, so they cost no pass over A. No T x T matrix but A itself is ever
 * formed, and A is not either when it is streamed: then the backward pass makes its blocks again, and so does
 * each hop where they are too many for the second cache. */

#include "nn/attention/attention_core.h"

/* Rows of one hop, group and head at p + hop*i + group*g + head*h, at distance ld. */
typedef struct fgti_span {
    fgti_real *p;
    int64_t    ld, group, head, hop;
} fgti_span;

typedef struct fgti_chain {
    fgti_attention at;
    int64_t        hops, n; /* n columns of one head */
    fgti_span      x;       /* X_0 */
    fgti_span      y;       /* p NULL: there is none */
    fgti_span      o;
    /* backward */
    fgti_span dx;  /* of X_0; overwritten */
    fgti_span dy;  /* of Y_i, or of O_i when there is none */
    bool      add; /* dX_i for i > 0 holds a part already */
    fgti_span dq, dk;
} fgti_chain;

/* Elements of a worker's arena for a pass in either direction. */
int64_t fgti_chain_arena(const fgti_chain *c);

/* One group and head; `arena` is that memory. */
void fgti_chain_forward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena);
void fgti_chain_backward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena);

/* All matrices A, row-major [groups,heads,tq,tk], by all workers, each in its own part of io->arena. */
void fgti_chain_matrices(const fgti_chain *c, fgti_real *a, const fgti_io *io);

#endif
