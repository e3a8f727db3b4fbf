/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/shared.h"

#include <math.h>
#include <string.h>

#include "blas/blas.h"
#include "core/sort.h"
#include "blas/cholesky.h"

enum { FEATURES = 100, ELEMENTS = 1 << 23, PASSES = 3 };
enum { WINDOWS = 20000, WINDOWS_OF_LONG = 5000, LONG = 400 };
#define CLIP    8    /* inputs are limited to this many standard deviations */
#define PENALTY .001 /* ridge penalty relative to the mean diagonal; for the constant it is 1000 times less */

int64_t fgti_shared_lags(int64_t period, int64_t median)
{
    const int64_t wanted = 2 * period + 1 > 8 ? 2 * period + 1 : 8, most = median / 3 > 4 ? median / 3 : 4;
    return wanted < most ? wanted : most;
}

int64_t fgti_shared_scratch(int64_t lags)
{
    return 2 * lags + FEATURES;
}

/* Returns the unit of a window of `lags` rows; 0: the window is constant. */
static double shared_unit_of(const double *w, int64_t lags)
{
    double mean = 0, square = 0;
    for (int64_t i = 0; i < lags; i++) mean += w[i] / (double)lags;
    for (int64_t i = 0; i < lags; i++) square += (w[i] - mean) * (w[i] - mean) / (double)lags;
    const double unit = sqrt(square);
    return unit > 1e-7 * (1 + fabs(w[lags - 1])) ? unit : 0;
}

static fgti_real shared_relative(double y, double last, double unit)
{
    return (fgti_real)fmin(fmax((y - last) / unit, -CLIP), CLIP);
}

/* ---- training windows ---- */

typedef struct sample {
    int64_t    rows;   /* number of windows */
    fgti_real *terms;  /* [rows,terms]: phi of each window */
    fgti_real *scaled; /* [rows,terms]: phi times the weight of the window */
    fgti_real *truth;  /* [rows,H] */
    fgti_real *fit;    /* [rows,H]: B phi of each window */
    double    *error;  /* [rows]: mean absolute error of each window; spare [rows] */
    double    *matrix; /* [terms,terms] */
    fgti_real *product, *map; /* [terms,terms], [terms,H] */
} sample;

static void shared_sample_done(fgt_context *ctx, sample *s)
{
    void *const all[] = {s->terms, s->scaled, s->truth, s->fit, s->error, s->matrix, s->product, s->map};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) fgti_free(ctx, all[i]);
}

static fgt_status shared_sample_new(fgt_context *ctx, const fgti_shared *m, int64_t rows, sample *s)
{
    const int64_t d = m->terms;
    FGTI_TRY(FGTI_NEW(ctx, rows * d, "windows", &s->terms));
    FGTI_TRY(FGTI_NEW(ctx, rows * d, "windows", &s->scaled));
    FGTI_TRY(FGTI_NEW(ctx, rows * m->h, "windows", &s->truth));
    FGTI_TRY(FGTI_NEW(ctx, rows * m->h, "windows", &s->fit));
    FGTI_TRY(FGTI_NEW(ctx, 2 * rows, "windows", &s->error));
    FGTI_TRY(FGTI_NEW(ctx, d * d, "map", &s->matrix));
    FGTI_TRY(FGTI_NEW(ctx, d * d, "map", &s->product));
    return FGTI_NEW(ctx, d * m->h, "map", &s->map);
}

static int64_t shared_windows_of(const fgti_rows *r, int64_t lags, int64_t h)
{
    return r->n >= lags + h ? r->n - lags - h + 1 : 0;
}

/* Appends the windows of a series, beginning at its end. Windows are `step` rows apart. */
static void shared_collect(const fgti_rows *r, const fgti_shared *m, int64_t step, sample *s)
{
    const int64_t l = m->lags;
    for (int64_t at = r->n - m->h; at >= l; at -= step) {
        const double *w = r->y + at - l, unit = shared_unit_of(w, l);
        if (!(unit > 0)) continue;
        fgti_real *x = s->terms + s->rows * m->terms, *t = s->truth + s->rows * m->h;
        for (int64_t i = 0; i < l - 1; i++) x[i] = shared_relative(w[i], w[l - 1], unit);
        for (int64_t k = 0; k < m->h; k++) t[k] = shared_relative(w[l + k], w[l - 1], unit);
        s->rows++;
    }
}

