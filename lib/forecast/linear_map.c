/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/linear_map.h"

#include <math.h>

#include "core/context.h"
#include "core/size.h"
#include "core/threads.h"
#include "forecast/linear_weights.h"

/* L + H at most: each worker needs five matrices of its square, 170 MB, and the maps. */
enum { MOST_ROWS = 2048 };
/* Weights of all maps together, 128 MB. Beyond that, all series share one map. */
#define MOST_WEIGHTS (INT64_C(1) << 24)

/* What one thread works with. */
typedef struct worker {
    fgti_ridge   ridge;
    fgti_forms   own;        /* of the series at hand */
    fgti_moments train, val; /* of the series at hand */
    double      *column;     /* it, and FGTI_MOMENTS_MORE */
} worker;

typedef struct fitting {
    fgt_context            *ctx;
    const fgti_linear_task *task;
    bool                    each; /* the series have maps of their own */
    worker                 *worker;
    fgti_forms              shared;
    fgti_moments            train, val;                      /* of all series */
    int64_t                 forms;                           /* K: shared and own */
    double                 *product, *scale, *prior, *total; /* linear_weights.h */
    bool                   *simple;
    double                 *weight; /* [C,K] */
    fgti_linear_map        *map;
} fitting;

/* ---- moments ---- */

/* A series whose gaps are filled where they are shorter than a season, or than three rows. */
static void read_column(const fgti_linear_task *t, int64_t c, double *column)
{
    const int64_t most = t->season > 3 ? t->season : 3;
    int64_t       gap  = 0;
    for (int64_t r = 0; r < t->rows; r++) {
        const float v = t->series[r * t->wide + c];
        gap           = isnan(v) ? gap + 1 : 0;
        column[r]     = (double)v;
        if (gap && gap < most && r >= t->season) column[r] = column[r - t->season];
    }
}

static void find_moments(const fgti_linear_task *t, int64_t c, worker *w)
{
    const int64_t reach = t->val_begin > t->lags ? t->val_begin - t->lags : 0;
    read_column(t, c, w->column);
    fgti_moments_clear(&w->train);
    fgti_moments_clear(&w->val);
    fgti_moments_add_series(&w->train, w->column + t->train_begin, t->train_end - t->train_begin);
    if (t->val_end > t->val_begin) fgti_moments_add_series(&w->val, w->column + reach, t->val_end - reach);
}

static void add_all_moments(fitting *f)
{
    worker *w = f->worker;
    for (int64_t c = 0; c < f->task->columns; c++) {
        find_moments(f->task, c, w);
        fgti_moments_add(&f->train, &w->train);
        fgti_moments_add(&f->val, &w->val);
    }
}

/* ---- one series ---- */

/* A series without training windows has the maps of all. */
static void solve_own(fitting *f, int64_t c, worker *w)
{
    find_moments(f->task, c, w);
    fgti_forms_solve(&w->own, w->train.count > 0 ? &w->train : &f->train, &w->ridge);
}

static double squares(const fgti_moments *m, int64_t lags)
{
    double sum = 0;
    for (int64_t i = lags; i < m->size; i++) sum += m->product[i * m->size + i];
    return sum;
}

static void test_series(void *arg, int64_t c, int32_t number)
{
    fitting *f = arg;
    worker  *w = &f->worker[number];
    solve_own(f, c, w);
    fgti_forms_residuals(&f->shared, &w->own, &w->val, &w->ridge, f->product + c * f->forms * f->forms);
    f->scale[c] = squares(&w->val, f->task->lags);
}

static void add_forms(const fgti_forms *forms, const double *share, double *weight, double *bias)
{
    for (int64_t i = 0; i < forms->count; i++)
        if (share[i] > 0) fgti_form_add(forms, i, share[i], weight, bias);
}

static void write_series(void *arg, int64_t c, int32_t number)
{
    fitting      *f = arg;
    worker       *w = &f->worker[number];
    const int64_t l = f->task->lags, h = f->task->steps;
    const double *share  = f->weight + c * f->forms;
    double       *weight = f->map->weight + c * h * l, *bias = f->map->bias + c * h;
    solve_own(f, c, w);
    add_forms(&f->shared, share, weight, bias);
    add_forms(&w->own, share + f->shared.count, weight, bias);
}

/* ---- all of them ---- */

static fgt_status new_map(const fitting *f, int64_t maps)
{
    const int64_t l = f->task->lags, h = f->task->steps;
    FGTI_TRY(FGTI_NEW(f->ctx, maps * h * l, "linear map", &f->map->weight));
    FGTI_TRY(FGTI_NEW(f->ctx, maps * h, "linear map", &f->map->bias));
    f->map->maps = maps;
    return FGT_OK;
}

static double find_weights(fitting *f, int64_t series)
{
    /* the windows of a series overlap */
    const double      windows = f->val.count / (double)f->task->columns, h = (double)f->task->steps;
    const fgti_tested t = {.series   = series,
                           .forms    = f->forms,
                           .horizons = (windows + h - 1) / h,
                           .product  = f->product,
                           .scale    = f->scale,
                           .prior    = f->prior,
                           .simple   = f->simple,
                           .total    = f->total};
    fgti_forms_describe(&f->shared, t.horizons, f->prior, f->simple);
    fgti_forms_describe(&f->worker->own, t.horizons, f->prior + f->shared.count, f->simple + f->shared.count);
    return fgti_linear_weights(&t, f->weight);
}

static void note_error(const fitting *f, double sum)
{
    f->map->mse = sum / (f->val.count * (double)f->task->steps);
}

