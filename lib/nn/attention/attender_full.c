/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/attender.h"

#include <math.h>
#include <string.h>

#include "nn/attention/full_short.h"

/* Full attention, A = softmax(Q K'/sqrt(dh) + masks), and its gradient. Backward goes from the last product
 * to the first:
 *     dX_i = A'dO_i (+ what is there),   dA = sum_i dO_i X_i',   dS = A * (dA - sum_i <dO_i, O_i>),
 *     dQ = dS K / sqrt(dh),   dK = dS'Q / sqrt(dh)
 * The row sums of A * dA are computed from O_i, without a pass over A. No other T x T matrix is ever in
 * memory, and unless the matrices are kept A is not either: its blocks are computed again in the backward
 * pass, and for each product where they are not held. */

/* Streamed: so many keys are taken at a time for a panel of queries, and backward so many queries and keys.
 * The scores of such a block stay in the first or second cache. */
#define KEYS_AT_ONCE 512
#define BLOCK        128

/* One group and head in a pass. */
typedef struct head {
    const fgti_chain      *c;
    int64_t                g, h;
    int64_t                u, v, tq, tk, dh, n;
    const fgti_vec_panels *panels;
    bool                   held;               /* blocks of A stay in the arena for all products */
    int64_t                panel;              /* elements from panel to panel of A */
    fgti_real             *soft, *a;           /* all panels: kept or held; or NULL */
    fgti_real             *shift, *factor;     /* of all rows, unless kept */
    fgti_real             *x_cols, *k_rows;    /* U panels */
    fgti_real             *query;              /* a V panel */
    fgti_real             *scores, *acc, *fix; /* one V panel of A or a part of it; a panel of O; [v] each */
    fgti_real             *top, *sum;          /* [v]: shift and factor of one panel */
} head;

static fgti_real *rows_of(fgti_span s, const head *hd, int64_t i)
{
    return fgti_span_rows_of(hd->c, s, hd->g, hd->h, i);
}

static int64_t keys_at_once(const fgti_attention *attention)
{
    const int64_t step = fgti_round_up(KEYS_AT_ONCE, attention->kn->u);
    return attention->matrices == FGTI_MATRICES_KEPT || attention->tk < step
               ? fgti_round_up(attention->tk, attention->kn->u)
               : step;
}

static head head_of(const fgti_chain *c, int64_t g, int64_t h)
{
    const fgti_attention *attention = &c->attention;
    const int64_t         gh        = g * attention->heads + h;
    const int64_t         tiles     = fgti_attention_tiles(attention->kn, attention->tq, attention->tk);
    head                  hd        = {.c      = c,
                                       .g      = g,
                                       .h      = h,
                                       .u      = attention->kn->u,
                                       .v      = attention->kn->v,
                                       .tq     = attention->tq,
                                       .tk     = attention->tk,
                                       .dh     = attention->dh,
                                       .n      = c->n,
                                       .panels = attention->run ? attention->run->vec->panels : NULL,
                                       .panel  = fgti_attention_panel(attention)};
    if (attention->soft) hd.soft = attention->soft + gh * fgti_attention_block(attention);
    if (attention->a) hd.a = attention->a + gh * fgti_attention_block(attention);
    if (attention->shift) hd.shift = attention->shift + gh * attention->tq;
    if (attention->factor) hd.factor = attention->factor + gh * attention->tq;
    hd.held = attention->matrices == FGTI_MATRICES_HELD ||
              (attention->matrices == FGTI_MATRICES_KEPT && c->products > 1 && tiles <= FGTI_ATTENTION_HELD);
    return hd;
}

/* Elements for a held A. Kept matrices may be held by a shorter pass even if the planned ones are too
 * large. */
static int64_t held_size(const head *hd)
{
    const fgti_attention *attention = &hd->c->attention;
    const int64_t         tiles     = fgti_attention_tiles(attention->kn, hd->tq, hd->tk);
    if (attention->matrices == FGTI_MATRICES_STREAMED || hd->c->products <= 1) return 0;
    return fgti_least(tiles, FGTI_ATTENTION_HELD) + FGTI_TILE_AHEAD;
}

