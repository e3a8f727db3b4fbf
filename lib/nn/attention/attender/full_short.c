/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/attender/full_short.h"

#include <math.h>
#include <string.h>

#include "blas/pack.h"

/* Length of the longest series for which a panel of A stays in the second cache, beside its gradient and the
 * operands of a head. */
#define TOKENS 512

/* Number of queries that are computed at a time. They are the lanes of a panel [key][query]. */
#define QUERIES 64

/* Rows of a caller's matrix, or copies of these rows whose columns fill whole registers. */
typedef struct matrix {
    fgti_real *p;
    int64_t    ld;
} matrix;

typedef struct short_head {
    int64_t    tq, tk, dh, n;
    int64_t    lanes, dh_full, n_full; /* tq, dh and n rounded up to whole registers */
    fgti_real *q;                      /* Q' / sqrt(dh), [dh][lanes] */
    fgti_real *soft;                   /* A of a panel, after the softmax */
    fgti_real *o;                      /* forward: O' of a panel, [n][QUERIES] */
    fgti_real *a, *da;                 /* a: A after dropout; da: dA, then dS */
    fgti_real *dy, *dq;                /* dy: dO' in the layout of q; dq: dQ' of a panel, [dh][QUERIES] */
    fgti_real *copies[4];              /* Q, dO, dK and dV in whole registers, if the width of a head is not a
                                        * whole number of registers */
} short_head;

bool fgti_full_short_suits(const fgti_chain *c, const fgti_blas *blas, int64_t tq, int64_t tk)
{
    return blas->own_weight && c->attender == &fgti_attender_full && c->products == 1 &&
           c->attention.matrices == FGTI_MATRICES_STREAMED && tq <= TOKENS && tk <= TOKENS;
}

static int64_t full_short_layout(const fgti_chain *c, short_head *s, fgti_real *base)
{
    const fgti_attention *attention = &c->attention;
    int64_t               at        = 0;
    s->tq                           = attention->tq;
    s->tk                           = attention->tk;
    s->dh                           = attention->dh;
    s->n                            = c->n;
    s->lanes                        = fgti_round_up(s->tq, FGTI_REGISTER);
    s->dh_full                      = fgti_round_up(s->dh, FGTI_REGISTER);
    s->n_full                       = fgti_round_up(s->n, FGTI_REGISTER);
    const int64_t panel             = fgti_mul(s->tk, QUERIES);
    s->q                            = fgti_take(base, &at, fgti_mul(s->dh, s->lanes));
    s->soft                         = fgti_take(base, &at, panel);
    s->o                            = fgti_take(base, &at, fgti_mul(s->n, QUERIES));
    s->a                            = fgti_take(base, &at, panel);
    s->da                           = fgti_take(base, &at, panel);
    s->dy                           = fgti_take(base, &at, fgti_mul(s->n, s->lanes));
    s->dq                           = fgti_take(base, &at, fgti_mul(s->dh, QUERIES));
    s->copies[0]                    = fgti_take(base, &at, fgti_mul(s->tq, s->dh_full));
    s->copies[1]                    = fgti_take(base, &at, fgti_mul(s->tq, s->n_full));
    s->copies[2]                    = fgti_take(base, &at, fgti_mul(s->tk, s->dh_full));
    s->copies[3]                    = fgti_take(base, &at, fgti_mul(s->tk, s->n_full));
    return at;
}

int64_t fgti_full_short_arena(const fgti_chain *c)
{
    short_head s;
    return full_short_layout(c, &s, NULL);
}

/* Writes dst [n][lanes] from `rows` rows. Lanes of tokens that do not exist become zeros. */
static void to_lanes(int64_t rows, int64_t n, const fgti_real *src, int64_t ld, int64_t lanes, fgti_real *dst)
{
    if (rows < lanes) memset(dst, 0, (size_t)(n * lanes) * sizeof *dst);
    fgti_pack_transpose(rows, n, src, ld, dst, lanes);
}

/* Writes Q' / sqrt(dh). The scale is applied to Q, where it costs least. */
static void scaled_queries(const fgti_chain *c, const short_head *s, int64_t g, int64_t h)
{
    const fgti_attention *attention = &c->attention;
    to_lanes(s->tq, s->dh, fgti_attention_q(attention, g, h), attention->ldq, s->lanes, s->q);
    attention->run->vec->scale(s->dh * s->lanes, fgti_attention_scale(attention), s->q);
}