/* Appends the random features and the constant to the L - 1 inputs of each window. */
static void add_features(const fgt_context *ctx, const fgti_shared *m, int64_t rows, fgti_real *terms)
{
    const int64_t l = m->lags - 1, d = m->terms;
    fgti_gemm     g = fgti_gemm_nt(rows, FEATURES, l, terms, d, m->random, m->lags, 0, terms + l, d);
    fgti_gemm_parallel(ctx->blas, &ctx->exec, &g);
    for (int64_t r = 0; r < rows; r++) {
        fgti_real *x = terms + r * d + l;
        for (int64_t i = 0; i < FEATURES; i++) {
            x[i] += m->random[i * m->lags + l];
            if (x[i] < 0) x[i] = 0;
        }
        x[FEATURES] = 1;
    }
}

/* ---- least absolute errors, by weighted least squares ---- */

/* Finds the errors of the map, and from them the weights of the windows. The weight of a window is 1 / (its
 * error + half the median error). */
static void shared_weigh(const fgt_context *ctx, const fgti_shared *m, sample *s)
{
    const int64_t d = m->terms, h = m->h;
    double       *sorted = s->error + s->rows, sum = 0;
    fgti_gemm     g = fgti_gemm_nn(s->rows, h, d, s->terms, d, s->map, h, 0, s->fit, h);
    fgti_gemm_parallel(ctx->blas, &ctx->exec, &g);
    for (int64_t r = 0; r < s->rows; r++) {
        s->error[r] = 0;
        for (int64_t k = 0; k < h; k++)
            s->error[r] += fabs((double)(s->fit[r * h + k] - s->truth[r * h + k])) / (double)h;
    }
    memcpy(sorted, s->error, (size_t)s->rows * sizeof *sorted);
    fgti_sort_doubles(sorted, s->rows);
    const double half = sorted[s->rows / 2] / 2 + 1e-9;
    for (int64_t r = 0; r < s->rows; r++) sum += s->error[r] = 1 / (s->error[r] + half);
    for (int64_t r = 0; r < s->rows; r++) {
        const fgti_real w = (fgti_real)(s->error[r] * (double)s->rows / sum);
        for (int64_t i = 0; i < d; i++) s->scaled[r * d + i] = w * s->terms[r * d + i];
    }
}

/* Solves for B with the weighted windows. Returns false if the equations have no solution. */
static bool shared_solve(const fgt_context *ctx, fgti_shared *m, sample *s)
{
    const int64_t d = m->terms, h = m->h;
    double        mean = 0;
    fgti_gemm     left = fgti_gemm_tn(d, d, s->rows, s->scaled, d, s->terms, d, 0, s->product, d);
    fgti_gemm     right = fgti_gemm_tn(d, h, s->rows, s->scaled, d, s->truth, h, 0, s->map, h);
    fgti_gemm_parallel(ctx->blas, &ctx->exec, &left);
    fgti_gemm_parallel(ctx->blas, &ctx->exec, &right);
    for (int64_t i = 0; i < d * d; i++) s->matrix[i] = (double)s->product[i];
    for (int64_t i = 0; i < d * h; i++) m->weight[i] = (double)s->map[i];
    for (int64_t i = 0; i < d; i++) mean += s->matrix[i * d + i] / (double)d;
    for (int64_t i = 0; i < d; i++) s->matrix[i * d + i] += PENALTY * mean * (i < d - 1 ? 1 : PENALTY);
    if (!fgti_cholesky(ctx->vec, s->matrix, d)) return false;
    fgti_cholesky_solve(ctx->vec, s->matrix, d, m->weight, h);
    for (int64_t i = 0; i < d * h; i++) s->map[i] = (fgti_real)m->weight[i];
    return true;
}

