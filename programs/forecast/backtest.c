/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts from several origins at the end of the data. Each forecast is made by a model that has seen only
 * the rows before its origin. */
#include <math.h>
#include <stdlib.h>

#include "auto.h"
#include "backtest.h"
#include "certainty.h"
#include "columns.h"
#include "measure.h"
#include "members.h"
#include "predict.h"
#include "report.h"
#include "report_backtest.h"
#include "scores.h"
#include "times.h"
#include "train.h"
#include "train_opts.h"

#include "../common/output.h"
#include "../common/program.h"
#include "../common/progress.h"

typedef struct test {
    run    *r;
    scores  model, naive, seasonal; /* sums over all origins */
    output  out;                    /* file of --forecasts */
    int64_t every;
} test;

/* ---- origins ---- */

/* The split for an origin at `row`. All rows before `row` are training and validation rows, in the
 * proportions of the whole table's split. There is room for at least one validation window. */
static fgt_split split_before(const fgt_split *whole, int64_t row, int64_t steps)
{
    const int64_t train = whole->train_end - whole->train_begin, val = whole->val_end - whole->val_begin;
    int64_t       rows = val ? (int64_t)round((double)row * (double)val / (double)(train + val)) : 0;
    if (val && rows < steps) rows = steps;
    const int64_t begin = row > rows ? row - rows : 0;
    return (fgt_split){
        .train_end = begin, .val_begin = begin, .val_end = row, .test_begin = row, .test_end = row + steps};
}

int64_t backtest_count(int64_t every, int64_t window, int64_t rows)
{
    return rows < window ? 0 : 1 + (rows - window) / every;
}

bool backtest_fits(const run *r, int64_t every, int64_t window, int64_t rows)
{
    const options *o    = r->o;
    const double   need = (double)(o->backtest - 1) * (double)every + (double)window;
    const int64_t  fit  = backtest_count(every, window, rows);
    if (need <= (double)rows) return true;
    if (!fit)
        return complain("--backtest %lld: one origin needs %lld rows, and %s has %lld; take a smaller --pred",
                        (long long)o->backtest, (long long)window, o->data, (long long)rows);
    return complain("--backtest %lld: so many origins, %lld row%s apart, need %.0f rows, and %s has %lld, "
                    "enough for %lld; take --backtest %lld, or a smaller --every",
                    (long long)o->backtest, (long long)every, plural(every), need, o->data, (long long)rows,
                    (long long)fit, (long long)fit);
}

/* Finds the first row of each forecast; the last forecast ends with the last row that has a target. The
 * forecaster of the run is used only for its names and lengths, because without --load it is not trained. */
static bool plan(test *b)
{
    run           *r     = b->r;
    const options *o     = r->o;
    const int64_t  steps = r->info.pred_len, end = fgt_forecaster_find_row(r->forecaster, r->table);
    b->every = o->every ? o->every : steps;
    if (!columns_check_plot(r) || !predict_check_names(r) ||
        !backtest_fits(r, b->every, r->info.input_len + steps, end))
        return false;
    const int64_t first = end - steps - (o->backtest - 1) * b->every;
    r->origins = calloc((size_t)o->backtest, sizeof *r->origins);
    if (!r->origins) return complain("no memory");
    for (int64_t i = 0; i < o->backtest; i++) r->origins[i].row = first + i * b->every;
    run seen              = *r;
    seen.split.test_begin = first;
    seen.split.test_end   = end;
    run_warn_of_seen_rows(&seen);
    r->seen_rows = seen.seen_rows;
    return true;
}

/* ---- one origin ---- */

/* Measures one forecast, writes its errors to *e, and adds them to `sums`, which are over all origins. season
 * is as in fgt_forecast_visit_opts. */
