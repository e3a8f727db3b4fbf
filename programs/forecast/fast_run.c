/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts without training: fgt_forecast_local() for each series of the table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backtest.h"
#include "columns.h"
#include "fast.h"
#include "fast_measure.h"
#include "fast_outliers.h"
#include "fast_page.h"
#include "fast_plot.h"
#include "fast_report.h"
#include "fast_run.h"
#include "fast_series.h"
#include "report_backtest.h"
#include "scores.h"
#include "times.h"

#include "../common/output.h"
#include "../common/program.h"
#include "../common/progress.h"

enum { LEAST = 4 }; /* fewest rows that a series needs before an origin */

static void find_wanted(fast *f)
{
    const options   *o     = f->r->o;
    const fgt_table *axis  = f->main.axis;
    const int64_t    usual = fgt_table_find_horizon(axis, 2), tenth = fgt_table_count_rows(axis) / 10;
    const int64_t    wanted = o->horizon ? o->horizon : o->model.pred_len;
    fast_find_levels(f);
    f->steps     = wanted ? wanted : usual ? usual : tenth ? tenth : 1;
    int64_t most = 0;
    for (int64_t i = 0; i < f->count; i++) most = f->rows[i] > most ? f->rows[i] : most;
    if (o->season >= most)
        warn("--season %lld: no series has more than %lld row%s, so none shows its season",
             (long long)o->season, (long long)most, plural(most));
}

/* Forecasts each series from next->back rows before its end. If `last` is not NULL, also forecasts the rows
 * just before that origin. The facts about the forecasts of the next rows are kept in *f. */
static bool compute(fast *f, fast_forecast *next, fast_forecast *last)
{
    const int64_t  seasons[FGT_SEASONS] = {f->r->o->season};
    fgt_local_opts opts                 = fast_opts(f, seasons, next);
    if (last) {
        opts.hindcast           = last->mean;
        opts.hindcast_quantiles = last->quantiles;
    }
    if (next == &f->next) {
        opts.weights      = f->weights;
        opts.member_count = FGT_LOCAL_MEMBERS;
        opts.left_out     = f->left_out;
        opts.begin        = f->begin;
        opts.shifted      = f->shifted;
        opts.stuck        = f->stuck;
    }
    const fgt_status s = fgt_series_forecast(f->series, next->back, &opts);
    if (s == FGT_E_CANCELLED) return complain("interrupted; nothing was written");
    return s == FGT_OK || run_failed(f->r, f->r->o->data);
}

/* Whether a series has no value in the row just before the last rows. Such a gap is filled by a straight line
 * to a later value, which would reveal values of the last rows. */
static bool tells(const fast *f)
{
    for (int64_t i = 0; i < f->count; i++)
        if (f->rows[i] > f->steps && isnan(f->values[i][f->rows[i] - f->steps - 1])) return true;
    return false;
}

/* Forecasts the next rows. Also forecasts the last rows, unless --backtest measures other rows. */
static bool compute_next(fast *f)
{
    const bool apart = tells(f);
    f->last.back     = f->steps;
    if (f->r->o->backtest) return compute(f, &f->next, NULL);
    return (!apart || compute(f, &f->last, NULL)) && compute(f, &f->next, apart ? NULL : &f->last);
}

static bool allocate_forecasts(fast *f)
{
    f->weights  = malloc((size_t)(f->count * FGT_LOCAL_MEMBERS) * sizeof *f->weights);
    f->left_out = malloc((size_t)(FGT_LEFT_OUT * f->count) * sizeof *f->left_out);
    f->begin    = malloc((size_t)f->count * sizeof *f->begin);
    f->shifted  = malloc((size_t)f->count * sizeof *f->shifted);
    f->stuck    = malloc((size_t)f->count * sizeof *f->stuck);
    return ((f->weights && f->left_out && f->begin && f->shifted && f->stuck) || complain("no memory")) &&
           fast_new_forecast(f, &f->next) && fast_new_forecast(f, &f->last);
}

/* Returns the row of the table that has the same time as a row of the series. The series may have a step of
 * its own. */
static int64_t find_row(const fast *f, int64_t series, int64_t row)
{
    const fgt_view times = fgt_table_get_times(f->r->table);
    int64_t        time, at = 0;
    if (f->axis[series] == f->r->table || !time_of_row(f->axis[series], row, &time)) return row;
    while (at + 1 < times.shape[0] && ((const int64_t *)times.data)[at] < time) at++;
    return at;
}

