/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/fighter/short_head.h"

#include <string.h>

#include "blas/pack.h"
#include "nn/attention/attender/attender.h"

/* Number of queries that are computed at a time: the lanes of a panel in the forward pass, the rows of a
 * block in the backward pass. Results for so few queries stay in the first or second cache. */
#define QUERIES 32
#define BLOCK   48
static int64_t short_head_block_of(int64_t tokens)
{
    return tokens > 1024 ? BLOCK / 2 : BLOCK;
}

/* Length of the longest series for which products take all of A at once. */
#define WHOLE 256

#define NORM_EPS 1e-5 /* as in the paper's code and PyTorch */

/* Most elements that 16 chunks of dW may have together, 2 MiB. Up to this size it takes little time to add
 * them up. Larger gradients are split into 8 chunks. */
#define CHUNKS_MOST (INT64_C(1) << 19)

void fgti_short_set(fgti_short *s, const fgti_attention *attention, int64_t d, int64_t h, int64_t kappa)
{
    const int64_t line = 64 / (int64_t)sizeof(fgti_real);
    s->attention       = attention;
    s->run             = attention->run;
    s->d               = d;
    s->h               = h;
    s->kappa           = kappa;
    s->n               = h / attention->heads;
    s->head            = fgti_mul(2, attention->dh) + fgti_mul(kappa, s->n);
    s->columns         = fgti_mul(attention->heads, s->head);
    s->queries         = attention->tq;
    s->keys            = attention->tk;
    s->padded          = fgti_round_up(attention->tq, FGTI_REGISTER);
    s->ldt             = s->padded % (8 * line) ? s->padded : s->padded + line; /* see fgti_spread */
    s->ldd             = fgti_round_up(d, FGTI_REGISTER);
    s->chunks = fgti_least(attention->groups, 16 * fgti_mul(s->columns, s->ldd) <= CHUNKS_MOST ? 16 : 8);
}

int64_t fgti_short_cache(const fgti_short *s)
{
    return fgti_mul(fgti_mul(s->attention->groups, s->columns), s->ldt);
}

/* The parts of a worker's arena. fgti_short_input() fills x, and all heads of the group read it. */
typedef struct short_arena {
    fgti_real *x;           /* X' transposed, [D][ldt]; in the backward pass X' [T][ldd]; at the end a part of
                             * dW' */
    fgti_real *soft, *a;    /* A after the softmax, and A after dropout: [key][query] in panels, or
                             * [query][ldt] */
    fgti_real *factor, *ds; /* factor: factors of dropout for one panel; ds: dS of a block of queries */
    fgti_real *dy;          /* gradient of y for one head, in the layout of y */
    fgti_real *k, *dq;      /* [token][ldk] */
    fgti_real *dx;          /* gradient of X' [T][ldd] */
    fgti_real *mean, *rstd; /* [padded], [ldt] */
    int64_t    ldk;
} short_arena;

/* Takes the parts from a worker's arena. The layout is the same whether s is trimmed or not. */
static int64_t short_head_layout(const fgti_short *s, short_arena *r, fgti_real *base)
{
    const int64_t all   = fgti_round_up(s->attention->tq, FGTI_REGISTER);
    const int64_t block = fgti_mul(all, s->ldt), rows = fgti_mul(all, s->ldd);
    const int64_t transposed = fgti_mul(s->d, s->ldt > s->n ? s->ldt : s->n);
    int64_t       at         = 0;
    r->ldk                   = fgti_round_up(s->attention->dh, FGTI_REGISTER);
    r->x                     = fgti_take(base, &at, transposed > rows ? transposed : rows);
    r->soft                  = fgti_take(base, &at, block);
    r->a                     = fgti_take(base, &at, block);
    r->factor                = fgti_take(base, &at, fgti_mul(all, QUERIES));
    r->ds                    = fgti_take(base, &at, fgti_mul(s->ldt, BLOCK));
    r->dy                    = fgti_take(base, &at, fgti_mul(s->head, s->ldt));
    r->k                     = fgti_take(base, &at, fgti_mul(all, r->ldk));
    r->dq                    = fgti_take(base, &at, fgti_mul(all, r->ldk));
    r->dx                    = fgti_take(base, &at, rows);
    r->mean                  = fgti_take(base, &at, all);
    r->rstd                  = fgti_take(base, &at, s->ldt);
    return at;
}

