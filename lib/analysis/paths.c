/* SPDX-License-Identifier: BSD-3-Clause */
/* The paths of the Jacobian of one attention head. */
#include <fighter/experimental/sensitivity.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "analysis/matrices.h"
#include "analysis/singular.h"
#include "core/context.h"
#include "core/opts.h"
#include "core/size.h"

/* The inputs and intermediate results in double. An array [T,..] has a row for each token. */
typedef struct head {
    fgt_context *ctx;
    int64_t      t, d, k, v;
    double       scale;
    bool         residual;
    double      *memory; /* one block that holds all following arrays */
    double      *x, *a, *wq, *wk, *wv, *bq, *bk;
    double      *q, *keys, *values, *h; /* [T,K], [T,K], [T,V], [T,V] */
    double      *wk_q, *wq_k;           /* rows Wk q_i', Wq k_i' [T,D] */
} head;

static const fgti_opt head_opts[] = {
    FGTI_FIELD(fgt_attention_head, scale, F64, -INFINITY, INFINITY, 0),
    FGTI_FIELD(fgt_attention_head, turned, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_attention_head, residual, BOOL, 0, 1, 0),
    {0},
};

/* ---- reading ---- */

static fgt_status paths_check_finite(fgti_error *err, const char *what, const fgt_view *v, int32_t rank,
                                     const int64_t *shape)
{
    FGTI_TRY(fgti_view_check_number(err, what, v, rank, shape));
    for (int64_t i = 0; i < fgt_view_count(v); i++)
        if (!isfinite(fgti_view_get(v, i)))
            return fgti_fail(err, FGT_E_NONFINITE, "%s: element %lld is not finite", what, (long long)i);
    return FGT_OK;
}

/* Checks that a weight is [in,out], or [out,in] if `turned`. in -1: any size. *out is set to the size of the
 * other axis. */
static fgt_status paths_check_weight(fgti_error *err, const char *what, const fgt_view *w, bool turned,
                                     int64_t in, int64_t *out)
{
    const int64_t shape[2] = {turned ? *out : in, turned ? in : *out};
    FGTI_TRY(paths_check_finite(err, what, w, 2, shape));
    *out = w->shape[turned ? 0 : 1];
    return *out > 0 ? FGT_OK : fgti_fail(err, FGT_E_SHAPE, "%s is empty", what);
}

static fgt_status paths_check_views(fgti_error *err, const fgt_attention_head *in, head *m)
{
    const bool turned = in->turned != 0;
    FGTI_TRY(paths_check_finite(err, "x", in->x, 2, (int64_t[]){-1, -1}));
    m->t = in->x->shape[0];
    m->d = in->x->shape[1];
    if (m->t < 1 || m->d < 1) return fgti_fail(err, FGT_E_SHAPE, "paths: x is empty");
    FGTI_TRY(paths_check_finite(err, "a", in->a, 2, (int64_t[]){m->t, m->t}));
    m->k = m->v = -1;
    FGTI_TRY(paths_check_weight(err, "wq", in->wq, turned, m->d, &m->k));
    FGTI_TRY(paths_check_weight(err, "wk", in->wk, turned, m->d, &m->k));
    FGTI_TRY(paths_check_weight(err, "wv", in->wv, turned, m->d, &m->v));
    if (in->bq) FGTI_TRY(paths_check_finite(err, "bq", in->bq, 1, &m->k));
    if (in->bk) FGTI_TRY(paths_check_finite(err, "bk", in->bk, 1, &m->k));
    if (m->residual && m->v != m->d)
        return fgti_fail(err, FGT_E_SHAPE,
                         "paths: wv has the wrong width (got %lld, need %lld for the residual)",
                         (long long)m->v, (long long)m->d);
    return FGT_OK;
}

/* Takes n doubles from the memory, or only counts them if there is no memory yet. */
static double *paths_cut(const head *m, int64_t *at, int64_t n)
{
    double *part = m->memory ? m->memory + *at : NULL;
    *at          = fgti_least(*at + n, FGTI_HUGE);
    return part;
}

