/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/attention_chain.h"

#include <math.h>
#include <string.h>

/* About so many keys of a panel of queries are made at a time when A is streamed, and so many queries and
 * keys backward: their scores stay in the first or second cache. */
#define KEYS_AT_ONCE 512
#define BLOCK        128

/* So many scores stay in the second cache for all hops of a pass, beside what is multiplied by them. */
#define HELD_MOST (INT64_C(1) << 16)

/* One (group, head) in a pass. */
typedef struct block {
    const fgti_chain      *c;
    int64_t                g, h, gh;
    int64_t                u, v, tq, tk, dh, n;
    const fgti_vec_panels *panels;
    int64_t                whole;              /* elements of A in tiles; 0: a single hop needs it once */
    bool                   held;               /* A is small enough to stay with its hops */
    int64_t                panel;              /* elements from panel to panel of A */
    fgti_real             *soft, *a;           /* all panels, kept or in the worker's arena; or NULL */
    fgti_real             *shift, *factor;     /* streamed: of all rows */
    fgti_real             *x_cols, *k_rows;    /* U panels */
    fgti_real             *query;              /* a V panel */
    fgti_real             *scores, *acc, *fix; /* one V panel of A or a part of it; a panel of O; [v] each */
    fgti_real             *top, *sum;          /* [v]: shift and factor of one panel */
} block;

static fgti_real *at_hop(fgti_span s, const block *b, int64_t i)
{
    return s.p + s.hop * i + s.group * b->g + s.head * b->h;
}

/* X_i and its gradient, with their distances of rows. */
static fgti_real *input(const block *b, int64_t i, int64_t *ld)
{
    const fgti_chain *c = b->c;
    const fgti_span   s = i == 0 ? c->x : c->y.p ? c->y : c->o;
    *ld                 = s.ld;
    return at_hop(s, b, i ? i - 1 : 0);
}

static fgti_real *input_gradient(const block *b, int64_t i, int64_t *ld)
{
    const fgti_span s = i == 0 ? b->c->dx : b->c->dy;
    *ld               = s.ld;
    return at_hop(s, b, i ? i - 1 : 0);
}

static int64_t keys_at_once(const fgti_attention *at)
{
    const int64_t step = fgti_round_up(KEYS_AT_ONCE, at->kn->u);
    return !at->streams || at->tk < step ? fgti_round_up(at->tk, at->kn->u) : step;
}

static int64_t common_multiple(int64_t a, int64_t b)
{
    int64_t m = a;
    while (m % b) m += a;
    return m;
}

static block block_of(const fgti_chain *c, int64_t g, int64_t h)
{
    const fgti_attention *at = &c->at;
    const int64_t         gh = g * at->heads + h;
    block                 b  = {.c      = c,
                                .g      = g,
                                .h      = h,
                                .gh     = gh,
                                .u      = at->kn->u,
                                .v      = at->kn->v,
                                .tq     = at->tq,
                                .tk     = at->tk,
                                .dh     = at->dh,
                                .n      = c->n,
                                .panels = at->run ? at->run->vec->panels : NULL,
                                .panel  = fgti_attention_panel(at)};
    if (at->soft) b.soft = at->soft + gh * fgti_attention_block(at);
    if (at->a) b.a = at->a + gh * fgti_attention_block(at);
    if (at->shift) b.shift = at->shift + gh * at->tq;
    if (at->factor) b.factor = at->factor + gh * at->tq;
    if (c->hops <= 1) return b;
    const int64_t tile = common_multiple(b.u, b.v);
    b.whole            = fgti_mul(fgti_round_up(b.tq, tile), fgti_round_up(b.tk, tile));
    b.held             = b.whole <= HELD_MOST;
    return b;
}

/* Elements for a held A: also when the planned sizes are too large, because a pass may have fewer tokens. */
static int64_t held_size(const block *b)
{
    return fgti_least(b->whole, HELD_MOST) + FGTI_TILE_AHEAD;
}

