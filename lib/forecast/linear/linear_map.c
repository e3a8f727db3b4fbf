/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/linear/linear_map.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/size.h"
#include "core/threads.h"
#include "forecast/linear/gain.h"
#include "forecast/linear/linear_forms.h"
#include "forecast/linear/moments.h"
#include "forecast/linear/past_fit.h"
#include "forecast/linear/ridge.h"

/* The largest L + H. Each worker needs five matrices of this size, 170 MB, and memory for its maps. */
enum { MOST_ROWS = 2048 };
/* The most weights of all maps together, 128 MB. If there were more, all series share one map. */
#define MOST_WEIGHTS (INT64_C(1) << 24)

/* If the validation rows hold this number of horizons, they suffice to test the forms. */
#define ENOUGH 12

/* SHARE_PER_HORIZON: factor on the number of horizons, larger than for the forms. The share of the effect is
 * one parameter of one regression, so each horizon tells more about it. SHARE_HORIZONS: more horizons do not
 * count. */
#define SHARE_PER_HORIZON 30
#define SHARE_HORIZONS    30
/* The regression that finds the share of the effect reads a season of rows, or this number of rows if it is
 * larger. On the last fifth of the rows before the test, the map then had 0.6 % lower errors on ETTh1 and
 * ETTm1 than with a share that is best for all L rows. On ETTh2, Weather, air quality and traffic the errors
 * were equal. */
#define SHARE_LAGS 48

/* BLOCKS: the number of horizons in which the gain over the last value is measured. Many short horizons tell
 * better than few long ones whether anything can be predicted at all. WINDOWS: the number of compared windows
 * in each horizon. */
enum { BLOCKS = 60, WINDOWS = 4 };

/* Memory of one thread. */
typedef struct worker {
    fgti_ridge   ridge;
    fgti_forms   own;          /* forms of the current series */
    fgti_moments train, test;  /* moments of the current series */
    double      *column;       /* the current series, and FGTI_MOMENTS_MORE elements more */
    double      *error;        /* [K]: errors of the forms in the tests */
    double      *gain, *spare; /* [blocks]: gain.h */
} worker;

typedef struct fitting {
    fgt_context            *ctx;
    const fgti_linear_task *task;
    fgti_linear_map        *map;
    worker                 *worker;
    bool                    each;     /* the series have maps of their own */
    int64_t                 cut;      /* tests are the validation rows and the rows from here to train_end */
    bool                    fills;    /* all gaps are filled, because too few windows have no gap */
    bool                    again;    /* the forms are solved again, with the test rows in training */
    int64_t                 first;    /* the gain is measured in this number of first steps */
    int64_t                 blocks;   /* number of blocks in the tests */
    double                  horizons; /* n */
    int64_t                 forms;    /* K: shared and own forms */
    fgti_forms              shared;
    fgti_moments            train, test; /* of all series */
    double                 *weight;      /* [maps,K] */
    double                 *kept;        /* [maps]: odds, then the weight of the map against the last value */
    fgti_past_fit           past;
    bool                   *unseen;      /* [maps]: the series begins too late to have test rows */
} fitting;

/* ---- one series ---- */

/* Fills gaps as forecasts do: with the value of one season before or, if that row does not exist, with the
 * last value. */
static void linear_map_fill(const fgti_linear_task *t, double *column)
{
    int64_t end = t->rows, r = 0;
    while (end && isnan(column[end - 1])) end--;
    while (r < end && isnan(column[r])) r++;
    for (const int64_t first = r; r < end; r++) {
        if (!isnan(column[r])) continue;
        const bool season = r >= first + t->season && t->season > 0;
        column[r]         = column[r - (season ? t->season : 1)];
    }
}

/* Reads a series and subtracts its effect. Gaps shorter than a season, or than three rows, are filled. */
static void linear_map_read_column(const fitting *f, int64_t c, worker *w)
{
    const fgti_linear_task *t      = f->task;
    const float            *effect = f->again ? t->effect_of_all : t->effect;
    const double            s      = f->map->share[c];
    const int64_t           most   = t->season > 3 ? t->season : 3;
    int64_t                 gap    = 0;
    for (int64_t r = 0; r < t->rows; r++) {
        const int64_t at = r * t->wide + c;
        const double  v  = (double)t->series[at];
        gap              = isnan(v) ? gap + 1 : 0;
        w->column[r]     = effect ? v - s * (double)effect[at] : v;
        if (gap && gap < most && r >= t->season) w->column[r] = w->column[r - t->season];
    }
    if (f->fills) linear_map_fill(t, w->column);
}

