/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "forecast.h"

#include "../common/progress.h"

/* Prints the library's last error, with the path before it unless the error begins with it. */
static bool failed(const run *r, const char *path)
{
    const char *text = fgt_context_error(r->ctx);
    if (path && strncmp(text, path, strlen(path))) return complain("%s: %s", path, text);
    return complain("%s", text);
}

/* ---- data ---- */

fgt_csv_opts run_csv_opts(const options *o)
{
    const bool         none  = o->time && !strcmp(o->time, "none");
    const bool         named = o->time && !none && strcmp(o->time, "auto") != 0;
    return (fgt_csv_opts){.size          = sizeof(fgt_csv_opts),
                          .time          = named ? o->time : NULL,
                          .marker        = o->missing_value,
                          .has_marker    = o->has_missing_value,
                          .delimiter     = delimiter_of(o->delimiter),
                          .decimal_comma = o->decimal_comma,
                          .date          = none ? FGT_DATE_NONE : o->repair < 0 ? FGT_DATE_LABELS : 0,
                          .time_form     = (int32_t)o->time_form,
                          .repair        = o->repair < 0 ? 0 : (int32_t)o->repair,
                          .missing       = (int32_t)o->missing};
}

static bool load_table(run *r)
{
    const options     *o     = r->o;
    const fgt_csv_opts csv   = run_csv_opts(o);
    const char        *slash = strrchr(o->data, '/'), *stem = slash ? slash + 1 : o->data;
    const size_t       n = *stem == '.' ? strlen(stem) : strcspn(stem, ".");
    snprintf(r->dataset, sizeof r->dataset, "%.*s", (int)(n < sizeof r->dataset ? n : sizeof r->dataset - 1),
             stem);
    if (fgt_table_load(r->ctx, o->data, &csv, &r->table) != FGT_OK) return failed(r, o->data);
    r->rows.size = sizeof r->rows;
    if (fgt_table_get_info(r->table, &r->rows) != FGT_OK) return failed(r, o->data);
    return true;
}

static bool make_split(run *r)
{
    const options   *o = r->o;
    const fgt_status s = fgt_split_init(r->ctx, &o->split, fgt_table_count_rows(r->table), &r->split);
    if (s != FGT_OK) return failed(r, o->data);
    return o->season <= r->split.test_begin ||
           complain("--season %lld is longer than the %lld rows before the test", (long long)o->season,
                    (long long)r->split.test_begin);
}

int64_t *run_columns(const run *r)
{
    int64_t *columns = malloc((size_t)r->info.columns * sizeof *columns);
    for (int64_t c = 0; columns && c < r->info.columns; c++)
        if (fgt_table_get_column(r->table, fgt_forecaster_get_name(r->forecaster, c), &columns[c]) !=
            FGT_OK) {
            failed(r, r->o->data);
            free(columns);
            return NULL;
        }
    if (!columns) complain("no memory");
    return columns;
}

void run_rows(const run *r, const int64_t *columns, int64_t begin, int64_t end, double *out)
{
    const fgt_view values = fgt_table_get_values(r->table);
    for (int64_t row = begin; row < end; row++)
        for (int64_t c = 0; c < r->info.columns; c++)
            *out++ = ((const double *)values.data)[row * values.shape[1] + columns[c]];
}

/* ---- making and training ---- */

/* Makes a forecaster of the chosen series. linear: the baseline, always with revin (RLinear, Li et al.
 * 2023), which knows nothing of the rows but their values. */
static bool create(run *r, bool linear, const fgt_graph *graph, fgt_forecaster **out)
{
    const options *o = r->o;
    column_roles   c;
    if (!columns_find(r, &c)) {
        columns_done(&c);
        return false;
    }
    const fgt_forecaster_opts opts = {.size         = sizeof opts,
                                      .columns      = c.target.name,
                                      .column_count = c.target.count,
                                      .past         = linear || !c.past.count ? NULL : c.past.name,
                                      .past_count   = linear ? 0 : c.past.count,
                                      .known        = linear ? NULL : c.known.name,
                                      .known_count  = linear ? 0 : c.known.count,
                                      .graph        = linear ? NULL : graph,
                                      .hops         = o->hop_count ? o->hops : NULL,
                                      .hop_count    = o->hop_count,
                                      .input_len    = o->input,
                                      .pred_len     = o->pred,
                                      .batch        = o->batch,
                                      .dim          = o->dim,
                                      .heads        = o->heads,
                                      .ff           = o->ff,
                                      .layers       = o->layers,
                                      .patch        = o->patch,
                                      .stride       = o->stride,
                                      .seed         = (uint64_t)o->seed,
                                      .block        = linear ? FGT_BLOCK_LINEAR : (int32_t)o->block,
                                      .tokens       = (int32_t)o->tokens,
                                      .revin        = linear || o->revin,
                                      .dropout = o->has_dropout && o->dropout == 0 ? -1 : (float)o->dropout,
                                      .calendar = linear ? FGT_CALENDAR_NONE : (int32_t)o->calendar};
    const fgt_status          s    = fgt_forecaster_create(r->ctx, &opts, r->table, &r->split, out);
    columns_done(&c);
    return s == FGT_OK || failed(r, r->o->data);
}

