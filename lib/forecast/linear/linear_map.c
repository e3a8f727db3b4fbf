/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/linear/linear_map.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/size.h"
#include "core/threads.h"
#include "forecast/linear/linear_weights.h"
#include "forecast/linear/unit_root.h"

/* L + H at most: each worker needs five matrices of its square, 170 MB, and the maps. */
enum { MOST_ROWS = 2048 };
/* Weights of all maps together, 128 MB. Beyond that, all series share one map. */
#define MOST_WEIGHTS (INT64_C(1) << 24)

/* With fewer horizons in the validation rows, the forms are also tested on the last third of the training
 * rows, as solved on the rows before: chance would choose between them otherwise. On made series with two to
 * eight horizons that lowers errors by up to 4 % and raises none by more than 0.3 %, in the mean of five
 * draws. With 15 horizons (ETTh1, ETTh2) it raises them by 0.5 %. */
#define FEW 12

/* Forms solved on some rows and tested on others. The last of them, on all rows, is not tested. */
enum { TRIALS = 2, ALL = TRIALS };
typedef struct trial {
    const float *series;                 /* as in the task */
    int64_t      train_begin, train_end; /* rows of the windows */
    int64_t      test_begin, test_end;   /* rows of the targets */
    fgti_forms   shared;
    fgti_moments train, test; /* of all series */
    double      *product;     /* [C,K,K]: of residuals */
    double      *weight;      /* [C,K]: as the other trial chooses them; of a single trial, its own */
} trial;

/* Memory of one thread. */
typedef struct worker {
    fgti_ridge   ridge;
    fgti_forms   own;         /* of the series at hand */
    fgti_moments train, test; /* of the series at hand */
    double      *column;      /* it, and FGTI_MOMENTS_MORE */
    double      *step;        /* [L]: a map to one row */
    double      *gain;        /* [gains]: of forecasts of one row over the last value, unit_root.h */
    double      *odds;        /* [steps that are tested] */
    fgti_moments steps;       /* unit_root.h */
    double      *matrix;      /* of the size of `steps` */
} worker;

typedef struct fitting {
    fgt_context            *ctx;
    const fgti_linear_task *task;
    bool                    each; /* the series have maps of their own */
    worker                 *worker;
    bool                    few;      /* horizons in the validation rows */
    trial                   trial[TRIALS + 1]; /* on the validation rows; within the training rows; ALL */
    int64_t                 trials;
    const trial            *last; /* the one of which the map is made */
    int64_t                 forms;                         /* K: shared and own */
    double                 *error, *scale, *prior, *total; /* linear_weights.h */
    bool                   *simple;
    double                 *weight;    /* [C,K] */
    double                 *returning; /* [columns]: the probability that it returns to its mean */
    double                 *foretold;  /* [columns]: the probability that more than the last value tells it */
    int64_t                 gains;     /* rows of the longest trial */
    int64_t                 tested;    /* steps: 1, 2, 4, ... up to H */
    fgti_linear_map        *map;
} fitting;

/* ---- moments ---- */

/* A series whose gaps are filled where they are shorter than a season, or than three rows. */
static void read_column(const fgti_linear_task *t, const float *series, int64_t c, double *column)
{
    const int64_t most = t->season > 3 ? t->season : 3;
    int64_t       gap  = 0;
    for (int64_t r = 0; r < t->rows; r++) {
        const float v = series[r * t->wide + c];
        gap           = isnan(v) ? gap + 1 : 0;
        column[r]     = (double)v;
        if (gap && gap < most && r >= t->season) column[r] = column[r - t->season];
    }
}

static void find_moments(const fgti_linear_task *t, const trial *l, int64_t c, worker *w)
{
    const int64_t reach = l->test_begin > t->lags ? l->test_begin - t->lags : 0;
    read_column(t, l->series, c, w->column);
    fgti_moments_clear(&w->train);
    fgti_moments_clear(&w->test);
    fgti_moments_add_series(&w->train, w->column + l->train_begin, l->train_end - l->train_begin);
    if (l->test_end > l->test_begin)
        fgti_moments_add_series(&w->test, w->column + reach, l->test_end - reach);
}

