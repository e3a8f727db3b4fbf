/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts without training: fgt_forecast_local() for each series of the table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fast.h"

#include "../common/command_line.h"
#include "../common/progress.h"

#define LARGEST 1e150 /* value that fgt_forecast_local() takes */

/* ---- when ---- */

/* All else says how to train, or needs a model. */
static const char *const of_fast[] = {
    "fast",          "data",          "long",        "time",       "time-form", "zone",   "repair",
    "delimiter",     "decimal-comma", "spreadsheet", "skip",       "no-header", "units",  "max-rows",
    "decimal-point", "comment",       "columns",     "target",     "missing",   "pred",   "missing-value",
    "season",        "quantiles",     "intervals",   "seed",       "threads",   "predict", "products",
    "non-negative",  "escape-formulas", "json",      "forecasts",  "horizon",   "backtest", "every",
    "plot",          "plot-series",   NULL};

bool fast_check(const options *o)
{
    const char *other = command_line_given_other(of_fast);
    return !o->fast || !other ||
           complain("--fast forecasts without training a model, and --%s is for a model; leave out one of "
                    "them",
                    other);
}

bool fast_may(const options *o)
{
    return !command_line_given_other(of_fast) && !fgt_table_is_file(o->data);
}

/* Short series, and many of them: a model has too little to learn from. */
static bool is_default(const run *r)
{
    enum { FEW = 500 }; /* rows: a model that is trained on them is worse, docs/results/panels.md */
    return fgt_table_get_id_name(r->table) || fgt_table_count_rows(r->table) < FEW;
}

bool fast_wanted(const run *r)
{
    return fast_may(r->o) && (r->o->fast || is_default(r));
}

void fast_say_why_not(const run *r, FILE *out)
{
    const char *name = command_line_given((const char *const[]){"save", "report", NULL});
    if (name && is_default(r) && !r->o->has_block)
        fprintf(out,
                "a model is trained, because --%s is for one; without it each series is forecast by itself, "
                "see --help fast\n",
                name);
}

/* ---- series ---- */

static double value_at(const run *r, int64_t row, int64_t column)
{
    const fgt_view v = fgt_table_get_values(r->table);
    return ((const double *)v.data)[row * v.shape[1] + column];
}

/* From the first value to the last one. */
static void find_span(const run *r, int64_t column, int64_t *begin, int64_t *end)
{
    *begin = 0;
    *end   = fgt_table_count_rows(r->table);
    while (*end > 0 && isnan(value_at(r, *end - 1, column))) (*end)--;
    while (*begin < *end && isnan(value_at(r, *begin, column))) (*begin)++;
}

static bool allocate(fast *f, int64_t count)
{
    const size_t n = (size_t)count;
    f->name        = calloc(n, sizeof *f->name);
    f->column      = calloc(n, sizeof *f->column);
    f->end         = calloc(n, sizeof *f->end);
    f->rows        = calloc(n, sizeof *f->rows);
    f->values      = calloc(n, sizeof *f->values);
    return (f->name && f->column && f->end && f->rows && f->values) || complain("no memory");
}

/* Series without any value have no forecast. */
static void warn_of_empty(const char *first, int64_t count)
{
    if (count == 1) warn("%s is not forecast: it has no value", first);
    if (count > 1)
        warn("%s and %lld more are not forecast: they have no value", first, (long long)count - 1);
}

/* The forecast of a series follows its own last value, wherever this is. */
static void warn_of_ends(const fast *f, int64_t last)
{
    char    place[PLACE_MAX], end[PLACE_MAX];
    int64_t count = 0, first = -1;
    for (int64_t i = 0; i < f->count; i++)
        if (f->end[i] < last && !count++) first = i;
    if (!count) return;
    row_place(f->r->table, last - 1, place);
    row_place(f->r->table, f->end[first] - 1, end);
    warn("%lld of %lld series end%s before the last row, %s; %s ends %s; each forecast follows the last "
         "row of its series",
         (long long)count, (long long)f->count, count == 1 ? "s" : "", place, f->name[first], end);
}

