/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/linear_map.h"

#include <math.h>

#include "core/context.h"
#include "core/size.h"
#include "forecast/moments.h"
#include "forecast/ridge.h"

/* Penalties that are tried. With an infinite one the map is what the others are pulled towards. */
static const double penalties[] = {1e-3, 1e-2, 1e-1, 1, 10, INFINITY};
enum { PENALTIES = sizeof penalties / sizeof *penalties, CHOICES = 8 * PENALTIES };

/* L + H at most: six matrices of its square are needed, 200 MB. */
enum { MOST_ROWS = 2048 };

typedef struct fitting {
    fgt_context            *ctx;
    const fgti_linear_task *task;
    fgti_ridge              ridge;
    double                 *column;     /* one series, and FGTI_MOMENTS_MORE */
    fgti_moments            train, val; /* of one series */
    fgti_moments            all_train, all_val;
    double                  error[CHOICES]; /* sums of squares on validation; infinite: no solution */
} fitting;

/* Choice number i of those that the table of errors has; false: the task does not have it. */
static bool choice_at(const fgti_linear_task *t, int i, fgti_linear_choice *c)
{
    const int kind = i / PENALTIES; /* of eight */
    *c             = (fgti_linear_choice){.penalty = penalties[i % PENALTIES],
                                          .each    = kind & 1,
                                          .last    = kind & 2,
                                          .period  = kind & 4 ? t->period : 0};
    /* a map between periods has few weights, so one of each series would be little better than one of all */
    return !(kind & 4) || (!c->each && c->period && 2 * c->period <= t->lags);
}

/* ---- moments ---- */

/* A series whose gaps are filled where they are shorter than a season, or than three rows. */
static void read_column(fitting *f, int64_t c)
{
    const fgti_linear_task *t    = f->task;
    const int64_t           most = t->season > 3 ? t->season : 3;
    int64_t                 gap  = 0;
    for (int64_t r = 0; r < t->rows; r++) {
        const float v = t->series[r * t->wide + c];
        gap           = isnan(v) ? gap + 1 : 0;
        f->column[r]  = (double)v;
        if (gap && gap < most && r >= t->season) f->column[r] = f->column[r - t->season];
    }
}

static void find_moments(fitting *f, int64_t c)
{
    const fgti_linear_task *t     = f->task;
    const int64_t           reach = t->val_begin > t->lags ? t->val_begin - t->lags : 0;
    read_column(f, c);
    fgti_moments_clear(&f->train);
    fgti_moments_clear(&f->val);
    fgti_moments_add_series(&f->train, f->column + t->train_begin, t->train_end - t->train_begin);
    if (t->val_end > t->val_begin) fgti_moments_add_series(&f->val, f->column + reach, t->val_end - reach);
}

/* ---- choosing ---- */

static void try_all(fitting *f, bool each, const fgti_moments *train, const fgti_moments *val)
{
    fgti_linear_choice c;
    for (int i = 0; i < CHOICES; i++) {
        if (!choice_at(f->task, i, &c) || c.each != each) continue;
        f->error[i] +=
            fgti_ridge_solve(&f->ridge, train, &c) ? fgti_ridge_error(&f->ridge, val, c.last) : INFINITY;
    }
}

static void choose(const fitting *f, fgti_linear_map *map)
{
    double least = INFINITY;
    map->choice  = (fgti_linear_choice){.last = true, .penalty = 0.1};
    map->mse     = NAN;
    for (int i = 0; i < CHOICES && f->all_val.count > 0; i++) {
        fgti_linear_choice c;
        if (!choice_at(f->task, i, &c) || !(f->error[i] < least)) continue;
        least       = f->error[i];
        map->choice = c;
        map->mse    = least / (f->all_val.count * (double)f->task->steps);
    }
}

static void solve(fitting *f, const fgti_moments *m, fgti_linear_map *map, int64_t i)
{
    const int64_t l = f->task->lags, h = f->task->steps;
    if (!(m->count > 0) || !fgti_ridge_solve(&f->ridge, m, &map->choice)) {
        map->maps = 0;
        return;
    }
    fgti_ridge_write(&f->ridge, map->choice.last, map->weight + i * h * l, map->bias + i * h);
}

static fgt_status write_map(fitting *f, fgti_linear_map *map)
{
    const fgti_linear_task *t     = f->task;
    const int64_t           count = map->choice.each ? t->columns : 1;
    FGTI_TRY(FGTI_NEW(f->ctx, count * t->steps * t->lags, "linear map", &map->weight));
    FGTI_TRY(FGTI_NEW(f->ctx, count * t->steps, "linear map", &map->bias));
    map->maps = count;
    if (!map->choice.each) solve(f, &f->all_train, map, 0);
    for (int64_t c = 0; map->choice.each && c < count; c++) {
        find_moments(f, c);
        solve(f, &f->train, map, c);
    }
    return FGT_OK;
}

/* ---- all of it ---- */

static fgt_status allocate(fitting *f)
{
    const fgti_linear_task *t = f->task;
    FGTI_TRY(fgti_ridge_new(f->ctx, t->lags, t->steps, &f->ridge));
    FGTI_TRY(fgti_moments_new(f->ctx, t->lags + t->steps, &f->train));
    FGTI_TRY(fgti_moments_new(f->ctx, t->lags + t->steps, &f->val));
    FGTI_TRY(fgti_moments_new(f->ctx, t->lags + t->steps, &f->all_train));
    FGTI_TRY(fgti_moments_new(f->ctx, t->lags + t->steps, &f->all_val));
    return FGTI_NEW(f->ctx, t->rows + FGTI_MOMENTS_MORE, "series", &f->column);
}

static fgt_status fit(fitting *f, fgti_linear_map *map)
{
    FGTI_TRY(allocate(f));
    for (int64_t c = 0; c < f->task->columns; c++) {
        find_moments(f, c);
        if (f->val.count > 0) try_all(f, true, &f->train, &f->val);
        fgti_moments_add(&f->all_train, &f->train);
        fgti_moments_add(&f->all_val, &f->val);
    }
    if (f->all_val.count > 0 && f->all_train.count > 0) try_all(f, false, &f->all_train, &f->all_val);
    choose(f, map);
    return write_map(f, map);
}

fgt_status fgti_linear_map_fit(fgt_context *ctx, const fgti_linear_task *task, fgti_linear_map *map)
{
    const int64_t rows = task->train_end - task->train_begin;
    fitting       f    = {.ctx = ctx, .task = task};
    *map               = (fgti_linear_map){.mse = NAN};
    if (task->lags > MOST_ROWS || task->steps > MOST_ROWS ||
        task->lags + task->steps > fgti_least(rows, MOST_ROWS))
        return FGT_OK;
    const fgt_status s = fit(&f, map);
    fgti_ridge_done(ctx, &f.ridge);
    fgti_moments_done(ctx, &f.train);
    fgti_moments_done(ctx, &f.val);
    fgti_moments_done(ctx, &f.all_train);
    fgti_moments_done(ctx, &f.all_val);
    fgti_free(ctx, f.column);
    return s;
}

void fgti_linear_map_done(fgt_context *ctx, fgti_linear_map *map)
{
    fgti_free(ctx, map->weight);
    fgti_free(ctx, map->bias);
    *map = (fgti_linear_map){0};
}
