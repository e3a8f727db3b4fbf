/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATTENTION_CORE_H
#define FGTI_ATTENTION_CORE_H

/* Computes blocks of attention matrices from queries and keys, one (group, head) at a time. A group is one
 * node of one sample. All layers with attention use these functions. attender.h describes the matrices by
 * which A is multiplied.
 *
 * A block of A is stored in the order of a microkernel's V panel (blas/tile.h), in one of two forms:
 *     rows     [key j][query i in v lanes]   for sums over the keys: A x
 *     columns  [query i][key j in v lanes]   for sums over the queries: A'x */

#include "blas/tile.h"
#include "nn/layer.h"

/* Numbers of enumerators of fgt_attn_mode, fgt_diag_when and fgt_attn_scale. */
enum { FGTI_ATTN_MODES = 3, FGTI_DIAG_WHENS = 3, FGTI_ATTN_SCALES = 2 };
_Static_assert((int)FGT_ATTN_MODE_STREAM == FGTI_ATTN_MODES - 1, "count of enumerators");
_Static_assert((int)FGT_DIAG_WHEN_AFTER_SCALED == FGTI_DIAG_WHENS - 1, "count of enumerators");
_Static_assert((int)FGT_ATTN_SCALE_WIDTH == FGTI_ATTN_SCALES - 1, "count of enumerators");

/* A row of the table of options, for the options that all layers with attention have. */
#define FGTI_RULE(type, name, kind, min, max) FGTI_FIELD_OF(type, attention, name, kind, min, max, 0)
#define FGTI_RULE_RESERVED(type)                                                     \
    {"reserved", offsetof(type, attention.reserved[0]), FGTI_OPT_BOOL, 0, 0, 0},     \
        {"reserved", offsetof(type, attention.reserved[1]), FGTI_OPT_BOOL, 0, 0, 0}, \
    {                                                                                \
        "reserved", offsetof(type, attention.reserved[2]), FGTI_OPT_BOOL, 0, 0, 0    \
    }
#define FGTI_RULES(type)                                                                                   \
    FGTI_RULE(type, causal, BOOL, 0, 1), FGTI_RULE(type, diag_mask, BOOL, 0, 1),                           \
        FGTI_RULE(type, diag_penalty, F32, -1e30, 1e30), FGTI_RULE(type, diag_dropout, F32, 0, 0.999),     \
        FGTI_RULE(type, diag_when, ENUM, 0, FGTI_DIAG_WHENS - 1),                                          \
        FGTI_RULE(type, attn_dropout, F32, 0, 0.999), FGTI_RULE(type, mode, ENUM, 0, FGTI_ATTN_MODES - 1), \
        FGTI_RULE(type, scale, ENUM, 0, FGTI_ATTN_SCALES - 1),                                             \
        FGTI_RULE(type, attender, ENUM, 0, FGTI_ATTENDERS - 1), FGTI_RULE(type, factor, ENUM, 0, 1000000), \
        FGTI_RULE(type, own_delays, BOOL, 0, 1), FGTI_RULE(type, bucket_size, ENUM, 0, 1000000),           \
        FGTI_RULE(type, n_hashes, ENUM, 0, 1000), FGTI_RULE_RESERVED(type),                                \
        FGTI_RULE(type, graph, GRAPH, 0, 0)

/* The attention of one layer in one pass. */
typedef struct fgti_attention {
    fgt_attention_rule  conf;
    const fgti_run     *run;
    const fgti_kernel  *kn;
    const fgt_graph    *graph; /* the layer's graph, if attention follows only its edges; otherwise NULL */
    int64_t             nodes, groups, heads, tq, tk, dh; /* dh: width of one head */
    int64_t             scaled; /* the width w in the factor 1/sqrt(w) of the scores */
    int64_t             side;   /* number of groups whose rows of one token lie side by side: 1, or all groups
                                * of a sample */
    fgti_real          *q, *k;  /* [groups,tq,ldq] and [groups,tk,ldk]; the columns of a head are next to each
                                * other */
    int64_t             ldq, ldk;
    const int32_t      *padding, *blocked, *drop; /* masks; NULL if they are not set */
    const fgti_real    *additive, *diag_scale;
    double              diag_p, drop_p; /* dropout in this pass, which is 0 outside training */
    fgti_rng            diag_rng, drop_rng, key_rng;
    bool                same_tokens; /* queries and keys are of the same tokens */
    bool                masked;      /* a mask changes the scores before the softmax */
    bool                drops;       /* a factor changes A after the softmax */
    fgti_matrices       matrices;
    /* If A is kept: all panels of A, in the form of rows */
    fgti_real *soft; /* A after the softmax */
    fgti_real *a;    /* A after dropout; equal to `soft` if there is no dropout */
    /* If A is not kept: two numbers for each row, [groups,heads,tq], with A = exp(scores - shift) factor */
    fgti_real *shift, *factor;
} fgti_attention;

/* Decides from the planned sizes how a layer stores A. `products`: number of products with A in a head, one
 * after another. */