static bool shared_fit(const fgt_context *ctx, const fgti_rows *rows, int64_t count, int64_t step,
                       fgti_shared *m, sample *s)
{
    for (int64_t i = 0; i < count; i++) shared_collect(&rows[i], m, step, s);
    if (s->rows < 3 * m->lags) return false;
    add_features(ctx, m, s->rows, s->terms);
    memcpy(s->scaled, s->terms, (size_t)(s->rows * m->terms) * sizeof *s->terms);
    for (int pass = 0; pass < PASSES; pass++) {
        if (pass > 0) shared_weigh(ctx, m, s);
        if (!shared_solve(ctx, m, s)) return false;
    }
    return true;
}

static fgt_status shared_new(fgt_context *ctx, int64_t lags, int64_t h, fgti_shared **out)
{
    const fgti_rng rng = fgti_rng_of(0, FGTI_STREAM_FEATURES, 0, 0);
    FGTI_TRY(FGTI_NEW(ctx, 1, "map", out));
    fgti_shared *m = *out;
    *m             = (fgti_shared){.lags = lags, .h = h, .terms = lags + FEATURES};
    FGTI_TRY(FGTI_NEW(ctx, FEATURES * lags, "map", &m->random));
    FGTI_TRY(FGTI_NEW(ctx, m->terms * h, "map", &m->weight));
    for (int64_t i = 0; i < FEATURES * lags; i++)
        m->random[i] = (fgti_real)(fgti_rng_normal(rng, (uint64_t)i) / sqrt((double)(lags - 1)));
    return FGT_OK;
}

fgt_status fgti_shared_new(fgt_context *ctx, const fgti_rows *rows, int64_t count, int64_t lags, int64_t h,
                           fgti_shared **out)
{
    sample        s     = {0};
    int64_t       all   = 0, most = ELEMENTS / (lags + FEATURES + h), wanted;
    fgti_shared  *m     = NULL;
    bool          found = false;
    *out                = NULL;
    for (int64_t i = 0; i < count; i++) all += shared_windows_of(&rows[i], lags, h);
    wanted = all / LONG > count ? WINDOWS_OF_LONG : WINDOWS;
    if (most > wanted) most = wanted;
    if (most < 3 * lags) return FGT_OK;
    const int64_t step = all / most + 1;
    all                = 0;
    for (int64_t i = 0; i < count; i++) all += (shared_windows_of(&rows[i], lags, h) + step - 1) / step;
    if (all < 3 * lags) return FGT_OK;
    fgt_status status = shared_new(ctx, lags, h, &m);
    if (status == FGT_OK) status = shared_sample_new(ctx, m, all, &s);
    if (status == FGT_OK) found = shared_fit(ctx, rows, count, step, m, &s);
    shared_sample_done(ctx, &s);
    if (found) *out = m;
    else fgti_shared_free(ctx, &m);
    return status;
}

void fgti_shared_free(fgt_context *ctx, fgti_shared **shared)
{
    if (!*shared) return;
    fgti_free(ctx, (*shared)->random);
    fgti_free(ctx, (*shared)->weight);
    fgti_free(ctx, *shared);
    *shared = NULL;
}

void fgti_shared_forecast(const fgti_shared *shared, const double *y, int64_t n, double *scratch, double *f)
{
    const fgti_shared *m = shared;
    const int64_t      l = m->lags, d = m->terms;
    double            *w = scratch, *x = scratch + l;
    for (int64_t i = 0; i < l; i++) w[i] = y[n - l + i < 0 ? 0 : n - l + i];
    const double unit = shared_unit_of(w, l);
    for (int64_t i = 0; i < l - 1; i++) x[i] = unit > 0 ? (double)shared_relative(w[i], w[l - 1], unit) : 0;
    for (int64_t i = 0; i < FEATURES; i++) {
        double sum = (double)m->random[i * l + l - 1];
        for (int64_t j = 0; j < l - 1; j++) sum += x[j] * (double)m->random[i * l + j];
        x[l - 1 + i] = fmax(sum, 0);
    }
    x[d - 1] = 1;
    for (int64_t k = 0; k < m->h; k++) f[k] = 0;
    for (int64_t i = 0; i < d; i++)
        for (int64_t k = 0; k < m->h; k++) f[k] += x[i] * m->weight[i * m->h + k];
    for (int64_t k = 0; k < m->h; k++) f[k] = w[l - 1] + unit * f[k];
}