static void add_all_moments(fitting *f, trial *l)
{
    worker *w = f->worker;
    for (int64_t c = 0; c < f->task->columns; c++) {
        find_moments(f->task, l, c, w);
        fgti_moments_add(&l->train, &w->train);
        fgti_moments_add(&l->test, &w->test);
    }
}

/* ---- one series ---- */

/* A series without training windows has the maps of all. */
static void solve_own(fitting *f, const trial *l, int64_t c, worker *w)
{
    find_moments(f->task, l, c, w);
    fgti_forms_solve(&w->own, w->train.count > 0 ? &w->train : &l->train, &w->ridge);
}

/* The odds of a unit root, of all rows up to the end of the validation rows. */
static void find_odds(fitting *f, int64_t c, worker *w)
{
    const fgti_linear_task *t     = f->task;
    const int64_t           reach = t->val_begin > w->steps.size ? t->val_begin - w->steps.size + 1 : 0;
    read_column(t, t->series, c, w->column);
    fgti_moments_clear(&w->steps);
    fgti_moments_add_series(&w->steps, w->column + t->train_begin, t->train_end - t->train_begin);
    fgti_moments_add_series(&w->steps, w->column + reach, t->val_end - reach);
    f->returning[c] = fgti_unit_root_odds(f->ctx->vec, &w->steps, w->matrix);
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
    find_odds(f, c, w);
    for (int64_t i = f->trials; i-- > 0;) {
        trial *l = &f->trial[i];
        solve_own(f, l, c, w);
        fgti_forms_residuals(&l->shared, &w->own, &w->test, &w->ridge, l->product + c * f->forms * f->forms);
    }
    f->scale[c] = squares(&w->test, f->task->lags);
}

static void add_forms(const fgti_forms *forms, const double *share, double *weight, double *bias)
{
    for (int64_t i = 0; i < forms->count; i++)
        if (share[i] > 0) fgti_form_add(forms, i, share[i], weight, bias);
}

/* Gains of the forecasts of row h in a trial, of the series in w->column. */
static void find_gains(const fitting *f, const trial *l, const double *share, int64_t h, worker *w)
{
    const int64_t lags = f->task->lags, begin = l->test_begin > lags ? l->test_begin : lags;
    double        bias = 0;
    memset(w->step, 0, (size_t)lags * sizeof *w->step);
    memset(w->gain, 0, (size_t)f->gains * sizeof *w->gain);
    for (int64_t i = 0; i < f->forms; i++) {
        const bool        common = i < l->shared.count;
        const fgti_forms *forms  = common ? &l->shared : &w->own;
        if (share[i] > 0)
            fgti_form_add_step(forms, common ? i : i - l->shared.count, h - 1, share[i], w->step, &bias);
    }
    for (int64_t r = begin; r + h <= l->test_end; r++) {
        const double *x    = w->column + r - lags;
        const double  last = x[lags - 1];
        double        y    = bias;
        for (int64_t i = 0; i < lags; i++) y += w->step[i] * x[i];
        const double g                   = (x[lags + h - 1] - last) * (y - last);
        w->gain[r - l->test_begin] = isnan(g) ? 0 : g;
    }
}

/* Adds the odds of a trial, for 1, 2, 4, ... steps. */
static void add_odds(const fitting *f, const trial *l, const double *share, worker *w)
{
    const int64_t rows = l->test_end - l->test_begin;
    for (int64_t i = 0; i < f->tested; i++) {
        find_gains(f, l, share, INT64_C(1) << i, w);
        w->odds[i] += fgti_forecast_odds(w->gain, rows, INT64_C(1) << i);
    }
}