int64_t fgti_short_arena(const fgti_short *s)
{
    short_arena r;
    return short_head_layout(s, &r, NULL);
}

int64_t fgti_short_live(const fgti_short *s, int64_t g)
{
    const fgti_attention *attention = s->attention;
    const int64_t         t         = attention->tk;
    const int32_t        *padding   = attention->padding;
    int64_t               live      = t;
    while (padding && live > 0 && padding[g / attention->nodes * t + live - 1]) live--;
    return live ? live : t;
}

fgti_short fgti_short_trim(const fgti_short *s, int64_t queries, int64_t keys)
{
    fgti_short trimmed = *s;
    trimmed.queries    = queries;
    trimmed.keys       = keys;
    trimmed.padded     = fgti_round_up(queries, FGTI_REGISTER);
    return trimmed;
}

/* ---- forward ---- */

static fgti_real *short_head_of(const fgti_short *s, int64_t g, int64_t h)
{
    return s->y + (g * s->attention->heads + h) * s->head * s->ldt;
}

/* Writes dst [n][ldt] from rows. Lanes of tokens that do not exist become zeros. */
static void short_head_transpose(const fgti_short *s, int64_t n, const fgti_real *src, int64_t ld,
                                 fgti_real *dst)
{
    const int64_t t = s->queries;
    fgti_pack_transpose(t, n, src, ld, dst, s->ldt);
    for (int64_t i = 0; t < s->padded && i < n; i++)
        memset(dst + i * s->ldt + t, 0, (size_t)(s->padded - t) * sizeof *dst);
}

/* If a map is folded: writes rstd_t z_t for the tokens of a group. */
static void scale_input(const fgti_short *s, int64_t g, const short_arena *r)
{
    const int64_t t = s->attention->tq;
    s->run->vec->norm_scale(t, s->width, NORM_EPS, s->wide + g * t * s->width, r->rstd);
    for (int64_t i = t; i < s->ldt; i++) r->rstd[i] = 0;
    for (int64_t i = 0; i < s->d; i++) s->run->vec->panels->scale(1, s->padded, r->rstd, r->x + i * s->ldt);
}

void fgti_short_input(const fgti_short *s, int64_t g, bool keep, fgti_real *arena)
{
    const int64_t t = s->attention->tq;
    short_arena   r;
    short_head_layout(s, &r, arena);
    short_head_transpose(s, s->d, s->x + g * t * s->d, s->d, r.x);
    if (s->wide) scale_input(s, g, &r);
    if (!s->norm_w) return;
    s->run->vec->panels->norm(s->d, s->padded, s->ldt, NORM_EPS, s->norm_w, s->norm_b, r.x, r.mean, r.rstd);
    if (!keep) return;
    memcpy(s->mean + g * t, r.mean, (size_t)t * sizeof *r.mean);
    memcpy(s->rstd + g * t, r.rstd, (size_t)t * sizeof *r.rstd);
}

/* If a map is folded: computes rows of [Q K P_0 ..]' as rstd (P z + S) + q, or without a norm P z + S. */
static void project_folded(const fgti_short *s, int64_t first, int64_t rows, const short_arena *r,
                           fgti_real *y)
{
    const fgti_vec_panels *panels = s->run->vec->panels;
    const fgti_real       *table  = s->table + first * s->ldtable;
    for (int64_t i = 0; i < rows; i++, table += s->ldtable) {
        fgti_real *to = y + i * s->ldt;
        if (s->tokens > 1) memcpy(to, table, (size_t)s->padded * sizeof *to);
        for (int64_t t = 0; s->tokens == 1 && t < s->padded; t++) to[t] = *table;
        if (s->wide) panels->scale(1, s->padded, r->rstd, to);
    }
    panels->multiply(rows, s->padded, s->d, 1, s->w + first * s->ldd, s->ldd, 1, r->x, s->ldt, 1, y, s->ldt);
    if (s->wide) panels->add_each(rows, s->padded, s->b + first, y, s->ldt);
}