static int64_t place_forward(block *b, fgti_real *base)
{
    const int64_t nu = fgti_round_up(b->n, b->u);
    int64_t       at = 0;
    b->k_rows        = fgti_take(base, &at, fgti_mul(fgti_round_up(b->tk, b->u), b->dh));
    b->x_cols        = fgti_take(base, &at, fgti_mul(nu, b->tk));
    b->query         = fgti_take(base, &at, fgti_mul(b->v, b->dh) + FGTI_TILE_AHEAD);
    b->acc           = fgti_take(base, &at, fgti_mul(nu, b->v));
    b->scores        = fgti_take(base, &at, fgti_mul(keys_at_once(&b->c->at), b->v) + FGTI_TILE_AHEAD);
    b->top           = fgti_take(base, &at, b->v);
    b->sum           = fgti_take(base, &at, b->v);
    b->fix           = fgti_take(base, &at, b->v);
    if (b->c->at.streams) {
        fgti_real *held = fgti_take(base, &at, held_size(b));
        if (b->held) b->soft = b->a = held;
    }
    return at;
}

/* ---- forward ---- */

static void pack_query(const block *b, int64_t i0)
{
    const fgti_attention *at = &b->c->at;
    fgti_pack_panel(b->v, fgti_least(b->v, b->tq - i0), b->dh,
                    fgti_attention_q(at, b->g, b->h) + i0 * at->ldq, at->ldq, 1, b->query);
}

static void store_shift(const block *b, int64_t i0)
{
    const size_t bytes = (size_t)fgti_least(b->v, b->tq - i0) * sizeof *b->top;
    memcpy(b->shift + i0, b->top, bytes);
    memcpy(b->factor + i0, b->sum, bytes);
}

static void load_shift(const block *b, int64_t i0)
{
    for (int64_t l = 0; l < b->v; l++) {
        b->top[l] = i0 + l < b->tq ? b->shift[i0 + l] : 0;
        b->sum[l] = i0 + l < b->tq ? b->factor[i0 + l] : 0;
    }
}

/* A of v queries from i0 on: softmax(scores), then dropout, in a copy of its own if A is kept. */
static void make_panel(const block *b, int64_t i0)
{
    const fgti_attention *at   = &b->c->at;
    fgti_real            *soft = b->soft + i0 / b->v * b->panel, *a = b->a + i0 / b->v * b->panel;
    pack_query(b, i0);
    fgti_attention_scores(at, b->g, i0, 0, b->tk, b->k_rows, b->query, soft);
    b->panels->softmax(b->tk, b->v, soft, b->top, b->sum);
    if (at->streams) store_shift(b, i0);
    if (a != soft) memcpy(a, soft, (size_t)(b->tk * b->v) * sizeof *a);
    if (at->drops) fgti_attention_drop(at, b->g, b->h, i0, b->v, 0, b->tk, a);
}

/* O of v queries from i0 on, in acc [n][v], A made block by block. The first hop finds out the shift. */
static void stream(const block *b, int64_t i0, bool first)
{
    const fgti_attention *at   = &b->c->at;
    const int64_t         step = keys_at_once(at);
    if (!first) load_shift(b, i0);
    for (int64_t l = 0; first && l < b->v; l++) b->top[l] = -(fgti_real)INFINITY, b->sum[l] = 0;
    pack_query(b, i0);
    for (int64_t j0 = 0; j0 < b->tk; j0 += step) {
        const int64_t nj = fgti_least(step, b->tk - j0);
        fgti_attention_scores(at, b->g, i0, j0, nj, b->k_rows + j0 * b->dh, b->query, b->scores);
        if (first)
            b->panels->softmax_part(nj, b->v, b->scores, b->top, b->sum, b->fix);
        else
            b->panels->exp_lanes(nj, b->v, b->top, b->sum, b->scores);
        if (first && j0) b->panels->scale(b->n, b->v, b->fix, b->acc);
        if (at->drops) fgti_attention_drop(at, b->g, b->h, i0, b->v, j0, nj, b->scores);
        fgti_tile_product(at->kn, b->n, nj, 1, b->x_cols + j0 * b->u, b->tk * b->u, b->scores, j0 > 0,
                          b->acc);
    }
    if (!first) return;
    b->panels->softmax_end(b->v, b->top, b->sum);
    b->panels->scale(b->n, b->v, b->sum, b->acc);
    store_shift(b, i0);
}