static bool measure(test *b, const run *at, int64_t season, scores *sums, FILE *out, errors *e)
{
    const fgt_forecast_visit_opts o = {
        .begin = at->split.test_begin, .end = at->split.test_end, .season = season};
    const int64_t        cells = sums->steps * sums->series;
    scores               one   = *sums;
    one.cell                   = calloc((size_t)cells, sizeof *one.cell);
    const bool good = one.cell ? scores_take(&one, b->r, at->forecaster, o, out) : complain("no memory");
    if (good) *e = scores_errors(&one, 0, one.steps);
    if (good) scores_sum(sums, &one);
    free(one.cell);
    return good;
}

static bool measure_origin(test *b, const run *at, origin *o)
{
    const int64_t season = b->r->season;
    return measure(b, at, 0, &b->model, b->out.file, &o->model) &&
           measure(b, at, 1, &b->naive, NULL, &o->naive) &&
           (!season || measure(b, at, season, &b->seasonal, NULL, &o->seasonal));
}

/* Computes the scales for the errors of all origins. They come from the rows before the first origin. */
static bool measure_first(test *b, run *at)
{
    run *r = b->r;
    if (!measure_season(at)) return false;
    r->season            = at->season;
    const int64_t season = r->season ? r->season : 1;
    report_start(at, r->o->json ? stderr : stdout);
    report_backtest_start(r, b->every, r->o->json ? stderr : stdout);
    return scores_init(&b->model, at, season, NULL) &&
           scores_init(&b->naive, at, season, &b->model) &&
           scores_init(&b->seasonal, at, season, &b->model);
}

/* Moves the results of an origin's run to the main run. */
static void adopt(run *r, run *at, bool trained)
{
    if (at->forecaster != r->forecaster) fgt_forecaster_destroy(&r->forecaster);
    fgt_attent_destroy(&r->selector);
    r->forecaster    = at->forecaster;
    r->selector      = at->selector;
    r->info          = at->info;
    r->train_windows = at->train_windows;
    r->val_windows   = at->val_windows;
    r->split         = at->split;
    r->trials        = at->trials;
    r->trial_count   = at->trial_count;
    r->search        = at->search;
    if (!trained) return;
    at->report.seconds += r->report.seconds;
    at->report.samples += r->report.samples;
    r->report = at->report;
    r->curve  = at->curve;
}

/* Copies the rows before `end`: the data that is known when the forecast from row `end` is made. */
static fgt_table *cut(const run *r, int64_t end)
{
    const fgt_view values = fgt_table_get_values(r->table), times = fgt_table_get_times(r->table);
    const int64_t  columns = values.shape[1];
    const char   **names   = malloc((size_t)columns * sizeof *names);
    fgt_table     *table   = NULL;
    if (!names) {
        complain("no memory");
        return NULL;
    }
    for (int64_t c = 0; c < columns; c++) names[c] = fgt_table_get_name(r->table, FGT_TABLE_NAME_COLUMN, c);
    fgt_status s =
        fgt_table_create(r->ctx, names, FGT_VIEW_OF(FGT_DTYPE_F64, values.data, end, columns), &table);
    if (s == FGT_OK && times.shape[0])
        s = fgt_table_set_times(table, FGT_VIEW_OF(FGT_DTYPE_I64, times.data, end), FGT_TABLE_REPAIR_NONE);
    free(names);
    if (s == FGT_OK) return table;
    run_failed(r, r->o->data);
    fgt_table_destroy(&table);
    return NULL;
}

static int stop(void *user, const fgt_progress *p)
{
    (void)user;
    (void)p;
    return progress_interrupted();
}

/* Whether an interruption ends the run. If there are several processes, one may notice the interruption
 * before the others. They must stop together, so they stop only after a training in which they have agreed on
 * it. */
static bool is_stopped(const run *at)
{
    return at->report.cancelled || (!cluster_collective() && progress_interrupted());
}