static fgt_status fit_each(fitting *f)
{
    const int64_t series = f->task->columns;
    fgti_parallel(&f->ctx->exec, series, test_series, f);
    const double error = find_weights(f, series);
    if (isinf(error)) return FGT_OK;
    note_error(f, error);
    FGTI_TRY(new_map(f, series));
    fgti_parallel(&f->ctx->exec, series, write_series, f);
    return FGT_OK;
}

static fgt_status fit_one(fitting *f)
{
    const fgti_forms none = {0};
    fgti_forms_residuals(&f->shared, &none, &f->val, &f->worker->ridge, f->product);
    f->scale[0]        = squares(&f->val, f->task->lags);
    const double error = find_weights(f, 1);
    if (isinf(error)) return FGT_OK;
    note_error(f, error);
    FGTI_TRY(new_map(f, 1));
    add_forms(&f->shared, f->weight, f->map->weight, f->map->bias);
    return FGT_OK;
}

/* Nothing tells which form is best. */
static fgt_status fit_untested(fitting *f)
{
    const fgti_linear_choice choice = {.lags = f->task->lags, .last = true, .penalty = 0.1};
    fgti_ridge              *r      = &f->worker->ridge;
    if (!fgti_ridge_solve(r, &f->train, &choice)) return FGT_OK;
    FGTI_TRY(new_map(f, 1));
    fgti_ridge_write(r, f->map->weight, f->map->bias);
    return FGT_OK;
}

/* ---- memory ---- */

static fgt_status new_worker(const fitting *f, worker *w)
{
    const fgti_linear_task *t = f->task;
    FGTI_TRY(fgti_ridge_new(f->ctx, t->lags, t->steps, &w->ridge));
    FGTI_TRY(fgti_moments_new(f->ctx, t->lags + t->steps, &w->train));
    FGTI_TRY(fgti_moments_new(f->ctx, t->lags + t->steps, &w->val));
    FGTI_TRY(FGTI_NEW(f->ctx, t->rows + FGTI_MOMENTS_MORE, "series", &w->column));
    return f->each ? fgti_forms_new(f->ctx, t->lags, t->steps, t->period, true, &w->own) : FGT_OK;
}

static int64_t workers_of(const fitting *f)
{
    return f->each ? f->ctx->exec.workers : 1;
}

static fgt_status allocate(fitting *f)
{
    const fgti_linear_task *t      = f->task;
    const int64_t           series = f->each ? t->columns : 1;
    FGTI_TRY(fgti_forms_new(f->ctx, t->lags, t->steps, t->period, false, &f->shared));
    FGTI_TRY(fgti_moments_new(f->ctx, t->lags + t->steps, &f->train));
    FGTI_TRY(fgti_moments_new(f->ctx, t->lags + t->steps, &f->val));
    FGTI_TRY(FGTI_NEW(f->ctx, workers_of(f), "regressions", &f->worker));
    for (int64_t i = 0; i < workers_of(f); i++) FGTI_TRY(new_worker(f, &f->worker[i]));
    f->forms = f->shared.count + f->worker->own.count;
    FGTI_TRY(FGTI_NEW(f->ctx, series * f->forms * f->forms, "errors", &f->product));
    FGTI_TRY(FGTI_NEW(f->ctx, series, "errors", &f->scale));
    FGTI_TRY(FGTI_NEW(f->ctx, f->forms, "errors", &f->total));
    FGTI_TRY(FGTI_NEW(f->ctx, f->forms, "shares", &f->prior));
    FGTI_TRY(FGTI_NEW(f->ctx, f->forms, "shares", &f->simple));
    return FGTI_NEW(f->ctx, series * f->forms, "shares", &f->weight);
}

static void release(fitting *f)
{
    for (int64_t i = 0; f->worker && i < workers_of(f); i++) {
        worker *w = &f->worker[i];
        fgti_ridge_done(f->ctx, &w->ridge);
        fgti_forms_done(f->ctx, &w->own);
        fgti_moments_done(f->ctx, &w->train);
        fgti_moments_done(f->ctx, &w->val);
        fgti_free(f->ctx, w->column);
    }
    fgti_free(f->ctx, f->worker);
    fgti_forms_done(f->ctx, &f->shared);
    fgti_moments_done(f->ctx, &f->train);
    fgti_moments_done(f->ctx, &f->val);
    fgti_free(f->ctx, f->product);
    fgti_free(f->ctx, f->scale);
    fgti_free(f->ctx, f->total);
    fgti_free(f->ctx, f->prior);
    fgti_free(f->ctx, f->simple);
    fgti_free(f->ctx, f->weight);
}

static fgt_status fit(fitting *f)
{
    FGTI_TRY(allocate(f));
    add_all_moments(f);
    if (!(f->train.count > 0)) return FGT_OK;
    if (!(f->val.count > 0)) return fit_untested(f);
    fgti_forms_solve(&f->shared, &f->train, &f->worker->ridge);
    return f->each ? fit_each(f) : fit_one(f);
}

fgt_status fgti_linear_map_fit(fgt_context *ctx, const fgti_linear_task *task, fgti_linear_map *map)
{
    const int64_t rows = task->train_end - task->train_begin;
    fitting       f    = {.ctx = ctx, .task = task, .map = map};
    *map               = (fgti_linear_map){.mse = NAN};
    if (task->lags > MOST_ROWS || task->steps > MOST_ROWS ||
        task->lags + task->steps > fgti_least(rows, MOST_ROWS))
        return FGT_OK;
    f.each = task->columns > 1 && fgti_mul(task->columns, task->lags * task->steps) <= MOST_WEIGHTS;
    const fgt_status s = fit(&f);
    release(&f);
    return s;
}

void fgti_linear_map_done(fgt_context *ctx, fgti_linear_map *map)
{
    fgti_free(ctx, map->weight);
    fgti_free(ctx, map->bias);
    *map = (fgti_linear_map){0};
}
