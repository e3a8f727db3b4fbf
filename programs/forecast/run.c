/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/exact.h>

#include "forecast.h"

#include "../common/loaded.h"

bool run_split(run *r)
{
    const options   *o = r->o;
    const fgt_status s = fgt_split_compute(r->ctx, fgt_table_count_rows(r->table), &o->split, &r->split);
    if (s != FGT_OK) return run_failed(r, o->data);
    return o->season <= r->split.test_begin ||
           complain("--season %lld is longer than the %lld row%s before the test", (long long)o->season,
                    (long long)r->split.test_begin, plural(r->split.test_begin));
}

int64_t *run_columns(const run *r)
{
    int64_t *columns = malloc((size_t)r->info.columns * sizeof *columns);
    for (int64_t c = 0; columns && c < r->info.columns; c++)
        if (fgt_table_get_column(r->table, fgt_forecaster_get_name(r->forecaster, c), &columns[c]) !=
            FGT_OK) {
            run_failed(r, r->o->data);
            free(columns);
            return NULL;
        }
    if (!columns) complain("no memory");
    return columns;
}

const char *run_name(const run *r, int64_t series)
{
    return r->forecaster ? fgt_forecaster_get_name(r->forecaster, series) : r->names[series];
}

const char *run_model_name(const run *r)
{
    return r->forecaster ? block_names[r->info.block] : "forecast";
}

fgt_table *run_recent(const run *r)
{
    return r->tail ? r->tail : r->table;
}

void run_rows(const run *r, const int64_t *columns, int64_t begin, int64_t end, double *out)
{
    const fgt_view values = fgt_table_get_values(r->table);
    for (int64_t row = begin; row < end; row++)
        for (int64_t c = 0; c < r->info.columns; c++)
            *out++ = ((const double *)values.data)[row * values.shape[1] + columns[c]];
}

void run_warn_of_seen_rows(run *r)
{
    const fgt_forecaster_info *i = &r->info;
    char                       first[TIME_MAX], last[TIME_MAX];
    int64_t                    t;
    r->seen_rows = 0;
    if (!r->o->load || !i->seen_rows || (!i->seen_first && !i->seen_last)) return;
    for (int64_t row = r->split.test_begin; row < r->split.test_end; row++)
        if (time_of_row(r->table, row, &t)) r->seen_rows += t >= i->seen_first && t <= i->seen_last;
    if (!r->seen_rows) return;
    time_text(r->table, i->seen_first, first);
    time_text(r->table, i->seen_last, last);
    warn("%lld of %lld test rows are of the time that the model was trained on, %s to %s: "
         "its errors there are no test",
         (long long)r->seen_rows, (long long)(r->split.test_end - r->split.test_begin),
         first, last);
}

/* Refuses a wrong name before the training. */
bool run_check_plot(const run *r)
{
    int64_t  count;
    int64_t *series = r->o->plot_series ? columns_to_plot(r, &count) : NULL;
    free(series);
    return !r->o->plot_series || series;
}

bool run_check_outputs(const run *r)
{
    if (r->o->plot && !r->test_windows && !r->o->predict)
        return complain("--plot %s: there is no test window to draw", r->o->plot);
    if (r->o->forecasts && !r->test_windows)
        return complain("--forecasts %s: there is no test window to forecast", r->o->forecasts);
    return run_check_plot(r) && predict_check(r);
}

bool run_announce(const run *r)
{
    if (!run_check_outputs(r)) return false;
    if (!r->o->load) fast_say_why_not(r, r->o->json ? stderr : stdout);
    report_start(r, r->o->json ? stderr : stdout);
    columns_warn(r, NULL);
    return true;
}

/* Checks intervals and quantiles against a loaded model, whose outputs were chosen when it was trained. */
static bool check_certainty(const run *r)
{
    const options             *o = r->o;
    const fgt_forecaster_info *i = &r->info;
    bool same = !o->quantile_count || o->quantile_count == i->quantile_count;
    for (int64_t q = 0; same && q < o->quantile_count; q++) same = o->quantiles[q] == i->quantiles[q];
    if (!same) return complain("%s was trained with other --quantiles, or without", o->load);
    return !o->model.output.non_negative || i->non_negative ||
           complain("%s was trained without --non-negative", o->load);
}