static int64_t paths_layout(head *m)
{
    const int64_t t = m->t, d = m->d, k = m->k, v = m->v;
    int64_t       at = 0;
    m->x             = paths_cut(m, &at, fgti_mul(t, d));
    m->a             = paths_cut(m, &at, fgti_mul(t, t));
    m->wq            = paths_cut(m, &at, fgti_mul(d, k));
    m->wk            = paths_cut(m, &at, fgti_mul(d, k));
    m->wv            = paths_cut(m, &at, fgti_mul(d, v));
    m->bq            = paths_cut(m, &at, k);
    m->bk            = paths_cut(m, &at, k);
    m->q             = paths_cut(m, &at, fgti_mul(t, k));
    m->keys          = paths_cut(m, &at, fgti_mul(t, k));
    m->values        = paths_cut(m, &at, fgti_mul(t, v));
    m->h             = paths_cut(m, &at, fgti_mul(t, v));
    m->wk_q          = paths_cut(m, &at, fgti_mul(t, d));
    m->wq_k          = paths_cut(m, &at, fgti_mul(t, d));
    return at;
}

static void paths_copy(const fgt_view *v, double *to)
{
    for (int64_t i = 0; v && i < fgt_view_count(v); i++) to[i] = fgti_view_get(v, i);
}

/* Copies a weight to `to` [in,out]. The source is [out,in] if `turned`. */
static void copy_weight(const fgt_view *w, bool turned, int64_t in, int64_t out, double *to)
{
    for (int64_t i = 0; i < in; i++)
        for (int64_t j = 0; j < out; j++)
            to[i * out + j] = fgti_view_get(w, turned ? j * in + i : i * out + j);
}

/* c [m,n] = a [m,k] b [k,n] + bias, which is added to each row */
static void paths_multiply(int64_t m, int64_t n, int64_t k, const double *a, const double *b,
                           const double *bias, double *c)
{
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) c[i * n + j] = bias ? bias[j] : 0;
        for (int64_t l = 0; l < k; l++)
            for (int64_t j = 0; j < n; j++) c[i * n + j] += a[i * k + l] * b[l * n + j];
    }
}

/* c [m,n] = a [m,k] b' where b is [n,k] */
static void multiply_turned(int64_t m, int64_t n, int64_t k, const double *a, const double *b, double *c)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < k; l++) sum += a[i * k + l] * b[j * k + l];
            c[i * n + j] = sum;
        }
}

static fgt_status open_head(fgt_context *ctx, const fgt_attention_head *in, head *m)
{
    fgt_attention_head o;
    fgti_error        *err = &ctx->error;
    *m                     = (head){.ctx = ctx};
    if (!in) return fgti_fail(err, FGT_E_ARG, "paths: head is NULL");
    FGTI_TRY(fgti_opts_read(err, "fgt_attention_head", in, &o, sizeof o));
    FGTI_TRY(fgti_opts_check(err, "fgt_attention_head", head_opts, &o));
    m->residual = o.residual != 0;
    FGTI_TRY(paths_check_views(err, &o, m));
    m->scale = o.scale != 0 ? o.scale : 1 / sqrt((double)m->k);
    FGTI_TRY(FGTI_NEW(ctx, paths_layout(m), "a head in double", &m->memory));
    paths_layout(m);
    paths_copy(o.x, m->x);
    paths_copy(o.a, m->a);
    paths_copy(o.bq, m->bq);
    paths_copy(o.bk, m->bk);
    copy_weight(o.wq, o.turned, m->d, m->k, m->wq);
    copy_weight(o.wk, o.turned, m->d, m->k, m->wk);
    copy_weight(o.wv, o.turned, m->d, m->v, m->wv);
    paths_multiply(m->t, m->k, m->d, m->x, m->wq, m->bq, m->q);
    paths_multiply(m->t, m->k, m->d, m->x, m->wk, m->bk, m->keys);
    paths_multiply(m->t, m->v, m->d, m->x, m->wv, NULL, m->values);
    paths_multiply(m->t, m->v, m->t, m->a, m->values, NULL, m->h);
    multiply_turned(m->t, m->d, m->k, m->q, m->wk, m->wk_q);
    multiply_turned(m->t, m->d, m->k, m->keys, m->wq, m->wq_k);
    return FGT_OK;
}

/* ---- blocks [V,D] ---- */

/* block += weight (v_j - h_i)' row */
static void add_outer(const head *m, int64_t i, int64_t j, double weight, const double *row, double *block)
{
    for (int64_t o = 0; o < m->v; o++) {
        const double e = weight * (m->values[j * m->v + o] - m->h[i * m->v + o]);
        for (int64_t n = 0; n < m->d; n++) block[o * m->d + n] += e * row[n];
    }
}

