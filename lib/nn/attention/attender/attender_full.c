/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "nn/attention/attender/full_backward.h"
#include "nn/attention/attender/full_head.h"
#include "nn/attention/attender/full_short.h"

/* The forward pass of full attention, A = softmax(Q K'/sqrt(dh) + masks); full_backward.c has the gradient.
 * Unless the matrices are kept, only the shift and factor of each row of A stay in memory. */

/* Number of keys that are taken at a time for a panel of queries, if A is streamed. The scores of these keys
 * stay in the first cache, beside the values by which they are multiplied. */
#define KEYS_AT_ONCE 256

/* The parts of a worker's arena. */
typedef struct work {
    fgti_real *x[2];           /* U panels of the columns of X_i and X_{i+1} */
    fgti_real *keys;           /* U panels of the rows of K */
    fgti_real *query;          /* a V panel of Q/sqrt(dh) */
    fgti_real *scores;         /* one V panel of A, or a part of one panel */
    fgti_real *o[2];           /* panels of O_i and O_{i+1} */
    fgti_real *top, *sum, *fix; /* [v]. top and sum: shift and factor of one panel; fix: factor for the sums
                                 * so far */
} work;

static int64_t keys_at_once(const fgti_attention *attention)
{
    const int64_t step = fgti_round_up(KEYS_AT_ONCE, attention->kn->u);
    return attention->matrices == FGTI_MATRICES_KEPT || attention->tk < step
               ? fgti_round_up(attention->tk, attention->kn->u)
               : step;
}

static int64_t full_work_layout(fgti_full_head *hd, work *w, fgti_real *base)
{
    const fgti_attention *attention = &hd->c->attention;
    const int64_t         nu        = fgti_round_up(hd->n, hd->u);
    int64_t               at        = 0;
    w->keys                         = fgti_take(base, &at, fgti_mul(fgti_round_up(hd->tk, hd->u), hd->dh));
    for (int i = 0; i < 2; i++) w->x[i] = fgti_take(base, &at, fgti_mul(nu, hd->tk));
    for (int i = 0; i < 2; i++) w->o[i] = fgti_take(base, &at, fgti_mul(nu, hd->v));
    w->query  = fgti_take(base, &at, fgti_mul(hd->v, hd->dh) + FGTI_TILE_AHEAD);
    w->scores = fgti_take(base, &at, fgti_mul(keys_at_once(attention), hd->v) + FGTI_TILE_AHEAD);
    w->top    = fgti_take(base, &at, hd->v);
    w->sum    = fgti_take(base, &at, hd->v);
    w->fix    = fgti_take(base, &at, hd->v);
    if (attention->matrices == FGTI_MATRICES_HELD)
        hd->soft = hd->a = fgti_take(base, &at, fgti_full_held(hd));
    return at;
}

static void pack_query(const fgti_full_head *hd, const work *w, int64_t i0)
{
    const fgti_attention *attention = &hd->c->attention;
    fgti_pack_panel(hd->v, fgti_least(hd->v, hd->tq - i0), hd->dh,
                    fgti_attention_q(attention, hd->g, hd->h) + i0 * attention->ldq, attention->ldq, 1,
                    w->query);
    attention->run->vec->scale(hd->v * hd->dh, fgti_attention_scale(attention), w->query);
}

static void full_pack_keys(const fgti_full_head *hd, const work *w)
{
    const fgti_attention *attention = &hd->c->attention;
    fgti_tile_pack(hd->u, hd->tk, hd->dh, fgti_attention_k(attention, hd->g, hd->h), attention->ldk, 1,
                   w->keys, hd->u * hd->dh);
}

/* Packs the columns of X_i as U panels, beginning with row `token`. */
static void pack_inputs(const fgti_full_head *hd, int64_t product, int64_t token, int64_t tokens,
                        fgti_real *to)
{
    int64_t          ld;
    const fgti_real *x = fgti_chain_input(hd->c, hd->g, hd->h, product, &ld);
    fgti_tile_pack(hd->u, hd->n, tokens, x + token * ld, 1, ld, to + token * hd->u, hd->tk * hd->u);
}