/* The number of complete windows in the training rows. */
static int64_t linear_map_count_windows(const fgti_linear_task *t, const double *column)
{
    int64_t count = 0, run = 0;
    for (int64_t r = t->train_begin; r < t->train_end; r++) {
        run = isnan(column[r]) ? 0 : run + 1;
        count += run >= t->lags + t->steps;
    }
    return count;
}

/* Whether less than a tenth of the windows are complete if long gaps are not filled. */
static bool has_few_windows(fitting *f)
{
    const fgti_linear_task *t    = f->task;
    int64_t                 some = 0, all = 0;
    for (int64_t c = 0; c < t->columns; c++) {
        linear_map_read_column(f, c, f->worker);
        some += linear_map_count_windows(t, f->worker->column);
        linear_map_fill(t, f->worker->column);
        all += linear_map_count_windows(t, f->worker->column);
    }
    return 10 * some < all;
}

/* Adds windows of the series in w->column whose targets lie in rows begin .. end-1. */
static void add_targets(const fitting *f, int64_t begin, int64_t end, worker *w)
{
    const int64_t lags = w->test.size - f->task->steps, reach = begin > lags ? begin - lags : 0;
    if (end > begin) fgti_moments_add_series(&w->test, w->column + reach, end - reach);
}

static void find_moments(const fitting *f, int64_t c, worker *w)
{
    const fgti_linear_task *t = f->task;
    linear_map_read_column(f, c, w);
    fgti_moments_clear(&w->train);
    fgti_moments_clear(&w->test);
    fgti_moments_add_series(&w->train, w->column + t->train_begin,
                            (f->again ? t->end : f->cut) - t->train_begin);
    if (f->again) return;
    add_targets(f, f->cut, t->train_end, w);
    add_targets(f, t->val_begin, t->val_end, w);
}

/* ---- share of the effect ---- */

static double horizons_of(const fitting *f, double windows)
{
    const double h = (double)f->task->steps;
    return (windows + h - 1) / h;
}

/* Returns a worker that uses the memory of w, for windows with `lags` rows before the `steps` targets. */
static worker with_lags(const worker *w, int64_t lags, int64_t steps)
{
    worker few     = *w;
    few.ridge.lags = few.own.lags = lags;
    few.train.size = few.test.size = few.ridge.above.size = lags + steps;
    few.own.count                                         = 2;
    for (int64_t i = 0; i < few.own.count; i++) few.own.form[i].choice.lags = lags;
    return few;
}

/* Returns the smaller error of two regressions if `share` of the effect is subtracted. One regression is on
 * values, the other one on differences from the last value. w: a result of with_lags(). */
static double error_with(fitting *f, int64_t c, double share, worker *w)
{
    double error[2];
    f->map->share[c] = share;
    find_moments(f, c, w);
    fgti_forms_solve(&w->own, &w->train, &w->ridge);
    fgti_forms_test(&w->own, &w->test, &w->ridge, error);
    return fmin(error[0], error[1]);
}

/* The mean of the shares s, weighted by the formula in linear_map.h. */
static double mean_share(double n, double none, double half, double all)
{
    enum { POINTS = 20 };
    const double least = fmin(fmin(none, half), all);
    double       sum = 0, mean = 0;
    for (int i = 0; i <= POINTS; i++) {
        const double s      = (double)i / POINTS;
        const double e      = half + fabs(2 * s - 1) * ((s < 0.5 ? none : all) - half);
        const double weight = exp(-(e / least - 1) * n * SHARE_PER_HORIZON);
        sum += weight;
        mean += weight * s;
    }
    return mean / sum;
}

/* Whether the effect of a series is learned from few rows, because it begins late or has few values. */
static bool is_late(const fgti_linear_task *t, int64_t c)
{
    int64_t count = 0;
    for (int64_t r = t->train_begin; r < t->train_end; r++) count += !isnan(t->series[r * t->wide + c]);
    return 2 * count < t->train_end - t->train_begin;
}

static void choose_share(void *arg, int64_t c, int32_t number)
{
    fitting                *f    = arg;
    const fgti_linear_task *t    = f->task;
    const int64_t           lags = fgti_least(t->lags, t->season > SHARE_LAGS ? t->season : SHARE_LAGS);
    worker                  w    = with_lags(&f->worker[number], lags, t->steps);
    const bool              late = is_late(t, c);
    if (!late && !t->divisible) return;
    const double none = error_with(f, c, 0, &w), half = error_with(f, c, 0.5, &w);
    const double all   = error_with(f, c, 1, &w);
    const double n     = fmin(horizons_of(f, w.test.count), SHARE_HORIZONS);
    const double share = w.test.count > 0 ? mean_share(n, none, half, all) : NAN;
    f->map->share[c]   = isfinite(share) ? share : !late;
}

