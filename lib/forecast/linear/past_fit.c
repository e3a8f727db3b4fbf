/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/linear/past_fit.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/size.h"
#include "core/threads.h"
#include "forecast/linear/gain.h"
#include "forecast/linear/linear_forms.h"
#include "forecast/linear/moments.h"
#include "forecast/linear/ridge.h"

/* MOST_ROWS: the most rows that are read. MOST_NUMBERS: the most inputs in these rows; each worker needs six
 * matrices of this size, 50 MB. 64 rows were compared with 16 rows on validation rows. The errors are 1, 3
 * and 0.4 % smaller for hourly rentals, half-hourly electricity demand and the ozone of a city, and 0.1 %
 * larger for Beijing's air. */
enum { MOST_ROWS = 64, MOST_NUMBERS = 1024 };

/* The most weights for all targets. A model has a weight for each target and each column, and nearly all
 * weights are 0. With 300 targets and forecasts of 96 rows, 64 rows would need gigabytes. */
#define MOST_WEIGHTS (INT64_C(1) << 24)

/* The most windows. Further windows would mostly be neighbours of these windows and add little. */
enum { MOST_WINDOWS = 50000 };

/* WINDOWS: number of windows that begin in each horizon of H rows, about, when the correction of the map is
 * tested. TOGETHER: number of windows whose products are summed together. */
enum { WINDOWS = 4, TOGETHER = 32 };

/* Memory of one thread. */
typedef struct fgti_past_fit_worker {
    fgti_ridge   ridge;
    fgti_forms   forms;
    fgti_moments train, test;
    double      *column;        /* [rows]: the current target */
    double      *map, *level;   /* [L,H], [H]: map of the target */
    double      *windows;       /* [TOGETHER,Q+H] */
    double      *weight, *bias; /* [H,Q], [H]: the mean of the forms */
    double      *error;         /* [forms]: in the tests */
    double      *gains;         /* [blocks,H] */
    double      *square;        /* [H] */
    double      *gain, *spare;  /* [blocks]: gain.h */
} worker;

/* ---- windows ---- */

/* Reads v: first K rows of the target and the past columns, the newest row last, then the residuals of the
 * map in the H rows from row r on. Returns false if a value is missing. */
static bool read_window(const fgti_past_fit *p, const worker *w, int64_t r, double *v)
{
    const fgti_linear_task *t = p->task;
    const int64_t           l = t->lags, h = t->steps, past = p->wide - 1, q = p->inputs;
    const fgti_combination  map = {.rows   = l,
                                   .n      = h,
                                   .sign   = -1,
                                   .s      = w->column + r - l,
                                   .stride = 1,
                                   .x      = w->map,
                                   .ld     = h,
                                   .count  = 1};
    double sum = 0;
    for (int64_t k = 0; k < h; k++) v[q + k] = w->column[r + k] - w->level[k];
    p->ctx->vec->combine(&map, v + q);
    for (int64_t at = r - p->map->past.lags, i = 0; at < r; at++, i += p->wide) {
        const float *row = p->series + at * t->columns + t->columns - past;
        v[i]             = w->column[at];
        for (int64_t j = 0; j < past; j++) v[i + 1 + j] = (double)row[j];
    }
    for (int64_t i = 0; i < q + h; i++) sum += v[i];
    return !isnan(sum);
}

static void past_add_products(const fgti_vec *vec, fgti_moments *m, const double *v, int64_t n)
{
    m->count += (double)n;
    for (int64_t i = 0; i < m->size; i++) {
        const fgti_combination row = {.rows   = n,
                                      .n      = m->size - i,
                                      .sign   = 1,
                                      .s      = v + i,
                                      .stride = m->size,
                                      .x      = v + i,
                                      .ld     = m->size,
                                      .count  = 1};
        vec->combine(&row, m->product + i * m->size + i);
        for (int64_t k = 0; k < n; k++) m->sum[i] += v[k * m->size + i];
    }
}

/* Returns the first of rows begin .. end-1 that has a whole window before it. */
static int64_t first_row(const fgti_past_fit *p, int64_t begin)
{
    return begin > p->task->lags ? begin : p->task->lags;
}