/* Reports that the two files were exchanged if the data is a model. */
static bool load_failed(const run *r, fgt_status s)
{
    char            why[1024];
    fgt_forecaster *other = NULL;
    snprintf(why, sizeof why, "%s", fgt_context_get_error(r->ctx));
    if (s != FGT_E_FORMAT || fgt_forecaster_load(r->ctx, FGT_FROM_FILE(r->o->data), NULL, &other) != FGT_OK)
        return loaded_failed(s, why);
    fgt_forecaster_destroy(&other);
    return complain("--load %s is no model, and --data %s is one; exchange the two files", r->o->load,
                    r->o->data);
}

/* Warns if the columns of a long file have other names than in training. */
static void warn_of_form(const run *r)
{
    const options *o = r->o;
    const char    *given[] = {o->form_id, o->form_time, o->form_value};
    const char    *stored[] = {r->info.id_column, r->info.time_column, r->info.value_column};
    char           kept[KEPT_TEXT];
    bool           same = o->form == FGT_TABLE_FORM_LONG;
    if (!o->form || !input_kept_form(r, kept)) return;
    for (int i = 0; i < 3; i++) same &= !given[i] || !strcmp(given[i], stored[i]);
    if (same) return;
    warn("%s was trained with --long %s; the --long of this call is used", o->load, kept);
}

/* Checks that options that are stored in the file are the same if they are given. */
static bool load_model(run *r)
{
    const options             *o = r->o;
    const fgt_forecaster_info *i = &r->info;
    fgt_status                 s = fgt_forecaster_load(r->ctx, FGT_FROM_FILE(o->load), NULL, &r->forecaster);
    if (s == FGT_OK) s = fgt_forecaster_set_exact(r->forecaster, o->exact);
    if (s != FGT_OK) return load_failed(r, s);
    if (!train_get_info(r)) return false;
    if ((o->model.input_len && o->model.input_len != i->input_len) ||
        (o->model.pred_len && o->model.pred_len != i->pred_len))
        return complain("%s was trained with --input %lld and --pred %lld; for more or fewer rows of "
                        "--predict use --horizon",
                        o->load, (long long)i->input_len, (long long)i->pred_len);
    if ((options_given("model") && o->model.block.kind != i->block) ||
        (options_given("tokens") && o->model.tokens.kind != i->tokens))
        return complain("%s is a %s model on %s tokens; another --model or --tokens was given", o->load,
                        block_names[i->block], tokens_name(i->tokens));
    if (o->future && !i->known && !o->plot) /* a plot shows the targets in the future file */
        return complain("--future %s: %s knows no columns in advance", o->future, o->load);
    if (!check_certainty(r)) return false;
    warn_of_form(r);
    if (o->negative && !counts_find(r, r->forecaster)) return false;
    if (o->predict_all) counts_report(i, stderr);
    return !o->adapter.use ||
           adapter_load(&o->adapter, fgt_forecaster_get_model(r->forecaster)) == FGT_OK ||
           run_failed(r, NULL);
}

/* Splits the rows for a loaded model. With only --predict the table may be too short for a split, or its test
 * rows for a window. */
static bool split_loaded(run *r)
{
    const options             *o      = r->o;
    const fgt_forecaster_info *i      = &r->info;
    const bool                 needed = o->has_split || o->adapter.adapt || !o->predicts;
    if (!needed && fgt_table_count_rows(r->table) < i->input_len + i->pred_len) return true;
    if (!run_split(r)) return false;
    const fgt_split *s = &r->split;
    if (needed || fgt_forecaster_count_windows(r->forecaster, s->test_begin, s->test_end, 0))
        return train_count_windows(r);
    r->split = (fgt_split){0};
    return true;
}