/* Computes rows of [Q K P_0 ..]' = W'X'' + b. Only the first `biased` rows have a bias. */
static void short_head_project(const fgti_short *s, int64_t first, int64_t rows, int64_t biased,
                               const short_arena *r, fgti_real *y)
{
    const fgti_vec_panels *panels = s->run->vec->panels;
    if (s->table) {
        project_folded(s, first, rows, r, y);
        return;
    }
    panels->multiply(rows, s->padded, s->d, 1, s->w + first * s->ldd, s->ldd, 1, r->x, s->ldt, 0, y, s->ldt);
    panels->add_each(biased, s->padded, s->b + first, y, s->ldt);
}

/* Computes A of some queries as one panel, [key][v lanes]. */
static void short_head_make_panel(const fgti_short *s, int64_t g, int64_t h, int64_t i0, int64_t v,
                                  const fgti_real *y, fgti_real *a)
{
    const fgti_attention  *attention = s->attention;
    const fgti_vec_panels *panels    = s->run->vec->panels;
    fgti_real              shift[QUERIES], factor[QUERIES];
    const int64_t          row = (g * attention->heads + h) * attention->tq + i0,
                  queries      = fgti_least(v, attention->tq - i0);
    panels->multiply(s->keys, v, attention->dh, fgti_attention_scale(attention), y + attention->dh * s->ldt,
                     1, s->ldt, y + i0, s->ldt, 0, a, v);
    fgti_attention_mask(attention, g, i0, v, 0, s->keys, 1, v, a);
    panels->softmax(s->keys, v, a, shift, factor);
    memcpy(attention->shift + row, shift, (size_t)queries * sizeof *shift);
    memcpy(attention->factor + row, factor, (size_t)queries * sizeof *factor);
    if (attention->drops) fgti_attention_drop(attention, g, h, i0, v, 0, s->keys, a);
}

/* Computes one head. A prediction keeps only queries and keys, from which fgti_short_matrix() computes A. */
void fgti_short_forward(const fgti_short *s, int64_t g, int64_t h, fgti_real *arena, fgti_real *u)
{
    const fgti_attention *attention = s->attention;
    const int64_t         split     = 2 * attention->dh;
    short_arena           r;
    short_head_layout(s, &r, arena);
    fgti_real *y = short_head_of(s, g, h), *p = s->run->differentiable ? y + split * s->ldt : r.dy;
    short_head_project(s, h * s->head, split, split, &r, y);
    short_head_project(s, h * s->head + split, s->head - split, s->n, &r, p);
    for (int64_t i = s->kappa - 2; i >= 0; i--)
        for (int64_t i0 = 0; i0 < s->padded; i0 += QUERIES) {
            const int64_t v = fgti_least(QUERIES, s->padded - i0);
            fgti_real    *a = r.a + i0 * s->keys, *to = p + i * s->n * s->ldt;
            if (i == s->kappa - 2) short_head_make_panel(s, g, h, i0, v, y, a);
            s->run->vec->panels->multiply(s->n, v, s->keys, 1, to + s->n * s->ldt, s->ldt, 1, a, v, 1,
                                          to + i0, s->ldt);
        }
    fgti_pack_transpose(s->n, attention->tq, p, s->ldt, u + g * attention->tq * s->h + h * s->n, s->h);
}

/* ---- backward ---- */

/* Computes A after dropout as [query][key], from A before dropout. */
static void drop_columns(const fgti_short *s, int64_t g, int64_t h, const short_arena *r)
{
    const int64_t t = s->queries;
    for (int64_t i0 = 0; i0 < t; i0 += QUERIES) {
        const int64_t v = fgti_least(QUERIES, s->padded - i0);
        fgti_attention_drop_columns(s->attention, g, h, i0, v, fgti_least(v, t - i0), 0, t, r->factor,
                                    r->soft + i0 * s->ldt, s->ldt, r->a + i0 * s->ldt);
    }
}

/* Computes A again from the scores, as [query][key], for `queries` queries from i0 on. */
static void short_head_make_columns(const fgti_short *s, int64_t g, int64_t h, const fgti_real *y, int64_t i0,
                                    int64_t queries, fgti_real *soft)
{
    const fgti_attention  *attention = s->attention;
    const fgti_vec_panels *panels    = s->run->vec->panels;
    const int64_t          row = (g * attention->heads + h) * attention->tq, end = i0 + queries;
    for (int64_t i = i0, step = short_head_block_of(end - i0); i < end; i += step) {
        const int64_t n = fgti_least(step, end - i);
        fgti_real    *a = soft + i * s->ldt;
        panels->multiply(n, s->padded, attention->dh, fgti_attention_scale(attention), y + i, 1, s->ldt,
                         y + attention->dh * s->ldt, s->ldt, 0, a, s->ldt);
        fgti_attention_mask(attention, g, i, n, 0, s->keys, s->ldt, 1, a);
        panels->exp_rows(n, s->padded, s->ldt, attention->shift + row + i, attention->factor + row + i, a);
    }
}