static void add_value_path(const head *m, int64_t i, int64_t j, double *block)
{
    for (int64_t o = 0; o < m->v; o++)
        for (int64_t n = 0; n < m->d; n++) block[o * m->d + n] += m->a[i * m->t + j] * m->wv[n * m->v + o];
}

static void add_query_path(const head *m, int64_t i, double *block)
{
    for (int64_t k = 0; k < m->t; k++)
        add_outer(m, i, k, m->scale * m->a[i * m->t + k], m->wq_k + k * m->d, block);
}

static void paths_make_block(const head *m, int32_t path, int64_t i, int64_t j, double *block)
{
    const bool all = path == FGT_ATTENTION_PATH_TOTAL;
    memset(block, 0, (size_t)(m->v * m->d) * sizeof *block);
    if (all || path == FGT_ATTENTION_PATH_VALUE) add_value_path(m, i, j, block);
    if (all || path == FGT_ATTENTION_PATH_KEY)
        add_outer(m, i, j, m->scale * m->a[i * m->t + j], m->wk_q + i * m->d, block);
    if ((all || path == FGT_ATTENTION_PATH_QUERY) && i == j) add_query_path(m, i, block);
    for (int64_t o = 0; all && m->residual && i == j && o < m->v; o++) block[o * m->d + o] += 1;
}

static double frobenius(int64_t n, const double *a)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += a[i] * a[i];
    return sqrt(sum);
}

/* `work` has fgti_singular_work() elements. */
static double paths_norm_of(int32_t norm, int64_t rows, int64_t columns, const double *a, double *work)
{
    if (norm == FGT_SENSITIVITY_NORM_FROBENIUS) return frobenius(rows * columns, a);
    return fgti_singular_values(rows, columns, a, work)[fgti_least(rows, columns) - 1];
}

/* ---- all blocks ---- */

typedef struct job {
    const head    *m;
    int32_t        path;
    int32_t        norm;
    double        *norms, *blocks; /* either may be NULL */
    double        *memory;
    int64_t        each;
} job;

static void compute_row(void *arg, int64_t i, int32_t worker)
{
    const job    *j   = arg;
    const head   *m   = j->m;
    const int64_t n   = m->v * m->d;
    double       *own = j->memory + worker * j->each, *work = own + n;
    for (int64_t k = 0; k < m->t; k++) {
        double *block = j->blocks ? j->blocks + (i * m->t + k) * n : own;
        paths_make_block(m, j->path, i, k, block);
        if (j->norms) j->norms[i * m->t + k] = paths_norm_of(j->norm, m->v, m->d, block, work);
    }
}

static fgt_status paths_compute(const head *m, int32_t path, int32_t norm, double *norms, double *blocks)
{
    job j  = {.m = m, .path = path, .norm = norm, .norms = norms, .blocks = blocks};
    j.each = m->v * m->d + fgti_singular_work(m->v, m->d);
    FGTI_TRY(FGTI_NEW(m->ctx, fgti_mul(m->ctx->exec.workers, j.each), "a block", &j.memory));
    fgti_parallel(&m->ctx->exec, m->t, compute_row, &j);
    fgti_free(m->ctx, j.memory);
    return FGT_OK;
}

static fgt_status check_norm(fgti_error *err, int32_t norm)
{
    if (norm == FGT_SENSITIVITY_NORM_FROBENIUS || norm == FGT_SENSITIVITY_NORM_SPECTRAL) return FGT_OK;
    return fgti_fail(err, FGT_E_ARG, "paths: unknown norm (got %d, need an fgt_sensitivity_norm)", (int)norm);
}

static fgt_status paths_check_results(fgti_error *err, const head *m, const fgt_view *norms,
                                      const fgt_view *blocks)
{
    if (!norms && !blocks) return fgti_fail(err, FGT_E_ARG, "paths: norms and blocks are both NULL");
    if (norms) FGTI_TRY(fgti_view_check(err, "norms", norms, FGT_DTYPE_F64, 2, (int64_t[]){m->t, m->t}));
    if (blocks)
        FGTI_TRY(
            fgti_view_check(err, "blocks", blocks, FGT_DTYPE_F64, 4, (int64_t[]){m->t, m->t, m->v, m->d}));
    return FGT_OK;
}

