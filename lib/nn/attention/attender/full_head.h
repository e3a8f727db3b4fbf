/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FULL_HEAD_H
#define FGTI_FULL_HEAD_H

/* Full attention of one group and head on panels of kernels: the common part of the forward pass
 * (attender_full.c) and the backward pass (full_backward.c).
 *
 * A chain of products may compute the blocks of A when it needs them. It then goes over the blocks of rows of
 * A, or in the backward pass over the blocks of columns, in sweeps: up, down, up and so on. The first sweep
 * completes the first product. Rows of this product's result become known block by block, and the next
 * product uses the known rows at once. So all blocks of A on one side of the diagonal serve two products
 * while they are in the cache, and each further sweep computes only the blocks on the other side. If blocks
 * of A are held or kept, sweeps read these blocks. */

#include "nn/attention/attender/attender.h"

typedef struct fgti_full_head {
    const fgti_chain      *c;
    int64_t                g, h;
    int64_t                u, v, tq, tk, dh, n;
    const fgti_vec_panels *panels;
    bool                   held;           /* blocks of A stay in the arena for all products */
    int64_t                panel;          /* distance of two panels of A, in elements */
    fgti_real             *soft, *a;       /* all panels of A if they are kept or held; otherwise NULL */
    fgti_real             *shift, *factor; /* shift and factor of all rows; NULL if A is kept */
} fgti_full_head;

fgti_full_head fgti_full_head_of(const fgti_chain *c, int64_t g, int64_t h);
/* Returns the elements that a held A takes. */
int64_t fgti_full_held(const fgti_full_head *hd);
/* Returns the row of a token of this group and head. */
static inline fgti_real *fgti_full_rows(const fgti_full_head *hd, fgti_span s, int64_t product, int64_t token)
{
    return fgti_span_rows_of(hd->c, s, hd->g, hd->h, product) + token * s.ld;
}

/* The tokens from .. to-1. */
typedef struct fgti_token_range {
    int64_t from, to;
} fgti_token_range;

/* For a sweep over n tokens that comes to block [from,to). fgti_swept() returns the tokens that the sweep has
 * visited before. fgti_unswept() returns the tokens by which the block must still be multiplied, because the
 * previous sweep did not know them. */
static inline fgti_token_range fgti_swept(int64_t sweep, fgti_token_range block, int64_t n)
{
    return sweep % 2 ? (fgti_token_range){block.to, n} : (fgti_token_range){0, block.from};
}
static inline fgti_token_range fgti_unswept(int64_t sweep, fgti_token_range block, int64_t n)
{
    if (sweep == 0) return (fgti_token_range){0, n};
    return sweep % 2 ? (fgti_token_range){block.from, n} : (fgti_token_range){0, block.to};
}

#endif