/* dP_i = dP_{i-1} A, after A is computed. If A is larger than the second cache, a product takes a block of
 * queries at a time, and the first product takes each block of A just after the block was computed. */
static void hop_gradients(const fgti_short *s, int64_t g, int64_t h, const fgti_real *y, const short_arena *r,
                          fgti_real *dp)
{
    const int64_t    t = s->queries, power = s->n * s->ldt, step = t > WHOLE ? short_head_block_of(t) : t;
    const bool       drops = s->attention->drops;
    const fgti_real *a     = drops ? r->a : r->soft;
    if (drops) short_head_make_columns(s, g, h, y, 0, t, r->soft);
    if (drops) drop_columns(s, g, h, r);
    for (int64_t i = 1; i < s->kappa; i++, dp += power)
        for (int64_t i0 = 0; i0 < t; i0 += step) {
            const int64_t n = fgti_least(step, t - i0);
            if (i == 1 && !drops) short_head_make_columns(s, g, h, y, i0, n, r->soft);
            s->run->vec->panels->multiply(s->n, s->padded, n, 1, dp + i0, s->ldt, 1, a + i0 * s->ldt, s->ldt,
                                          i0 > 0, dp + power, s->ldt);
        }
}

/* Block by block of queries: dA = sum_m dY_m X_m', from it dS, then dQ = dS K / sqrt(dh) and dK = dS'Q /
 * sqrt(dh) */
static void score_gradient(const fgti_short *s, const fgti_real *y, const fgti_real *a, const short_arena *r)
{
    const fgti_vec_panels *panels = s->run->vec->panels;
    const fgti_real        scale  = fgti_attention_scale(s->attention);
    const int64_t          t = s->queries, dh = s->attention->dh, ld = s->ldt;
    const fgti_real       *dp = r->dy + 2 * dh * ld, *x = y + (2 * dh + s->n) * ld;
    if (dh < r->ldk) memset(r->k, 0, (size_t)(t * r->ldk) * sizeof *r->k);
    fgti_pack_transpose(dh, t, y + dh * ld, ld, r->k, r->ldk);
    for (int64_t i = 0, step = short_head_block_of(t); i < t; i += step) {
        const int64_t n = fgti_least(step, t - i);
        panels->multiply(n, s->padded, (s->kappa - 1) * s->n, 1, dp + i, 1, ld, x, ld, 0, r->ds, ld);
        panels->softmax_grad_rows(n, t, ld, r->soft + i * ld, a + i * ld, r->ds);
        panels->multiply(dh, s->padded, n, scale, y + i, ld, 1, r->ds, ld, i > 0, r->dy + dh * ld, ld);
        panels->multiply(n, r->ldk, t, scale, r->ds, ld, 1, r->k, r->ldk, 0, r->dq + i * r->ldk, r->ldk);
    }
    fgti_pack_transpose(t, dh, r->dq, r->ldk, r->dy, ld);
}

/* Computes in r->dy the gradients of all columns of a head's projection. */
static void head_gradient(const fgti_short *s, fgti_act act, int64_t g, int64_t h, const fgti_real *dy,
                          const short_arena *r)
{
    const fgti_attention *attention = s->attention;
    const fgti_vec       *vec       = s->run->vec;
    const int64_t         split = 2 * attention->dh * s->ldt;
    const fgti_real      *y = short_head_of(s, g, h), *a = attention->drops ? r->a : r->soft;
    fgti_real            *dp = r->dy + split;
    fgti_fetch(s->head * s->ldt, y + s->head * s->ldt); /* prefetches the next head */
    short_head_transpose(s, s->n, dy + h * s->n, s->h, dp);
    for (int64_t i = 0; i < s->n; i++)
        vec->act_grad(act, s->padded, y + split + i * s->ldt, dp + i * s->ldt, dp + i * s->ldt);
    hop_gradients(s, g, h, y, r, dp);
    score_gradient(s, y, a, r);
}

