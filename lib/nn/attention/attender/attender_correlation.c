/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/attender/attender.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/fft.h"
#include "nn/attention/attender/correlate.h"
#include "nn/attention/attender/correlate_fft.h"
#include "nn/attention/attender/correlate_products.h"

/* Auto-correlation of the Autoformer (Wu et al. 2021; layers/AutoCorrelation.py of github
 * thuml/Time-Series-Library) with one product, O = A V. A sequence is a circle of L = T_q tokens. Of the keys
 * and values, the first S = min(L, T_k) are used, and followed by zeros. With D features in all heads,
 *     R_d = sum_{j < S} q_{(j+d) mod L} k_j' / D                                     d = 0 .. L-1
 *     d_1 .. d_k the k delays with the largest R,  k = max(1, min(L, floor(factor ln L)))
 *     w = softmax(R_{d_1} .. R_{d_k}),   O_t = sum_i w_i v_{(t+d_i) mod L}
 * All heads have the same delays and weights. In training, unless conf.own_delays, the groups of a pass share
 * their delays, which have the largest mean of R over all groups. Each group has its own weights. In the
 * backward pass the delays are constants:
 *     dv_j = sum_i w_i dO_{(j-d_i) mod L}
 *     dw_i = sum_{j < S} dO_{(j-d_i) mod L} v_j',   dR_i = w_i (dw_i - sum_l w_l dw_l)
 *     dq_t = sum_i dR_i/D k_{(t-d_i) mod L},        dk_j = sum_i dR_i/D q_{(j+d_i) mod L}
 * The sums of correlate.h only choose the delays. R of the chosen delays is computed again, row by row and
 * added in double. So the weights do not depend on the algorithm that chose the delays. Rows of padded tokens
 * are set to zero first. */

#define FACTOR 1 /* as in the source above */

/* Returns k. */
static int64_t correlation_count_of(int64_t time, int32_t factor)
{
    const double most = (double)(factor ? factor : FACTOR) * log((double)time);
    return most < 1 ? 1 : most < (double)time ? (int64_t)most : time;
}

/* ---- options, constants, memory ---- */

static const char *correlation_misfit(const fgt_attention_rule *conf, const fgti_layer *l)
{
    if (conf->causal) return "causal";
    if (conf->scale) return "scale";
    if (l->mask[FGT_MASK_SAMPLED_KEYS] >= 0) return "a mask of sampled keys";
    return fgti_attender_misfit(conf, l);
}

static int64_t correlation_attending(const fgt_attention_rule *conf, int64_t n)
{
    return correlation_count_of(n, conf->factor);
}

/* Makes the plans of the transforms, if transforms are faster. */
static fgt_status correlation_plan(fgt_context *ctx, fgti_layer *l)
{
    const int64_t n = fgti_correlate_fft_size(l->in.time), bytes = fgti_fft_plan_bytes(n);
    if (!bytes || !fgti_correlate_fft_pays(l->in.time)) return FGT_OK;
    FGTI_TRY(FGTI_NEW(ctx, bytes / (int64_t)sizeof *l->table, "tables", &l->table));
    fgti_fft_plan(n, l->table);
    return FGT_OK;
}

static void correlation_place(fgti_chain *c, fgti_real *base, int64_t *at)
{
    const fgti_attention *attention = &c->attention;
    fgti_correlation     *p         = &c->correlation;
    p->count                        = correlation_count_of(attention->tq, attention->conf.factor);
    const int64_t n                 = fgti_mul(attention->groups, p->count);
    p->delays = fgti_take_integers(base, at, n);
    p->r      = fgti_take(base, at, fgti_mul(attention->groups, attention->tq));
    p->w      = fgti_take(base, at, n);
    p->dr     = fgti_take(base, at, n);
}

/* Takes memory for n doubles from a worker's arena. */
static double *take_doubles(fgti_real *arena, int64_t n)
{
    int64_t at = 0;
    return fgti_take_doubles(arena, &at, n);
}

static int64_t correlation_arena(const fgti_chain *c)
{
    const int64_t time = c->attention.tq;
    const int64_t sums = c->constants ? fgti_correlate_fft_arena(time) : fgti_correlate_products_arena(time);
    int64_t       weights = 0;
    fgti_take_doubles(NULL, &weights, c->correlation.count);
    return sums > weights ? sums : weights;
}

static fgt_status correlation_check(fgti_chain *c)
{
    return fgti_attender_check_masks(c, "key padding");
}

/* ---- sums on the circle ---- */

/* One group in a pass. */
typedef struct group {
    const fgti_chain *c;
    const fgti_vec   *vec;
    int64_t           time, keys, width, count; /* L, S, D, k */
    int64_t           values;                   /* columns of X in all heads */
    fgti_real        *q, *k;                    /* all heads */
    int64_t           ldq, ldk;
    int32_t          *delays;
    fgti_real        *r, *w, *dr;
} group;