static int64_t place_forward(head *hd, fgti_real *base)
{
    const int64_t nu = fgti_round_up(hd->n, hd->u);
    int64_t       at = 0;
    hd->k_rows       = fgti_take(base, &at, fgti_mul(fgti_round_up(hd->tk, hd->u), hd->dh));
    hd->x_cols       = fgti_take(base, &at, fgti_mul(nu, hd->tk));
    hd->query        = fgti_take(base, &at, fgti_mul(hd->v, hd->dh) + FGTI_TILE_AHEAD);
    hd->acc          = fgti_take(base, &at, fgti_mul(nu, hd->v));
    hd->scores = fgti_take(base, &at, fgti_mul(keys_at_once(&hd->c->attention), hd->v) + FGTI_TILE_AHEAD);
    hd->top    = fgti_take(base, &at, hd->v);
    hd->sum    = fgti_take(base, &at, hd->v);
    hd->fix    = fgti_take(base, &at, hd->v);
    if (hd->c->attention.matrices == FGTI_MATRICES_HELD)
        hd->soft = hd->a = fgti_take(base, &at, held_size(hd));
    return at;
}

/* ---- forward ---- */

static void pack_query(const head *hd, int64_t i0)
{
    const fgti_attention *attention = &hd->c->attention;
    fgti_pack_panel(hd->v, fgti_least(hd->v, hd->tq - i0), hd->dh,
                    fgti_attention_q(attention, hd->g, hd->h) + i0 * attention->ldq, attention->ldq, 1,
                    hd->query);
}

static void store_shift(const head *hd, int64_t i0)
{
    const size_t bytes = (size_t)fgti_least(hd->v, hd->tq - i0) * sizeof *hd->top;
    memcpy(hd->shift + i0, hd->top, bytes);
    memcpy(hd->factor + i0, hd->sum, bytes);
}

static void load_shift(const head *hd, int64_t i0)
{
    for (int64_t l = 0; l < hd->v; l++) {
        hd->top[l] = i0 + l < hd->tq ? hd->shift[i0 + l] : 0;
        hd->sum[l] = i0 + l < hd->tq ? hd->factor[i0 + l] : 0;
    }
}

/* A of v queries from i0 on: softmax(scores), then dropout, in a copy of its own if A is kept. */
static void make_panel(const head *hd, int64_t i0)
{
    const fgti_attention *attention = &hd->c->attention;
    fgti_real            *soft = hd->soft + i0 / hd->v * hd->panel, *a = hd->a + i0 / hd->v * hd->panel;
    pack_query(hd, i0);
    fgti_attention_scores(attention, hd->g, i0, 0, hd->tk, hd->k_rows, hd->query, soft);
    hd->panels->softmax(hd->tk, hd->v, soft, hd->top, hd->sum);
    if (attention->matrices != FGTI_MATRICES_KEPT) store_shift(hd, i0);
    if (a != soft) memcpy(a, soft, (size_t)(hd->tk * hd->v) * sizeof *a);
    if (attention->drops) fgti_attention_drop(attention, hd->g, hd->h, i0, hd->v, 0, hd->tk, a);
}

/* O of v queries from i0 on, in acc [n][v], with A computed block by block. The first product also finds
 * the shift. */
static void stream(const head *hd, int64_t i0, bool first)
{
    const fgti_attention *attention = &hd->c->attention;
    const int64_t         step      = keys_at_once(attention);
    if (!first) load_shift(hd, i0);
    for (int64_t l = 0; first && l < hd->v; l++) hd->top[l] = -(fgti_real)INFINITY, hd->sum[l] = 0;
    pack_query(hd, i0);
    for (int64_t j0 = 0; j0 < hd->tk; j0 += step) {
        const int64_t nj = fgti_least(step, hd->tk - j0);
        fgti_attention_scores(attention, hd->g, i0, j0, nj, hd->k_rows + j0 * hd->dh, hd->query, hd->scores);
        if (first)
            hd->panels->softmax_part(nj, hd->v, hd->scores, hd->top, hd->sum, hd->fix);
        else
            hd->panels->exp_lanes(nj, hd->v, hd->top, hd->sum, hd->scores);
        if (first && j0) hd->panels->scale(hd->n, hd->v, hd->fix, hd->acc);
        if (attention->drops) fgti_attention_drop(attention, hd->g, hd->h, i0, hd->v, j0, nj, hd->scores);
        fgti_tile_product(attention->kn, hd->n, nj, 1, hd->x_cols + j0 * hd->u, hd->tk * hd->u, hd->scores,
                          j0 > 0, hd->acc);
    }
    if (!first) return;
    hd->panels->softmax_end(hd->v, hd->top, hd->sum);
    hd->panels->scale(hd->n, hd->v, hd->sum, hd->acc);
    store_shift(hd, i0);
}

