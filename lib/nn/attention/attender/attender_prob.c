/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/attender/attender.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "nn/masks.h"

/* ProbSparse attention of the Informer (Zhou et al. 2021; models/attn.py of github zhouhaoyi/Informer2020,
 * mix False), O = A V. For each query i of T_q, U keys j are sampled, and over these keys
 *     M_i = max_j q_i k_j' - sum_j q_i k_j' / T_k.
 * The n queries with the largest M are chosen, and attend to all keys. The other queries take the mean of V:
 *     A_i = softmax(q_i K'/sqrt(dh) + masks)           chosen
 *     A_ij = 1/T_k;   causal: 1 for j <= i, else 0     not chosen
 *     n = min(T_q, factor ceil(ln T_q)),  U = min(T_k, factor ceil(ln T_k))
 * Let C [n,T_q] pick the chosen rows, Z = 1 - C'C keep the other rows, and W be the matrix A of the other
 * queries:
 *     Q_c = C Q,  A_c = softmax(Q_c K'/sqrt(dh)),  O = C'A_c V + Z W V.
 * A_c is kept as its transpose S [T_k,lanes], one query per lane. Lanes from n on have a query of zeros and
 * gradients of zeros. The choice itself has no gradient. Padded keys are never used: where T_k is a divisor,
 * padded keys are not counted. */

#define FACTOR 5 /* as in the paper */

/* Returns min(n, factor ceil(ln n)). */
static int64_t few(int64_t n, int32_t factor)
{
    const int64_t rounds = (int64_t)ceil(log((double)n));
    return fgti_least(n, fgti_mul(factor ? factor : FACTOR, rounds));
}

/* Returns U. With one key the formula gives 0, but a mask has at least one column. */
static int64_t sampled_keys(const fgti_attention *attention)
{
    const int64_t n = few(attention->tk, attention->conf.factor);
    return n > 0 ? n : 1;
}

/* ---- memory ---- */

static void prob_place(fgti_chain *c, fgti_real *base, int64_t *at)
{
    const fgti_attention *attention = &c->attention;
    const int64_t         pairs     = fgti_mul(attention->groups, attention->heads);
    fgti_prob            *p         = &c->prob;
    p->sampled                      = sampled_keys(attention);
    p->count                        = few(attention->tq, attention->conf.factor);
    p->lanes                        = fgti_round_up(p->count ? p->count : 1, FGTI_REGISTER);
    p->keys                         = fgti_take_integers(base, at, fgti_mul(attention->tq, p->sampled));
    p->chosen                       = fgti_take_integers(base, at, fgti_mul(pairs, p->count));
    p->a                            = fgti_take(base, at, fgti_mul(pairs, fgti_mul(attention->tk, p->lanes)));
}

/* One group and head in a pass. */
typedef struct head {
    const fgti_chain *c;
    int64_t           g, tq, tk, dh, n, count, lanes;
    const int32_t    *padding; /* padding of the sample's keys, or NULL */
    int64_t           keys;    /* number of keys that are not padded */
    const fgti_real  *q, *k, *v; /* v: X of the product that is computed */
    int64_t           ldq, ldk, ldv;
    int32_t          *chosen; /* [count], largest M first */
    fgti_real        *a;      /* S [tk,lanes] */
    void             *scratch;
    /* in the arena */
    fgti_real *best;         /* [count]: M of the chosen queries */
    fgti_real *queries;      /* Q_c [lanes,dh], then its gradient */
    fgti_real *context;      /* A_c V [lanes,n], or its gradient */
    fgti_real *da;           /* [tk,lanes] */
    fgti_real *shift, *lane; /* [lanes] each */
    fgti_real *sum;          /* [n] */
} head;

static int64_t prob_place_arena(head *hd, const fgti_chain *c, fgti_real *base)
{
    const int64_t lanes = c->prob.lanes;
    int64_t       at    = 0;
    hd->best            = fgti_take(base, &at, c->prob.count);
    hd->queries         = fgti_take(base, &at, fgti_mul(lanes, c->attention.dh));
    hd->context         = fgti_take(base, &at, fgti_mul(lanes, c->n));
    hd->da              = fgti_take(base, &at, fgti_mul(c->attention.tk, lanes));
    hd->shift           = fgti_take(base, &at, lanes);
    hd->lane            = fgti_take(base, &at, lanes);
    hd->sum             = fgti_take(base, &at, c->n);
    return at;
}

static int64_t prob_arena(const fgti_chain *c)
{
    head hd;
    return prob_place_arena(&hd, c, NULL);
}

static bool hidden(const head *hd, int64_t key)
{
    return hd->padding && hd->padding[key];
}

