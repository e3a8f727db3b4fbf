/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/predict/calibration.h"

#include <math.h>
#include <string.h>

#include "core/size.h"
#include "core/sort.h"
#include "data/table.h"
#include "data/time/time.h"
#include "forecast/known/counts.h"
#include "forecast/rows/feed.h"

/* The rows from which errors come: the last DAYS days, or the last LEAST_ROWS rows if these are more. These
 * are enough windows for quantiles of 1 and 99 %, and recent enough to follow a series that becomes calmer or
 * more volatile. Intervals of 80 % made from the errors of the validation rows would hold 84 to 89 % of the
 * values on the test rows of ETTh1, ETTm1 and Weather. */
enum { LEAST_ROWS = 672, DAYS = 28 };

int64_t fgti_calibration_rows(const fgt_forecaster *f)
{
    const fgt_time_step *s    = &f->info.step;
    const int64_t        week = fgti_step_closes(s) ? fgti_step_week_rows(s) : 0, ms = s->milliseconds;
    const int64_t        rows = week ? DAYS / 7 * week : ms ? DAYS * FGTI_DAY / ms : 0;
    return rows > LEAST_ROWS ? rows : LEAST_ROWS;
}

int64_t fgti_calibration_stride(const fgt_forecaster *f)
{
    return fgti_parts(fgti_calibration_rows(f), FGTI_CALIBRATION_MOST);
}

/* ---- errors ---- */

fgt_status fgti_calibration_new(const fgt_forecaster *f, int64_t windows, fgt_calibration **out)
{
    const int64_t cells = f->info.pred_len * f->info.columns;
    const int64_t heads = fgti_forecaster_heads(f);
    const double *scale = f->scaler->scale;
    int64_t       count;
    if (!fgti_size_mul(cells * heads, windows, &count))
        return fgti_fail(&f->ctx->error, FGT_E_SIZE, "calibration: too large");
    FGTI_TRY(FGTI_NEW(f->ctx, 1, "calibration", out));
    fgt_calibration *c = *out;
    *c = (fgt_calibration){.ctx          = f->ctx,
                           .cells        = cells,
                           .targets      = f->info.columns,
                           .windows      = windows,
                           .total        = windows,
                           .heads        = heads,
                           .levels       = f->info.quantile_count > 0};
    memcpy(c->level, f->info.quantiles, sizeof c->level);
    fgt_status s = FGTI_NEW(f->ctx, cells * heads, "calibration", &c->count);
    if (s == FGT_OK) s = FGTI_NEW(f->ctx, cells * heads, "calibration", &c->known);
    if (s == FGT_OK) s = FGTI_NEW(f->ctx, cells, "calibration", &c->scale);
    if (s == FGT_OK) s = FGTI_NEW(f->ctx, c->targets, "calibration", &c->least);
    if (s == FGT_OK) s = FGTI_NEW(f->ctx, count, "calibration", &c->error);
    if (s != FGT_OK) {
        fgt_calibration_destroy(out);
        return s;
    }
    for (int64_t i = 0; i < cells; i++) c->scale[i] = scale[i % c->targets];
    for (int64_t i = 0; i < c->targets; i++)
        c->least[i] = isinf(fgti_forecaster_least(f, i)) ? -INFINITY : 0;
    return FGT_OK;
}

void fgt_calibration_destroy(fgt_calibration **calibration)
{
    if (!calibration || !*calibration) return;
    fgt_calibration *c   = *calibration;
    fgt_context     *ctx = c->ctx;
    fgti_free(ctx, c->scale);
    fgti_free(ctx, c->least);
    fgti_free(ctx, c->count);
    fgti_free(ctx, c->known);
    fgti_free(ctx, c->error);
    fgti_free(ctx, c);
    *calibration = NULL;
}

void fgti_calibration_add(fgt_calibration *c, const float *error)
{
    for (int64_t i = 0; i < c->heads * c->cells; i++)
        if (!isnan(error[i]) && c->count[i] < c->windows) c->error[i * c->windows + c->count[i]++] = error[i];
}

static int calibration_compare(const void *a, const void *b, const void *arg)
{
    const float x = *(const float *)a, y = *(const float *)b;
    (void)arg;
    return (x > y) - (x < y);
}