/* Adds windows whose targets lie in rows begin .. end-1. */
static void add_windows(const fgti_past_fit *p, worker *w, int64_t begin, int64_t end, fgti_moments *m)
{
    const int64_t size = m->size, step = 1 + (end - begin) / MOST_WINDOWS;
    int64_t       n = 0;
    for (int64_t r = first_row(p, begin); r + p->task->steps <= end; r += step) {
        n += read_window(p, w, r, w->windows + n * size);
        if (n < TOGETHER) continue;
        past_add_products(p->ctx->vec, m, w->windows, n);
        n = 0;
    }
    past_add_products(p->ctx->vec, m, w->windows, n);
    for (int64_t i = 0; i < size; i++)
        for (int64_t j = 0; j < i; j++) m->product[i * size + j] = m->product[j * size + i];
}

/* ---- one target ---- */

static void read_target(const fgti_past_fit *p, int64_t c, worker *w)
{
    const fgti_linear_task *t = p->task;
    const int64_t           l = t->lags, h = t->steps, map = p->map->maps > 1 ? c : 0;
    for (int64_t r = 0; r < t->rows; r++) w->column[r] = (double)p->series[r * t->columns + c];
    for (int64_t k = 0; k < h; k++) {
        w->level[k] = p->map->bias[map * h + k];
        for (int64_t i = 0; i < l; i++) w->map[i * h + k] = p->map->weight[(map * h + k) * l + i];
    }
}

static void mix_forms(const fgti_past_fit *p, int64_t c, worker *w)
{
    const double *share = p->weight + c * p->forms;
    memset(w->weight, 0, (size_t)(p->task->steps * p->inputs) * sizeof *w->weight);
    memset(w->bias, 0, (size_t)p->task->steps * sizeof *w->bias);
    for (int64_t i = 0; i < p->forms; i++)
        if (share[i] > 0 && w->forms.form[i].solved)
            fgti_form_add(&w->forms, i, share[i], w->weight, w->bias);
}

/* Adds up y d and d^2 for each step, where y is the residual of the map and d the correction of the map.
 * Returns the number of blocks of these rows, one horizon each. The sums are stored from number `block`
 * on. */
static int64_t past_add_gains(const fgti_past_fit *p, worker *w, int64_t begin, int64_t end, int64_t block)
{
    const int64_t q = p->inputs, h = p->task->steps, step = h / WINDOWS > 0 ? h / WINDOWS : 1;
    double       *v = w->windows;
    for (int64_t r = first_row(p, begin); r + h <= end; r += step) {
        if (!read_window(p, w, r, v)) continue;
        double *gain = w->gains + (block + (r - begin) / h) * h;
        for (int64_t k = 0; k < h; k++) {
            double d = w->bias[k];
            for (int64_t i = 0; i < q; i++) d += w->weight[k * q + i] * v[i];
            gain[k] += v[q + k] * d;
            w->square[k] += d * d;
        }
    }
    return end > begin ? (end - begin + h - 1) / h : 0;
}

/* Finds the shares. Each step has its own share, because an effect may come with a delay. */
static void find_shares(fgti_past_fit *p, int64_t c, worker *w)
{
    const fgti_linear_task *t = p->task;
    const int64_t           h = t->steps;
    memset(w->gains, 0, (size_t)(p->blocks * h) * sizeof *w->gains);
    memset(w->gain, 0, (size_t)p->blocks * sizeof *w->gain);
    memset(w->square, 0, (size_t)h * sizeof *w->square);
    int64_t blocks = past_add_gains(p, w, p->cut, t->train_end, 0);
    blocks += past_add_gains(p, w, t->val_begin, t->val_end, blocks);
    for (int64_t k = 0; k < h; k++) {
        double sum = 0;
        for (int64_t b = 0; b < blocks; b++) sum += w->gains[b * h + k];
        const double share = w->square[k] > 0 ? fmin(fmax(sum / w->square[k], 0), 1) : 0;
        for (int64_t b = 0; b < blocks; b++) w->gain[b] += share * w->gains[b * h + k];
        p->share[k * t->targets + c] = share;
    }
    p->kept[c] = fgti_odds_of_gain(w->gain, w->spare, blocks);
}