/* Writes X' as rows [T][ldd]. */
static void input_rows(const fgti_short *s, int64_t g, fgti_real *to)
{
    const int64_t    t = s->queries, d = s->d, first = g * s->attention->tq;
    const fgti_real *x = s->x + first * d;
    if (s->norm_w)
        s->run->vec->norm_again(t, d, x, s->norm_w, s->norm_b, s->mean + first, s->rstd + first, to, s->ldd);
    for (int64_t i = 0; i < t; i++, x += d, to += s->ldd) {
        if (!s->norm_w) memcpy(to, x, (size_t)d * sizeof *x);
        for (int64_t c = d; c < s->ldd; c++) to[c] = 0;
    }
}

/* Computes dx through the norm, and the group's part of the gradients of the norm's parameters. Only d
 * columns of r->dx are used. */
static void short_head_norm_gradient(const fgti_short *s, int64_t g, int64_t chunk, const short_arena *r,
                                     fgti_real *dx)
{
    const fgti_vec *vec = s->run->vec;
    const int64_t   t = s->queries, d = s->d, first = g * s->attention->tq;
    for (int64_t i = 1; s->ldd > d && i < t; i++)
        memmove(r->dx + i * d, r->dx + i * s->ldd, (size_t)d * sizeof *dx);
    if (s->added) s->run->vec->axpy(t * d, 1, s->added + first * d, r->dx);
    if (dx) memset(dx + t * d, 0, (size_t)((s->attention->tq - t) * d) * sizeof *dx);
    if (!s->norm_w) {
        memcpy(dx, r->dx, (size_t)(t * d) * sizeof *dx);
        return;
    }
    const fgti_real *x = s->x + first * d, *mean = s->mean + first, *rstd = s->rstd + first;
    fgti_real       *dnorm = s->dnorm + 2 * chunk * d;
    vec->norm_grad_param(t, d, 0, d, x, mean, rstd, r->dx, dnorm, dnorm + d);
    if (dx) vec->norm_grad(t, d, x, s->norm_w, mean, rstd, r->dx, dx);
}

void fgti_short_backward(const fgti_short *s, fgti_act act, int64_t g, int64_t chunk, bool fresh,
                         const fgti_real *dy, fgti_real *arena, fgti_real *dx)
{
    const fgti_vec_panels *panels = s->run->vec->panels;
    const int64_t          t = s->queries, biased = 2 * s->attention->dh + s->n;
    fgti_real             *dw = s->dw + chunk * s->columns * s->ldd, *db = s->db + chunk * s->columns;
    short_arena            r;
    short_head_layout(s, &r, arena);
    if (fresh) memset(db, 0, (size_t)s->columns * sizeof *db);
    if (fresh) memset(s->dnorm + 2 * chunk * s->d, 0, (size_t)(2 * s->d) * sizeof *db);
    input_rows(s, g, r.x);
    for (int64_t h = 0; h < s->attention->heads; h++) {
        const int64_t at = h * s->head;
        head_gradient(s, act, g, h, dy, &r);
        if (dx || s->norm_w)
            panels->multiply(t, s->ldd, s->head, 1, r.dy, 1, s->ldt, s->w + at * s->ldd, s->ldd, h > 0, r.dx,
                             s->ldd);
        panels->multiply(s->head, s->ldd, t, 1, r.dy, s->ldt, 1, r.x, s->ldd, !fresh, dw + at * s->ldd,
                         s->ldd);
        panels->sum_rows(biased, t, r.dy, s->ldt, db + at);
    }
    if (dx || s->norm_w) short_head_norm_gradient(s, g, chunk, &r, dx);
}

/* ---- the matrices, for fgt_model_get_adjacency() ---- */

void fgti_short_matrix(const fgti_short *s, int64_t g, int64_t h, fgti_real *arena, fgti_real *a)
{
    const int64_t t = s->attention->tq;
    short_arena   r;
    short_head_layout(s, &r, arena);
    short_head_make_columns(s, g, h, short_head_of(s, g, h), 0, t, r.soft);
    if (s->attention->drops) drop_columns(s, g, h, &r);
    const fgti_real *from = s->attention->drops ? r.a : r.soft;
    for (int64_t i = 0; i < t; i++) memcpy(a + i * t, from + i * s->ldt, (size_t)t * sizeof *a);
}
