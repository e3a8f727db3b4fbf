/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/attention_core.h"

#include <math.h>

#include "nn/masks.h"

/* Keeping A, writing it and reading it from memory costs more than making it again: always with heads up to
 * so wide, and beyond from so many scores a head on. */
#define KEEP_WIDTH 64
#define KEEP_MOST  (INT64_C(1) << 22)

bool fgti_attention_streams(const fgti_attention_conf *conf, int64_t tq, int64_t tk, int64_t dh)
{
    if (conf->mode) return conf->mode == FGT_ATTN_STREAM;
    return dh <= KEEP_WIDTH || fgti_mul(tq, tk) > KEEP_MOST;
}

bool fgti_attention_two(const fgti_attention_conf *conf)
{
    return conf->attn_dropout > 0 || (conf->diag_dropout > 0 && conf->diag_when != FGT_DIAG_BEFORE);
}

void fgti_attention_place(fgti_attention *at, const fgti_layer *l, bool streams, bool two, fgti_real *base,
                          int64_t *used)
{
    const int64_t pairs = fgti_mul(at->groups, at->heads);
    at->kn              = fgti_tile_kernel(l->blas);
    at->streams         = streams;
    at->soft = at->a = at->shift = at->factor = NULL;
    if (streams) {
        at->shift  = fgti_take(base, used, fgti_mul(pairs, at->tq));
        at->factor = fgti_take(base, used, fgti_mul(pairs, at->tq));
        return;
    }
    const int64_t n = fgti_mul(pairs, fgti_attention_block(at)) + FGTI_TILE_AHEAD;
    at->soft        = fgti_take(base, used, n);
    at->a           = two ? fgti_take(base, used, n) : at->soft;
}

fgt_status fgti_attention_init(fgti_attention *at, const fgti_run *run, const fgti_layer *l,
                               const fgti_attention_conf *conf, int64_t nodes, int64_t heads, int64_t tq,
                               int64_t tk, int64_t dh)
{
    *at          = (fgti_attention){.conf   = *conf,
                                    .run    = run,
                                    .nodes  = nodes,
                                    .groups = run->batch * nodes,
                                    .heads  = heads,
                                    .tq     = tq,
                                    .tk     = tk,
                                    .dh     = dh};
    at->diag_p   = run->training ? conf->diag_dropout : 0;
    at->drop_p   = run->training ? conf->attn_dropout : 0;
    at->diag_rng = fgti_layer_rng(run, l, FGTI_DRAW_DIAGONAL);
    at->drop_rng = fgti_layer_rng(run, l, FGTI_DRAW_ATTENTION);
    FGTI_TRY(fgti_key_padding(run, tk, &at->padding));
    FGTI_TRY(fgti_attn_mask(run, tq, tk, &at->blocked, &at->additive));
    FGTI_TRY(fgti_diag_drop(run, tq, &at->drop));
    FGTI_TRY(fgti_diag_scale(run, at->groups, heads, tq, &at->diag_scale));
    const bool before = conf->diag_when == FGT_DIAG_BEFORE;
    at->masked = at->padding || at->blocked || at->drop || at->additive || conf->causal || conf->diag_mask ||
                 conf->diag_penalty != 0 || (at->diag_p > 0 && before);
    at->drops = at->drop_p > 0 || at->diag_scale || (at->diag_p > 0 && !before);
    return FGT_OK;
}

/* A rectangle of scores: query i, key j at s[(i - i0) si + (j - j0) sj]. */
typedef struct region {
    int64_t    i0, i1, j0, j1, si, sj;
    fgti_real *s;
} region;

static fgti_real *score_at(const region *r, int64_t i, int64_t j)
{
    return r->s + (i - r->i0) * r->si + (j - r->j0) * r->sj;
}

static void mask_keys(const fgti_attention *at, int64_t g, const region *r)
{
    const fgti_real inf     = (fgti_real)INFINITY;
    const int32_t  *padding = at->padding ? at->padding + g / at->nodes * at->tk : NULL;
    for (int64_t j = r->j0; padding && j < r->j1; j++)
        if (padding[j])
            for (int64_t i = r->i0; i < r->i1; i++) *score_at(r, i, j) = -inf;
    for (int64_t i = r->i0; at->conf.causal && i < r->i1; i++)
        for (int64_t j = i + 1 > r->j0 ? i + 1 : r->j0; j < r->j1; j++) *score_at(r, i, j) = -inf;
}