/* ---- the forms of one map ---- */

/* A series without training windows uses the moments of all series. */
static void solve_own(fitting *f, int64_t map, worker *w)
{
    if (!f->each) return;
    find_moments(f, map, w);
    fgti_forms_solve(&w->own, w->train.count > 0 ? &w->train : &f->train, &w->ridge);
}

/* Prior weight of a form, in proportion to its length. Maps of longer windows depend less on the present
 * state of the series, while the tests cover only a short time. */
static double linear_map_prior(const fitting *f, int64_t i)
{
    const int64_t             own = i - f->shared.count;
    const fgti_linear_choice *c   = own < 0 ? &f->shared.form[i].choice : &f->worker->own.form[own].choice;
    const bool                level = isinf(c->penalty) && !c->period;
    return level ? 1 : (double)c->lags / (double)f->task->lags;
}

static void linear_map_write(const fitting *f, int64_t map, const worker *w)
{
    const int64_t l = f->task->lags, h = f->task->steps;
    const double *share  = f->weight + map * f->forms;
    double       *weight = f->map->weight + map * h * l, *bias = f->map->bias + map * h;
    memset(weight, 0, (size_t)(h * l) * sizeof *weight);
    memset(bias, 0, (size_t)h * sizeof *bias);
    for (int64_t i = 0; i < f->forms; i++) {
        const bool        common = i < f->shared.count;
        const fgti_forms *forms  = common ? &f->shared : &w->own;
        if (share[i] > 0) fgti_form_add(forms, common ? i : i - f->shared.count, share[i], weight, bias);
    }
}

/* The map that all series share was learned from series without their effects. A series with share 0 keeps
 * its effect and cannot use this map. So its own map becomes the value of one season before. */
static void write_unseen(const fitting *f, int64_t map)
{
    const int64_t l = f->task->lags, h = f->task->steps, season = f->task->season;
    if (!f->unseen[map] || !f->task->effect || f->map->share[map] > 0 || season < 2 || season > l) return;
    memset(f->map->weight + map * h * l, 0, (size_t)(h * l) * sizeof *f->map->weight);
    memset(f->map->bias + map * h, 0, (size_t)h * sizeof *f->map->bias);
    for (int64_t k = 0; k < h; k++) f->map->weight[(map * h + k) * l + l - season + k % season] = 1;
}

static void share_unseen(fitting *f)
{
    double  sum = 0;
    int64_t count = 0;
    for (int64_t map = 0; map < f->map->maps; map++) {
        if (f->unseen[map]) continue;
        sum += f->kept[map];
        count++;
    }
    for (int64_t map = 0; count && map < f->map->maps; map++)
        if (f->unseen[map]) f->kept[map] = sum / (double)count;
}

/* Blends each map with the last value: the result is kept * map + (1 - kept) * last value. */
static void keep_shares(const fitting *f)
{
    const int64_t l = f->task->lags, h = f->task->steps;
    for (int64_t k = 0; k < f->map->maps * h; k++) {
        const double kept = f->kept[k / h];
        for (int64_t i = 0; i < l; i++) f->map->weight[k * l + i] *= kept;
        f->map->weight[k * l + l - 1] += 1 - kept;
        f->map->bias[k] *= kept;
    }
}

/* ---- gain over the last value ---- */

/* Adds the gain of one forecast over the last value, in the first steps. */
static void add_gain(const fitting *f, int64_t map, const double *x, double *gain)
{
    const int64_t l = f->task->lags, h = f->task->steps;
    const double *weight = f->map->weight + map * h * l, last = x[l - 1];
    for (int64_t k = 0; k < f->first; k++) {
        double y = f->map->bias[map * h + k];
        for (int64_t i = 0; i < l; i++) y += weight[k * l + i] * x[i];
        const double g = (x[l + k] - last) * (y - last);
        if (!isnan(g)) *gain += g;
    }
}

/* Returns the number of blocks of these rows; their gains are stored from `block` on. */
static int64_t linear_map_add_gains(const fitting *f, int64_t map, int64_t begin, int64_t end, int64_t block,
                                    worker *w)
{
    const int64_t l = f->task->lags, h = f->first, step = h / WINDOWS > 0 ? h / WINDOWS : 1;
    for (int64_t r = begin; r + h <= end; r += step)
        if (r >= l) add_gain(f, map, w->column + r - l, &w->gain[block + (r - begin) / h]);
    return end > begin ? (end - begin + h - 1) / h : 0;
}

