/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/attention_core.h"

#include <math.h>

#include "nn/masks.h"

/* Limits for keeping A. A kept A is written to memory and read again. For heads of at most KEEP_WIDTH
 * columns, and for wider heads with more than KEEP_MOST scores, it is faster to compute A again. */
#define KEEP_WIDTH 64
#define KEEP_MOST  (INT64_C(1) << 22)

static bool streams(const fgt_attention_rule *conf, int64_t tq, int64_t tk, int64_t dh)
{
    if (conf->mode) return conf->mode == FGT_ATTN_MODE_STREAM;
    return dh <= KEEP_WIDTH || fgti_mul(tq, tk) > KEEP_MOST;
}

fgti_matrices fgti_attention_choose(const fgt_attention_rule *conf, const fgti_blas *blas, int64_t tq,
                                    int64_t tk, int64_t dh, int64_t products)
{
    if (!streams(conf, tq, tk, dh)) return FGTI_MATRICES_KEPT;
    const bool held =
        products > 1 && fgti_attention_tiles(fgti_tile_kernel_for(blas, dh), tq, tk) <= FGTI_ATTENTION_HELD;
    return held ? FGTI_MATRICES_HELD : FGTI_MATRICES_STREAMED;
}

int64_t fgti_attention_step(const fgti_kernel *kn)
{
    int64_t rows = kn->u;
    while (rows % kn->v) rows += kn->u;
    return rows;
}

int64_t fgti_attention_tiles(const fgti_kernel *kn, int64_t tq, int64_t tk)
{
    const int64_t step = fgti_attention_step(kn);
    return fgti_mul(fgti_round_up(tq, step), fgti_round_up(tk, step));
}

/* Whether A needs a second copy, because a factor acts after the softmax. The factor may come from the
 * options, or from a mask that the host may set in any pass. */
static bool needs_two(const fgti_attention *attention, bool any_pass)
{
    const fgt_attention_rule *conf = &attention->conf;
    return any_pass || attention->diag_scale || conf->attn_dropout > 0 ||
           (conf->diag_dropout > 0 && conf->diag_when != FGT_DIAG_WHEN_BEFORE);
}

void fgti_attention_place(fgti_attention *attention, fgti_real *base, int64_t *at)
{
    const int64_t pairs = fgti_mul(attention->groups, attention->heads);
    attention->soft = attention->a = attention->shift = attention->factor = NULL;
    if (attention->matrices != FGTI_MATRICES_KEPT) {
        attention->shift  = fgti_take(base, at, fgti_mul(pairs, attention->tq));
        attention->factor = fgti_take(base, at, fgti_mul(pairs, attention->tq));
        return;
    }
    const int64_t n = fgti_mul(pairs, fgti_attention_block(attention)) + FGTI_TILE_AHEAD;
    attention->soft = fgti_take(base, at, n);
    attention->a    = needs_two(attention, !base) ? fgti_take(base, at, n) : attention->soft;
}

void fgti_attention_set(fgti_attention *attention, const fgt_attention_rule *conf, const fgti_layer *l,
                        int64_t batch, int64_t nodes, int64_t heads, int64_t tq, int64_t tk, int64_t dh)
{
    *attention = (fgti_attention){.conf     = *conf,
                                  .kn       = fgti_tile_kernel_for(l->blas, dh),
                                  .graph    = l->graph,
                                  .matrices = fgti_routes[l->route].matrices,
                                  .nodes    = nodes,
                                  .groups   = fgti_mul(batch, nodes),
                                  .side = l->axis == FGT_AXIS_NODES && l->cls->strided ? nodes : 1,
                                  .heads    = heads,
                                  .tq       = tq,
                                  .tk       = tk,
                                  .dh       = dh,
                                  .scaled   = conf->scale == FGT_ATTN_SCALE_WIDTH ? l->in.width : dh};
}