static void store_shift(const fgti_full_head *hd, const work *w, int64_t i0)
{
    const size_t bytes = (size_t)fgti_least(hd->v, hd->tq - i0) * sizeof *w->top;
    memcpy(hd->shift + i0, w->top, bytes);
    memcpy(hd->factor + i0, w->sum, bytes);
}

static void load_shift(const fgti_full_head *hd, const work *w, int64_t i0)
{
    for (int64_t l = 0; l < hd->v; l++) {
        w->top[l] = i0 + l < hd->tq ? hd->shift[i0 + l] : 0;
        w->sum[l] = i0 + l < hd->tq ? hd->factor[i0 + l] : 0;
    }
}

/* ---- matrices kept or held ---- */

/* Computes A of v queries from i0 on: softmax(scores), then dropout. If A is kept, A after dropout is a
 * separate copy. */
static void full_make_panel(const fgti_full_head *hd, const work *w, int64_t i0)
{
    const fgti_attention *attention = &hd->c->attention;
    fgti_real            *soft = hd->soft + i0 / hd->v * hd->panel, *a = hd->a + i0 / hd->v * hd->panel;
    pack_query(hd, w, i0);
    fgti_attention_scores(attention, hd->g, i0, 0, hd->tk, w->keys, w->query, soft);
    hd->panels->softmax(hd->tk, hd->v, soft, w->top, w->sum);
    if (attention->matrices != FGTI_MATRICES_KEPT) store_shift(hd, w, i0);
    if (a != soft) memcpy(a, soft, (size_t)(hd->tk * hd->v) * sizeof *a);
    if (attention->drops) fgti_attention_drop(attention, hd->g, hd->h, i0, hd->v, 0, hd->tk, a);
}

static void held_product(const fgti_full_head *hd, const work *w, int64_t product)
{
    const fgti_chain *c = hd->c;
    pack_inputs(hd, product, 0, hd->tk, w->x[0]);
    for (int64_t i0 = 0; i0 < hd->tq; i0 += hd->v) {
        if (product == 0) full_make_panel(hd, w, i0);
        fgti_tile_product(c->attention.kn, hd->n, hd->tk, 1, w->x[0], hd->tk * hd->u,
                          hd->a + i0 / hd->v * hd->panel, 0, w->o[0]);
        fgti_pack_transpose(hd->n, fgti_least(hd->v, hd->tq - i0), w->o[0], hd->v,
                            fgti_full_rows(hd, c->o, product, i0), c->o.ld);
    }
    fgti_chain_add(c, hd->g, hd->h, product);
}

/* ---- streamed ---- */

/* Computes A of v queries from i0 on and nj keys. The first sweep does not know shift and factor yet. It
 * computes A without its factor, and sets `fix` to the factor by which the sums so far must be multiplied. */
static void full_make_block(const fgti_full_head *hd, const work *w, int64_t sweep, int64_t i0, int64_t j0,
                            int64_t nj)
{
    const fgti_attention *attention = &hd->c->attention;
    fgti_attention_scores(attention, hd->g, i0, j0, nj, w->keys + j0 * hd->dh, w->query, w->scores);
    if (sweep == 0)
        hd->panels->softmax_part(nj, hd->v, w->scores, w->top, w->sum, w->fix);
    else
        hd->panels->exp_lanes(nj, hd->v, w->top, w->sum, w->scores);
    if (attention->drops) fgti_attention_drop(attention, hd->g, hd->h, i0, hd->v, j0, nj, w->scores);
}

