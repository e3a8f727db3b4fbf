/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/fighter_short.h"

#include <string.h>

#include "blas/pack.h"
#include "nn/projection.h"

/* Queries at a time: lanes of a panel, rows of a block. What is made of them stays in the first cache. */
#define QUERIES 32
#define BLOCK   48

#define NORM_EPS 1e-5 /* as the paper's code and PyTorch */

/* More than 8 chunks are for sums that are soon added up, 2 MiB all together. */
#define CHUNKS_MOST (INT64_C(1) << 19)

void fgti_short_set(fgti_short *s, const fgti_attention *at, int64_t d, int64_t h, int64_t kappa)
{
    const int64_t line = 64 / (int64_t)sizeof(fgti_real);
    s->at              = at;
    s->run             = at->run;
    s->d               = d;
    s->h               = h;
    s->kappa           = kappa;
    s->n               = h / at->heads;
    s->head            = fgti_mul(2, at->dh) + fgti_mul(kappa, s->n);
    s->columns         = fgti_mul(at->heads, s->head);
    s->padded          = fgti_round_up(at->tq, FGTI_REGISTER);
    s->ldt             = s->padded % (8 * line) ? s->padded : s->padded + line; /* see fgti_spread */
    s->ldd             = fgti_round_up(d, FGTI_REGISTER);
    s->chunks          = fgti_least(at->groups, 16 * fgti_mul(s->columns, s->ldd) <= CHUNKS_MOST ? 16 : 8);
}

int64_t fgti_short_cache(const fgti_short *s)
{
    return fgti_mul(fgti_mul(s->at->groups, s->columns), s->ldt);
}

int64_t fgti_short_keep(fgti_short *s, fgti_real *base)
{
    int64_t at = 0;
    s->version = fgti_take(base, &at, (int64_t)(sizeof s->run->version / sizeof *base + 1));
    s->w       = fgti_take(base, &at, fgti_mul(s->columns, s->ldd));
    s->b       = fgti_take(base, &at, s->columns);
    return at;
}

int64_t fgti_short_scratch(fgti_short *s, fgti_real *base)
{
    int64_t at = 0;
    s->dw      = fgti_take(base, &at, fgti_mul(s->chunks, fgti_mul(s->columns, s->ldd)));
    s->db      = fgti_take(base, &at, fgti_mul(s->chunks, s->columns));
    s->dnorm   = fgti_take(base, &at, fgti_mul(s->chunks, fgti_mul(2, s->d)));
    return at;
}

/* A worker's memory. The first part goes from fgti_short_input to the heads of the group. */
typedef struct room {
    fgti_real *x;           /* X', turned [D][ldt]; backward [T][ldd]; at last a part of dW' */
    fgti_real *soft, *a;    /* after the softmax, after dropout: [key][query] in panels, or [query][ldt] */
    fgti_real *factor, *ds; /* dropout's, of one panel; of a block of queries */
    fgti_real *dy;          /* as y, of a head */
    fgti_real *k, *dq;      /* [token][ldk] */
    fgti_real *dx;          /* [T][ldd], of X' */
    fgti_real *mean, *rstd; /* [padded] */
    int64_t    ldk;
} room;

static int64_t place(const fgti_short *s, room *r, fgti_real *base)
{
    const int64_t block = fgti_mul(s->padded, s->ldt), rows = fgti_mul(s->padded, s->ldd);
    const int64_t turned = fgti_mul(s->d, s->ldt > s->n ? s->ldt : s->n);
    int64_t       at     = 0;
    r->ldk               = fgti_round_up(s->at->dh, FGTI_REGISTER);
    r->x                 = fgti_take(base, &at, turned > rows ? turned : rows);
    r->soft              = fgti_take(base, &at, block);
    r->a                 = fgti_take(base, &at, block);
    r->factor            = fgti_take(base, &at, fgti_mul(s->padded, QUERIES));
    r->ds                = fgti_take(base, &at, fgti_mul(s->ldt, BLOCK));
    r->dy                = fgti_take(base, &at, fgti_mul(s->head, s->ldt));
    r->k                 = fgti_take(base, &at, fgti_mul(s->padded, r->ldk));
    r->dq                = fgti_take(base, &at, fgti_mul(s->padded, r->ldk));
    r->dx                = fgti_take(base, &at, rows);
    r->mean              = fgti_take(base, &at, s->padded);
    r->rstd              = fgti_take(base, &at, s->padded);
    return at;
}