static double find_odds(const fitting *f, int64_t map, worker *w)
{
    const fgti_linear_task *t = f->task;
    int64_t                 blocks = 0;
    memset(w->gain, 0, (size_t)f->blocks * sizeof *w->gain);
    for (int64_t c = 0; c < t->columns; c++) {
        if (f->each && c != map) continue;
        linear_map_read_column(f, c, w);
        blocks = linear_map_add_gains(f, map, f->cut, t->train_end, 0, w);
        blocks += linear_map_add_gains(f, map, t->val_begin, t->val_end, blocks, w);
    }
    return fgti_odds_of_gain(w->gain, w->spare, blocks);
}

/* ---- all maps ---- */

static void test_map(void *arg, int64_t map, int32_t number)
{
    fitting *f = arg;
    worker  *w = &f->worker[number];
    solve_own(f, map, w);
    f->unseen[map]           = f->each && is_late(f->task, map) && w->test.count < (double)f->task->steps;
    const fgti_moments *test = f->each && !f->unseen[map] ? &w->test : &f->test;
    fgti_forms_test(&f->shared, test, &w->ridge, w->error);
    if (f->each) fgti_forms_test(&w->own, test, &w->ridge, w->error + f->shared.count);
    f->kept[map] = -INFINITY;
    double *weight = f->weight + map * f->forms;
    for (int64_t i = 0; i < f->forms; i++) weight[i] = linear_map_prior(f, i);
    if (fgti_forms_weigh(test, f->task->lags, w->error, f->forms, f->horizons, weight)) {
        linear_map_write(f, map, w);
        if (!f->unseen[map]) f->kept[map] = find_odds(f, map, w);
    }
    write_unseen(f, map);
}

static void refit_map(void *arg, int64_t map, int32_t number)
{
    fitting *f = arg;
    solve_own(f, map, &f->worker[number]);
    linear_map_write(f, map, &f->worker[number]);
    write_unseen(f, map);
}

static void solve_shared(fitting *f)
{
    worker *w = f->worker;
    fgti_moments_clear(&f->train);
    fgti_moments_clear(&f->test);
    for (int64_t c = 0; c < f->task->columns; c++) {
        find_moments(f, c, w);
        fgti_moments_add(&f->train, &w->train);
        fgti_moments_add(&f->test, &w->test);
    }
    fgti_forms_solve(&f->shared, &f->train, &w->ridge);
    if (!f->again) f->horizons = horizons_of(f, f->test.count / (double)f->task->columns);
}

static void solve_past(fitting *f)
{
    worker *w = f->worker;
    if (!f->map->past.lags) return;
    for (int64_t c = 0; c < f->task->columns; c++) {
        linear_map_read_column(f, c, w);
        if (c >= f->task->targets) linear_map_fill(f->task, w->column);
        fgti_past_fit_put(&f->past, c, w->column);
    }
    fgti_past_fit_solve(&f->past, f->horizons);
}

static void fit_maps(fitting *f)
{
    const fgti_exec *exec = &f->ctx->exec;
    f->map->maps          = f->each ? f->task->columns : 1;
    f->fills              = has_few_windows(f);
    if (f->task->effect) fgti_parallel(exec, f->task->columns, choose_share, f);
    solve_shared(f);
    fgti_parallel(exec, f->map->maps, test_map, f);
    fgti_probabilities_of_gain(f->kept, f->map->maps);
    share_unseen(f);
    keep_shares(f);
    solve_past(f);
    if (f->cut < f->task->end) {
        f->again = true;
        solve_shared(f);
        fgti_parallel(exec, f->map->maps, refit_map, f);
        keep_shares(f);
        solve_past(f);
    }
    if (f->map->past.lags) fgti_past_fit_keep(&f->past);
    if (!(f->train.count > 0)) f->map->maps = 0;
}

/* ---- memory ---- */

static fgt_status linear_map_new_worker(const fitting *f, worker *w)
{
    const fgti_linear_task *t = f->task;
    FGTI_TRY(fgti_ridge_new(f->ctx, t->lags, t->steps, &w->ridge));
    FGTI_TRY(fgti_moments_new(f->ctx, t->lags + t->steps, &w->train));
    FGTI_TRY(fgti_moments_new(f->ctx, t->lags + t->steps, &w->test));
    FGTI_TRY(FGTI_NEW(f->ctx, t->rows + FGTI_MOMENTS_MORE, "series", &w->column));
    FGTI_TRY(FGTI_NEW(f->ctx, f->blocks, "series", &w->gain));
    FGTI_TRY(FGTI_NEW(f->ctx, f->blocks, "series", &w->spare));
    FGTI_TRY(FGTI_NEW(f->ctx, 2 * FGTI_FORMS, "errors", &w->error));
    if (!f->each && !t->effect) return FGT_OK;
    return fgti_forms_new(f->ctx, t->lags, t->steps, t->season, true, &w->own);
}