static group group_of(const fgti_chain *c, int64_t g)
{
    const fgti_attention   *attention = &c->attention;
    const fgti_correlation *p         = &c->correlation;
    assert(c->x.head == c->n); /* the heads must lie side by side */
    return (group){.c      = c,
                   .vec    = attention->run->vec,
                   .time   = attention->tq,
                   .keys   = fgti_least(attention->tq, attention->tk),
                   .width  = attention->heads * attention->dh,
                   .count  = p->count,
                   .values = attention->heads * c->n,
                   .q      = attention->q + fgti_attention_group(attention, g, attention->tq, attention->ldq),
                   .k      = attention->k + fgti_attention_group(attention, g, attention->tk, attention->ldk),
                   .ldq    = attention->ldq,
                   .ldk    = attention->ldk,
                   .delays = p->delays + g * p->count,
                   .r      = p->r + g * attention->tq,
                   .w      = p->w + g * p->count,
                   .dr     = p->dr + g * p->count};
}

/* Returns sum_j x_j y_j' over n rows with `width` columns. */
static double correlation_dot(const group *a, int64_t width, int64_t n, const fgti_real *x, int64_t ldx,
                              const fgti_real *y, int64_t ldy)
{
    enum { ROWS = 32 };
    double sum = 0;
    for (int64_t j = 0; j < n; j += ROWS) {
        const int64_t rows      = fgti_least(ROWS, n - j);
        fgti_real     out[ROWS] = {0};
        a->vec->panels->dot_rows(rows, width, x + j * ldx, ldx, y + j * ldy, ldy, out);
        for (int64_t i = 0; i < rows; i++) sum += (double)out[i];
    }
    return sum;
}

/* sum_{j < S} x_{(j+shift) mod L} y_j' */
static double dot_shifted(const group *a, int64_t width, int64_t shift, const fgti_real *x, int64_t ldx,
                          const fgti_real *y, int64_t ldy)
{
    const int64_t before = fgti_least(a->time - shift, a->keys); /* number of rows before x wraps around */
    return correlation_dot(a, width, before, x + shift * ldx, ldx, y, ldy) +
           correlation_dot(a, width, a->keys - before, x, ldx, y + before * ldy, ldy);
}

/* -d mod L */
static int64_t backwards(const group *a, int64_t delay)
{
    return delay ? a->time - delay : 0;
}

/* y_t += sum_i c_i x_{(t+d_i) mod L} for t < rows and n columns. Rows of x from row `of` on count as zeros.
 * With `back` the row of x is t-d_i instead of t+d_i */
static void add_shifted(const group *a, bool back, const fgti_real *c, int64_t n, int64_t of,
                        const fgti_real *x, int64_t ldx, int64_t rows, fgti_real *y, int64_t ldy)
{
    for (int64_t t = 0; t < rows; t++)
        for (int64_t i = 0; i < a->count; i++) {
            int64_t j = t + (back ? backwards(a, a->delays[i]) : a->delays[i]);
            if (j >= a->time) j -= a->time;
            if (j < of) a->vec->axpy(n, c[i], x + j * ldx, y + t * ldy);
        }
}

/* y_t = sum_i c_i x_{(t+d_i) mod L}: add_shifted() that overwrites y_t instead of adding to it */
static void sum_shifted(const group *a, bool back, const fgti_real *c, int64_t n, int64_t of,
                        const fgti_real *x, int64_t ldx, int64_t rows, fgti_real *y, int64_t ldy)
{
    for (int64_t t = 0; t < rows; t++) memset(y + t * ldy, 0, (size_t)n * sizeof *y);
    add_shifted(a, back, c, n, of, x, ldx, rows, y, ldy);
}

/* ---- padding ---- */

/* Returns the padding of a group's keys, or NULL. */
static const int32_t *correlation_padding_of(const fgti_chain *c, int64_t g)
{
    const fgti_attention *attention = &c->attention;
    return attention->padding ? attention->padding + g / attention->nodes * attention->tk : NULL;
}

/* Sets the rows of padded tokens to zero. */
static void clear_padded(const fgti_chain *c, int64_t g, int64_t n, fgti_real *x, int64_t ld)
{
    const int32_t *padding = correlation_padding_of(c, g);
    for (int64_t j = 0; padding && j < c->attention.tk; j++)
        if (padding[j]) memset(x + j * ld, 0, (size_t)n * sizeof *x);
}

/* ---- the choice and the weights ---- */

typedef struct correlation_pass {
    const fgti_chain *c;
    const fgti_io    *io;
} correlation_pass;