/* ---- forward ---- */

/* Computes the masked scores [key][v] of v queries from i0 on. */
static void make_scores(const fgti_chain *c, const short_head *s, int64_t g, int64_t h, int64_t i0, int64_t v)
{
    const fgti_attention *attention = &c->attention;
    attention->run->vec->panels->multiply(s->tk, v, s->dh, 1, fgti_attention_k(attention, g, h),
                                          attention->ldk, 1, s->q + i0, s->lanes, 0, s->soft, v);
    fgti_attention_mask(attention, g, i0, v, 0, s->tk, 1, v, s->soft);
}

/* Returns the offset of shift and factor of query i0 of a head. */
static int64_t full_short_row_of(const fgti_chain *c, int64_t g, int64_t h, int64_t i0)
{
    return (g * c->attention.heads + h) * c->attention.tq + i0;
}

/* Computes exp(scores - shift) of v queries from i0 on, after dropout. The result is A divided by
 * `factor`. */
static void full_short_make_panel(const fgti_chain *c, const short_head *s, int64_t g, int64_t h, int64_t i0,
                                  int64_t v, fgti_real *factor)
{
    const fgti_attention  *attention = &c->attention;
    const fgti_vec_panels *panels    = attention->run->vec->panels;
    const int64_t          row       = full_short_row_of(c, g, h, i0);
    const size_t           bytes     = (size_t)fgti_least(v, s->tq - i0) * sizeof *factor;
    fgti_real              shift[QUERIES], fix[QUERIES];
    make_scores(c, s, g, h, i0, v);
    for (int64_t l = 0; l < v; l++) shift[l] = -(fgti_real)INFINITY, factor[l] = 0;
    panels->softmax_part(s->tk, v, s->soft, shift, factor, fix);
    panels->softmax_end(v, shift, factor);
    memcpy(attention->shift + row, shift, bytes);
    memcpy(attention->factor + row, factor, bytes);
    if (attention->drops) fgti_attention_drop(attention, g, h, i0, v, 0, s->tk, s->soft);
}

void fgti_full_short_forward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena)
{
    const fgti_attention  *attention = &c->attention;
    const fgti_vec_panels *panels    = attention->run->vec->panels;
    const fgti_real       *x         = fgti_span_rows(c, c->x, g, h);
    fgti_real             *o         = fgti_span_rows(c, c->o, g, h), factor[QUERIES];
    short_head             s;
    full_short_layout(c, &s, arena);
    scaled_queries(c, &s, g, h);
    for (int64_t i0 = 0; i0 < s.tq; i0 += QUERIES) {
        const int64_t v = fgti_least(QUERIES, s.lanes - i0);
        full_short_make_panel(c, &s, g, h, i0, v, factor);
        panels->multiply(s.n, v, s.tk, 1, x, 1, c->x.ld, s.soft, v, 0, s.o, v);
        panels->scale(s.n, v, factor, s.o);
        fgti_pack_transpose(s.n, fgti_least(v, s.tq - i0), s.o, v, o + i0 * c->o.ld, c->o.ld);
    }
}

/* ---- backward ---- */

/* Computes A [key][v] of v queries from i0 on again from the scores, before and after dropout. */
static void full_short_make_again(const fgti_chain *c, const short_head *s, int64_t g, int64_t h, int64_t i0,
                                  int64_t v)
{
    const fgti_attention *attention      = &c->attention;
    const int64_t         row            = full_short_row_of(c, g, h, i0);
    const size_t          bytes          = (size_t)fgti_least(v, s->tq - i0) * sizeof *s->a;
    fgti_real             shift[QUERIES] = {0}, factor[QUERIES] = {0};
    memcpy(shift, attention->shift + row, bytes);
    memcpy(factor, attention->factor + row, bytes);
    make_scores(c, s, g, h, i0, v);
    attention->run->vec->panels->exp_lanes(s->tk, v, shift, factor, s->soft);
    if (!attention->drops) return;
    memcpy(s->a, s->soft, (size_t)(s->tk * v) * sizeof *s->a);
    fgti_attention_drop(attention, g, h, i0, v, 0, s->tk, s->a);
}