/* o += A X for the keys j0 .. j0+nj-1, without the keys outside the range `keys`. w->scores has their A. */
static void full_add_product(const fgti_full_head *hd, const work *w, int64_t j0, int64_t nj,
                             fgti_token_range keys, const fgti_real *x, fgti_real *o)
{
    const int64_t from = keys.from > j0 ? keys.from : j0, to = fgti_least(j0 + nj, keys.to);
    if (from < to)
        fgti_tile_product(hd->c->attention.kn, hd->n, to - from, 1, x + from * hd->u, hd->tk * hd->u,
                          w->scores + (from - j0) * hd->v, 1, o);
}

/* Panels of O: clear() sets one to zeros, full_load() loads it from rows, and full_store() stores it to rows.
 * Lanes and columns that do not exist are zeros. */
static void clear(const fgti_full_head *hd, fgti_real *o)
{
    memset(o, 0, (size_t)(fgti_round_up(hd->n, hd->u) * hd->v) * sizeof *o);
}

static void full_load(const fgti_full_head *hd, int64_t product, int64_t i0, fgti_real *o)
{
    const fgti_span s = hd->c->o;
    if (hd->n % hd->u) clear(hd, o);
    fgti_pack_panel(hd->v, fgti_least(hd->v, hd->tq - i0), hd->n, fgti_full_rows(hd, s, product, i0), s.ld,
                    1, o);
}

static void full_store(const fgti_full_head *hd, int64_t product, int64_t i0, const fgti_real *o)
{
    const fgti_span s = hd->c->o;
    fgti_pack_transpose(hd->n, fgti_least(hd->v, hd->tq - i0), o, hd->v, fgti_full_rows(hd, s, product, i0),
                        s.ld);
}

/* Computes one panel of queries in a sweep: the rest of O_i for i = sweep, and the part of O_{i+1} from the
 * known rows of X_{i+1}. */
static void sweep_panel(const fgti_full_head *hd, const work *w, int64_t sweep, int64_t i0)
{
    const int64_t    step = keys_at_once(&hd->c->attention), v = hd->v, n = hd->n;
    const fgti_token_range block = {i0 / hd->u * hd->u, fgti_least(hd->tk, fgti_round_up(i0 + v, hd->u))};
    const fgti_token_range left  = fgti_unswept(sweep, block, hd->tk),
                           known = fgti_swept(sweep, block, hd->tk);
    const bool       first = sweep == 0, ahead = sweep + 1 < hd->c->products;
    pack_query(hd, w, i0);
    if (!first) load_shift(hd, w, i0);
    for (int64_t l = 0; first && l < v; l++) w->top[l] = -(fgti_real)INFINITY, w->sum[l] = 0;
    first ? clear(hd, w->o[0]) : full_load(hd, sweep, i0, w->o[0]);
    if (ahead) clear(hd, w->o[1]);
    for (int64_t j0 = left.from; j0 < left.to; j0 += step) {
        const int64_t nj = fgti_least(step, left.to - j0);
        full_make_block(hd, w, sweep, i0, j0, nj);
        for (int i = 0; first && j0 && i <= ahead; i++) hd->panels->scale(n, v, w->fix, w->o[i]);
        full_add_product(hd, w, j0, nj, left, w->x[0], w->o[0]);
        if (ahead) full_add_product(hd, w, j0, nj, known, w->x[1], w->o[1]);
    }
    if (first) {
        hd->panels->softmax_end(v, w->top, w->sum);
        for (int i = 0; i <= ahead; i++) hd->panels->scale(n, v, w->sum, w->o[i]);
        store_shift(hd, w, i0);
    }
    full_store(hd, sweep, i0, w->o[0]);
    if (ahead) full_store(hd, sweep + 1, i0, w->o[1]);
}