/* Computes R D of a group. */
static void attender_correlate(void *arg, int64_t g, int32_t worker)
{
    const correlation_pass *p = arg;
    const fgti_chain       *c = p->c;
    const group             a = group_of(c, g);
    clear_padded(c, g, a.width, a.k, a.ldk);
    clear_padded(c, g, a.values, fgti_span_rows(c, c->x, g, 0), c->x.ld);
    if (c->attention.same_tokens) clear_padded(c, g, a.width, a.q, a.ldq);
    const fgti_correlate sums = {.time    = a.time,
                                 .keys    = a.keys,
                                 .width   = a.width,
                                 .q       = a.q,
                                 .k       = a.k,
                                 .ldq     = a.ldq,
                                 .ldk     = a.ldk,
                                 .r       = a.r,
                                 .arena   = fgti_worker_arena(p->io, worker),
                                 .blas    = c->attention.run->blas,
                                 .vec     = a.vec,
                                 .scratch = fgti_worker_scratch(c->attention.run->exec, worker),
                                 .plans   = c->constants};
    if (c->constants)
        fgti_correlate_fft(&sums);
    else
        fgti_correlate_products(&sums);
}

/* Chooses the delays with the largest R, largest first. If two are equal, the shorter delay comes first. */
static void correlation_choose(const group *a)
{
    int64_t found = 0;
    for (int64_t d = 0; d < a->time; d++) {
        if (found == a->count && !(a->r[d] > a->r[a->delays[found - 1]])) continue;
        int64_t at = found < a->count ? found++ : found - 1;
        for (; at > 0 && a->r[d] > a->r[a->delays[at - 1]]; at--) a->delays[at] = a->delays[at - 1];
        a->delays[at] = (int32_t)d;
    }
}

/* Chooses the same delays for all groups. R of the first group is overwritten by the sum over the groups. */
static void choose_together(const fgti_chain *c)
{
    const group first = group_of(c, 0);
    for (int64_t g = 1; g < c->attention.groups; g++)
        first.vec->axpy(first.time, 1, group_of(c, g).r, first.r);
    correlation_choose(&first);
    for (int64_t g = 1; g < c->attention.groups; g++)
        memcpy(group_of(c, g).delays, first.delays, (size_t)first.count * sizeof *first.delays);
}

static bool together(const fgti_chain *c)
{
    return c->attention.run->training && !c->attention.conf.own_delays;
}

/* w = softmax(R_{d_1} .. R_{d_k}) */
static void correlation_weigh(void *arg, int64_t g, int32_t worker)
{
    const correlation_pass *p   = arg;
    const group             a   = group_of(p->c, g);
    double                 *r   = take_doubles(fgti_worker_arena(p->io, worker), a.count);
    double                  top = -INFINITY, sum = 0;
    if (!together(p->c)) correlation_choose(&a);
    for (int64_t i = 0; i < a.count; i++) {
        r[i] = dot_shifted(&a, a.width, a.delays[i], a.q, a.ldq, a.k, a.ldk) / (double)a.width;
        top  = r[i] > top ? r[i] : top;
    }
    for (int64_t i = 0; i < a.count; i++) sum += r[i] = exp(r[i] - top);
    for (int64_t i = 0; i < a.count; i++) a.w[i] = (fgti_real)(r[i] / sum);
}

static void correlation_prepare(const fgti_chain *c, const fgti_io *io)
{
    const fgti_attention *attention = &c->attention;
    correlation_pass      p         = {c, io};
    fgti_parallel(attention->run->exec, attention->groups, attender_correlate, &p);
    if (together(c)) choose_together(c);
    fgti_parallel(attention->run->exec, attention->groups, correlation_weigh, &p);
}

/* Adds the part of dw_i that comes from one product. */
static void add_dw(const group *a, int64_t g, int64_t product, double *dw)
{
    const fgti_chain *c  = a->c;
    const fgti_real  *dy = fgti_span_rows_of(c, c->dy, g, 0, product);
    int64_t           ldx;
    const fgti_real  *x = fgti_chain_input(c, g, 0, product, &ldx);
    for (int64_t i = 0; i < a->count; i++)
        dw[i] += dot_shifted(a, a->values, backwards(a, a->delays[i]), dy, c->dy.ld, x, ldx);
}

/* Computes n columns of dX of one product, from head h on. Rows of keys beyond L and of padded tokens become
 * zeros. */
static void input_grad(const group *a, int64_t g, int64_t h, int64_t product, int64_t n)
{
    const fgti_chain *c = a->c;
    int64_t           lddx;
    fgti_real        *dx = fgti_chain_input_gradient(c, g, h, product, &lddx);
    sum_shifted(a, true, a->w, n, a->time, fgti_span_rows_of(c, c->dy, g, h, product), c->dy.ld, a->keys, dx,
                lddx);
    for (int64_t j = a->keys; j < c->attention.tk; j++) memset(dx + j * lddx, 0, (size_t)n * sizeof *dx);
    clear_padded(c, g, n, dx, lddx);
}