fgt_status fgti_attention_init(fgti_attention *attention, const fgti_run *run, const fgti_layer *l)
{
    const fgt_attention_rule  *conf = &attention->conf;
    const int64_t              tq = attention->tq, tk = attention->tk;
    attention->run      = run;
    attention->diag_p   = run->training ? conf->diag_dropout : 0;
    attention->drop_p   = run->training ? conf->attn_dropout : 0;
    attention->diag_rng = fgti_layer_rng(run, l, FGTI_DRAW_DIAGONAL);
    attention->drop_rng = fgti_layer_rng(run, l, FGTI_DRAW_ATTENTION);
    attention->key_rng  = fgti_key_rng(run, l);
    if (run->stream) return FGT_OK; /* in a stream, attention_stream.h reads the masks later */
    FGTI_TRY(fgti_key_padding(run, tk, &attention->padding));
    FGTI_TRY(fgti_attn_mask(run, tq, tk, &attention->blocked, &attention->additive));
    FGTI_TRY(fgti_diag_drop(run, tq, &attention->drop));
    FGTI_TRY(fgti_diag_scale(run, attention->groups, attention->heads, tq, &attention->diag_scale));
    const bool before = conf->diag_when == FGT_DIAG_WHEN_BEFORE;
    attention->masked = attention->padding || attention->blocked || attention->drop || attention->additive ||
                        conf->causal || conf->diag_mask || conf->diag_penalty != 0 ||
                        (attention->diag_p > 0 && before);
    attention->drops = attention->drop_p > 0 || attention->diag_scale || (attention->diag_p > 0 && !before);
    return FGT_OK;
}

/* A rectangle of scores. The score of query i and key j is s[(i - i0) si + (j - j0) sj]. */
typedef struct region {
    int64_t    i0, i1, j0, j1, si, sj;
    fgti_real *s;
} region;

static fgti_real *score_at(const region *r, int64_t i, int64_t j)
{
    return r->s + (i - r->i0) * r->si + (j - r->j0) * r->sj;
}

static void mask_keys(const fgti_attention *attention, int64_t g, const region *r)
{
    const fgti_real inf = (fgti_real)INFINITY;
    const int32_t  *padding =
        attention->padding ? attention->padding + g / attention->nodes * attention->tk : NULL;
    for (int64_t j = r->j0; padding && j < r->j1; j++)
        if (padding[j])
            for (int64_t i = r->i0; i < r->i1; i++) *score_at(r, i, j) = -inf;
    for (int64_t i = r->i0; attention->conf.causal && i < r->i1; i++)
        for (int64_t j = i + 1 > r->j0 ? i + 1 : r->j0; j < r->j1; j++) *score_at(r, i, j) = -inf;
}

static void mask_pairs(const fgti_attention *attention, const region *r)
{
    for (int64_t i = r->i0; i < r->i1; i++)
        for (int64_t j = r->j0; j < r->j1; j++) {
            fgti_real *s = score_at(r, i, j);
            if (attention->additive) *s += attention->additive[i * attention->tk + j];
            if (attention->blocked && attention->blocked[i * attention->tk + j]) *s = -(fgti_real)INFINITY;
        }
}

static void mask_diagonal(const fgti_attention *attention, const region *r)
{
    const bool before = attention->conf.diag_when == FGT_DIAG_WHEN_BEFORE && attention->diag_p > 0;
    for (int64_t i = r->i0 > r->j0 ? r->i0 : r->j0; i < r->i1 && i < r->j1; i++) {
        fgti_real *s = score_at(r, i, i);
        *s += attention->conf.diag_penalty;
        if (attention->conf.diag_mask || (attention->drop && attention->drop[i]) ||
            (before && fgti_rng_uniform(attention->diag_rng, (uint64_t)i) < attention->diag_p))
            *s = -(fgti_real)INFINITY;
    }
}

/* Sets -inf where a query may not look, and adds the penalty on the diagonal. */
static void attention_core_mask(const fgti_attention *attention, int64_t g, region r)
{
    if (!attention->masked) return;
    if (r.i1 > attention->tq) r.i1 = attention->tq;
    if (r.j1 > attention->tk) r.j1 = attention->tk;
    if (attention->additive || attention->blocked) mask_pairs(attention, &r);
    mask_keys(attention, g, &r);
    mask_diagonal(attention, &r);
}