static head prob_head_of(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch)
{
    const fgti_attention *attention = &c->attention;
    const int64_t         gh        = g * attention->heads + h;
    head                  hd        = {.c       = c,
                                       .g       = g,
                                       .tq      = attention->tq,
                                       .tk      = attention->tk,
                                       .dh      = attention->dh,
                                       .n       = c->n,
                                       .count   = c->prob.count,
                                       .lanes   = c->prob.lanes,
                                       .q       = fgti_attention_q(attention, g, h),
                                       .k       = fgti_attention_k(attention, g, h),
                                       .ldq     = attention->ldq,
                                       .ldk     = attention->ldk,
                                       .chosen  = c->prob.chosen + gh * c->prob.count,
                                       .a       = c->prob.a + gh * attention->tk * c->prob.lanes,
                                       .scratch = scratch};
    prob_place_arena(&hd, c, arena);
    if (attention->padding) hd.padding = attention->padding + g / attention->nodes * hd.tk;
    for (int64_t j = 0; j < hd.tk; j++) hd.keys += !hidden(&hd, j);
    return hd;
}

/* ---- options and masks ---- */

static const char *prob_misfit(const fgt_attention_rule *conf, const fgti_layer *l)
{
    if (conf->causal && l->inputs > 1) return "causal attention to a memory";
    return fgti_attender_misfit(conf, l);
}

static int64_t prob_attending(const fgt_attention_rule *conf, int64_t n)
{
    return few(n, conf->factor);
}

static fgt_status prob_check(fgti_chain *c)
{
    const fgti_attention *attention = &c->attention;
    FGTI_TRY(fgti_attender_check_masks(c, "key padding and sampled keys"));
    return fgti_sampled_keys(attention->run, attention->tq, sampled_keys(attention), attention->tk,
                             &c->prob.given);
}

static void prob_prepare(const fgti_chain *c, const fgti_io *io)
{
    const fgti_attention *attention = &c->attention;
    (void)io;
    for (int64_t i = 0; !c->prob.given && i < attention->tq * c->prob.sampled; i++)
        c->prob.keys[i] = (int32_t)fgti_rng_below(attention->key_rng, (uint64_t)i, (uint64_t)attention->tk);
}

/* ---- the choice ---- */

/* Returns M_i. A query without any sampled key ranks after all queries that have one. In self attention,
 * padded tokens come last. */
static fgti_real prob_measure(const head *hd, int64_t i)
{
    const fgti_attention *attention = &hd->c->attention;
    const fgti_prob      *p         = &hd->c->prob;
    const int32_t        *key       = (p->given ? p->given : p->keys) + i * p->sampled;
    double                top = -INFINITY, sum = 0;
    if (attention->same_tokens && hidden(hd, i)) return -(fgti_real)INFINITY;
    for (int64_t s = 0; s < p->sampled; s++) {
        fgti_real dot = 0;
        if (hidden(hd, key[s])) continue;
        attention->run->vec->panels->dot_rows(1, hd->dh, hd->q + i * hd->ldq, hd->ldq,
                                              hd->k + key[s] * hd->ldk, hd->ldk, &dot);
        top = (double)dot > top ? (double)dot : top;
        sum += (double)dot;
    }
    if (top == -INFINITY) return -(fgti_real)FLT_MAX;
    return (fgti_real)(top - sum / (double)hd->keys);
}

/* Chooses the queries with the largest M, largest first. If two are equal, the earlier query comes first. */
static void prob_choose(const head *hd)
{
    int64_t found = 0;
    for (int64_t i = 0; hd->count > 0 && i < hd->tq; i++) {
        const fgti_real m = prob_measure(hd, i);
        if (found == hd->count && !(m > hd->best[found - 1])) continue;
        int64_t at = found < hd->count ? found++ : found - 1;
        for (; at > 0 && m > hd->best[at - 1]; at--) {
            hd->best[at]   = hd->best[at - 1];
            hd->chosen[at] = hd->chosen[at - 1];
        }
        hd->best[at]   = m;
        hd->chosen[at] = (int32_t)i;
    }
}

/* dst [lanes,n] = C x; lanes without a query become zeros. */
static void prob_gather(const head *hd, int64_t n, const fgti_real *x, int64_t ld, fgti_real *dst)
{
    memset(dst, 0, (size_t)(hd->lanes * n) * sizeof *dst);
    for (int64_t l = 0; l < hd->count; l++)
        memcpy(dst + l * n, x + hd->chosen[l] * ld, (size_t)n * sizeof *dst);
}

/* Copies the rows of src to the chosen rows of y. */
static void prob_scatter(const head *hd, int64_t n, const fgti_real *src, fgti_real *y, int64_t ld)
{
    for (int64_t l = 0; l < hd->count; l++)
        memcpy(y + hd->chosen[l] * ld, src + l * n, (size_t)n * sizeof *y);
}