static bool load_graph(run *r, fgt_graph **graph)
{
    fgt_graph *plain;
    if (!r->o->graph || r->o->load) return true;
    if (fgt_graph_load(r->ctx, r->o->graph, &plain) != FGT_OK) return failed(r, r->o->graph);
    const fgt_status s = fgt_graph_normalize(plain, &FGT_OPTS(fgt_graph_opts, .norm = FGT_GRAPH_ROW), graph);
    fgt_graph_destroy(&plain);
    return s == FGT_OK || failed(r, r->o->graph);
}

static bool fit(run *r, fgt_forecaster *f, fgt_forecaster_fit_opts opts, const char *name,
                fgt_fit_report *report)
{
    opts.size     = sizeof opts;
    opts.progress = progress_show;
    opts.user     = &(progress_label){name, "windows"};
    opts.seed     = (uint64_t)r->o->seed;
    opts.batch    = r->o->batch;
    report->size  = sizeof *report;
    if (fgt_forecaster_fit(f, r->table, &r->split, &opts, report) == FGT_OK) return true;
    /* what is wrong with a checkpoint is said of its file */
    const char *resume = opts.resume, *text = fgt_context_error(r->ctx);
    return failed(r, resume && !strncmp(text, resume, strlen(resume)) ? NULL : r->o->data);
}

static bool get_info(run *r)
{
    r->info.size = sizeof r->info;
    return fgt_forecaster_get_info(r->forecaster, &r->info) == FGT_OK || failed(r, NULL);
}

static bool has_window(const run *r, const char *what, int64_t rows, int64_t windows)
{
    return rows == 0 || windows > 0 ||
           complain("%s: %lld %s rows are too few for a window of %lld rows and %lld to forecast", r->o->data,
                    (long long)rows, what, (long long)r->info.input_len, (long long)r->info.pred_len);
}

static bool count_windows(run *r)
{
    const fgt_split *s = &r->split;
    r->train_windows   = fgt_forecaster_count_windows(r->forecaster, s->train_begin, s->train_end, 1);
    r->val_windows     = fgt_forecaster_count_windows(r->forecaster, s->val_begin, s->val_end, 0);
    r->test_windows    = fgt_forecaster_count_windows(r->forecaster, s->test_begin, s->test_end, 0);
    return has_window(r, "test", s->test_end - s->test_begin, r->test_windows) &&
           (r->o->load || (has_window(r, "training", s->train_end - s->train_begin, r->train_windows) &&
                           has_window(r, "validation", s->val_end - s->val_begin, r->val_windows)));
}

/* Rows that the model of --load was trained on say nothing about how good it is. */
static void warn_of_seen_rows(run *r)
{
    const fgt_forecaster_info *i     = &r->info;
    const fgt_view             times = fgt_table_get_times(r->table);
    const int64_t             *t     = times.data;
    char                       first[24], last[24];
    r->seen_rows = 0;
    if (!r->o->load || !times.shape[0] || !i->seen_rows || (!i->seen_first && !i->seen_last)) return;
    for (int64_t row = r->split.test_begin; row < r->split.test_end; row++)
        r->seen_rows += t[row] >= i->seen_first && t[row] <= i->seen_last;
    if (!r->seen_rows) return;
    fgt_time_format(i->seen_first, first, sizeof first);
    fgt_time_format(i->seen_last, last, sizeof last);
    fprintf(stderr,
            "%s: warning: %lld of %lld test rows are of the time that the model was trained on, %s to %s: "
            "its errors there are no test\n",
            program_name, (long long)r->seen_rows, (long long)(r->split.test_end - r->split.test_begin),
            first, last);
}

static bool announce(const run *r)
{
    if (r->o->plot && !r->test_windows)
        return complain("--plot %s: there is no test window to draw", r->o->plot);
    report_start(r, r->o->json ? stderr : stdout);
    return true;
}

/* The library's default of --input and --pred. */
#define LENGTH 96