/* Computes dw_i, and from them dR_i/D. They need dO of all heads and products. So dX of all products but the
 * first is computed here, for all heads at once. */
static void weigh_grad(void *arg, int64_t g, int32_t worker)
{
    const correlation_pass *p    = arg;
    const fgti_chain       *c    = p->c;
    const group             a    = group_of(c, g);
    double                 *dw   = take_doubles(fgti_worker_arena(p->io, worker), a.count);
    double                  mean = 0;
    for (int64_t i = 0; i < a.count; i++) dw[i] = 0;
    for (int64_t product = c->products - 1; product >= 0; product--) {
        add_dw(&a, g, product, dw);
        if (product) input_grad(&a, g, 0, product, a.values);
    }
    for (int64_t i = 0; i < a.count; i++) mean += (double)a.w[i] * dw[i];
    for (int64_t i = 0; i < a.count; i++)
        a.dr[i] = (fgti_real)((double)a.w[i] * (dw[i] - mean) / (double)a.width);
}

static void correlation_prepare_grad(const fgti_chain *c, const fgti_io *io)
{
    correlation_pass p = {c, io};
    fgti_parallel(c->attention.run->exec, c->attention.groups, weigh_grad, &p);
}

/* ---- the passes ---- */

/* O_t = sum_i w_i x_{(t+d_i) mod L}, or Y_t += this sum */
static void correlation_forward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch)
{
    const group     a  = group_of(c, g);
    const fgti_span to = fgti_chain_results(c);
    (void)arena;
    (void)scratch;
    for (int64_t i = 0; c->n && i < c->products; i++) {
        int64_t    ldx;
        fgti_real *x = fgti_chain_input(c, g, h, i, &ldx), *y = fgti_span_rows_of(c, to, g, h, i);
        if (i) clear_padded(c, g, c->n, x, ldx);
        (c->y.p ? add_shifted : sum_shifted)(&a, false, a.w, c->n, a.keys, x, ldx, a.time, y, to.ld);
    }
}

/* dx_j = sum_i w_i dO_{(j-d_i) mod L};  dq_t = sum_i dR_i/D k_{(t-d_i) mod L};
 *  dk_j = sum_i dR_i/D q_{(j+d_i) mod L}. Rows of keys beyond L and of padded tokens become zeros */
static void correlation_backward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch)
{
    const group           a         = group_of(c, g);
    const fgti_attention *attention = &c->attention;
    const fgti_real      *q = a.q + h * attention->dh, *k = a.k + h * attention->dh;
    fgti_real            *dq = fgti_span_rows(c, c->dq, g, h), *dk = fgti_span_rows(c, c->dk, g, h);
    const int64_t         n = attention->dh;
    (void)arena;
    (void)scratch;
    input_grad(&a, g, h, 0, c->n);
    sum_shifted(&a, true, a.dr, n, a.keys, k, a.ldk, a.time, dq, c->dq.ld);
    sum_shifted(&a, false, a.dr, n, a.time, q, a.ldq, a.keys, dk, c->dk.ld);
    for (int64_t j = a.keys; j < attention->tk; j++) memset(dk + j * c->dk.ld, 0, (size_t)n * sizeof *dk);
    clear_padded(c, g, n, dk, c->dk.ld);
    if (attention->same_tokens) clear_padded(c, g, n, dq, c->dq.ld);
}

/* A_{t,(t+d_i) mod L} = w_i. The zeros after the keys have no columns; columns of padded keys are zero. */
static void correlation_matrix(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch,
                               fgti_real *m)
{
    const group    a       = group_of(c, g);
    const int64_t  tk      = c->attention.tk;
    const int32_t *padding = correlation_padding_of(c, g);
    (void)scratch;
    (void)h;
    (void)arena;
    memset(m, 0, (size_t)(a.time * tk) * sizeof *m);
    for (int64_t t = 0; t < a.time; t++)
        for (int64_t i = 0; i < a.count; i++) {
            const int64_t j = (t + a.delays[i]) % a.time;
            if (j < a.keys && !(padding && padding[j])) m[t * tk + j] = a.w[i];
        }
}

const fgti_attender fgti_attender_correlation = {
    .name         = "correlation",
    .kept         = FGTI_ROUTE_ATTENTION_CORRELATION,
    .streamed     = FGTI_ROUTE_ATTENTION_CORRELATION,
    .adds         = true,
    .misfit       = correlation_misfit,
    .plan         = correlation_plan,
    .attending    = correlation_attending,
    .place        = correlation_place,
    .arena        = correlation_arena,
    .check        = correlation_check,
    .prepare      = correlation_prepare,
    .prepare_grad = correlation_prepare_grad,
    .forward      = correlation_forward,
    .backward     = correlation_backward,
    .matrix       = correlation_matrix,
};