static void forward_hop(const block *b, int64_t hop)
{
    const fgti_chain *c = b->c;
    int64_t           ldx;
    const fgti_real  *x = input(b, hop, &ldx);
    fgti_real        *o = at_hop(c->o, b, hop);
    fgti_tile_pack(b->u, b->n, b->tk, x, 1, ldx, b->x_cols, b->tk * b->u);
    for (int64_t i0 = 0; i0 < b->tq; i0 += b->v) {
        const int64_t rows = fgti_least(b->v, b->tq - i0);
        if (b->a) {
            if (hop == 0) make_panel(b, i0);
            fgti_tile_product(c->at.kn, b->n, b->tk, 1, b->x_cols, b->tk * b->u, b->a + i0 / b->v * b->panel,
                              0, b->acc);
        } else {
            stream(b, i0, hop == 0);
        }
        fgti_pack_transpose(b->n, rows, b->acc, b->v, o + i0 * c->o.ld, c->o.ld);
    }
    if (c->y.p) b->panels->add_rows(b->tq, b->n, o, c->o.ld, at_hop(c->y, b, hop), c->y.ld);
}

void fgti_chain_forward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena)
{
    block b = block_of(c, g, h);
    place_forward(&b, arena);
    fgti_tile_pack(b.u, b.tk, b.dh, fgti_attention_k(&c->at, g, h), c->at.ldk, 1, b.k_rows, b.u * b.dh);
    for (int64_t hop = 0; hop < c->hops; hop++) forward_hop(&b, hop);
    for (int64_t i0 = 0; c->hops == 0 && i0 < b.tq; i0 += b.v) make_panel(&b, i0);
}

/* ---- backward ---- */

/* Backward goes over blocks of `queries` queries by `keys` keys, in the form of columns: sums over the
 * queries are finished panel by panel, dQ is collected for all queries. */
typedef struct sweep {
    int64_t    queries, keys, depth;      /* depth: columns of all hops together */
    fgti_real *dy_cols, *q_cols, *k_cols; /* U panels [query][n], [query][dh], [key][dh] */
    fgti_real *dy_rows, *q_rows;          /* U panels [depth][query], [dh][query] */
    fgti_real *x_rows, *key;              /* V panels of the block's keys: [depth][v], [dh][v] */
    fgti_real *soft, *a;                  /* blocks [query][v], of one panel of keys; of all if held */
    fgti_real *da;                        /* of one panel */
    fgti_real *turned;                    /* dS as rows [key][v], of the block */
    fgti_real *factor;                    /* dropout's factors as rows, [v][v] */
    fgti_real *dx, *dk, *dq;              /* sums: [n][v] and [dh][v] of each panel, [dh][v] of all queries */
    fgti_real *delta;                     /* [query] */
} sweep;

static int64_t place_backward(const block *b, sweep *s, fgti_real *base)
{
    const int64_t u = b->u, v = b->v, nu = fgti_round_up(b->n, u), du = fgti_round_up(b->dh, u);
    const int64_t tq = fgti_round_up(b->tq, u), tqv = fgti_round_up(b->tq, v);
    const int64_t queries = fgti_round_up(BLOCK, common_multiple(u, v));
    const int64_t held = held_size(b), columns = held > queries * v ? held : queries * v;
    int64_t       at = 0;
    s->queries       = queries;
    s->keys          = fgti_round_up(BLOCK, v);
    s->depth         = fgti_mul(b->c->hops, b->n);
    s->dy_cols       = fgti_take(base, &at, fgti_mul(nu, b->tq));
    s->q_cols        = fgti_take(base, &at, fgti_mul(du, b->tq));
    s->k_cols        = fgti_take(base, &at, fgti_mul(du, b->tk));
    s->dy_rows       = fgti_take(base, &at, fgti_mul(tq, s->depth));
    s->q_rows        = fgti_take(base, &at, fgti_mul(tq, b->dh));
    s->x_rows        = fgti_take(base, &at, fgti_mul(s->keys, s->depth) + FGTI_TILE_AHEAD);
    s->key           = fgti_take(base, &at, fgti_mul(s->keys, b->dh) + FGTI_TILE_AHEAD);
    s->soft          = fgti_take(base, &at, columns + FGTI_TILE_AHEAD);
    s->a             = fgti_take(base, &at, columns + FGTI_TILE_AHEAD);
    s->da            = fgti_take(base, &at, s->queries * v + FGTI_TILE_AHEAD);
    s->turned        = fgti_take(base, &at, s->queries * s->keys + FGTI_TILE_AHEAD);
    s->factor        = fgti_take(base, &at, v * v);
    s->dx            = fgti_take(base, &at, fgti_mul(s->keys, nu));
    s->dk            = fgti_take(base, &at, fgti_mul(s->keys, du));
    s->dq            = fgti_take(base, &at, fgti_mul(tqv, du));
    s->delta         = fgti_take(base, &at, tqv);
    return at;
}