static fgt_status linear_map_allocate(fitting *f)
{
    const fgti_linear_task *t = f->task;
    const int64_t           l = t->lags, h = t->steps, maps = f->each ? t->columns : 1;
    FGTI_TRY(fgti_forms_new(f->ctx, l, h, t->season, false, &f->shared));
    FGTI_TRY(fgti_moments_new(f->ctx, l + h, &f->train));
    FGTI_TRY(fgti_moments_new(f->ctx, l + h, &f->test));
    FGTI_TRY(FGTI_NEW(f->ctx, f->ctx->exec.workers, "regressions", &f->worker));
    for (int64_t i = 0; i < f->ctx->exec.workers; i++) FGTI_TRY(linear_map_new_worker(f, &f->worker[i]));
    f->forms = f->shared.count + (f->each ? f->worker->own.count : 0);
    FGTI_TRY(FGTI_NEW(f->ctx, maps * f->forms, "shares", &f->weight));
    FGTI_TRY(FGTI_NEW(f->ctx, maps, "shares", &f->kept));
    FGTI_TRY(FGTI_NEW(f->ctx, maps, "shares", &f->unseen));
    FGTI_TRY(FGTI_NEW(f->ctx, t->columns, "shares", &f->map->share));
    FGTI_TRY(FGTI_NEW(f->ctx, maps * h * l, "linear map", &f->map->weight));
    FGTI_TRY(FGTI_NEW(f->ctx, maps * h, "linear map", &f->map->bias));
    for (int64_t c = 0; c < t->columns; c++) f->map->share[c] = 1;
    f->past = (fgti_past_fit){.ctx = f->ctx, .task = t, .map = f->map, .cut = f->cut};
    return fgti_past_fit_new(&f->past);
}

static void linear_map_release(fitting *f)
{
    for (int64_t i = 0; f->worker && i < f->ctx->exec.workers; i++) {
        worker *w = &f->worker[i];
        fgti_ridge_done(f->ctx, &w->ridge);
        fgti_forms_done(f->ctx, &w->own);
        fgti_moments_done(f->ctx, &w->train);
        fgti_moments_done(f->ctx, &w->test);
        fgti_free(f->ctx, w->column);
        fgti_free(f->ctx, w->error);
        fgti_free(f->ctx, w->gain);
        fgti_free(f->ctx, w->spare);
    }
    fgti_free(f->ctx, f->worker);
    fgti_forms_done(f->ctx, &f->shared);
    fgti_moments_done(f->ctx, &f->train);
    fgti_moments_done(f->ctx, &f->test);
    fgti_free(f->ctx, f->weight);
    fgti_free(f->ctx, f->kept);
    if (f->past.ctx) fgti_past_fit_done(&f->past);
    fgti_free(f->ctx, f->unseen);
}

static void linear_map_plan(fitting *f)
{
    const fgti_linear_task *t     = f->task;
    const int64_t           valid = t->val_end - t->val_begin, h = t->steps;
    f->each = t->columns > 1 && fgti_mul(t->columns, t->lags * h) <= MOST_WEIGHTS;
    f->cut  = t->train_end - (valid < ENOUGH * h ? (t->train_end - t->train_begin) / 3 : 0);
    const int64_t tests = t->train_end - f->cut + valid, few = tests / BLOCKS;
    f->first  = few < 1 ? 1 : few < h ? few : h;
    f->blocks = tests / f->first + 2;
}

fgt_status fgti_linear_map_fit(fgt_context *ctx, const fgti_linear_task *task, fgti_linear_map *map)
{
    const int64_t rows = task->train_end - task->train_begin;
    fitting       f    = {.ctx = ctx, .task = task, .map = map};
    *map               = (fgti_linear_map){0};
    if (task->lags > MOST_ROWS || task->steps > MOST_ROWS ||
        task->lags + task->steps > fgti_least(rows, MOST_ROWS))
        return FGT_OK;
    linear_map_plan(&f);
    const fgt_status s = linear_map_allocate(&f);
    if (s == FGT_OK) fit_maps(&f);
    linear_map_release(&f);
    return s;
}

void fgti_linear_map_done(fgt_context *ctx, fgti_linear_map *map)
{
    fgti_free(ctx, map->weight);
    fgti_free(ctx, map->bias);
    fgti_free(ctx, map->share);
    fgti_free(ctx, map->past.weight);
    fgti_free(ctx, map->past.bias);
    *map = (fgti_linear_map){0};
}