static void forward_product(const head *hd, int64_t product)
{
    const fgti_chain *c = hd->c;
    int64_t           ldx;
    const fgti_real  *x = fgti_chain_input(c, hd->g, hd->h, product, &ldx);
    fgti_real        *o = rows_of(c->o, hd, product);
    fgti_tile_pack(hd->u, hd->n, hd->tk, x, 1, ldx, hd->x_cols, hd->tk * hd->u);
    for (int64_t i0 = 0; i0 < hd->tq; i0 += hd->v) {
        const int64_t rows = fgti_least(hd->v, hd->tq - i0);
        if (hd->a) {
            if (product == 0) make_panel(hd, i0);
            fgti_tile_product(c->attention.kn, hd->n, hd->tk, 1, hd->x_cols, hd->tk * hd->u,
                              hd->a + i0 / hd->v * hd->panel, 0, hd->acc);
        } else {
            stream(hd, i0, product == 0);
        }
        fgti_pack_transpose(hd->n, rows, hd->acc, hd->v, o + i0 * c->o.ld, c->o.ld);
    }
    fgti_chain_add(c, hd->g, hd->h, product);
}

static void pack_keys_as_rows(const head *hd)
{
    const fgti_attention *attention = &hd->c->attention;
    fgti_tile_pack(hd->u, hd->tk, hd->dh, fgti_attention_k(attention, hd->g, hd->h), attention->ldk, 1,
                   hd->k_rows, hd->u * hd->dh);
}

static void full_forward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch)
{
    (void)scratch; /* no product is one of rows */
    if (c->own_loops) {
        fgti_full_short_forward(c, g, h, arena);
        return;
    }
    head hd = head_of(c, g, h);
    place_forward(&hd, arena);
    pack_keys_as_rows(&hd);
    for (int64_t product = 0; product < c->products; product++) forward_product(&hd, product);
}

/* ---- backward ---- */

/* Backward goes over blocks of `queries` queries by `keys` keys, in the form of columns: sums over the
 * queries are finished panel by panel, dQ is collected for all queries. */
typedef struct sweep {
    int64_t    queries, keys, depth;      /* depth: columns of all products together */
    fgti_real *dy_cols, *q_cols, *k_cols; /* U panels [query][n], [query][dh], [key][dh] */
    fgti_real *dy_rows, *q_rows;          /* U panels [depth][query], [dh][query] */
    fgti_real *x_rows, *key;              /* V panels of the block's keys: [depth][v], [dh][v] */
    fgti_real *soft, *a;                  /* blocks [query][v], of one panel of keys; of all if held */
    fgti_real *da;                        /* of one panel */
    fgti_real *transposed;                /* dS as rows [key][v], of the block */
    fgti_real *factor;                    /* dropout's factors as rows, [v][v] */
    fgti_real *dx, *dk, *dq;              /* sums: [n][v] and [dh][v] of each panel, [dh][v] of all queries */
    fgti_real *delta;                     /* [query] */
} sweep;

static int64_t place_backward(const head *hd, sweep *s, fgti_real *base)
{
    const int64_t u = hd->u, v = hd->v, nu = fgti_round_up(hd->n, u), du = fgti_round_up(hd->dh, u);
    const int64_t tq = fgti_round_up(hd->tq, u), tqv = fgti_round_up(hd->tq, v);
    const int64_t queries = fgti_round_up(BLOCK, fgti_attention_step(hd->c->attention.kn));
    const int64_t held = held_size(hd), columns = held > queries * v ? held : queries * v;
    int64_t       at = 0;
    s->queries       = queries;
    s->keys          = fgti_round_up(BLOCK, v);
    s->depth         = fgti_mul(hd->c->products, hd->n);
    s->dy_cols       = fgti_take(base, &at, fgti_mul(nu, hd->tq));
    s->q_cols        = fgti_take(base, &at, fgti_mul(du, hd->tq));
    s->k_cols        = fgti_take(base, &at, fgti_mul(du, hd->tk));
    s->dy_rows       = fgti_take(base, &at, fgti_mul(tq, s->depth));
    s->q_rows        = fgti_take(base, &at, fgti_mul(tq, hd->dh));
    s->x_rows        = fgti_take(base, &at, fgti_mul(s->keys, s->depth) + FGTI_TILE_AHEAD);
    s->key           = fgti_take(base, &at, fgti_mul(s->keys, hd->dh) + FGTI_TILE_AHEAD);
    s->soft          = fgti_take(base, &at, columns + FGTI_TILE_AHEAD);
    s->a             = fgti_take(base, &at, columns + FGTI_TILE_AHEAD);
    s->da            = fgti_take(base, &at, s->queries * v + FGTI_TILE_AHEAD);
    s->transposed    = fgti_take(base, &at, s->queries * s->keys + FGTI_TILE_AHEAD);
    s->factor        = fgti_take(base, &at, v * v);
    s->dx            = fgti_take(base, &at, fgti_mul(s->keys, nu));
    s->dk            = fgti_take(base, &at, fgti_mul(s->keys, du));
    s->dq            = fgti_take(base, &at, fgti_mul(tqv, du));
    s->delta         = fgti_take(base, &at, tqv);
    return at;
}