static void write_series(void *arg, int64_t c, int32_t number)
{
    fitting      *f = arg;
    worker       *w = &f->worker[number];
    const int64_t l = f->task->lags, h = f->task->steps;
    const double *share  = f->weight + c * f->forms;
    double       *weight = f->map->weight + c * h * l, *bias = f->map->bias + c * h;
    memset(w->odds, 0, (size_t)f->tested * sizeof *w->odds);
    for (int64_t i = f->trials; i-- > 0;) {
        const trial *tried = &f->trial[i];
        solve_own(f, tried, c, w);
        add_odds(f, tried, tried->weight + c * f->forms, w);
    }
    f->foretold[c] = fgti_mean_odds(w->odds, f->tested);
    if (f->last != &f->trial[0]) solve_own(f, f->last, c, w);
    add_forms(&f->last->shared, share, weight, bias);
    add_forms(&w->own, share + f->last->shared.count, weight, bias);
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

/* The windows of a series overlap. */
static double horizons_of(const fitting *f, const trial *l)
{
    const double windows = l->test.count / (double)f->task->columns, h = (double)f->task->steps;
    return (windows + h - 1) / h;
}

static double mean_returning(const fitting *f)
{
    double sum = 0;
    for (int64_t c = 0; c < f->task->columns; c++) sum += f->returning[c];
    return sum / (double)f->task->columns;
}

static void note_error(const fitting *f, double sum)
{
    f->map->mse = sum / (f->trial[0].test.count * (double)f->task->steps);
}

/* Tests of all trials but `without`; -1: of all. */
static fgti_tested tests_of(fitting *f, int64_t series, int64_t without)
{
    const int64_t n = f->forms;
    fgti_tested   t = {.series  = series,
                       .forms   = n,
                       .error   = f->error,
                       .product = f->trial[without == 0].product,
                       .scale   = f->scale,
                       .prior   = f->prior,
                       .simple  = f->simple,
                       .total   = f->total};
    memset(f->error, 0, (size_t)(series * n) * sizeof *f->error);
    for (int64_t i = 0; i < f->trials; i++) {
        t.horizons += horizons_of(f, &f->trial[i]);
        for (int64_t k = 0; k < series * n && i != without; k++)
            f->error[k] += f->trial[i].product[k * n + k % n];
    }
    return t;
}

/* Before any test: of a map for all series, the mean of what is known of them. Many horizons tell for
 * themselves whether series return to their mean. */
static void describe(fitting *f, int64_t series, double horizons)
{
    const fgti_forms *shared = &f->trial[0].shared, *own = &f->worker->own;
    for (int64_t c = 0; c < series; c++) {
        const double one = series == f->task->columns ? f->returning[c] : mean_returning(f);
        const double p   = f->few ? one : 1;
        fgti_forms_describe(shared, horizons, p, f->prior + c * f->forms, f->simple);
        fgti_forms_describe(own, horizons, p, f->prior + c * f->forms + shared->count,
                            f->simple + shared->count);
    }
}

/* A trial judges weights that it had no part in, where there are two. */
static double find_weights(fitting *f, int64_t series)
{
    const size_t      size = (size_t)(series * f->forms) * sizeof *f->weight;
    const fgti_tested all  = tests_of(f, series, -1);
    fgti_unit_root_probabilities(f->returning, f->task->columns);
    describe(f, series, all.horizons);
    const double error = fgti_linear_weights(&all, f->weight);
    for (int64_t i = 0; i < f->trials; i++) {
        double           *weight = f->trial[i].weight;
        const fgti_tested others = tests_of(f, series, i);
        if (f->trials == 1 || isinf(fgti_linear_weights(&others, weight))) memcpy(weight, f->weight, size);
    }
    return error;
}

/* Of each series the last value takes the probability that nothing else foretells it. */
static void shrink(fitting *f, int64_t series)
{
    const int64_t     columns = f->task->columns, l = f->task->lags, steps = f->task->steps;
    const fgti_tested t = tests_of(f, series, -1);
    double           *share = f->foretold, sum = 0;
    fgti_unit_root_probabilities(share, columns);
    for (int64_t c = 0; c < columns; c++) {
        share[c] = 1 - (1 - share[c]) * (1 - f->returning[c]);
        sum += share[c];
    }
    if (series < columns) share[0] = sum / (double)columns;
    note_error(f, fgti_linear_weights_shrink(&t, share, f->weight));
    for (int64_t k = 0; k < series * steps; k++) {
        const double kept = share[k / steps];
        for (int64_t i = 0; i < l; i++) f->map->weight[k * l + i] *= kept;
        f->map->weight[k * l + l - 1] += 1 - kept;
        f->map->bias[k] *= kept;
    }
}

static fgt_status fit_each(fitting *f)
{
    const int64_t series = f->task->columns;
    fgti_parallel(&f->ctx->exec, series, test_series, f);
    if (isinf(find_weights(f, series))) return FGT_OK;
    FGTI_TRY(new_map(f, series));
    fgti_parallel(&f->ctx->exec, series, write_series, f);
    shrink(f, series);
    return FGT_OK;
}

static fgt_status fit_one(fitting *f)
{
    const fgti_forms none = {0};
    for (int64_t i = 0; i < f->trials; i++) {
        trial *l = &f->trial[i];
        fgti_forms_residuals(&l->shared, &none, &l->test, &f->worker->ridge, l->product);
    }
    f->scale[0] = squares(&f->trial[0].test, f->task->lags);
    for (int64_t c = 0; c < f->task->columns; c++) find_odds(f, c, f->worker);
    if (isinf(find_weights(f, 1))) return FGT_OK;
    FGTI_TRY(new_map(f, 1));
    add_forms(&f->last->shared, f->weight, f->map->weight, f->map->bias);
    for (int64_t c = 0; c < f->task->columns; c++) {
        worker *w = f->worker;
        read_column(f->task, f->task->series, c, w->column);
        memset(w->odds, 0, (size_t)f->tested * sizeof *w->odds);
        for (int64_t i = 0; i < f->trials; i++) add_odds(f, &f->trial[i], f->trial[i].weight, w);
        f->foretold[c] = fgti_mean_odds(w->odds, f->tested);
    }
    shrink(f, 1);
    return FGT_OK;
}

/* Nothing tells which form is best. Where no row of a window ever differs from its last one, as with L = 1,
 * there is nothing to solve: what is left is the last value. */
static fgt_status fit_untested(fitting *f)
{
    fgti_linear_choice choice = {.lags = f->task->lags, .last = true, .penalty = 0.1};
    fgti_ridge        *r      = &f->worker->ridge;
    if (!fgti_ridge_solve(r, &f->last->train, &choice)) {
        choice.penalty = INFINITY;
        (void)fgti_ridge_solve(r, &f->last->train, &choice); /* which has no equations */
    }
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
    FGTI_TRY(fgti_moments_new(f->ctx, t->lags + t->steps, &w->test));
    const int64_t steps =
        fgti_unit_root_lags(t->train_end - t->train_begin + t->val_end - t->val_begin) + 2;
    FGTI_TRY(FGTI_NEW(f->ctx, t->rows + FGTI_MOMENTS_MORE, "series", &w->column));
    FGTI_TRY(FGTI_NEW(f->ctx, t->lags, "regression", &w->step));
    FGTI_TRY(FGTI_NEW(f->ctx, f->gains, "regression", &w->gain));
    FGTI_TRY(FGTI_NEW(f->ctx, f->tested, "regression", &w->odds));
    FGTI_TRY(fgti_moments_new(f->ctx, steps, &w->steps));
    FGTI_TRY(FGTI_NEW(f->ctx, steps * steps, "regression", &w->matrix));
    return f->each ? fgti_forms_new(f->ctx, t->lags, t->steps, t->period, true, &w->own) : FGT_OK;
}

static int64_t workers_of(const fitting *f)
{
    return f->each ? f->ctx->exec.workers : 1;
}

static fgt_status new_trial(const fitting *f, trial *l)
{
    const fgti_linear_task *t = f->task;
    FGTI_TRY(fgti_forms_new(f->ctx, t->lags, t->steps, t->period, false, &l->shared));
    FGTI_TRY(fgti_moments_new(f->ctx, t->lags + t->steps, &l->train));
    return fgti_moments_new(f->ctx, t->lags + t->steps, &l->test);
}

static fgt_status allocate(fitting *f)
{
    const int64_t series = f->each ? f->task->columns : 1;
    for (int64_t i = 0; i < f->trials; i++) FGTI_TRY(new_trial(f, &f->trial[i]));
    if (f->task->all) FGTI_TRY(new_trial(f, &f->trial[ALL]));
    FGTI_TRY(FGTI_NEW(f->ctx, workers_of(f), "regressions", &f->worker));
    for (int64_t i = 0; i < workers_of(f); i++) FGTI_TRY(new_worker(f, &f->worker[i]));
    f->forms = f->trial[0].shared.count + f->worker->own.count;
    for (int64_t i = 0; i < f->trials; i++) {
        trial *l = &f->trial[i];
        FGTI_TRY(FGTI_NEW(f->ctx, series * f->forms * f->forms, "errors", &l->product));
        FGTI_TRY(FGTI_NEW(f->ctx, series * f->forms, "shares", &l->weight));
    }
    FGTI_TRY(FGTI_NEW(f->ctx, f->task->columns, "shares", &f->foretold));
    FGTI_TRY(FGTI_NEW(f->ctx, f->task->columns, "shares", &f->returning));
    FGTI_TRY(FGTI_NEW(f->ctx, series * f->forms, "errors", &f->error));
    FGTI_TRY(FGTI_NEW(f->ctx, series, "errors", &f->scale));
    FGTI_TRY(FGTI_NEW(f->ctx, f->forms, "errors", &f->total));
    FGTI_TRY(FGTI_NEW(f->ctx, series * f->forms, "shares", &f->prior));
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
        fgti_moments_done(f->ctx, &w->test);
        fgti_free(f->ctx, w->column);
        fgti_free(f->ctx, w->step);
        fgti_free(f->ctx, w->gain);
        fgti_free(f->ctx, w->odds);
        fgti_moments_done(f->ctx, &w->steps);
        fgti_free(f->ctx, w->matrix);
    }
    fgti_free(f->ctx, f->worker);
    for (int64_t i = 0; i <= ALL; i++) {
        fgti_forms_done(f->ctx, &f->trial[i].shared);
        fgti_moments_done(f->ctx, &f->trial[i].train);
        fgti_moments_done(f->ctx, &f->trial[i].test);
        fgti_free(f->ctx, f->trial[i].product);
        fgti_free(f->ctx, f->trial[i].weight);
    }
    fgti_free(f->ctx, f->error);
    fgti_free(f->ctx, f->scale);
    fgti_free(f->ctx, f->total);
    fgti_free(f->ctx, f->prior);
    fgti_free(f->ctx, f->simple);
    fgti_free(f->ctx, f->weight);
    fgti_free(f->ctx, f->returning);
    fgti_free(f->ctx, f->foretold);
}