static void sweep(const fgti_full_head *hd, const work *w, int64_t number)
{
    const int64_t v = hd->v, panels = fgti_parts(hd->tq, v);
    for (int64_t i = 0; i < panels; i++) {
        const int64_t i0 = (number % 2 ? panels - 1 - i : i) * v, rows = fgti_least(v, hd->tq - i0);
        sweep_panel(hd, w, number, i0);
        fgti_chain_add_rows(hd->c, hd->g, hd->h, number, i0, rows);
        if (number + 1 < hd->c->products) pack_inputs(hd, number + 1, i0, rows, w->x[1]);
    }
}

static void stream(const fgti_full_head *hd, work *w)
{
    pack_inputs(hd, 0, 0, hd->tk, w->x[0]);
    for (int64_t s = 0; s < hd->c->products; s++) {
        fgti_real *x = w->x[0];
        sweep(hd, w, s);
        w->x[0] = w->x[1];
        w->x[1] = x;
    }
}

static void full_forward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch)
{
    (void)scratch; /* no product works on unpacked rows */
    if (c->own_loops) {
        fgti_full_short_forward(c, g, h, arena);
        return;
    }
    fgti_full_head hd = fgti_full_head_of(c, g, h);
    work           w;
    full_work_layout(&hd, &w, arena);
    full_pack_keys(&hd, &w);
    if (!hd.a) stream(&hd, &w);
    for (int64_t product = 0; hd.a && product < c->products; product++) held_product(&hd, &w, product);
}

static void full_backward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch)
{
    (void)scratch;
    if (c->own_loops)
        fgti_full_short_backward(c, g, h, arena);
    else
        fgti_full_backward(c, g, h, arena);
}

/* ---- the matrices, for fgt_model_get_adjacency() ---- */

/* Returns A of v queries from i0 on and keys from j0 on, in the form of rows. If A is not kept, it is
 * computed again. */
static const fgti_real *matrix_block(const fgti_full_head *hd, const work *w, int64_t i0, int64_t j0,
                                     int64_t nj)
{
    if (hd->c->attention.matrices == FGTI_MATRICES_KEPT) return hd->a + i0 / hd->v * hd->panel;
    load_shift(hd, w, i0);
    full_make_block(hd, w, 1, i0, j0, nj);
    return w->scores;
}

static void full_matrix(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch,
                        fgti_real *a)
{
    fgti_full_head hd = fgti_full_head_of(c, g, h);
    work           w;
    full_work_layout(&hd, &w, arena);
    full_pack_keys(&hd, &w);
    const int64_t step = keys_at_once(&c->attention);
    (void)scratch;
    for (int64_t i0 = 0; i0 < hd.tq; i0 += hd.v) {
        const int64_t queries = fgti_least(hd.v, hd.tq - i0);
        pack_query(&hd, &w, i0);
        for (int64_t j0 = 0; j0 < hd.tk; j0 += step) {
            const int64_t nj = fgti_least(step, hd.tk - j0);
            fgti_pack_transpose(nj, queries, matrix_block(&hd, &w, i0, j0, nj), hd.v, a + i0 * hd.tk + j0,
                                hd.tk);
        }
    }
}

/* ---- memory ---- */

static int64_t full_arena(const fgti_chain *c)
{
    fgti_full_head hd = fgti_full_head_of(c, 0, 0);
    work           w;
    const int64_t  forward  = full_work_layout(&hd, &w, NULL); /* full_matrix() also needs it */
    const int64_t  backward = c->own_loops ? fgti_full_short_arena(c) : fgti_full_backward_arena(c);
    return forward > backward ? forward : backward;
}

static void full_place(fgti_chain *c, fgti_real *base, int64_t *at)
{
    fgti_attention_place(&c->attention, base, at);
}

const fgti_attender fgti_attender_full = {
    .name     = "full",
    .kept     = FGTI_ROUTE_ATTENTION_KEPT,
    .streamed = FGTI_ROUTE_ATTENTION_STREAMED,
    .place    = full_place,
    .arena    = full_arena,
    .forward  = full_forward,
    .backward = full_backward,
    .matrix   = full_matrix,
};