fgti_matrices fgti_attention_choose(const fgt_attention_rule *conf, const fgti_blas *blas, int64_t tq,
                                    int64_t tk, int64_t dh, int64_t products);
/* Returns the least number of rows that fills whole panels of both kinds, U and V. */
int64_t fgti_attention_step(const fgti_kernel *kn);
/* The most elements of A, in whole tiles, for which A is held. A matrix of this size stays in the second
 * cache, beside the matrices by which A is multiplied. fgti_attention_tiles() counts the elements. */
#define FGTI_ATTENTION_HELD (INT64_C(1) << 16)
int64_t fgti_attention_tiles(const fgti_kernel *kn, int64_t tq, int64_t tk);

/* Sets the sizes of a pass, and how the route stores the matrices A. */
void fgti_attention_set(fgti_attention *attention, const fgt_attention_rule *conf, const fgti_layer *l,
                        int64_t batch, int64_t nodes, int64_t heads, int64_t tq, int64_t tk, int64_t dh);
/* Call this function after fgti_attention_set(). It checks the masks, and sets everything but q, k and the
 * results that a pass leaves for the backward pass. */
fgt_status fgti_attention_init(fgti_attention *attention, const fgti_run *run, const fgti_layer *l);
/* Call this function last. It takes memory from a cache for the results that the backward pass reads. With
 * base == NULL it only counts the memory that any pass may need. */
void fgti_attention_place(fgti_attention *attention, fgti_real *base, int64_t *at);

/* Return the elements of one panel of A, for v queries and all keys; and of all panels of one group and
 * head. */
static inline int64_t fgti_attention_panel(const fgti_attention *attention)
{
    return fgti_mul(fgti_round_up(attention->tk, attention->kn->u), attention->kn->v);
}
static inline int64_t fgti_attention_block(const fgti_attention *attention)
{
    return fgti_mul(fgti_round_up(attention->tq, attention->kn->v) / attention->kn->v,
                    fgti_attention_panel(attention));
}

/* Returns the offset of the first token of group g, for groups of `tokens` rows at distance ld. */
static inline int64_t fgti_attention_group(const fgti_attention *attention, int64_t g, int64_t tokens,
                                           int64_t ld)
{
    const int64_t beside = g % attention->side, row = ld / attention->side;
    return ((g - beside) * tokens + beside) * row;
}
static inline const fgti_real *fgti_attention_q(const fgti_attention *attention, int64_t g, int64_t h)
{
    return attention->q + fgti_attention_group(attention, g, attention->tq, attention->ldq) +
           h * attention->dh;
}
static inline const fgti_real *fgti_attention_k(const fgti_attention *attention, int64_t g, int64_t h)
{
    return attention->k + fgti_attention_group(attention, g, attention->tk, attention->ldk) +
           h * attention->dh;
}
static inline fgti_real fgti_attention_scale(const fgti_attention *attention)
{
    return (fgti_real)(1 / sqrt((double)attention->scaled));
}

/* Sets s to the masked scores Q K'/sqrt(dh) of queries from i0 on and keys j0 .. j0+nj-1, in the form of
 * rows. `keys`: U panels of K from j0 on. `query`: one V panel of Q/sqrt(dh); Q is scaled because it is the
 * smaller operand. */
void fgti_attention_scores(const fgti_attention *attention, int64_t g, int64_t i0, int64_t j0, int64_t nj,
                           const fgti_real *keys, const fgti_real *query, fgti_real *s);
/* Sets s to the masked scores of queries i0 .. i0+ni-1 and keys from j0 on, in the form of columns. */
void fgti_attention_scores_columns(const fgti_attention *attention, int64_t g, int64_t i0, int64_t ni,
                                   int64_t j0, const fgti_real *queries, const fgti_real *key, fgti_real *s);
/* Applies only the masks to scores of queries i0 .. i0+ni-1 and keys j0 .. j0+nj-1. Queries are at distance
 * si, keys at distance sj. */
void fgti_attention_mask(const fgti_attention *attention, int64_t g, int64_t i0, int64_t ni, int64_t j0,
                         int64_t nj, int64_t si, int64_t sj, fgti_real *s);
/* Multiplies a block a, [key][query in v lanes], by the factors that act after the softmax. i0 and v are
 * multiples of 4. */
void fgti_attention_drop(const fgti_attention *attention, int64_t g, int64_t h, int64_t i0, int64_t v,
                         int64_t j0, int64_t nj, fgti_real *a);
/* Sets a to soft times the factors of fgti_attention_drop(), for `queries` <= v queries in the form of
 * columns. soft and a are [query][ld]. `factor` is memory for [nj][v]. */
void fgti_attention_drop_columns(const fgti_attention *attention, int64_t g, int64_t h, int64_t i0, int64_t v,
                                 int64_t queries, int64_t j0, int64_t nj, fgti_real *factor,
                                 const fgti_real *soft, int64_t ld, fgti_real *a);

#endif