static void plan_trials(fitting *f)
{
    const fgti_linear_task *t    = f->task;
    const int64_t           rows = t->train_end - t->train_begin, cut = t->train_end - rows / 3;
    const bool              enough = rows / 3 >= t->lags + t->steps;
    f->few                         = t->val_end - t->val_begin < FEW * t->steps;
    f->trial[0] = (trial){.series      = t->series,
                          .train_begin = t->train_begin,
                          .train_end   = t->train_end,
                          .test_begin  = t->val_begin,
                          .test_end    = t->val_end};
    f->trial[1] = (trial){.series      = t->series,
                          .train_begin = t->train_begin,
                          .train_end   = cut,
                          .test_begin  = cut,
                          .test_end    = t->train_end};
    f->trial[ALL] = (trial){.series = t->all, .train_begin = t->train_begin, .train_end = t->all_end};
    f->last       = &f->trial[t->all ? ALL : 0];
    f->trials = f->few && enough ? 2 : 1;
    f->gains  = t->val_end - t->val_begin > rows / 3 ? t->val_end - t->val_begin : rows / 3;
    f->tested = fgti_forecast_steps(t->val_end - t->val_begin, t->steps);
}

static fgt_status fit(fitting *f)
{
    plan_trials(f);
    FGTI_TRY(allocate(f));
    for (int64_t i = 0; i < f->trials; i++) add_all_moments(f, &f->trial[i]);
    if (f->task->all) add_all_moments(f, &f->trial[ALL]);
    if (!(f->trial[0].train.count > 0)) return FGT_OK;
    if (!(f->trial[0].test.count > 0)) return fit_untested(f);
    if (!(f->trial[1].train.count > 0 && f->trial[1].test.count > 0)) f->trials = 1;
    for (int64_t i = 0; i < f->trials; i++)
        fgti_forms_solve(&f->trial[i].shared, &f->trial[i].train, &f->worker->ridge);
    if (f->task->all) fgti_forms_solve(&f->trial[ALL].shared, &f->trial[ALL].train, &f->worker->ridge);
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