/* A block of what is kept as rows, turned to columns; lanes of keys that do not exist become zeros. */
static void turn_kept(const block *b, const fgti_real *kept, int64_t i0, int64_t ni, int64_t j0,
                      fgti_real *dst)
{
    const int64_t keys = fgti_least(b->v, b->tk - j0);
    if (keys < b->v) memset(dst, 0, (size_t)(fgti_round_up(ni, b->v) * b->v) * sizeof *dst);
    for (int64_t i = 0; i < ni; i += b->v)
        fgti_pack_transpose(keys, b->v, kept + (i0 + i) / b->v * b->panel + j0 * b->v, b->v, dst + i * b->v,
                            b->v);
}

/* A block of columns, after the softmax and after dropout. */
typedef struct columns {
    fgti_real *soft, *a;
} columns;

/* The same where A is streamed: made again. Dropout knows rows, so its factors are made so and turned. */
static void make_columns(const block *b, const sweep *s, int64_t i0, int64_t ni, int64_t j0,
                         const fgti_real *key, columns to)
{
    const fgti_attention *at = &b->c->at;
    fgti_attention_scores_columns(at, b->g, i0, ni, j0, s->q_rows + i0 * b->dh, key, to.soft);
    b->panels->exp_rows(ni, b->v, b->v, b->shift + i0, b->factor + i0, to.soft);
    if (!at->drops) return;
    const int64_t keys = fgti_least(b->v, b->tk - j0);
    for (int64_t i = 0; i < ni; i += b->v) {
        for (int64_t l = 0; l < keys * b->v; l++) s->factor[l] = 1;
        fgti_attention_drop(at, b->g, b->h, i0 + i, b->v, j0, keys, s->factor);
        fgti_pack_transpose(keys, b->v, s->factor, b->v, to.a + i * b->v, b->v);
        for (int64_t r = i; r < i + b->v && r < ni; r++)
            for (int64_t l = 0; l < keys; l++) to.a[r * b->v + l] *= to.soft[r * b->v + l];
    }
}

/* Whether this hop makes columns, or finds those of the hop after it. */
static bool makes_columns(const block *b, int64_t hop)
{
    return !b->held || hop == b->c->hops - 1;
}

/* Queries i0 .., of panel number `panel` of a block of keys that begins at j0. */
static columns columns_of(const block *b, const sweep *s, int64_t hop, int64_t i0, int64_t ni, int64_t j0,
                          int64_t panel)
{
    const fgti_attention *at   = &b->c->at;
    const int64_t         key  = j0 + panel * b->v;
    const int64_t         rows = fgti_round_up(b->tq, common_multiple(b->u, b->v));
    const int64_t         from = b->held ? key * rows + i0 * b->v : 0;
    columns               c    = {s->soft + from, at->drops ? s->a + from : s->soft + from};
    if (!makes_columns(b, hop)) return c;
    if (at->streams) {
        make_columns(b, s, i0, ni, key, s->key + panel * b->v * b->dh, c);
    } else {
        turn_kept(b, b->soft, i0, ni, key, c.soft);
        if (at->drops) turn_kept(b, b->a, i0, ni, key, c.a);
    }
    return c;
}