/* A block of kept rows as columns; lanes of keys that do not exist become zeros. */
static void transpose_kept(const head *hd, const fgti_real *kept, int64_t i0, int64_t ni, int64_t j0,
                           fgti_real *dst)
{
    const int64_t keys = fgti_least(hd->v, hd->tk - j0);
    if (keys < hd->v) memset(dst, 0, (size_t)(fgti_round_up(ni, hd->v) * hd->v) * sizeof *dst);
    for (int64_t i = 0; i < ni; i += hd->v)
        fgti_pack_transpose(keys, hd->v, kept + (i0 + i) / hd->v * hd->panel + j0 * hd->v, hd->v,
                            dst + i * hd->v, hd->v);
}

/* A block of columns, after the softmax and after dropout. */
typedef struct columns {
    fgti_real *soft, *a;
} columns;

/* The same where A is not kept: computed again. */
static void make_columns(const head *hd, const sweep *s, int64_t i0, int64_t ni, int64_t j0,
                         const fgti_real *key, columns to)
{
    const fgti_attention *attention = &hd->c->attention;
    const int64_t         v = hd->v, keys = fgti_least(v, hd->tk - j0);
    fgti_attention_scores_columns(attention, hd->g, i0, ni, j0, s->q_rows + i0 * hd->dh, key, to.soft);
    hd->panels->exp_rows(ni, v, v, hd->shift + i0, hd->factor + i0, to.soft);
    for (int64_t i = 0; attention->drops && i < ni; i += v)
        fgti_attention_drop_columns(attention, hd->g, hd->h, i0 + i, v, fgti_least(v, ni - i), j0, keys,
                                    s->factor, to.soft + i * v, v, to.a + i * v);
}

/* Whether this product makes columns, or finds those of the product after it. */
static bool makes_columns(const head *hd, int64_t product)
{
    return !hd->held || product == hd->c->products - 1;
}

/* Queries i0 .., of panel number `panel` of a block of keys that begins at j0. */
static columns columns_of(const head *hd, const sweep *s, int64_t product, int64_t i0, int64_t ni, int64_t j0,
                          int64_t panel)
{
    const fgti_attention *attention = &hd->c->attention;
    const int64_t         key       = j0 + panel * hd->v;
    const int64_t         rows      = fgti_round_up(hd->tq, fgti_attention_step(hd->c->attention.kn));
    const int64_t         from      = hd->held ? key * rows + i0 * hd->v : 0;
    columns               c         = {s->soft + from, attention->drops ? s->a + from : s->soft + from};
    if (!makes_columns(hd, product)) return c;
    if (attention->matrices != FGTI_MATRICES_KEPT) {
        make_columns(hd, s, i0, ni, key, s->key + panel * hd->v * hd->dh, c);
    } else {
        transpose_kept(hd, hd->soft, i0, ni, key, c.soft);
        if (attention->drops) transpose_kept(hd, hd->a, i0, ni, key, c.a);
    }
    return c;
}