/* Trains the model further on rows begin .. end-1, for the library's default number of epochs. */
static bool update(run *at, int64_t begin, int64_t end)
{
    fgt_forecaster_fit_opts opts = train_fit_opts(at);
    fgt_table              *rows = cut(at, end);
    opts.training.epochs         = 0;
    opts.training.lr             = 0;
    opts.training.selector       = NULL;
    opts.training.progress       = stop;
    at->report                   = (fgt_fit_report){.size = sizeof at->report};
    const bool good =
        rows && (fgt_forecaster_update(at->forecaster, rows, begin, &opts, &at->report) == FGT_OK ||
                 run_failed(at, at->o->data));
    fgt_table_destroy(&rows);
    return good;
}

/* Trains the model of an origin, if the mode requires it, and measures it. */
static bool visit_origin(test *b, const fgt_split *whole, int64_t i)
{
    run       *r     = b->r;
    const bool train = !r->o->load && (i == 0 || r->o->mode == BACKTEST_REFIT);
    const bool go_on = i > 0 && r->o->mode == BACKTEST_UPDATE, search = train && r->o->automatic;
    char       text[TIME_MAX];
    origin    *o  = &r->origins[i];
    run        at = *r;
    at.split      = split_before(whole, o->row, r->info.pred_len);
    at.selector    = NULL;
    at.trial_count = search ? 0 : r->trial_count;
    if (train) at.forecaster = NULL;
    bool good = !train || (search ? auto_search(&at) : train_prepare(&at));
    if (!train && i == 0) /* a loaded model has no count yet; the season is chosen on these rows */
        at.val_windows =
            fgt_forecaster_count_windows(at.forecaster, at.split.val_begin, at.split.val_end, 0);
    if (good && i == 0) good = measure_first(b, &at);
    fprintf(stderr, "  forecast %lld of %lld, from %s\n", (long long)i + 1, (long long)r->o->backtest,
            row_label(r->table, o->row, text));
    if (good && train && !search) good = members_run(&at);
    if (good && go_on) good = update(&at, o[-1].row, o->row);
    if (good && !is_stopped(&at)) good = measure_origin(b, &at, o);
    o->train_rows = train ? o->row : go_on ? o->row - o[-1].row : 0;
    o->seconds    = train || go_on ? at.report.seconds : 0;
    adopt(r, &at, train || go_on);
    return good;
}

/* ---- all origins ---- */

static bool visit_all(test *b)
{
    run            *r     = b->r;
    const fgt_split whole = r->split;
    progress_catch_interrupt();
    for (int64_t i = 0; i < r->o->backtest && !is_stopped(r); i++) {
        if (!visit_origin(b, &whole, i)) return false;
        r->test_windows = i + !is_stopped(r);
    }
    return true;
}

/* Makes the sums over all origins the sums of the run, which the report prints. */
static void conclude(test *b)
{
    run *r = b->r;
    r->val = r->linear = NO_ERRORS;
    r->test            = scores_errors(&b->model, 0, b->model.steps);
    r->naive           = scores_errors(&b->naive, 0, b->naive.steps);
    r->seasonal        = r->season ? scores_errors(&b->seasonal, 0, b->seasonal.steps) : NO_ERRORS;
    r->scores          = b->model;
    r->naive_scores    = b->naive;
    if (r->season) r->seasonal_scores = b->seasonal;
    if (r->season) b->seasonal = (scores){0};
    b->model = b->naive = (scores){0};
}

bool backtest_all(run *r)
{
    const char *path = r->o->forecasts;
    test        b    = {.r = r};
    bool        good = plan(&b);
    r->predict_us    = NAN;
    r->test_windows  = 0;
    if (good && path) good = output_open(&b.out, path);
    if (b.out.file) forecasts_head(r, b.out.file);
    good = good && visit_all(&b);
    good = output_close(&b.out, good) && good;
    if (good && b.model.cell) good = certainty_conclude(r, &b.model);
    if (good && b.model.cell) conclude(&b);
    scores_done(&b.model);
    scores_done(&b.naive);
    scores_done(&b.seasonal);
    return good;
}