/* Rows from a value to the next one, where these are always as many; 1 otherwise. */
static int64_t find_stride(const fast *f, int64_t series)
{
    enum { ENOUGH = 3 }; /* values */
    const int64_t end = f->end[series], begin = end - f->rows[series];
    int64_t       stride = 0, last = begin, values = 1;
    for (int64_t row = begin + 1; row < end; row++) {
        if (isnan(value_at(f->r, row, f->column[series]))) continue;
        if (stride && row - last != stride) return 1;
        stride = row - last;
        last   = row;
        values++;
    }
    return values < ENOUGH ? 1 : stride;
}

/* A series of weeks beside series of days: the values between are made up. */
static void warn_of_steps(const fast *f)
{
    int64_t count = 0, first = -1, stride = 1;
    for (int64_t i = 0; i < f->count; i++) {
        const int64_t n = find_stride(f, i);
        if (n < 2 || count++) continue;
        first  = i;
        stride = n;
    }
    if (count)
        warn("%lld of %lld series ha%s values further apart than the rows of the file: %s has one in %lld "
             "rows; the forecast has all rows; a file of its own would have the steps of the series",
             (long long)count, (long long)f->count, count == 1 ? "s" : "ve", f->name[first],
             (long long)stride);
}

/* Other columns of numbers in a long file. */
static void warn_of_columns(const run *r)
{
    const int64_t all   = fgt_table_count_columns(r->table), more = all - r->rows.series;
    const char   *first = more > 0 ? fgt_table_get_name(r->table, r->rows.series) : NULL;
    if (!fgt_table_get_id_name(r->table) || !first) return;
    if (more == 1)
        warn("column %s is not used; --known %s trains a model that reads it", first, first);
    else
        warn("column %s and %lld more are not used; --known %s trains a model that reads it", first,
             (long long)more - 1, first);
}

/* Series of a long file end where they end; columns of another file end together, in the last row with a
 * value. */
static bool find_series(fast *f, const column_roles *c)
{
    const run  *r     = f->r;
    const bool  apart = fgt_table_get_id_name(r->table);
    const char *first = NULL;
    int64_t     empty = 0, last = 0, size = 0, begin;
    if (!allocate(f, c->target.count)) return false;
    for (int64_t i = 0; i < c->target.count; i++) {
        const int64_t k = f->count;
        if (fgt_table_get_column(r->table, c->target.name[i], &f->column[k]) != FGT_OK)
            return run_failed_name(r, r->o->data, r->table);
        find_span(r, f->column[k], &begin, &f->end[k]);
        f->name[k] = c->target.name[i];
        f->rows[k] = f->end[k] - begin;
        if (f->end[k] > last) last = f->end[k];
        if (!f->rows[k] && !empty++) first = c->target.name[i];
        f->count += f->rows[k] > 0;
    }
    warn_of_empty(first, empty);
    if (apart) {
        warn_of_ends(f, last);
        warn_of_steps(f);
    }
    for (int64_t i = 0; i < f->count; i++) {
        if (!apart) f->rows[i] += last - f->end[i];
        if (!apart) f->end[i] = last;
        size += f->rows[i];
    }
    f->block = malloc((size_t)(size ? size : 1) * sizeof *f->block);
    return f->block ? f->count > 0 || complain("%s: no series has a value", r->o->data)
                    : complain("no memory");
}

static bool refuse_value(const fast *f, int64_t series, int64_t row, double value)
{
    char place[PLACE_MAX], name[PLAIN_TEXT];
    return complain("%s: \"%s\": %g %s is too large (values need to be within 1e150)", f->r->o->data,
                    plain_text(f->name[series], name, sizeof name), value,
                    row_place(f->r->table, row, place));
}