/* Packs the operands that a product needs of all queries, and those of the last one too. */
static void pack_sweep(const head *hd, const sweep *s, int64_t product)
{
    const fgti_chain     *c         = hd->c;
    const fgti_attention *attention = &c->attention;
    const fgti_real      *q         = fgti_attention_q(attention, hd->g, hd->h),
                    *k              = fgti_attention_k(attention, hd->g, hd->h);
    fgti_tile_pack(hd->u, hd->n, hd->tq, rows_of(c->dy, hd, product), 1, c->dy.ld, s->dy_cols,
                   hd->tq * hd->u);
    if (attention->matrices != FGTI_MATRICES_KEPT && makes_columns(hd, product))
        fgti_tile_pack(hd->u, hd->tq, hd->dh, q, attention->ldq, 1, s->q_rows, hd->u * hd->dh);
    if (product) return;
    fgti_tile_pack(hd->u, hd->dh, hd->tq, q, 1, attention->ldq, s->q_cols, hd->tq * hd->u);
    fgti_tile_pack(hd->u, hd->dh, hd->tk, k, 1, attention->ldk, s->k_cols, hd->tk * hd->u);
    memset(s->delta, 0, (size_t)hd->tq * sizeof *s->delta);
    for (int64_t m = 0; m < c->products; m++) {
        const fgti_real *dy = rows_of(c->dy, hd, m);
        fgti_tile_pack(hd->u, hd->tq, hd->n, dy, c->dy.ld, 1, s->dy_rows + m * hd->n * hd->u,
                       hd->u * s->depth);
        hd->panels->dot_rows(hd->tq, hd->n, dy, c->dy.ld, rows_of(c->o, hd, m), c->o.ld, s->delta);
    }
}

/* The keys of a block: V panels. */
static void pack_keys(const head *hd, const sweep *s, int64_t product, int64_t j0, int64_t nj)
{
    const fgti_attention *attention = &hd->c->attention;
    if (attention->matrices != FGTI_MATRICES_KEPT && makes_columns(hd, product))
        fgti_tile_pack(hd->v, nj, hd->dh, fgti_attention_k(attention, hd->g, hd->h) + j0 * attention->ldk,
                       attention->ldk, 1, s->key, hd->v * hd->dh);
    for (int64_t m = 0; product == 0 && m < hd->c->products; m++) {
        int64_t          ldx;
        const fgti_real *x = fgti_chain_input(hd->c, hd->g, hd->h, m, &ldx);
        fgti_tile_pack(hd->v, nj, hd->n, x + j0 * ldx, ldx, 1, s->x_rows + m * hd->n * hd->v,
                       hd->v * s->depth);
    }
}

/* dS of one panel of keys, and what it adds to dK; transposed for dQ. */
static void panel_gradient(const head *hd, const sweep *s, columns a, int64_t i0, int64_t ni, int64_t panel,
                           int64_t nj)
{
    const fgti_attention *attention = &hd->c->attention;
    const int64_t         v         = hd->v;
    const fgti_real       scale     = fgti_attention_scale(attention);
    fgti_tile_product(attention->kn, ni, s->depth, 1, s->dy_rows + i0 * s->depth, hd->u * s->depth,
                      s->x_rows + panel * v * s->depth, 0, s->da);
    hd->panels->softmax_grad(ni, v, a.soft, a.a, s->delta + i0, s->da);
    fgti_tile_product(attention->kn, hd->dh, ni, scale, s->q_cols + i0 * hd->u, hd->tq * hd->u, s->da, i0 > 0,
                      s->dk + panel * v * fgti_round_up(hd->dh, hd->u));
    for (int64_t i = 0; i < ni; i += v)
        fgti_pack_transpose(fgti_least(v, ni - i), fgti_least(v, nj - panel * v), s->da + i * v, v,
                            s->transposed + i * s->keys + panel * v * v, v);
}

/* dx = A'dy of one block of keys, from all queries; with the last product (number 0) dK, and part
 * of dQ */
static void sweep_keys(const head *hd, const sweep *s, int64_t product, int64_t j0, int64_t nj)
{
    const fgti_attention *attention = &hd->c->attention;
    const int64_t         v = hd->v, nu = fgti_round_up(hd->n, hd->u), du = fgti_round_up(hd->dh, hd->u);
    pack_keys(hd, s, product, j0, nj);
    for (int64_t i0 = 0; i0 < hd->tq; i0 += s->queries) {
        const int64_t ni = fgti_least(s->queries, hd->tq - i0);
        for (int64_t p = 0; p * v < nj; p++) {
            const columns a = columns_of(hd, s, product, i0, ni, j0, p);
            fgti_tile_product(attention->kn, hd->n, ni, 1, s->dy_cols + i0 * hd->u, hd->tq * hd->u, a.a,
                              i0 > 0, s->dx + p * v * nu);
            if (product == 0) panel_gradient(hd, s, a, i0, ni, p, nj);
        }
        for (int64_t i = 0; product == 0 && i < ni; i += v)
            fgti_tile_product(attention->kn, hd->dh, nj, fgti_attention_scale(attention),
                              s->k_cols + j0 * hd->u, hd->tk * hd->u, s->transposed + i * s->keys, j0 > 0,
                              s->dq + (i0 + i) * du);
    }
}