int64_t fgti_short_arena(const fgti_short *s)
{
    room r;
    return place(s, &r, NULL);
}

/* ---- the parameters, head by head ---- */

/* Of a head: task 0 is queries, keys and biases, each further one a hop. */
typedef struct slab {
    const fgti_short *s;
    const fgti_real  *weights;
    fgti_real        *gradients, *arena;
    int64_t           stride; /* from arena to arena */
} slab;

static void gather_task(void *arg, int64_t task, int32_t worker)
{
    const slab              *all = arg;
    const fgti_short        *s   = all->s;
    const fgti_short_params *p   = &s->p;
    const int64_t            h = task / (s->kappa + 1), hop = task % (s->kappa + 1) - 1, dh = s->at->dh;
    const fgti_real         *from = all->weights;
    const size_t             each = sizeof *from;
    fgti_real               *w = s->w + h * s->head * s->ldd, *b = s->b + h * s->head;
    (void)worker;
    if (hop >= 0) {
        fgti_pack_transpose(s->d, s->n, from + p->hop + hop * s->d * s->h + h * s->n, s->h,
                            w + (2 * dh + hop * s->n) * s->ldd, s->ldd);
        return;
    }
    for (int64_t c = 0; c < 2 * dh; c++, w += s->ldd)
        memcpy(w, from + (c < dh ? p->wq + c * s->d : p->wk + (c - dh) * s->d) + h * dh * s->d,
               (size_t)s->d * each);
    if (p->bq < 0) return;
    memcpy(b, from + p->bq + h * dh, (size_t)dh * each);
    memcpy(b + dh, from + p->bk + h * dh, (size_t)dh * each);
    memcpy(b + 2 * dh, from + p->bias + h * s->n, (size_t)s->n * each);
}

void fgti_short_gather(const fgti_short *s, const fgti_real *weights)
{
    slab all = {.s = s, .weights = weights};
    if (!fgti_projection_stale(&(fgti_projection){.run = s->run, .version = s->version})) return;
    fgti_parallel(s->run->exec, s->at->heads * (s->kappa + 1), gather_task, &all);
}

/* A row of dw. */
static void sum_task(void *arg, int64_t row, int32_t worker)
{
    const fgti_short *s = arg;
    (void)worker;
    for (int64_t c = 1; c < s->chunks; c++)
        s->run->vec->axpy(s->d, 1, s->dw + (c * s->columns + row) * s->ldd, s->dw + row * s->ldd);
}

static void scatter_task(void *arg, int64_t task, int32_t worker)
{
    const slab              *all = arg;
    const fgti_short        *s   = all->s;
    const fgti_short_params *p   = &s->p;
    const fgti_vec          *vec = s->run->vec;
    const int64_t            h = task / (s->kappa + 1), hop = task % (s->kappa + 1) - 1;
    const int64_t            dh = s->at->dh, d = s->d, n = s->n;
    const fgti_real         *w = s->dw + h * s->head * s->ldd, *b = s->db + h * s->head;
    fgti_real               *to = all->gradients, *turned = all->arena + worker * all->stride;
    if (hop >= 0) {
        fgti_pack_transpose(n, d, w + (2 * dh + hop * n) * s->ldd, s->ldd, turned, n);
        vec->panels->add_rows(d, n, turned, n, to + p->hop + hop * d * s->h + h * n, s->h);
        return;
    }
    vec->panels->add_rows(dh, d, w, s->ldd, to + p->wq + h * dh * d, d);
    vec->panels->add_rows(dh, d, w + dh * s->ldd, s->ldd, to + p->wk + h * dh * d, d);
    if (p->bq < 0) return;
    vec->axpy(dh, 1, b, to + p->bq + h * dh);
    vec->axpy(dh, 1, b + dh, to + p->bk + h * dh);
    vec->axpy(n, 1, b + 2 * dh, to + p->bias + h * n);
}

void fgti_short_scatter(const fgti_short *s, fgti_real *gradients, fgti_real *dnorm_w, fgti_real *dnorm_b,
                        fgti_real *arena, int64_t stride)
{
    const fgti_vec *vec = s->run->vec;
    const int64_t   d   = s->d;
    slab            all = {.s = s, .gradients = gradients, .arena = arena, .stride = stride};
    fgti_parallel(s->run->exec, s->columns, sum_task, (void *)s);
    for (int64_t c = 1; c < s->chunks; c++) vec->axpy(s->columns, 1, s->db + c * s->columns, s->db);
    fgti_parallel(s->run->exec, s->at->heads * (s->kappa + 1), scatter_task, &all);
    for (int64_t c = 0; s->norm_w && c < s->chunks; c++) {
        vec->axpy(d, 1, s->dnorm + 2 * c * d, dnorm_w);
        vec->axpy(d, 1, s->dnorm + (2 * c + 1) * d, dnorm_b);
    }
}