/* Checks the lengths before memory is allocated for windows that are longer than the series. */
static bool check_length(const run *r)
{
    const int64_t l = r->o->input ? r->o->input : LENGTH, h = r->o->pred ? r->o->pred : LENGTH;
    const int64_t rows = fgt_table_count_rows(r->table);
    return l + h <= rows ||
           complain("%s: a window of %lld rows and %lld to forecast is longer than the series of %lld",
                    r->o->data, (long long)l, (long long)h, (long long)rows);
}

/* The library's default, which selectors need to know. */
#define EPOCHS 10

static bool create_selector(run *r)
{
    const options *o     = r->o;
    int64_t       *group = NULL;
    if (selection_needs_groups(&o->selection) && !(group = groups_of_windows(r))) return false;
    const int64_t epochs = o->epochs ? o->epochs : EPOCHS;
    const bool    good   = selection_create(&o->selection, r->ctx, r->train_windows, epochs,
                                            (uint64_t)o->seed, group, WINDOW_GROUPS, &r->selector);
    free(group);
    return good;
}

static bool train(run *r)
{
    const options *o     = r->o;
    fgt_graph     *graph = NULL;
    const bool     good =
        check_length(r) && make_split(r) && load_graph(r, &graph) && create(r, false, graph, &r->forecaster);
    fgt_graph_destroy(&graph);
    if (!good || !get_info(r) || !count_windows(r)) return false;
    if (!create_selector(r) || !announce(r)) return false;
    progress_catch_interrupt();
    const fgt_forecaster_fit_opts opts = {.epochs = o->epochs, .patience = o->patience, .lr = o->lr,
                                          .loss = loss_kind(o->loss), .quantile = (float)o->quantile,
                                          .selector = r->selector,
                                          .checkpoint = o->checkpoint.write,
                                          .resume = o->checkpoint.resume,
                                          .checkpoint_every = o->checkpoint.every};
    if (!fit(r, r->forecaster, opts, block_names[r->info.block], &r->report)) return false;
    if (r->report.cancelled) fputs("  interrupted; the model is the best one so far\n", stderr);
    return true;
}

/* Options that are stored in the file may be given, but must be the same. */
static bool load_model(run *r)
{
    const options *o = r->o;
    if (fgt_forecaster_load(r->ctx, o->load, &r->forecaster) != FGT_OK) return failed(r, o->load);
    if (!get_info(r)) return false;
    const fgt_forecaster_info *i = &r->info;
    if ((o->input && o->input != i->input_len) || (o->pred && o->pred != i->pred_len))
        return complain("%s was trained with --input %lld and --pred %lld; other values were given", o->load,
                        (long long)i->input_len, (long long)i->pred_len);
    if ((o->has_block && o->block != i->block) || (o->has_tokens && o->tokens != i->tokens))
        return complain("%s is a %s model on %s tokens; another --model or --tokens was given", o->load,
                        block_names[i->block], tokens_name(i->tokens));
    int64_t *columns = run_columns(r); /* checks that the table has all columns */
    free(columns);
    if (!columns) return false;
    /* with --predict the table may be too short for a split */
    if (o->has_split || fgt_table_count_rows(r->table) >= i->input_len + i->pred_len || !o->predict) {
        if (!make_split(r) || !count_windows(r)) return false;
    }
    warn_of_seen_rows(r);
    return announce(r);
}

/* ---- measuring ---- */

static void take(const fgt_metric *m, errors *out)
{
    out->mse = fgt_metric_get(m, FGT_METRIC_MSE);
    out->mae = fgt_metric_get(m, FGT_METRIC_MAE);
}

static bool measure(run *r, fgt_forecaster *f, int64_t begin, int64_t end, errors *out)
{
    fgt_metric m = {0};
    if (fgt_forecaster_evaluate(f, r->table, begin, end, &m) != FGT_OK) return failed(r, r->o->data);
    take(&m, out);
    return true;
}

static bool measure_naive(run *r, int64_t season, int64_t begin, int64_t end, errors *out)
{
    fgt_metric m = {0};
    if (fgt_forecaster_evaluate_naive(r->forecaster, r->table, begin, end, season, &m) != FGT_OK)
        return failed(r, r->o->data);
    take(&m, out);
    return true;
}

/* The season of the baseline: of a day, a week and a year the one that was best on the validation rows, or on
 * the test rows where there are none. */