/* What a hop needs of all queries, and the last one too. */
static void pack_sweep(const block *b, const sweep *s, int64_t hop)
{
    const fgti_chain     *c  = b->c;
    const fgti_attention *at = &c->at;
    const fgti_real      *q = fgti_attention_q(at, b->g, b->h), *k = fgti_attention_k(at, b->g, b->h);
    fgti_tile_pack(b->u, b->n, b->tq, at_hop(c->dy, b, hop), 1, c->dy.ld, s->dy_cols, b->tq * b->u);
    if (at->streams && makes_columns(b, hop))
        fgti_tile_pack(b->u, b->tq, b->dh, q, at->ldq, 1, s->q_rows, b->u * b->dh);
    if (hop) return;
    fgti_tile_pack(b->u, b->dh, b->tq, q, 1, at->ldq, s->q_cols, b->tq * b->u);
    fgti_tile_pack(b->u, b->dh, b->tk, k, 1, at->ldk, s->k_cols, b->tk * b->u);
    memset(s->delta, 0, (size_t)b->tq * sizeof *s->delta);
    for (int64_t m = 0; m < c->hops; m++) {
        const fgti_real *dy = at_hop(c->dy, b, m);
        fgti_tile_pack(b->u, b->tq, b->n, dy, c->dy.ld, 1, s->dy_rows + m * b->n * b->u, b->u * s->depth);
        b->panels->dot_rows(b->tq, b->n, dy, c->dy.ld, at_hop(c->o, b, m), c->o.ld, s->delta);
    }
}

/* The keys of a block: V panels. */
static void pack_keys(const block *b, const sweep *s, int64_t hop, int64_t j0, int64_t nj)
{
    const fgti_attention *at = &b->c->at;
    if (at->streams && makes_columns(b, hop))
        fgti_tile_pack(b->v, nj, b->dh, fgti_attention_k(at, b->g, b->h) + j0 * at->ldk, at->ldk, 1, s->key,
                       b->v * b->dh);
    for (int64_t m = 0; hop == 0 && m < b->c->hops; m++) {
        int64_t          ldx;
        const fgti_real *x = input(b, m, &ldx);
        fgti_tile_pack(b->v, nj, b->n, x + j0 * ldx, ldx, 1, s->x_rows + m * b->n * b->v, b->v * s->depth);
    }
}

/* dS of one panel of keys, and what it adds to dK; turned for dQ. */
static void panel_gradient(const block *b, const sweep *s, columns a, int64_t i0, int64_t ni, int64_t panel,
                           int64_t nj)
{
    const fgti_attention *at    = &b->c->at;
    const int64_t         v     = b->v;
    const fgti_real       scale = fgti_attention_scale(at);
    fgti_tile_product(at->kn, ni, s->depth, 1, s->dy_rows + i0 * s->depth, b->u * s->depth,
                      s->x_rows + panel * v * s->depth, 0, s->da);
    b->panels->softmax_grad(ni, v, a.soft, a.a, s->delta + i0, s->da);
    fgti_tile_product(at->kn, b->dh, ni, scale, s->q_cols + i0 * b->u, b->tq * b->u, s->da, i0 > 0,
                      s->dk + panel * v * fgti_round_up(b->dh, b->u));
    for (int64_t i = 0; i < ni; i += v)
        fgti_pack_transpose(fgti_least(v, ni - i), fgti_least(v, nj - panel * v), s->da + i * v, v,
                            s->turned + i * s->keys + panel * v * v, v);
}

/* dx = A'dy of one block of keys, from all queries; with the last hop (number 0) dK, and its part of dQ */
static void sweep_keys(const block *b, const sweep *s, int64_t hop, int64_t j0, int64_t nj)
{
    const fgti_attention *at = &b->c->at;
    const int64_t         v = b->v, nu = fgti_round_up(b->n, b->u), du = fgti_round_up(b->dh, b->u);
    pack_keys(b, s, hop, j0, nj);
    for (int64_t i0 = 0; i0 < b->tq; i0 += s->queries) {
        const int64_t ni = fgti_least(s->queries, b->tq - i0);
        for (int64_t p = 0; p * v < nj; p++) {
            const columns a = columns_of(b, s, hop, i0, ni, j0, p);
            fgti_tile_product(at->kn, b->n, ni, 1, s->dy_cols + i0 * b->u, b->tq * b->u, a.a, i0 > 0,
                              s->dx + p * v * nu);
            if (hop == 0) panel_gradient(b, s, a, i0, ni, p, nj);
        }
        for (int64_t i = 0; hop == 0 && i < ni; i += v)
            fgti_tile_product(at->kn, b->dh, nj, fgti_attention_scale(at), s->k_cols + j0 * b->u,
                              b->tk * b->u, s->turned + i * s->keys, j0 > 0, s->dq + (i0 + i) * du);
    }
}