/* ---- forward ---- */

static fgti_real *head_of(const fgti_short *s, int64_t g, int64_t h)
{
    return s->y + (g * s->at->heads + h) * s->head * s->ldt;
}

/* dst [n][ldt] from rows, with zeros for tokens that do not exist */
static void turn(const fgti_short *s, int64_t n, const fgti_real *src, int64_t ld, fgti_real *dst)
{
    const int64_t t = s->at->tq;
    fgti_pack_transpose(t, n, src, ld, dst, s->ldt);
    for (int64_t i = 0; t < s->padded && i < n; i++)
        memset(dst + i * s->ldt + t, 0, (size_t)(s->padded - t) * sizeof *dst);
}

void fgti_short_input(const fgti_short *s, int64_t g, bool keep, fgti_real *arena)
{
    const int64_t t = s->at->tq;
    room          r;
    place(s, &r, arena);
    turn(s, s->d, s->x + g * t * s->d, s->d, r.x);
    if (!s->norm_w) return;
    s->run->vec->panels->norm(s->d, s->padded, s->ldt, NORM_EPS, s->norm_w, s->norm_b, r.x, r.mean, r.rstd);
    if (!keep) return;
    memcpy(s->mean + g * t, r.mean, (size_t)t * sizeof *r.mean);
    memcpy(s->rstd + g * t, r.rstd, (size_t)t * sizeof *r.rstd);
}

/* Rows of [Q K P_0 ..]' = W'X'' + b, the first `biased` of which have a bias. */
static void project(const fgti_short *s, int64_t first, int64_t rows, int64_t biased, const room *r,
                    fgti_real *y)
{
    const fgti_vec_panels *panels = s->run->vec->panels;
    panels->multiply(rows, s->padded, s->d, 1, s->w + first * s->ldd, s->ldd, 1, r->x, s->ldt, 0, y, s->ldt);
    panels->add_each(biased, s->padded, s->b + first, y, s->ldt);
}

/* A of some queries, [key][v lanes]: a panel */
static void make_panel(const fgti_short *s, int64_t g, int64_t h, int64_t i0, int64_t v, const fgti_real *y,
                       fgti_real *a)
{
    const fgti_attention  *at     = s->at;
    const fgti_vec_panels *panels = s->run->vec->panels;
    fgti_real              shift[QUERIES], factor[QUERIES];
    const int64_t          row = (g * at->heads + h) * at->tq + i0, queries = fgti_least(v, at->tq - i0);
    panels->multiply(at->tk, v, at->dh, fgti_attention_scale(at), y + at->dh * s->ldt, 1, s->ldt, y + i0,
                     s->ldt, 0, a, v);
    fgti_attention_mask(at, g, i0, v, 0, at->tk, 1, v, a);
    panels->softmax(at->tk, v, a, shift, factor);
    memcpy(at->shift + row, shift, (size_t)queries * sizeof *shift);
    memcpy(at->factor + row, factor, (size_t)queries * sizeof *factor);
    if (at->drops) fgti_attention_drop(at, g, h, i0, v, 0, at->tk, a);
}

/* A prediction keeps queries and keys alone, from which fgti_short_matrix() makes A. */
void fgti_short_forward(const fgti_short *s, int64_t g, int64_t h, fgti_real *arena, fgti_real *u)
{
    const fgti_attention *at    = s->at;
    const int64_t         split = 2 * at->dh;
    room                  r;
    place(s, &r, arena);
    fgti_real *y = head_of(s, g, h), *p = s->run->differentiable ? y + split * s->ldt : r.dy;
    project(s, h * s->head, split, split, &r, y);
    project(s, h * s->head + split, s->head - split, s->n, &r, p);
    for (int64_t i = s->kappa - 2; i >= 0; i--)
        for (int64_t i0 = 0; i0 < s->padded; i0 += QUERIES) {
            const int64_t v = fgti_least(QUERIES, s->padded - i0);
            fgti_real    *a = r.a + i0 * at->tk, *to = p + i * s->n * s->ldt;
            if (i == s->kappa - 2) make_panel(s, g, h, i0, v, y, a);
            s->run->vec->panels->multiply(s->n, v, at->tk, 1, to + s->n * s->ldt, s->ldt, 1, a, v, 1, to + i0,
                                          s->ldt);
        }
    fgti_pack_transpose(s->n, at->tq, p, s->ldt, u + g * at->tq * s->h + h * s->n, s->h);
}