static void prob_clear_rows(int64_t rows, int64_t n, fgti_real *y, int64_t ld)
{
    for (int64_t i = 0; i < rows; i++) memset(y + i * ld, 0, (size_t)n * sizeof *y);
}

static void prob_multiply(const head *hd, fgti_real alpha, fgti_gemm g)
{
    g.alpha = alpha;
    fgti_gemm_run(hd->c->attention.run->blas, hd->scratch, &g);
}

/* ---- the chosen queries ---- */

static void prob_mask(const head *hd)
{
    for (int64_t l = 0; l < hd->count; l++)
        fgti_attention_mask(&hd->c->attention, hd->g, hd->chosen[l], 1, 0, hd->tk, 0, hd->lanes, hd->a + l);
}

/* Computes S, whose columns are softmax(Q_c K'/sqrt(dh) + masks). */
static void prob_attend(const head *hd)
{
    const fgti_attention *attention = &hd->c->attention;
    prob_gather(hd, hd->dh, hd->q, hd->ldq, hd->queries);
    prob_multiply(
        hd, fgti_attention_scale(attention),
        fgti_gemm_nt(hd->tk, hd->lanes, hd->dh, hd->k, hd->ldk, hd->queries, hd->dh, 0, hd->a, hd->lanes));
    prob_mask(hd);
    attention->run->vec->panels->softmax(hd->tk, hd->lanes, hd->a, hd->shift, hd->lane);
}

/* dS = V dcontext', with `add` dS += V dcontext';  dV = S dcontext */
static void product_grad(const head *hd, bool add, fgti_real *dv, int64_t lddv)
{
    const int64_t tk = hd->tk, lanes = hd->lanes, n = hd->n;
    prob_multiply(hd, 1, fgti_gemm_nt(tk, lanes, n, hd->v, hd->ldv, hd->context, n, add, hd->da, lanes));
    prob_multiply(hd, 1, fgti_gemm_nn(tk, n, lanes, hd->a, lanes, hd->context, n, 0, dv, lddv));
}

/* The gradient through the softmax:  dK = dS Q_c/sqrt(dh),  dQ_c = dS'K/sqrt(dh) */
static void prob_scores_grad(const head *hd, fgti_real *dk, int64_t lddk)
{
    const fgti_real scale = fgti_attention_scale(&hd->c->attention);
    const int64_t   tk = hd->tk, lanes = hd->lanes, dh = hd->dh;
    prob_gather(hd, dh, hd->q, hd->ldq, hd->queries);
    hd->c->attention.run->vec->panels->softmax_grad_lanes(tk, lanes, hd->a, hd->a, hd->da);
    prob_multiply(hd, scale, fgti_gemm_nn(tk, dh, lanes, hd->da, lanes, hd->queries, dh, 0, dk, lddk));
    prob_multiply(hd, scale, fgti_gemm_tn(lanes, dh, tk, hd->da, lanes, hd->k, hd->ldk, 0, hd->queries, dh));
}

/* ---- the queries that are not chosen ---- */

/* Returns 1/T_k, or 0 if there is no key. */
static fgti_real prob_share(const head *hd)
{
    return hd->keys ? (fgti_real)(1 / (double)hd->keys) : 0;
}

/* O = W V: O_i = sum_j V_j / T_k;  causal: sum_{j <= i} V_j */
static void prob_average(const head *hd, fgti_real *o, int64_t ldo)
{
    const fgti_vec *vec    = hd->c->attention.run->vec;
    const bool      causal = hd->c->attention.conf.causal;
    const size_t    bytes  = (size_t)hd->n * sizeof *o;
    memset(hd->sum, 0, bytes);
    for (int64_t j = 0; j < hd->tk; j++) {
        if (!hidden(hd, j)) vec->axpy(hd->n, 1, hd->v + j * hd->ldv, hd->sum);
        if (causal) memcpy(o + j * ldo, hd->sum, bytes);
    }
    if (causal) return;
    vec->scale(hd->n, prob_share(hd), hd->sum);
    for (int64_t i = 0; i < hd->tq; i++) memcpy(o + i * ldo, hd->sum, bytes);
}

/* dV += W'Z dO: dV_j += sum_i dO_i / T_k, or causal sum_{i >= j} dO_i. The caller has set the chosen rows of
 * dO to zero */