void fgti_calibration_sort(fgt_calibration *c)
{
    for (int64_t i = 0; i < c->heads * c->cells; i++)
        fgti_sort(c->error + i * c->windows, c->count[i], sizeof *c->error, calibration_compare, NULL);
    memcpy(c->known, c->count, (size_t)(c->heads * c->cells) * sizeof *c->known);
}

/* Returns the number of elements of sorted [n] that are below `error`. */
static int64_t calibration_place_of(const float *sorted, int64_t n, float error)
{
    int64_t low = 0, high = n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (sorted[middle] < error)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void fgti_calibration_replace(fgt_calibration *c, const float *old, const float *next)
{
    for (int64_t i = 0; i < c->heads * c->cells; i++) {
        float *sorted = c->error + i * c->windows;
        if (old && !isnan(old[i])) {
            float *at = sorted + calibration_place_of(sorted, c->count[i]--, old[i]);
            memmove(at, at + 1, (size_t)(sorted + c->count[i] - at) * sizeof *at);
        }
        if (!isnan(next[i]) && c->count[i] < c->windows) {
            float *at = sorted + calibration_place_of(sorted, c->count[i], next[i]);
            memmove(at + 1, at, (size_t)(sorted + c->count[i]++ - at) * sizeof *at);
            *at = next[i];
        }
    }
}

int64_t fgti_calibration_head(const fgt_calibration *c, double q)
{
    int64_t best = 0;
    for (int64_t i = 1; i < c->heads; i++)
        if (fabs(c->level[i] - q) < fabs(c->level[best] - q)) best = i;
    return best;
}

/* If n errors and the next one are exchangeable, the next one is below the k-th error with probability k/(n +
 * 1). k is rounded away from the median (except for its own rounding error), so intervals hold at least the
 * share that they promise. The result is NaN before the first and after the last error. */
double fgti_calibration_quantile(const fgt_calibration *c, int64_t row, double q)
{
    const int64_t n = c->count[row];
    const double  k = (double)(n + 1) * q, rounding = 1e-9;
    const int64_t i = (int64_t)(q < 0.5 ? floor(k + rounding) : ceil(k - rounding)) - 1;
    return n < FGTI_CALIBRATION_LEAST || i < 0 || i >= n ? NAN : c->error[row * c->windows + i];
}

/* ---- few errors ---- */

/* The errors of all steps and targets together. Each error is divided by the spread of its cell. */
typedef struct pool {
    const fgt_calibration *c;
    int64_t                first;  /* first cell of this head */
    double                *spread; /* [cells] */
    double                *mean;   /* [C]: mean square of a target */
    int64_t                count;
} pool;

static double calibration_square_of(const fgt_calibration *c, int64_t row)
{
    double sum = 0;
    for (int64_t i = 0; i < c->count[row]; i++) {
        const double e = (double)c->error[row * c->windows + i];
        sum += e * e;
    }
    return sum;
}

/* Returns the ratio of a step's mean square to the mean square of all steps. The ratio is shrunk towards 1 if
 * the step has few errors. */
static double ratio_of(const pool *p, int64_t step)
{
    enum { MORE = 10 };
    double sum = MORE, count = MORE;
    for (int64_t t = 0; t < p->c->targets; t++) {
        const int64_t row = p->first + step * p->c->targets + t;
        if (!(p->mean[t] > 0)) continue;
        sum += calibration_square_of(p->c, row) / p->mean[t];
        count += (double)p->c->count[row];
    }
    return sum / count;
}

static fgt_status pool_new(const fgt_calibration *c, int64_t head, pool *p)
{
    const int64_t n = c->targets, steps = c->cells / n;
    *p              = (pool){.c = c, .first = head * c->cells};
    FGTI_TRY(FGTI_NEW(c->ctx, c->cells, "calibration", &p->spread));
    FGTI_TRY(FGTI_NEW(c->ctx, n, "calibration", &p->mean));
    for (int64_t t = 0; t < n; t++) {
        double  sum   = 0;
        int64_t count = 0;
        for (int64_t h = 0; h < steps; h++) {
            sum += calibration_square_of(c, p->first + h * n + t);
            count += c->count[p->first + h * n + t];
        }
        p->mean[t] = count ? sum / (double)count : NAN;
        p->count += count;
    }
    for (int64_t h = 0; h < steps; h++) {
        const double ratio = ratio_of(p, h);
        for (int64_t t = 0; t < n; t++) p->spread[h * n + t] = sqrt(p->mean[t] * ratio);
    }
    return FGT_OK;
}

static void pool_done(pool *p)
{
    fgti_free(p->c->ctx, p->spread);
    fgti_free(p->c->ctx, p->mean);
}

/* The number of errors of the pool below x. */
static double calibration_count_below(const pool *p, double x)
{
    int64_t below = 0;
    for (int64_t i = 0; i < p->c->cells; i++)
        if (p->c->count[p->first + i])
            below += calibration_place_of(p->c->error + (p->first + i) * p->c->windows,
                                          p->c->count[p->first + i], (float)(x * p->spread[i]));
    return (double)below;
}

/* Finds the q-quantile of the pool by bisection. */
static double quantile_of(const pool *p, double q)
{
    enum { HALVINGS = 40 };
    double low = -1, high = 1;
    while (low > -1e6 && calibration_count_below(p, low) > q * (double)p->count) low *= 2;
    while (high < 1e6 && calibration_count_below(p, high) < q * (double)p->count) high *= 2;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2;
        if (calibration_count_below(p, middle) < q * (double)p->count)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* Keeps quantiles of a cell from crossing. If the cell has enough errors for other quantiles, v is moved to
 * the extreme error or further out. */
static double beyond(const fgt_calibration *c, int64_t row, double q, double v)
{
    const int64_t n = c->count[row];
    const float  *e = c->error + row * c->windows;
    if (n < FGTI_CALIBRATION_LEAST) return v;
    return q < 0.5 ? fmin(v, (double)e[0]) : fmax(v, (double)e[n - 1]);
}

/* Finds quantiles in standardised units. Cells with enough errors use the quantile of their own errors; other
 * cells use the quantile of the pool. */
static fgt_status find_quantiles(const fgt_calibration *c, int64_t head, double q, double *quantile)
{
    int64_t few = 0;
    pool    p;
    for (int64_t i = 0; i < c->cells; i++) {
        quantile[i] = fgti_calibration_quantile(c, head * c->cells + i, q);
        few += isnan(quantile[i]);
    }
    if (!few) return FGT_OK;
    const fgt_status s = pool_new(c, head, &p);
    const double     x = s == FGT_OK && p.count ? quantile_of(&p, q) : NAN;
    for (int64_t i = 0; s == FGT_OK && i < c->cells; i++)
        if (isnan(quantile[i])) quantile[i] = beyond(c, p.first + i, q, x * p.spread[i]);
    pool_done(&p);
    return s;
}

/* ---- for hosts ---- */

int64_t fgt_calibration_count_windows(const fgt_calibration *calibration)
{
    return calibration ? calibration->total : 0;
}

int64_t fgt_calibration_count_trained_windows(const fgt_calibration *calibration)
{
    return calibration ? calibration->trained : 0;
}

fgt_status fgt_calibration_compute_quantile(const fgt_calibration *calibration, const fgt_view *forecast,
                                            double q, const fgt_view *out)
{
    const fgt_calibration *c = calibration;
    if (!c) return FGT_E_ARG;
    fgti_error   *err     = &c->ctx->error;
    const int64_t shape[] = {c->heads, c->cells / c->targets, c->targets};
    FGTI_TRY(fgti_view_check_number(err, "forecast", forecast, 2 + c->levels, shape + !c->levels));
    FGTI_TRY(fgti_view_check_number(err, "out", out, 2, shape + 1));
    if (!(q > 0 && q < 1))
        return fgti_fail(err, FGT_E_ARG, "calibration: q is out of range (got %g, need between 0 and 1)", q);
    const int64_t head = fgti_calibration_head(c, q), first = head * c->cells;
    double       *quantile;
    FGTI_TRY(FGTI_NEW(c->ctx, c->cells, "calibration", &quantile));
    const fgt_status s = find_quantiles(c, head, q, quantile);
    for (int64_t i = 0; s == FGT_OK && i < c->cells; i++) {
        const double from = fgti_view_get(forecast, first + i), least = c->least[i % c->targets];
        const double v    = from + quantile[i] * c->scale[i];
        fgti_view_set(out, i, v < least && from >= least ? least : v);
    }
    fgti_free(c->ctx, quantile);
    return s;
}