/* ---- backward ---- */

/* Factors of dropout know queries as lanes: made so and turned. */
static void drop_columns(const fgti_short *s, int64_t g, int64_t h, const room *r)
{
    const fgti_attention *at = s->at;
    const int64_t         t  = at->tq;
    for (int64_t i0 = 0; i0 < t; i0 += QUERIES) {
        const int64_t v = fgti_least(QUERIES, s->padded - i0), queries = fgti_least(v, t - i0);
        for (int64_t l = 0; l < t * v; l++) r->factor[l] = 1;
        fgti_attention_drop(at, g, h, i0, v, 0, t, r->factor);
        fgti_pack_transpose(t, queries, r->factor, v, r->a + i0 * s->ldt, s->ldt);
        for (int64_t i = i0; i < i0 + queries; i++)
            for (int64_t j = 0; j < t; j++) r->a[i * s->ldt + j] *= r->soft[i * s->ldt + j];
    }
}

/* A as [query][key], made again from the scores. */
static void make_columns(const fgti_short *s, int64_t g, int64_t h, const fgti_real *y, fgti_real *soft)
{
    const fgti_attention  *at     = s->at;
    const fgti_vec_panels *panels = s->run->vec->panels;
    const int64_t          row    = (g * at->heads + h) * at->tq;
    for (int64_t i0 = 0; i0 < at->tq; i0 += BLOCK) {
        const int64_t n = fgti_least(BLOCK, at->tq - i0);
        fgti_real    *a = soft + i0 * s->ldt;
        panels->multiply(n, s->padded, at->dh, fgti_attention_scale(at), y + i0, 1, s->ldt,
                         y + at->dh * s->ldt, s->ldt, 0, a, s->ldt);
        fgti_attention_mask(at, g, i0, n, 0, at->tk, s->ldt, 1, a);
        panels->exp_rows(n, s->padded, s->ldt, at->shift + row + i0, at->factor + row + i0, a);
    }
}

/* dA = sum_m dY_m X_m', dS from it, dQ = dS K / sqrt(dh), dK = dS'Q / sqrt(dh): block by block of queries */
static void score_gradient(const fgti_short *s, const fgti_real *y, const fgti_real *a, const room *r)
{
    const fgti_vec_panels *panels = s->run->vec->panels;
    const fgti_real        scale  = fgti_attention_scale(s->at);
    const int64_t          t = s->at->tq, dh = s->at->dh, ld = s->ldt;
    const fgti_real       *dp = r->dy + 2 * dh * ld, *x = y + (2 * dh + s->n) * ld;
    if (dh < r->ldk) memset(r->k, 0, (size_t)(t * r->ldk) * sizeof *r->k);
    fgti_pack_transpose(dh, t, y + dh * ld, ld, r->k, r->ldk);
    for (int64_t i = 0; i < t; i += BLOCK) {
        const int64_t n = fgti_least(BLOCK, t - i);
        panels->multiply(n, s->padded, (s->kappa - 1) * s->n, 1, dp + i, 1, ld, x, ld, 0, r->ds, ld);
        panels->softmax_grad_rows(n, t, ld, r->soft + i * ld, a + i * ld, r->ds);
        panels->multiply(dh, s->padded, n, scale, y + i, ld, 1, r->ds, ld, i > 0, r->dy + dh * ld, ld);
        panels->multiply(n, r->ldk, t, scale, r->ds, ld, 1, r->k, r->ldk, 0, r->dq + i * r->ldk, r->ldk);
    }
    fgti_pack_transpose(t, dh, r->dq, r->ldk, r->dy, ld);
}

/* Gradients of all that a head's projection made, in r->dy. */
static void head_gradient(const fgti_short *s, fgti_act act, int64_t g, int64_t h, const fgti_real *dy,
                          const room *r)
{
    const fgti_attention *at  = s->at;
    const fgti_vec       *vec = s->run->vec;
    const int64_t         hop = s->n * s->ldt, split = 2 * at->dh * s->ldt;
    const fgti_real      *y = head_of(s, g, h), *a = at->drops ? r->a : r->soft;
    fgti_real            *dp = r->dy + split;
    fgti_fetch(s->head * s->ldt, y + s->head * s->ldt); /* the next head */
    turn(s, s->n, dy + h * s->n, s->h, dp);
    for (int64_t i = 0; i < s->n; i++)
        vec->act_grad(act, s->padded, y + split + i * s->ldt, dp + i * s->ldt, dp + i * s->ldt);
    make_columns(s, g, h, y, r->soft);
    if (at->drops) drop_columns(s, g, h, r);
    for (int64_t i = 1; i < s->kappa; i++)
        vec->panels->multiply(s->n, s->padded, at->tq, 1, dp + (i - 1) * hop, s->ldt, 1, a, s->ldt, 0,
                              dp + i * hop, s->ldt);
    score_gradient(s, y, a, r);
}