static void average_grad(const head *hd, const fgti_real *dy, int64_t lddy, fgti_real *dv, int64_t lddv)
{
    const fgti_vec *vec    = hd->c->attention.run->vec;
    const bool      causal = hd->c->attention.conf.causal;
    memset(hd->sum, 0, (size_t)hd->n * sizeof *hd->sum);
    for (int64_t i = hd->tq - 1; i >= 0; i--) {
        vec->axpy(hd->n, 1, dy + i * lddy, hd->sum);
        if (causal && !hidden(hd, i)) vec->axpy(hd->n, 1, hd->sum, dv + i * lddv);
    }
    for (int64_t j = 0; !causal && j < hd->tk; j++)
        if (!hidden(hd, j)) vec->axpy(hd->n, prob_share(hd), hd->sum, dv + j * lddv);
}

/* ---- the passes ---- */

/* O = C'A_c X + Z W X. With Y, Y += O */
static void prob_forward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch)
{
    head hd = prob_head_of(c, g, h, arena, scratch);
    prob_choose(&hd);
    prob_attend(&hd);
    for (int64_t i = 0; c->n && i < c->products; i++) {
        fgti_real *o = fgti_span_rows_of(c, c->o, g, h, i);
        hd.v         = fgti_chain_input(c, g, h, i, &hd.ldv);
        prob_multiply(&hd, 1,
                      fgti_gemm_tn(hd.lanes, hd.n, hd.tk, hd.a, hd.lanes, hd.v, hd.ldv, 0, hd.context, hd.n));
        prob_average(&hd, o, c->o.ld);
        prob_scatter(&hd, hd.n, hd.context, o, c->o.ld);
        fgti_chain_add(c, g, h, i);
    }
}

/* Returns rows of dO that may be changed: dO itself if there is one product, otherwise a copy in the memory
 * of O, which nothing reads any more. */
static fgti_real *own_dy(const head *hd, int64_t h, int64_t i, int64_t *ld)
{
    const fgti_chain *c  = hd->c;
    fgti_real        *dy = fgti_span_rows_of(c, c->dy, hd->g, h, i);
    fgti_real        *o  = fgti_span_rows_of(c, c->o, hd->g, h, i);
    *ld                  = c->y.p ? c->o.ld : c->dy.ld;
    if (!c->y.p) return dy;
    for (int64_t t = 0; t < hd->tq; t++) memcpy(o + t * *ld, dy + t * c->dy.ld, (size_t)hd->n * sizeof *o);
    return o;
}

/* For each product: dcontext = C dO, from it dX and dS, and dX += W'Z dO. Then dK and dQ_c from dS, and dQ =
 * C'dQ_c */
static void prob_backward(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch)
{
    head       hd = prob_head_of(c, g, h, arena, scratch);
    fgti_real *dq = fgti_span_rows(c, c->dq, g, h), *dk = fgti_span_rows(c, c->dk, g, h);
    for (int64_t i = c->products - 1; i >= 0; i--) {
        int64_t    lddy, lddx;
        fgti_real *dy = own_dy(&hd, h, i, &lddy), *dx = fgti_chain_input_gradient(c, g, h, i, &lddx);
        hd.v          = fgti_chain_input(c, g, h, i, &hd.ldv);
        prob_gather(&hd, hd.n, dy, lddy, hd.context);
        for (int64_t l = 0; l < hd.count; l++) prob_clear_rows(1, hd.n, dy + hd.chosen[l] * lddy, 0);
        product_grad(&hd, i < c->products - 1, dx, lddx);
        average_grad(&hd, dy, lddy, dx, lddx);
    }
    prob_scores_grad(&hd, dk, c->dk.ld);
    prob_clear_rows(hd.tq, hd.dh, dq, c->dq.ld);
    prob_scatter(&hd, hd.dh, hd.queries, dq, c->dq.ld);
}

static void prob_matrix(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch,
                        fgti_real *a)
{
    const head hd     = prob_head_of(c, g, h, arena, NULL);
    const bool causal = c->attention.conf.causal;
    (void)scratch;
    for (int64_t i = 0; i < hd.tq; i++)
        for (int64_t j = 0; j < hd.tk; j++)
            a[i * hd.tk + j] = hidden(&hd, j) ? 0 : causal ? (fgti_real)(j <= i) : prob_share(&hd);
    for (int64_t l = 0; l < hd.count; l++)
        for (int64_t j = 0; j < hd.tk; j++) a[hd.chosen[l] * hd.tk + j] = hd.a[j * hd.lanes + l];
}

const fgti_attender fgti_attender_prob = {
    .name      = "prob",
    .kept      = FGTI_ROUTE_ATTENTION_PROB,
    .streamed  = FGTI_ROUTE_ATTENTION_PROB,
    .misfit    = prob_misfit,
    .attending = prob_attending,
    .place     = prob_place,
    .arena     = prob_arena,
    .check     = prob_check,
    .prepare   = prob_prepare,
    .forward   = prob_forward,
    .backward  = prob_backward,
    .matrix    = prob_matrix,
};