/* Returns n columns of rows in whole registers: x itself if n is a whole number of registers, otherwise a
 * copy. */
static matrix whole_rows(int64_t rows, int64_t n, fgti_real *x, int64_t ld, fgti_real *copy)
{
    const int64_t full = fgti_round_up(n, FGTI_REGISTER);
    if (full == n) return (matrix){x, ld};
    fgti_pack_panel(full, n, rows, x, 1, ld, copy);
    return (matrix){copy, full};
}

/* Returns rows of whole registers for results: x itself, or the copy, from which put_rows() copies to x. */
static matrix room_for(int64_t n, fgti_real *x, int64_t ld, fgti_real *copy)
{
    const int64_t full = fgti_round_up(n, FGTI_REGISTER);
    return full == n ? (matrix){x, ld} : (matrix){copy, full};
}

static void put_rows(int64_t rows, int64_t n, matrix from, fgti_real *x, int64_t ld)
{
    if (from.p != x) fgti_pack_rows(n, rows, from.p, from.ld, x, ld);
}

/* Panel by panel: dV = A'dO,   dA = dO V',   from it dS,   dK = dS'Q / sqrt(dh),   dQ = dS K / sqrt(dh) */
void fgti_full_short_backward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena)
{
    const fgti_attention  *attention = &c->attention;
    const fgti_vec_panels *panels    = attention->run->vec->panels;
    const fgti_real        scale     = fgti_attention_scale(attention);
    const int64_t          at        = g - c->first;
    fgti_real             *q         = (fgti_real *)fgti_attention_q(attention, g, h);
    const fgti_real       *k = fgti_attention_k(attention, g, h), *x = fgti_span_rows(c, c->x, g, h);
    fgti_real             *dy = fgti_span_rows(c, c->dy, at, h), *dx = fgti_span_rows(c, c->dx, at, h);
    fgti_real             *dq = fgti_span_rows(c, c->dq, at, h), *dk = fgti_span_rows(c, c->dk, at, h);
    short_head             s;
    full_short_layout(c, &s, arena);
    scaled_queries(c, &s, g, h);
    to_lanes(s.tq, s.n, dy, c->dy.ld, s.lanes, s.dy);
    const matrix     q_rows  = whole_rows(s.tq, s.dh, q, attention->ldq, s.copies[0]);
    const matrix     dy_rows = whole_rows(s.tq, s.n, dy, c->dy.ld, s.copies[1]);
    const matrix     dk_rows = room_for(s.dh, dk, c->dk.ld, s.copies[2]);
    const matrix     dx_rows = room_for(s.n, dx, c->dx.ld, s.copies[3]);
    const fgti_real *a       = attention->drops ? s.a : s.soft;
    for (int64_t i0 = 0; i0 < s.tq; i0 += QUERIES) {
        const int64_t v = fgti_least(QUERIES, s.lanes - i0), queries = fgti_least(v, s.tq - i0);
        full_short_make_again(c, &s, g, h, i0, v);
        panels->multiply(s.tk, s.n_full, queries, 1, a, v, 1, dy_rows.p + i0 * dy_rows.ld, dy_rows.ld, i0 > 0,
                         dx_rows.p, dx_rows.ld);
        panels->multiply(s.tk, v, s.n, 1, x, c->x.ld, 1, s.dy + i0, s.lanes, 0, s.da, v);
        panels->softmax_grad_lanes(s.tk, v, s.soft, a, s.da);
        panels->multiply(s.tk, s.dh_full, queries, scale, s.da, v, 1, q_rows.p + i0 * q_rows.ld, q_rows.ld,
                         i0 > 0, dk_rows.p, dk_rows.ld);
        panels->multiply(s.dh, v, s.tk, scale, k, 1, attention->ldk, s.da, v, 0, s.dq, v);
        fgti_pack_transpose(s.dh, queries, s.dq, v, dq + i0 * c->dq.ld, c->dq.ld);
    }
    put_rows(s.tk, s.dh, dk_rows, dk, c->dk.ld);
    put_rows(s.tk, s.n, dx_rows, dx, c->dx.ld);
}