static bool copy_values(fast *f)
{
    double *at = f->block;
    for (int64_t i = 0; i < f->count; i++) {
        f->values[i] = at;
        for (int64_t row = f->end[i] - f->rows[i]; row < f->end[i]; row++) {
            *at = value_at(f->r, row, f->column[i]);
            if (fabs(*at) > LARGEST) return refuse_value(f, i, row, *at);
            at++;
        }
    }
    return true;
}

/* ---- what is wanted ---- */

static void add_level(fast *f, double level)
{
    int64_t i = f->levels;
    for (int64_t k = 0; k < f->levels; k++)
        if (fabs(f->level[k] - level) < 1e-12) return;
    for (; i > 0 && f->level[i - 1] > level; i--) f->level[i] = f->level[i - 1];
    f->level[i] = level;
    f->levels++;
}

static void find_wanted(fast *f)
{
    const options *o = f->r->o;
    for (int64_t i = 0; i < o->quantile_count; i++) add_level(f, o->quantiles[i]);
    for (int64_t i = 0; i < o->interval_count; i++) {
        add_level(f, (1 - o->interval[i]) / 2);
        add_level(f, (1 + o->interval[i]) / 2);
    }
    const int64_t usual = time_horizon(f->r->table, 2), tenth = fgt_table_count_rows(f->r->table) / 10;
    const int64_t wanted = o->horizon ? o->horizon : o->pred;
    f->steps             = wanted ? wanted : usual ? usual : tenth ? tenth : 1;
    if (time_seasons(f->r->table, f->seasons) && !o->season) return;
    f->seasons[0] = o->season;
    f->seasons[1] = 0;
}

/* ---- the forecast ---- */