static void past_write_map(const fgti_past_fit *p, int64_t c, const worker *w)
{
    const int64_t columns = p->task->columns, targets = p->task->targets, rows = p->map->past.lags;
    for (int64_t k = 0; k < p->task->steps; k++) {
        const double *from                 = w->weight + k * p->inputs;
        double       *to                   = p->map->past.weight + (k * targets + c) * rows * columns;
        p->map->past.bias[k * targets + c] = w->bias[k];
        for (int64_t r = 0; r < rows; r++)
            for (int64_t i = 0; i < p->wide; i++)
                to[r * columns + (i ? targets + i - 1 : c)] = from[r * p->wide + i];
    }
}

static void find_weights(fgti_past_fit *p, int64_t c, worker *w, double horizons)
{
    const fgti_linear_task *t      = p->task;
    double                 *weight = p->weight + c * p->forms;
    fgti_moments_clear(&w->test);
    add_windows(p, w, p->cut, t->train_end, &w->test);
    add_windows(p, w, t->val_begin, t->val_end, &w->test);
    fgti_forms_test(&w->forms, &w->test, &w->ridge, w->error);
    for (int64_t i = 0; i < p->forms; i++) weight[i] = 1;
    fgti_forms_weigh(&w->test, p->inputs, w->error, p->forms, horizons, weight);
}

static void solve_target(void *arg, int64_t c, int32_t number)
{
    fgti_past_fit          *p = arg;
    const fgti_linear_task *t = p->task;
    worker                 *w = &p->worker[number];
    read_target(p, c, w);
    fgti_moments_clear(&w->train);
    add_windows(p, w, t->train_begin, p->again ? t->end : p->cut, &w->train);
    fgti_forms_solve(&w->forms, &w->train, &w->ridge);
    if (!p->again) find_weights(p, c, w, p->horizons);
    mix_forms(p, c, w);
    if (!p->again) find_shares(p, c, w);
    past_write_map(p, c, w);
}

/* ---- all of them ---- */

void fgti_past_fit_put(fgti_past_fit *p, int64_t c, const double *column)
{
    for (int64_t r = 0; r < p->task->rows; r++) p->series[r * p->task->columns + c] = (float)column[r];
}

void fgti_past_fit_solve(fgti_past_fit *p, double horizons)
{
    p->horizons = horizons;
    fgti_parallel(&p->ctx->exec, p->task->targets, solve_target, p);
    if (!p->again) fgti_probabilities_of_gain(p->kept, p->task->targets);
    p->again = true;
}

void fgti_past_fit_keep(fgti_past_fit *p)
{
    const int64_t targets = p->task->targets, n = p->map->past.lags * p->task->columns;
    for (int64_t i = 0; i < p->task->steps * targets; i++) {
        const double share = p->share[i] * p->kept[i % targets];
        p->map->past.bias[i] *= share;
        for (int64_t k = 0; k < n; k++) p->map->past.weight[i * n + k] *= share;
    }
}

/* ---- memory ---- */

static fgt_status past_new_worker(const fgti_past_fit *p, worker *w)
{
    const fgti_linear_task *t = p->task;
    const int64_t           q = p->inputs, h = t->steps;
    FGTI_TRY(fgti_ridge_new(p->ctx, q, h, &w->ridge));
    FGTI_TRY(fgti_moments_new(p->ctx, q + h, &w->train));
    FGTI_TRY(fgti_moments_new(p->ctx, q + h, &w->test));
    FGTI_TRY(fgti_forms_new_rows(p->ctx, p->map->past.lags, p->wide, h, &w->forms));
    FGTI_TRY(FGTI_NEW(p->ctx, t->rows, "series", &w->column));
    FGTI_TRY(FGTI_NEW(p->ctx, t->lags * h, "linear map", &w->map));
    FGTI_TRY(FGTI_NEW(p->ctx, h, "linear map", &w->level));
    FGTI_TRY(FGTI_NEW(p->ctx, TOGETHER * (q + h), "windows", &w->windows));
    FGTI_TRY(FGTI_NEW(p->ctx, h * q, "regression", &w->weight));
    FGTI_TRY(FGTI_NEW(p->ctx, h, "regression", &w->bias));
    FGTI_TRY(FGTI_NEW(p->ctx, FGTI_FORMS, "errors", &w->error));
    FGTI_TRY(FGTI_NEW(p->ctx, p->blocks * h, "gains", &w->gains));
    FGTI_TRY(FGTI_NEW(p->ctx, h, "gains", &w->square));
    FGTI_TRY(FGTI_NEW(p->ctx, p->blocks, "gains", &w->gain));
    return FGTI_NEW(p->ctx, p->blocks, "gains", &w->spare);
}