/* dst rows (+)= the panels src [n][v], turned */
static void put(const block *b, int64_t n, int64_t rows, const fgti_real *src, bool add, fgti_real *dst,
                int64_t ld)
{
    const int64_t nu = fgti_round_up(n, b->u);
    for (int64_t r = 0; r < rows; r += b->v, src += b->v * nu, dst += b->v * ld) {
        const int64_t count = fgti_least(b->v, rows - r);
        if (!add) {
            fgti_pack_transpose(n, count, src, b->v, dst, ld);
            continue;
        }
        for (int64_t i = 0; i < count; i++)
            for (int64_t c = 0; c < n; c++) dst[i * ld + c] += src[c * b->v + i];
    }
}

void fgti_chain_backward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena)
{
    const block b = block_of(c, g, h);
    sweep       s;
    place_backward(&b, &s, arena);
    for (int64_t hop = c->hops - 1; hop >= 0; hop--) {
        int64_t    ld;
        fgti_real *dx = input_gradient(&b, hop, &ld);
        pack_sweep(&b, &s, hop);
        for (int64_t j0 = 0; j0 < b.tk; j0 += s.keys) {
            const int64_t nj = fgti_least(s.keys, b.tk - j0);
            sweep_keys(&b, &s, hop, j0, nj);
            put(&b, b.n, nj, s.dx, hop && c->add, dx + j0 * ld, ld);
            if (hop == 0) put(&b, b.dh, nj, s.dk, false, at_hop(c->dk, &b, 0) + j0 * c->dk.ld, c->dk.ld);
        }
    }
    put(&b, b.dh, b.tq, s.dq, false, at_hop(c->dq, &b, 0), c->dq.ld);
}

int64_t fgti_chain_arena(const fgti_chain *c)
{
    block         b = block_of(c, 0, 0);
    sweep         s;
    const int64_t forward = place_forward(&b, NULL), backward = place_backward(&b, &s, NULL);
    return forward > backward ? forward : backward;
}

/* ---- for those who ask ---- */

typedef struct matrices {
    const fgti_chain *c;
    const fgti_io    *io;
    fgti_real        *a;
} matrices;

static void matrix_task(void *arg, int64_t gh, int32_t worker)
{
    const matrices       *m  = arg;
    const fgti_attention *at = &m->c->at;
    block                 b  = block_of(m->c, gh / at->heads, gh % at->heads);
    fgti_real            *a  = m->a + gh * b.tq * b.tk;
    place_forward(&b, m->io->arena + worker * m->io->arena_stride);
    if (at->streams)
        fgti_tile_pack(b.u, b.tk, b.dh, fgti_attention_k(at, b.g, b.h), at->ldk, 1, b.k_rows, b.u * b.dh);
    const int64_t step = keys_at_once(at);
    for (int64_t i0 = 0; i0 < b.tq; i0 += b.v) {
        const int64_t rows = fgti_least(b.v, b.tq - i0);
        if (at->streams) pack_query(&b, i0);
        for (int64_t j0 = 0; j0 < b.tk; j0 += step) {
            const int64_t    nj   = fgti_least(step, b.tk - j0);
            const fgti_real *from = at->streams ? b.scores : b.a + i0 / b.v * b.panel;
            if (at->streams) {
                load_shift(&b, i0);
                fgti_attention_scores(at, b.g, i0, j0, nj, b.k_rows + j0 * b.dh, b.query, b.scores);
                b.panels->exp_lanes(nj, b.v, b.top, b.sum, b.scores);
                if (at->drops) fgti_attention_drop(at, b.g, b.h, i0, b.v, j0, nj, b.scores);
            }
            fgti_pack_transpose(nj, rows, from, b.v, a + i0 * b.tk + j0, b.tk);
        }
    }
}

void fgti_chain_matrices(const fgti_chain *c, fgti_real *a, const fgti_io *io)
{
    matrices m = {.c = c, .io = io, .a = a};
    fgti_parallel(c->at.run->exec, c->at.groups * c->at.heads, matrix_task, &m);
}