fgt_status fgt_attention_path_compute(fgt_context *ctx, const fgt_attention_head *head_of, int32_t path,
                                      int32_t norm, const fgt_view *norms, const fgt_view *blocks)
{
    head m;
    if (!ctx) return FGT_E_ARG;
    if (path < 0 || path > FGT_ATTENTION_PATH_TOTAL)
        return fgti_fail(&ctx->error, FGT_E_ARG, "paths: unknown path (got %d, need an fgt_attention_path)",
                         path);
    FGTI_TRY(check_norm(&ctx->error, norm));
    FGTI_TRY(open_head(ctx, head_of, &m));
    fgt_status s = paths_check_results(&ctx->error, &m, norms, blocks);
    if (s == FGT_OK)
        s = paths_compute(&m, path, norm, norms ? norms->data : NULL, blocks ? blocks->data : NULL);
    fgti_free(ctx, m.memory);
    return s;
}

/* ---- bounds ---- */

/* max over i and j of |v_j - h_i| |rows_i|; with of_key, of |v_j - h_i| |rows_j| */
static double paths_constant(const head *m, const double *rows, bool of_key)
{
    double most = 0;
    for (int64_t i = 0; i < m->t; i++)
        for (int64_t j = 0; j < m->t; j++) {
            double sum = 0;
            for (int64_t o = 0; o < m->v; o++) {
                const double e = m->values[j * m->v + o] - m->h[i * m->v + o];
                sum += e * e;
            }
            const double c = sqrt(sum) * frobenius(m->d, rows + (of_key ? j : i) * m->d);
            most           = c > most ? c : most;
        }
    return most;
}

/* norms [T,T] belong to the total. `work` has the size that paths_norm_of() needs. */
static void find_bounds(const head *m, int32_t norm, const double *norms, double *work,
                        fgt_attention_path_bounds *b)
{
    const int64_t t   = m->t;
    const double  one = !m->residual ? 0 : norm == FGT_SENSITIVITY_NORM_SPECTRAL ? 1 : sqrt((double)m->d);
    b->value          = paths_norm_of(norm, m->d, m->v, m->wv, work);
    b->key            = paths_constant(m, m->wk_q, false);
    b->query          = paths_constant(m, m->wq_k, true);
    for (int64_t i = 0; i < t; i++) {
        b->diagonal += m->a[i * t + i] / (double)t;
        b->own_norm += norms[i * t + i] / (double)t;
        for (int64_t j = 0; j < t; j++)
            if (j != i) b->off_norm += norms[i * t + j] / ((double)t * (double)t);
    }
    const double steep = fabs(m->scale), both = b->value + steep * b->key;
    b->off_bound      = both / (double)t;
    b->own_bound      = one + b->diagonal * (both + steep * b->query);
    b->own_bound_sure = one + b->diagonal * both + steep * b->query;
}

fgt_status fgt_attention_path_compute_bounds(fgt_context *ctx, const fgt_attention_head *head_of,
                                             int32_t norm, fgt_attention_path_bounds *bounds)
{
    head            m;
    fgt_attention_path_bounds b     = {.size = sizeof b};
    double         *norms = NULL;
    if (!ctx) return FGT_E_ARG;
    fgti_error *err = &ctx->error;
    if (!bounds) return fgti_fail(err, FGT_E_ARG, "paths: bounds is NULL");
    FGTI_TRY(fgti_result_check(err, "fgt_attention_path_bounds", bounds));
    FGTI_TRY(check_norm(err, norm));
    FGTI_TRY(open_head(ctx, head_of, &m));
    const int64_t n = m.t * m.t;
    fgt_status    s = FGTI_NEW(ctx, n + fgti_singular_work(m.v, m.d), "norms", &norms);
    if (s == FGT_OK) s = paths_compute(&m, FGT_ATTENTION_PATH_TOTAL, norm, norms, NULL);
    if (s == FGT_OK) find_bounds(&m, norm, norms, norms + n, &b);
    fgti_free(ctx, norms);
    fgti_free(ctx, m.memory);
    return s == FGT_OK ? fgti_result_write(err, "fgt_attention_path_bounds", &b, sizeof b, bounds) : s;
}
