/* SPDX-License-Identifier: BSD-3-Clause */

/* forecast: trains a forecaster on a CSV file and measures it. It calls the parts of the program in turn. */

#include <stdlib.h>
#include <unistd.h>

#include "auto.h"
#include "backtest.h"
#include "blend.h"
#include "certainty.h"
#include "columns.h"
#include "fast_choice.h"
#include "fast_run.h"
#include "input.h"
#include "insight.h"
#include "load.h"
#include "measure.h"
#include "members.h"
#include "options_read.h"
#include "plot.h"
#include "predict.h"
#include "predict_all.h"
#include "ranges.h"
#include "report.h"
#include "scores.h"
#include "train.h"
#include "train_create.h"
#include "train_opts.h"

#include "../common/adapter.h"
#include "../common/cluster.h"
#include "../common/command_line.h"
#include "../common/option.h"
#include "../common/program.h"
#include "../common/progress.h"

static bool run_announce(const run *r)
{
    if (!predict_check(r)) return false;
    if (!r->o->load) fast_say_why_not(r, r->o->json ? stderr : stdout);
    report_start(r, r->o->json ? stderr : stdout);
    columns_warn(r, NULL);
    return true;
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
    const options *o       = r->o;
    int64_t       *columns = run_columns(r); /* only checks that the table has all columns */
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

static bool run_all(run *r)
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
    if (o->predict && !predict_next(r)) return false;
    if (o->plot && !plot_write(r, o->plot)) return false;
    if (o->report && !insight_write(r)) return false;
    return !o->json || report_json(r, stdout);
}

int main(int argc, char **argv)
{
    options o;
    run     r = {.o = &o};
    program_called(argv[0]);
    if (!cluster_begin(argc, argv) || !options_read(argc, argv, &o)) return cluster_end(EXIT_FAILURE);
    if (o.help) return cluster_end(progress_status(command_line_help(options_command(), o.topic, stdout)));
    if (o.version) return cluster_end(progress_status(program_version(options_command()->name, stdout)));
    const bool good = program_start(cluster_threads(o.threads), o.products, o.precision, &r.ctx, &r.build) &&
                      cluster_join(&o.cluster) && run_all(&r);
    free(r.origins);
    free(r.blend);
    free(r.weights);
    free(r.shifted);
    free(r.stuck);
    free(r.trials);
    curve_done(&r.curve);
    scores_done(&r.scores);
    scores_done(&r.naive_scores);
    scores_done(&r.seasonal_scores);
    scores_done(&r.linear_scores);
    certainty_done(&r);
    fgt_report_destroy(&r.page);
    fgt_attent_destroy(&r.selector);
    fgt_forecaster_destroy(&r.forecaster);
    fgt_forecaster_destroy(&r.whole);
    fgt_days_destroy(&r.holidays);
    fgt_table_destroy(&r.features);
    fgt_table_destroy(&r.tail);
    fgt_table_destroy(&r.table);
    fgt_context_destroy(&r.ctx);
    return cluster_end(progress_status(good));
}