static bool choose_season(run *r)
{
    const options   *o = r->o;
    const fgt_split *s = &r->split;
    const bool       val = r->val_windows > 0;
    const int64_t    begin = val ? s->val_begin : s->test_begin, end = val ? s->val_end : s->test_end;
    int64_t          seasons[SEASONS];
    double           least = INFINITY;
    r->season              = o->season;
    const int64_t count = o->season ? 0 : time_seasons(r->table, seasons);
    for (int64_t i = 0; i < count && seasons[i] <= begin; i++) {
        errors e = {NAN, NAN};
        if (!measure_naive(r, seasons[i], begin, end, &e)) return false;
        if (!(e.mse < least)) continue;
        least     = e.mse;
        r->season = seasons[i];
    }
    return !r->season || measure_naive(r, r->season, s->test_begin, s->test_end, &r->seasonal);
}

/* The linear baseline is trained with the library's defaults, whatever the options are for the model. */
static bool measure_linear(run *r)
{
    fgt_forecaster *linear = NULL;
    fgt_fit_report  report = {0};
    bool            good =
        create(r, true, NULL, &linear) && fit(r, linear, (fgt_forecaster_fit_opts){0}, "linear", &report);
    /* an interrupted baseline is not trained well, so it is not measured */
    if (good && !report.cancelled)
        good = measure(r, linear, r->split.test_begin, r->split.test_end, &r->linear);
    fgt_forecaster_destroy(&linear);
    return good;
}

static double microseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Number of forecasts of the first test window that are timed. Their median is reported, because the first
 * ones run with cold caches and some are interrupted. */
#define TIMES 31

static bool measure_time(run *r)
{
    const int64_t l = r->info.input_len, h = r->info.pred_len, c = r->info.columns;
    const int64_t row = r->split.test_begin > l ? r->split.test_begin : l;
    double        took[TIMES];
    double       *values = malloc((size_t)(h * c) * sizeof *values);
    fgt_status    s      = FGT_OK;
    if (!values) return complain("no memory");
    const fgt_view forecast = *FGT_VIEW_OF(FGT_F64, values, h, c);
    for (int i = 0; s == FGT_OK && i < TIMES; i++) {
        const double start = microseconds();
        s       = fgt_forecaster_predict_table(r->forecaster, r->table, row, NULL, &forecast);
        took[i] = microseconds() - start;
    }
    free(values);
    if (s != FGT_OK) return failed(r, r->o->data);
    qsort(took, TIMES, sizeof *took, compare);
    r->predict_us = took[TIMES / 2];
    return true;
}

/* Coverage and width on the test windows, and the coverage of each step. */
static bool measure_intervals(run *r)
{
    const options   *o = r->o;
    const fgt_split *s = &r->split;
    const int64_t    n = o->interval_count, h = r->info.pred_len;
    double          *by_step = malloc((size_t)(n * h) * sizeof *by_step);
    if (!by_step) return complain("no memory");
    const bool good = fgt_forecaster_evaluate_intervals(r->forecaster, r->table, s->test_begin, s->test_end,
                                                        o->interval, n, r->intervals,
                                                        FGT_VIEW_OF(FGT_F64, by_step, n, h)) == FGT_OK;
    for (int64_t i = 0; good && i < n; i++) {
        r->steps[0][i] = INFINITY;
        r->steps[1][i] = 0;
        for (int64_t k = 0; k < h; k++) {
            const double share = by_step[i * h + k];
            if (share < r->steps[0][i]) r->steps[0][i] = share;
            if (share > r->steps[1][i]) r->steps[1][i] = share;
        }
    }
    free(by_step);
    return good || failed(r, o->data);
}

static bool measure_all(run *r)
{
    const errors     none = {NAN, NAN};
    const fgt_split *s    = &r->split;
    r->val = r->test = r->linear = r->naive = r->seasonal = none;
    r->predict_us                                         = NAN;
    if (r->val_windows && !measure(r, r->forecaster, s->val_begin, s->val_end, &r->val)) return false;
    if (!r->test_windows) return true;
    if (!measure(r, r->forecaster, s->test_begin, s->test_end, &r->test) || !measure_time(r)) return false;
    if (r->o->interval_count && !measure_intervals(r)) return false;
    if (r->o->no_baselines) return true;
    if (!measure_naive(r, 1, s->test_begin, s->test_end, &r->naive) || !choose_season(r)) return false;
    return r->o->load || progress_interrupted() || measure_linear(r);
}

bool run_all(run *r)
{
    const options *o = r->o;
    if (!load_table(r) || !(o->load ? load_model(r) : train(r))) return false;
    /* the model is saved before anything else can fail */
    if (o->save && fgt_forecaster_save(r->forecaster, o->save) != FGT_OK) return failed(r, o->save);
    if (!measure_all(r)) return false;
    report_errors(r, o->json ? stderr : stdout);
    if (o->predict && !output_forecast(r, o->predict)) return false;
    if (o->plot && !plot_write(r, o->plot)) return false;
    return !o->json || report_json(r, stdout);
}