static void mask_pairs(const fgti_attention *at, const region *r)
{
    for (int64_t i = r->i0; i < r->i1; i++)
        for (int64_t j = r->j0; j < r->j1; j++) {
            fgti_real *s = score_at(r, i, j);
            if (at->additive) *s += at->additive[i * at->tk + j];
            if (at->blocked && at->blocked[i * at->tk + j]) *s = -(fgti_real)INFINITY;
        }
}

static void mask_diagonal(const fgti_attention *at, const region *r)
{
    const bool before = at->conf.diag_when == FGT_DIAG_BEFORE && at->diag_p > 0;
    for (int64_t i = r->i0 > r->j0 ? r->i0 : r->j0; i < r->i1 && i < r->j1; i++) {
        fgti_real *s = score_at(r, i, i);
        *s += at->conf.diag_penalty;
        if (at->conf.diag_mask || (at->drop && at->drop[i]) ||
            (before && fgti_rng_uniform(at->diag_rng, (uint64_t)i) < at->diag_p))
            *s = -(fgti_real)INFINITY;
    }
}

/* -inf where a query may not look; the penalty on the diagonal. */
static void mask(const fgti_attention *at, int64_t g, region r)
{
    if (!at->masked) return;
    if (r.i1 > at->tq) r.i1 = at->tq;
    if (r.j1 > at->tk) r.j1 = at->tk;
    if (at->additive || at->blocked) mask_pairs(at, &r);
    mask_keys(at, g, &r);
    mask_diagonal(at, &r);
}

void fgti_attention_mask(const fgti_attention *at, int64_t g, int64_t i0, int64_t ni, int64_t j0, int64_t nj,
                         int64_t si, int64_t sj, fgti_real *s)
{
    mask(at, g, (region){i0, i0 + ni, j0, j0 + nj, si, sj, s});
}

void fgti_attention_scores(const fgti_attention *at, int64_t g, int64_t i0, int64_t j0, int64_t nj,
                           const fgti_real *keys, const fgti_real *query, fgti_real *s)
{
    const int64_t u = at->kn->u, v = at->kn->v;
    fgti_tile_product(at->kn, nj, at->dh, fgti_attention_scale(at), keys, u * at->dh, query, 0, s);
    mask(at, g, (region){i0, i0 + v, j0, j0 + nj, 1, v, s});
}

void fgti_attention_scores_columns(const fgti_attention *at, int64_t g, int64_t i0, int64_t ni, int64_t j0,
                                   const fgti_real *queries, const fgti_real *key, fgti_real *s)
{
    const int64_t u = at->kn->u, v = at->kn->v;
    fgti_tile_product(at->kn, ni, at->dh, fgti_attention_scale(at), queries, u * at->dh, key, 0, s);
    mask(at, g, (region){i0, i0 + ni, j0, j0 + v, v, 1, s});
}

/* Factor on A[i,i] after the softmax. */
static fgti_real diag_factor(const fgti_attention *at, int64_t gh, int64_t i)
{
    fgti_real f = at->diag_scale ? at->diag_scale[gh * at->tq + i] : 1;
    if (at->diag_p > 0 && at->conf.diag_when != FGT_DIAG_BEFORE) {
        const bool drop = fgti_rng_uniform(at->diag_rng, (uint64_t)(gh * at->tq + i)) < at->diag_p;
        if (drop) return 0;
        if (at->conf.diag_when == FGT_DIAG_AFTER_SCALED) f /= (fgti_real)(1 - at->diag_p);
    }
    return f;
}

/* Dropout numbers A[i,j] by (g, h, j, i), whatever the width of the lanes. */
void fgti_attention_drop(const fgti_attention *at, int64_t g, int64_t h, int64_t i0, int64_t v, int64_t j0,
                         int64_t nj, fgti_real *s)
{
    const int64_t gh = g * at->heads + h, row = fgti_round_up(at->tq, 4);
    for (int64_t j = 0; at->drop_p > 0 && j < nj; j++)
        at->run->vec->dropout(at->drop_rng, at->drop_p, (uint64_t)((gh * at->tk + j0 + j) * row + i0), v,
                              s + j * v, s + j * v);
    if (!at->diag_scale && (at->diag_p == 0 || at->conf.diag_when == FGT_DIAG_BEFORE)) return;
    for (int64_t i = i0 > j0 ? i0 : j0; i < at->tq && i < i0 + v && i < j0 + nj; i++)
        s[(i - j0) * v + i - i0] *= diag_factor(at, gh, i);
}