void fgti_attention_mask(const fgti_attention *attention, int64_t g, int64_t i0, int64_t ni, int64_t j0,
                         int64_t nj, int64_t si, int64_t sj, fgti_real *s)
{
    attention_core_mask(attention, g, (region){i0, i0 + ni, j0, j0 + nj, si, sj, s});
}

void fgti_attention_scores(const fgti_attention *attention, int64_t g, int64_t i0, int64_t j0, int64_t nj,
                           const fgti_real *keys, const fgti_real *query, fgti_real *s)
{
    const int64_t u = attention->kn->u, v = attention->kn->v;
    fgti_tile_product(attention->kn, nj, attention->dh, 1, keys, u * attention->dh, query, 0, s);
    attention_core_mask(attention, g, (region){i0, i0 + v, j0, j0 + nj, 1, v, s});
}

void fgti_attention_scores_columns(const fgti_attention *attention, int64_t g, int64_t i0, int64_t ni,
                                   int64_t j0, const fgti_real *queries, const fgti_real *key, fgti_real *s)
{
    const int64_t u = attention->kn->u, v = attention->kn->v;
    fgti_tile_product(attention->kn, ni, attention->dh, 1, queries, u * attention->dh, key, 0, s);
    attention_core_mask(attention, g, (region){i0, i0 + ni, j0, j0 + v, v, 1, s});
}

/* Returns the factor on A[i,i] after the softmax. */
static fgti_real diag_factor(const fgti_attention *attention, int64_t gh, int64_t i)
{
    fgti_real f = attention->diag_scale ? attention->diag_scale[gh * attention->tq + i] : 1;
    if (attention->diag_p > 0 && attention->conf.diag_when != FGT_DIAG_WHEN_BEFORE) {
        const bool drop =
            fgti_rng_uniform(attention->diag_rng, (uint64_t)(gh * attention->tq + i)) < attention->diag_p;
        if (drop) return 0;
        if (attention->conf.diag_when == FGT_DIAG_WHEN_AFTER_SCALED) f /= (fgti_real)(1 - attention->diag_p);
    }
    return f;
}

/* Dropout draws the random number of A[i,j] by (g, h, j, i), so it does not depend on the number of lanes. */
void fgti_attention_drop(const fgti_attention *attention, int64_t g, int64_t h, int64_t i0, int64_t v,
                         int64_t j0, int64_t nj, fgti_real *s)
{
    const int64_t gh = g * attention->heads + h, row = fgti_round_up(attention->tq, 4);
    for (int64_t j = 0; attention->drop_p > 0 && j < nj; j++)
        attention->run->vec->dropout(attention->drop_rng, attention->drop_p,
                                     (uint64_t)((gh * attention->tk + j0 + j) * row + i0), v, s + j * v,
                                     s + j * v);
    if (!attention->diag_scale &&
        (attention->diag_p == 0 || attention->conf.diag_when == FGT_DIAG_WHEN_BEFORE))
        return;
    for (int64_t i = i0 > j0 ? i0 : j0; i < attention->tq && i < i0 + v && i < j0 + nj; i++)
        s[(i - j0) * v + i - i0] *= diag_factor(attention, gh, i);
}

/* The random numbers of dropout are drawn for queries in lanes. So the factors are made in this order, and
 * then transposed. */
void fgti_attention_drop_columns(const fgti_attention *attention, int64_t g, int64_t h, int64_t i0, int64_t v,
                                 int64_t queries, int64_t j0, int64_t nj, fgti_real *factor,
                                 const fgti_real *soft, int64_t ld, fgti_real *a)
{
    for (int64_t l = 0; l < nj * v; l++) factor[l] = 1;
    fgti_attention_drop(attention, g, h, i0, v, j0, nj, factor);
    fgti_pack_transpose(nj, queries, factor, v, a, ld);
    for (int64_t i = 0; i < queries; i++)
        for (int64_t j = 0; j < nj; j++) a[i * ld + j] *= soft[i * ld + j];
}
