/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATTENTION_CORE_H
#define FGTI_ATTENTION_CORE_H

/* From queries and keys to blocks of attention matrices, one (group, head) at a time. A group is one node of
 * one sample. What the layers that attend share; attention_chain.c multiplies by the matrices.
 *
 * A block is kept in the order of a microkernel's V panel (blas/tile.h), in one of two forms:
 *     rows     [key j][query i in v lanes]   what sums over the keys reads: A x
 *     columns  [query i][key j in v lanes]   what sums over the queries reads: A'x */

#include "blas/tile.h"
#include "nn/layer.h"

/* The options that the attending layers have in common. */
typedef struct fgti_attention_conf {
    bool    causal, diag_mask;
    float   diag_penalty, diag_dropout, attn_dropout;
    int32_t diag_when;
    int32_t mode; /* an fgt_attn_mode */
} fgti_attention_conf;

/* One layer's attention in one pass. */
typedef struct fgti_attention {
    fgti_attention_conf conf;
    const fgti_run     *run;
    const fgti_kernel  *kn;
    int64_t             nodes, groups, heads, tq, tk, dh; /* dh: width of one head */
    const fgti_real    *q, *k; /* [groups,tq,ldq], [groups,tk,ldk], a head's columns together */
    int64_t             ldq, ldk;
    const int32_t      *padding, *blocked, *drop; /* masks, NULL where not set */
    const fgti_real    *additive, *diag_scale;
    double              diag_p, drop_p; /* dropout in this pass: 0 outside training */
    fgti_rng            diag_rng, drop_rng;
    bool                masked; /* something acts before the softmax; after it: */
    bool                drops;
    /* Streamed: only two numbers a row are kept, shift and factor [groups,heads,tq], with which
     * A = exp(scores - shift) factor. Otherwise all panels of A, in the form of rows. */
    bool       streams;
    fgti_real *soft; /* after the softmax */
    fgti_real *a;    /* after dropout on A; the same array when there is none */
    fgti_real *shift, *factor;
} fgti_attention;

/* Whether A is not kept from forward to backward, from the planned sizes. */
bool fgti_attention_streams(const fgti_attention_conf *conf, int64_t tq, int64_t tk, int64_t dh);

/* Takes what is kept of A from a cache; `at` holds the sizes. `two` copies of A if something may act after
 * the softmax. */
void fgti_attention_place(fgti_attention *at, const fgti_layer *l, bool streams, bool two, fgti_real *base,
                          int64_t *used);
/* Whether a second copy of A is kept, whatever the side inputs of the pass. */
bool fgti_attention_two(const fgti_attention_conf *conf);

/* Checks masks and fills everything but q, k and what is kept. */
fgt_status fgti_attention_init(fgti_attention *at, const fgti_run *run, const fgti_layer *l,
                               const fgti_attention_conf *conf, int64_t nodes, int64_t heads, int64_t tq,
                               int64_t tk, int64_t dh);

/* Elements of one panel of v queries, all keys; and of all panels of one group and head. */
static inline int64_t fgti_attention_panel(const fgti_attention *at)
{
    return fgti_mul(fgti_round_up(at->tk, at->kn->u), at->kn->v);
}
static inline int64_t fgti_attention_block(const fgti_attention *at)
{
    return fgti_mul(fgti_round_up(at->tq, at->kn->v) / at->kn->v, fgti_attention_panel(at));
}

static inline const fgti_real *fgti_attention_q(const fgti_attention *at, int64_t g, int64_t h)
{
    return at->q + g * at->tq * at->ldq + h * at->dh;
}
static inline const fgti_real *fgti_attention_k(const fgti_attention *at, int64_t g, int64_t h)
{
    return at->k + g * at->tk * at->ldk + h * at->dh;
}
static inline fgti_real fgti_attention_scale(const fgti_attention *at)
{
    return (fgti_real)(1 / sqrt((double)at->dh));
}

/* s = masked scores Q K'/sqrt(dh) of queries i0 .. and keys j0 .. j0+nj-1, form rows. `keys`: U panels of K
 * from j0 on; `query`: one V panel of Q. */
void fgti_attention_scores(const fgti_attention *at, int64_t g, int64_t i0, int64_t j0, int64_t nj,
                           const fgti_real *keys, const fgti_real *query, fgti_real *s);
/* The same of queries i0 .. i0+ni-1 and keys j0 .., form columns. */
void fgti_attention_scores_columns(const fgti_attention *at, int64_t g, int64_t i0, int64_t ni, int64_t j0,
                                   const fgti_real *queries, const fgti_real *key, fgti_real *s);
/* What acts before the softmax on scores of queries i0 .. i0+ni-1 and keys j0 .. j0+nj-1, at distances si and
 * sj. */
void fgti_attention_mask(const fgti_attention *at, int64_t g, int64_t i0, int64_t ni, int64_t j0, int64_t nj,
                         int64_t si, int64_t sj, fgti_real *s);
/* What acts after the softmax, on a block [key][query in v lanes]; it is a factor on each element. i0 and v
 * are multiples of 4. */
void fgti_attention_drop(const fgti_attention *at, int64_t g, int64_t h, int64_t i0, int64_t v, int64_t j0,
                         int64_t nj, fgti_real *s);

#endif