static int64_t rows_apart(const fast *f)
{
    return f->r->o->every ? f->r->o->every : f->steps;
}

/* Plans the origins. They are named by times, which come from the series of the main group that ends last. */
static bool plan_origins(fast *f)
{
    run          *r     = f->r;
    const int64_t count = r->o->backtest, every = rows_apart(f);
    int64_t       most = 0, last = -1, latest = 0;
    for (int64_t i = 0; i < f->count; i++) {
        const int64_t row = f->of[i] == f->main.index ? find_row(f, i, f->end[i] - 1) : -1;
        if (f->rows[i] > most) most = f->rows[i];
        if (row <= last) continue;
        last   = row;
        latest = i;
    }
    r->origins_fit = backtest_count(every, LEAST + f->steps, most);
    if (!count) return true;
    if (!backtest_fits(r, every, LEAST + f->steps, most)) return false;
    r->origins = calloc((size_t)count, sizeof *r->origins);
    if (!r->origins) return complain("no memory");
    for (int64_t i = 0; i < count; i++) {
        const int64_t row        = f->end[latest] - f->steps - (count - 1 - i) * every;
        r->origins[i].row        = find_row(f, latest, row > 0 ? row : 0);
        r->origins[i].train_rows = most - f->steps - (count - 1 - i) * every;
    }
    report_backtest_start(r, every, r->o->json ? stderr : stdout);
    return true;
}

static bool backtest(fast *f, FILE *out)
{
    run          *r     = f->r;
    const int64_t count = r->o->backtest, every = rows_apart(f);
    bool          good = fast_measure_begin(f);
    for (int64_t i = 0; good && i < count; i++) {
        f->last.back    = f->steps + (count - 1 - i) * every;
        good            = compute(f, &f->last, NULL) && fast_measure_add(f, &f->last, out, &r->origins[i]);
        r->test_windows = i + 1;
    }
    return good;
}

/* Measures the last rows, or the origins of --backtest. */
static bool measure(fast *f)
{
    run   *r   = f->r;
    output out = {0};
    origin one;
    bool   good = !r->o->forecasts || output_open(&out, r->o->forecasts);
    if (out.file) forecasts_head(r, out.file);
    if (good && r->o->backtest)
        good = backtest(f, out.file);
    else if (good)
        good = fast_measure_begin(f) && fast_measure_add(f, &f->last, out.file, &one);
    if (good && !r->o->backtest) r->test_windows = f->measured > 0;
    return output_close(&out, good) && good && fast_measure_end(f);
}

/* Fills in the facts that the reports read from a model. */
static void describe(fast *f)
{
    fgt_forecaster_info *i = &f->r->info;
    const options       *o = f->r->o;
    f->r->names            = f->name;
    i->columns             = f->count;
    i->pred_len            = f->steps;
    i->quantile_count      = o->quantile_count;
    for (int64_t q = 0; q < o->quantile_count; q++) i->quantiles[q] = o->quantiles[q];
}

bool fast_run(run *r)
{
    fast         f   = {.r = r};
    FILE        *out = r->o->json ? stderr : stdout;
    column_roles c;
    progress_catch_interrupt();
    r->split.train_end = fgt_table_count_rows(r->table); /* because no series begins late */
    bool good          = columns_find(r, &c) && fast_find_series(&f, &c);
    if (good) {
        find_wanted(&f);
        describe(&f);
        good = columns_check_plot(r) && fast_check_names(&f) && fast_warn(&f);
    }
    if (good) fast_print_start(&f, out);
    good = good && plan_origins(&f) && allocate_forecasts(&f) && compute_next(&f);
    if (good) fast_leave_out(&f);
    if (good) fast_warn_of_zeros(&f);
    if (good) fast_warn_of_last_rows(&f);
    good = good && fast_check_negative(&f) && fast_warn_of_markers(&f) && measure(&f) &&
           fast_warn_of_outliers(&f);
    if (good) fast_print(&f, out);
    if (good && r->o->predict) good = fast_write(&f);
    if (good && r->o->plot) good = fast_plot(&f);
    if (good && r->o->report) good = fast_page(&f);
    if (good && r->o->json) good = fast_print_json(&f);
    columns_done(&c);
    free(f.weights);
    free(f.left_out);
    free(f.begin);
    free(f.shifted);
    free(f.stuck);
    fast_free_forecast(&f.next);
    fast_free_forecast(&f.last);
    fast_series_done(&f);
    return good;
}
