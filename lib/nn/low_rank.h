/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LOW_RANK_H
#define FGTI_LOW_RANK_H

/* Adapted maps W + s B A, where only the factors B [out,r] and A [r,in] are trained
 * (model/adapter/adapter.h). Passes read the sum, so layers need no code for the factors. Backward does not
 * need dW [out,in] either:
 *     u = s x A',  dB += dy'u,   v = s dy B,  dA += v'x
 * If r is well below `in` and `out`, these products take far fewer flops than dW = dy'x.
 *     Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", 2021, section 4.1 */

#include "nn/layer_run.h"

/* Returns the number of rows that are multiplied at a time. u and v have this number of rows, and take at
 * most 512 KiB. */
static inline int64_t fgti_low_rank_rows(int64_t rank)
{
    const int64_t rows = 65536 / rank;
    return rows > 1024 ? 1024 : rows;
}

/* Returns the elements of the scratch for maps with at most `widest` inputs and outputs: u, v and packed, in
 * this order. */
static inline int64_t fgti_low_rank_scratch(int64_t rank, int64_t widest)
{
    return 2 * fgti_low_rank_rows(rank) * rank + FGTI_REGISTER * widest;
}

typedef struct fgti_low_rank {
    /* The dW pointer that the layer gets. Nothing is written there, because dW [out,in] is not computed: the
     * pointer only identifies the map, by its address. A layer may ask for only some rows of W. For a table
     * of embeddings [in,out], the layer gets this pointer also as W. Then it points to the table of the base,
     * and the layer adds s B a_id to the rows. */
    const fgti_real *dw;
    int64_t          out, in, rank;
    double           scale;
    const fgti_real *a, *b;
    fgti_real       *da, *db;
    fgti_real       *u, *v; /* scratch, [fgti_low_rank_rows(r), r] each */
    fgti_real       *packed; /* scratch, FGTI_REGISTER times the larger of `in` and `out` */
} fgti_low_rank;

/* Returns the map whose dW contains the address dw; NULL: there is no such map. */
const fgti_low_rank *fgti_low_rank_find(const fgti_run *run, const fgti_real *dw);
/* Computes dA and dB of h rows of W, from the row at dw on. x is [rows,in], and dy is [rows, lddy >= h]. */
void fgti_low_rank_grad(const fgti_run *run, const fgti_low_rank *map, int64_t rows, int64_t h,
                        const fgti_real *x, const fgti_real *dy, int64_t lddy, const fgti_real *dw);

/* For a transposed table W [in,out], which is read as W + s (B A)'. The rows of y are rows of W; this
 * function adds s B a_id to each, where a_id is a column of A. It works in blocks of FGTI_LOOKUP rows. */
#define FGTI_LOOKUP 64
void fgti_low_rank_lookup(const fgti_vec *vec, const fgti_low_rank *map, int64_t rows, const int32_t *ids,
                          fgti_real *y);
/* fgti_low_rank_lookup() for all rows of a table, with the same bits. */
void fgti_low_rank_table(const fgti_exec *exec, const fgti_vec *vec, const fgti_low_rank *map, fgti_real *w);
/* Computes dA and dB of a lookup, from dy [rows,out]. The column of A of the id `skip` has no gradient. */
void fgti_low_rank_lookup_grad(const fgti_run *run, const fgti_low_rank *map, int64_t rows,
                               const int32_t *ids, int64_t skip, const fgti_real *dy);

#endif