/* dst rows (+)= the panels src [n][v], transposed */
static void put(const head *hd, int64_t n, int64_t rows, const fgti_real *src, bool add, fgti_real *dst,
                int64_t ld)
{
    const int64_t nu = fgti_round_up(n, hd->u);
    for (int64_t r = 0; r < rows; r += hd->v, src += hd->v * nu, dst += hd->v * ld) {
        const int64_t count = fgti_least(hd->v, rows - r);
        if (!add) {
            fgti_pack_transpose(n, count, src, hd->v, dst, ld);
            continue;
        }
        for (int64_t i = 0; i < count; i++)
            for (int64_t c = 0; c < n; c++) dst[i * ld + c] += src[c * hd->v + i];
    }
}

static void full_backward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch)
{
    (void)scratch;
    if (c->own_loops) {
        fgti_full_short_backward(c, g, h, arena);
        return;
    }
    const head hd = head_of(c, g, h);
    sweep      s;
    place_backward(&hd, &s, arena);
    for (int64_t product = c->products - 1; product >= 0; product--) {
        int64_t    ld;
        fgti_real *dx = fgti_chain_input_gradient(c, g, h, product, &ld);
        pack_sweep(&hd, &s, product);
        for (int64_t j0 = 0; j0 < hd.tk; j0 += s.keys) {
            const int64_t nj = fgti_least(s.keys, hd.tk - j0);
            sweep_keys(&hd, &s, product, j0, nj);
            put(&hd, hd.n, nj, s.dx, product && c->add, dx + j0 * ld, ld);
            if (product == 0)
                put(&hd, hd.dh, nj, s.dk, false, rows_of(c->dk, &hd, 0) + j0 * c->dk.ld, c->dk.ld);
        }
    }
    put(&hd, hd.dh, hd.tq, s.dq, false, rows_of(c->dq, &hd, 0), c->dq.ld);
}

/* ---- the matrices, for fgt_model_get_adjacency() ---- */

/* Keys j0 .. of v queries from i0 on, form rows; where A is not kept, computed again. */
static const fgti_real *matrix_block(const head *hd, int64_t i0, int64_t j0, int64_t nj)
{
    const fgti_attention *attention = &hd->c->attention;
    if (attention->matrices == FGTI_MATRICES_KEPT) return hd->a + i0 / hd->v * hd->panel;
    load_shift(hd, i0);
    fgti_attention_scores(attention, hd->g, i0, j0, nj, hd->k_rows + j0 * hd->dh, hd->query, hd->scores);
    hd->panels->exp_lanes(nj, hd->v, hd->top, hd->sum, hd->scores);
    if (attention->drops) fgti_attention_drop(attention, hd->g, hd->h, i0, hd->v, j0, nj, hd->scores);
    return hd->scores;
}

static void full_matrix(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch,
                        fgti_real *a)
{
    head hd = head_of(c, g, h);
    place_forward(&hd, arena);
    pack_keys_as_rows(&hd);
    const int64_t step = keys_at_once(&c->attention);
    (void)scratch;
    for (int64_t i0 = 0; i0 < hd.tq; i0 += hd.v) {
        const int64_t queries = fgti_least(hd.v, hd.tq - i0);
        pack_query(&hd, i0);
        for (int64_t j0 = 0; j0 < hd.tk; j0 += step) {
            const int64_t nj = fgti_least(step, hd.tk - j0);
            fgti_pack_transpose(nj, queries, matrix_block(&hd, i0, j0, nj), hd.v, a + i0 * hd.tk + j0, hd.tk);
        }
    }
}

/* ---- memory ---- */

static int64_t full_arena(const fgti_chain *c)
{
    head          hd = head_of(c, 0, 0);
    sweep         s;
    const int64_t forward = place_forward(&hd, NULL); /* full_matrix() needs it, too */
    const int64_t backward = c->own_loops ? fgti_full_short_arena(c) : place_backward(&hd, &s, NULL);
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