static int show(void *user, int64_t done, int64_t all)
{
    static int shown = -1;
    const int  now   = (int)(100 * done / all);
    (void)user;
    if (now != shown && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%3d %%%s", now, done < all ? "" : "\r\033[K");
    shown = now;
    return progress_interrupted();
}

static bool allocate_forecast(const fast *f, fast_forecast *g)
{
    const size_t cells = (size_t)(f->count * f->steps);
    g->mean            = malloc(cells * sizeof *g->mean);
    g->quantiles       = malloc(cells * (size_t)(f->levels + 1) * sizeof *g->quantiles);
    return (g->mean && g->quantiles) || complain("no memory");
}

static void free_forecast(fast_forecast *g)
{
    free(g->mean);
    free(g->quantiles);
}

/* Rows of series which[k] go from k to its place. */
static void spread(const fast *f, const int64_t *which, int64_t count, const fast_forecast *from,
                   fast_forecast *to)
{
    const size_t h = (size_t)f->steps, q = h * (size_t)f->levels;
    for (int64_t k = 0; k < count; k++) {
        const size_t i = (size_t)which[k];
        memcpy(to->mean + i * h, from->mean + (size_t)k * h, h * sizeof *to->mean);
        memcpy(to->quantiles + i * q, from->quantiles + (size_t)k * q, q * sizeof *to->quantiles);
    }
}

/* Forecasts of `count` series, and with `last` of the last rows before their origin. */
static bool call(fast *f, const double *const *values, const int64_t *rows, int64_t count, double *weights,
                 fast_forecast *next, fast_forecast *last)
{
    const fgt_local_opts opts = {.size               = sizeof opts,
                                 .horizon            = f->steps,
                                 .season             = f->seasons[0],
                                 .long_season        = f->seasons[1],
                                 .levels             = f->level,
                                 .level_count        = f->levels,
                                 .forecast           = next->mean,
                                 .quantiles          = next->quantiles,
                                 .weights            = weights,
                                 .hindcast           = last ? last->mean : NULL,
                                 .hindcast_quantiles = last ? last->quantiles : NULL,
                                 .progress           = show};
    const fgt_status     s    = fgt_forecast_local(f->r->ctx, &opts, values, rows, count);
    if (s == FGT_E_CANCELLED) return complain("interrupted; nothing was written");
    return s == FGT_OK || run_failed(f->r, f->r->o->data);
}

static bool compute(fast *f)
{
    f->weights = malloc((size_t)(f->count * FGT_LOCAL_MEMBERS) * sizeof *f->weights);
    if (!f->weights) return complain("no memory");
    f->last.back = f->steps;
    return allocate_forecast(f, &f->next) && allocate_forecast(f, &f->last) &&
           call(f, f->values, f->rows, f->count, f->weights, &f->next, f->r->o->backtest ? NULL : &f->last);
}

/* ---- errors ---- */

enum { LEAST = 4 }; /* rows before an origin */

/* Forecasts from g->back rows before the end of each series that has some rows before. */
static bool compute_before(fast *f, fast_forecast *g)
{
    const double **values = malloc((size_t)f->count * sizeof *values);
    int64_t       *which = malloc((size_t)f->count * sizeof *which), *rows, count = 0;
    fast_forecast  some = {0};
    rows                = malloc((size_t)f->count * sizeof *rows);
    bool good           = ((values && which && rows) || complain("no memory")) && allocate_forecast(f, &some);
    for (int64_t i = 0; good && i < f->count; i++) {
        for (int64_t t = 0; t < f->steps; t++) g->mean[i * f->steps + t] = NAN;
        if (f->rows[i] - g->back < LEAST) continue;
        values[count]  = f->values[i];
        rows[count]    = f->rows[i] - g->back;
        which[count++] = i;
    }
    if (good && count) good = call(f, values, rows, count, NULL, &some, NULL);
    if (good) spread(f, which, count, &some, g);
    free((void *)values);
    free(which);
    free(rows);
    free_forecast(&some);
    return good;
}

static bool backtest(fast *f, FILE *out)
{
    run          *r = f->r;
    const int64_t count = r->o->backtest, every = r->o->every ? r->o->every : f->steps;
    int64_t       most = 0, last = 0;
    for (int64_t i = 0; i < f->count; i++) {
        if (f->rows[i] > most) most = f->rows[i];
        if (f->end[i] > last) last = f->end[i];
    }
    if (!backtest_fits(r, every, LEAST + f->steps, most)) return false;
    r->origins = calloc((size_t)count, sizeof *r->origins);
    if (!r->origins) return complain("no memory");
    for (int64_t i = 0; i < count; i++)
        r->origins[i].train_rows = r->origins[i].row = last - f->steps - (count - 1 - i) * every;
    report_backtest_start(r, every, r->o->json ? stderr : stdout);
    bool good = fast_measure_begin(f);
    for (int64_t i = 0; good && i < count; i++) {
        f->last.back = f->steps + (count - 1 - i) * every;
        good         = compute_before(f, &f->last) && fast_measure_add(f, &f->last, out, &r->origins[i]);
        r->test_windows = i + 1;
    }
    return good;
}

/* Of the last rows, or from the origins of --backtest. */
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

/* What the reports ask of a model. */
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

static void done(fast *f)
{
    void *const all[] = {f->name, f->column, f->end, f->rows, f->values, f->block, f->weights};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    free_forecast(&f->next);
    free_forecast(&f->last);
    f->r->names = NULL;
}

bool fast_run(run *r)
{
    fast         f   = {.r = r};
    FILE        *out = r->o->json ? stderr : stdout;
    column_roles c;
    progress_catch_interrupt();
    r->split.train_end = fgt_table_count_rows(r->table); /* no series is late */
    bool good          = columns_find(r, &c) && find_series(&f, &c) && copy_values(&f);
    if (good) {
        warn_of_columns(r);
        good = fast_warn_of_outliers(&f);
    }
    if (good) {
        find_wanted(&f);
        describe(&f);
        good = run_check_plot(r);
    }
    if (good) {
        fast_print_start(&f, out);
    }
    good = good && compute(&f) && measure(&f);
    if (good) fast_print(&f, out);
    if (good && r->o->predict) good = fast_write(&f);
    if (good && r->o->plot) good = fast_plot(&f);
    if (good && r->o->json) good = fast_print_json(&f);
    columns_done(&c);
    done(&f);
    return good;
}