static bool apply_model(run *r)
{
    const options *o = r->o;
    int64_t *columns = run_columns(r); /* only checks that the table has all columns */
    free(columns);
    if (!columns) return false;
    if (!split_loaded(r)) return false;
    if (o->adapter.adapt &&
        adapter_add(&o->adapter, fgt_forecaster_get_model(r->forecaster), (uint64_t)o->seed) != FGT_OK)
        return run_failed(r, NULL);
    run_warn_of_seen_rows(r);
    if (!ranges_warn(r, o->data, run_recent(r))) return false;
    return run_announce(r) && (!o->adapter.adapt || train_adapter(r));
}

/* Gets the model: from --load, or by training. */
static bool get_model(run *r)
{
    if (r->o->load) return apply_model(r);
    if (!train_check_length(r) || !run_split(r)) return false;
    if (r->o->automatic) return auto_search(r) && run_announce(r);
    return train_prepare(r) && insight_start(r) && run_announce(r) && members_run(r);
}

/* Makes an untrained model, from which only names and lengths are read. */
static bool get_backtest_model(run *r)
{
    if (!r->o->load && !train_check_length(r)) return false;
    if (!run_split(r)) return false;
    if (!r->o->load && (!train_create(r, false, &r->forecaster) || !train_get_info(r))) return false;
    columns_warn(r, NULL);
    return true;
}

/* Keeps the errors in the file, which the intervals of a loaded model need; an update has done so already.
 * Too few errors are not a failure: the warning comes with the intervals. */
static bool keep_errors(const run *r)
{
    if (!r->o->save || !r->o->interval_count || r->o->update) return true;
    fgt_calibration *c;
    fgt_status       s = fgt_calibration_create(r->forecaster, run_recent(r), -1, &c);
    if (s == FGT_OK) s = fgt_forecaster_set_calibration(r->forecaster, c);
    fgt_calibration_destroy(&c);
    return s == FGT_OK || s == FGT_E_DATA || run_failed(r, r->o->data);
}

static bool save_model(const run *r)
{
    const char *path = r->o->save;
    return !path || fgt_forecaster_save(r->whole ? r->whole : r->forecaster, FGT_TO_FILE(path)) == FGT_OK ||
           run_failed(r, path);
}

/* Saves the model before anything else can fail. If the file exists and the model will be fitted again, only
 * the last model is saved: if the first of two writes succeeded and the second failed, the old file would be
 * lost. */
static bool save_early(const run *r)
{
    const options *o   = r->o;
    const bool     old = o->save && !access(o->save, F_OK);
    return o->update || (keep_errors(r) && ((old && o->refits) || save_model(r)));
}

/* Fits the model again to all rows, after the errors were measured: they show its accuracy on rows that it
 * had not seen. */
static bool refit(run *r, FILE *out)
{
    if (!r->o->refits) return true;
    return (r->report.cancelled || train_whole(r, out)) && save_model(r);
}

bool run_all(run *r)
{
    const options *o   = r->o;
    FILE          *out = o->json ? stderr : stdout;
    if (o->convert) return input_convert(r);
    /* the model determines the categories of its columns */
    if (o->load && !load_model(r)) return false;
    if (o->predict_all) return input_load_holidays(r) && predict_all(r);
    if (!input_load(r)) return false;
    if (fast_wanted(r)) return fast_run(r);
    if (!options_check_horizon(o)) return false;
    if (!input_load_holidays(r) || !input_load_features(r)) return false;
    if (!(o->backtest ? get_backtest_model(r) && backtest_all(r) : get_model(r))) return false;
    if (!save_early(r)) return false;
    if (!o->backtest && !measure_all(r)) return false;
    report_errors(r, out);
    /* new rows first test the model, before it is trained on them */
    if (o->update && (!train_update(r, out) || !save_model(r))) return false;
    if (!refit(r, out)) return false;
    if (o->predict && !blend_find(r, out)) return false;
    if (o->predict && !predict_next(r, o->predict)) return false;
    if (o->plot && !plot_write(r, o->plot)) return false;
    if (o->report && !insight_write(r)) return false;
    return !o->json || report_json(r, stdout);
}