static void worker_done(fgt_context *ctx, worker *w)
{
    fgti_ridge_done(ctx, &w->ridge);
    fgti_forms_done(ctx, &w->forms);
    fgti_moments_done(ctx, &w->train);
    fgti_moments_done(ctx, &w->test);
    fgti_free(ctx, w->column);
    fgti_free(ctx, w->map);
    fgti_free(ctx, w->level);
    fgti_free(ctx, w->windows);
    fgti_free(ctx, w->weight);
    fgti_free(ctx, w->bias);
    fgti_free(ctx, w->error);
    fgti_free(ctx, w->gains);
    fgti_free(ctx, w->square);
    fgti_free(ctx, w->gain);
    fgti_free(ctx, w->spare);
}

/* Returns K, or 0 if there are too many past columns or targets. */
static int64_t past_find_rows(const fgti_past_fit *p)
{
    const fgti_linear_task *t     = p->task;
    const int64_t           cells = fgti_mul(t->steps, fgti_mul(t->targets, t->columns));
    const int64_t           rows  = fgti_least(MOST_NUMBERS / p->wide, MOST_WEIGHTS / cells);
    return fgti_least(fgti_least(rows, MOST_ROWS), t->lags);
}

fgt_status fgti_past_fit_new(fgti_past_fit *p)
{
    const fgti_linear_task *t    = p->task;
    const int64_t           past = t->targets ? t->columns - t->targets : 0, cells = t->steps * t->targets;
    fgti_past_map          *to = &p->map->past;
    p->wide                    = 1 + past;
    to->lags                   = past ? past_find_rows(p) : 0;
    p->inputs                  = to->lags * p->wide;
    p->blocks                  = (t->train_end - p->cut + t->val_end - t->val_begin) / t->steps + 2;
    if (!to->lags) return FGT_OK;
    FGTI_TRY(FGTI_NEW(p->ctx, cells * to->lags * t->columns, "linear map", &to->weight));
    FGTI_TRY(FGTI_NEW(p->ctx, cells, "linear map", &to->bias));
    FGTI_TRY(FGTI_NEW(p->ctx, t->rows * t->columns, "series", &p->series));
    FGTI_TRY(FGTI_NEW(p->ctx, t->targets * FGTI_FORMS, "shares", &p->weight));
    FGTI_TRY(FGTI_NEW(p->ctx, cells, "shares", &p->share));
    FGTI_TRY(FGTI_NEW(p->ctx, t->targets, "shares", &p->kept));
    FGTI_TRY(FGTI_NEW(p->ctx, p->ctx->exec.workers, "regressions", &p->worker));
    for (int64_t i = 0; i < p->ctx->exec.workers; i++) FGTI_TRY(past_new_worker(p, &p->worker[i]));
    p->forms = p->worker->forms.count;
    return FGT_OK;
}

void fgti_past_fit_done(fgti_past_fit *p)
{
    for (int64_t i = 0; p->worker && i < p->ctx->exec.workers; i++) worker_done(p->ctx, &p->worker[i]);
    fgti_free(p->ctx, p->worker);
    fgti_free(p->ctx, p->series);
    fgti_free(p->ctx, p->weight);
    fgti_free(p->ctx, p->share);
    fgti_free(p->ctx, p->kept);
}