/* X' [T][ldd] */
static void input_rows(const fgti_short *s, int64_t g, fgti_real *to)
{
    const int64_t    t = s->at->tq, d = s->d;
    const fgti_real *x = s->x + g * t * d;
    if (s->norm_w)
        s->run->vec->norm_again(t, d, x, s->norm_w, s->norm_b, s->mean + g * t, s->rstd + g * t, to, s->ldd);
    for (int64_t i = 0; i < t; i++, x += d, to += s->ldd) {
        if (!s->norm_w) memcpy(to, x, (size_t)d * sizeof *x);
        for (int64_t c = d; c < s->ldd; c++) to[c] = 0;
    }
}

/* Of the norm: dx, and the part of its own gradients; of r->dx only d columns count. */
static void norm_gradient(const fgti_short *s, int64_t g, int64_t chunk, const room *r, fgti_real *dx)
{
    const fgti_vec  *vec = s->run->vec;
    const int64_t    t = s->at->tq, d = s->d;
    const fgti_real *x = s->x + g * t * d, *mean = s->mean + g * t, *rstd = s->rstd + g * t;
    fgti_real       *dnorm = s->dnorm + 2 * chunk * d;
    for (int64_t i = 1; s->ldd > d && i < t; i++)
        memmove(r->dx + i * d, r->dx + i * s->ldd, (size_t)d * sizeof *dx);
    if (!s->norm_w) {
        memcpy(dx, r->dx, (size_t)(t * d) * sizeof *dx);
        return;
    }
    vec->norm_grad_param(t, d, 0, d, x, mean, rstd, r->dx, dnorm, dnorm + d);
    if (dx) vec->norm_grad(t, d, x, s->norm_w, mean, rstd, r->dx, dx);
}

void fgti_short_backward(const fgti_short *s, fgti_act act, int64_t g, int64_t chunk, bool fresh,
                         const fgti_real *dy, fgti_real *arena, fgti_real *dx)
{
    const fgti_vec_panels *panels = s->run->vec->panels;
    const int64_t          t = s->at->tq, biased = 2 * s->at->dh + s->n;
    fgti_real             *dw = s->dw + chunk * s->columns * s->ldd, *db = s->db + chunk * s->columns;
    room                   r;
    place(s, &r, arena);
    if (fresh) memset(db, 0, (size_t)s->columns * sizeof *db);
    if (fresh) memset(s->dnorm + 2 * chunk * s->d, 0, (size_t)(2 * s->d) * sizeof *db);
    input_rows(s, g, r.x);
    for (int64_t h = 0; h < s->at->heads; h++) {
        const int64_t at = h * s->head;
        head_gradient(s, act, g, h, dy, &r);
        if (dx || s->norm_w)
            panels->multiply(t, s->ldd, s->head, 1, r.dy, 1, s->ldt, s->w + at * s->ldd, s->ldd, h > 0, r.dx,
                             s->ldd);
        panels->multiply(s->head, s->ldd, t, 1, r.dy, s->ldt, 1, r.x, s->ldd, !fresh, dw + at * s->ldd,
                         s->ldd);
        panels->sum_rows(biased, t, r.dy, s->ldt, db + at);
    }
    if (dx || s->norm_w) norm_gradient(s, g, chunk, &r, dx);
}

/* ---- for those who ask ---- */

void fgti_short_matrix(const fgti_short *s, int64_t g, int64_t h, fgti_real *arena, fgti_real *a)
{
    const int64_t t = s->at->tq;
    room          r;
    place(s, &r, arena);
    make_columns(s, g, h, head_of(s, g, h), r.soft);
    if (s->at->drops) drop_columns(s, g, h, &r);
    const fgti_real *from = s->at->drops ? r.a : r.soft;
    for (int64_t i = 0; i < t; i++) memcpy(a + i * t, from + i * s->ldt, (size_t)t * sizeof *a);
}
