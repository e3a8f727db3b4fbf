/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports on the run: a table of errors, or one JSON object. */
#include <inttypes.h>
#include <math.h>

#include "blend_report.h"
#include "certainty.h"
#include "counts.h"
#include "options_model.h"
#include "pretrain.h"
#include "report.h"
#include "report_auto.h"
#include "report_backtest.h"
#include "report_input.h"
#include "report_layers.h"
#include "report_scores.h"
#include "report_settings.h"
#include "times.h"

#include "../common/blocks.h"
#include "../common/model_info.h"
#include "../common/program.h"

/* Prints columns that are not targets, and the inputs that follow from the time. */
static void report_roles(const fgt_forecaster_info *i, FILE *out)
{
    static const struct {
        int32_t     part;
        const char *word;
    } parts[] = {{FGT_CALENDAR_DAY, "time of the day"},
                 {FGT_CALENDAR_WEEK, "day of the week"},
                 {FGT_CALENDAR_MONTH, "day of the month"},
                 {FGT_CALENDAR_YEAR, "day of the year"}};
    bool first = true;
    if (i->statics)
        fprintf(out, "%lld static feature%s of each series\n", (long long)i->statics, plural(i->statics));
    if (i->past) fprintf(out, "the model reads %lld past column%s\n", (long long)i->past, plural(i->past));
    if (i->known)
        fprintf(out, "the model reads %lld known column%s\n", (long long)i->known, plural(i->known));
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        if (!(i->calendar & parts[k].part)) continue;
        fprintf(out, "%s%s", first ? "the model knows the " : ", ", parts[k].word);
        first = false;
    }
    if (i->holidays) fprintf(out, "%s", first ? "the model knows holidays" : ", holidays");
    if (!first || i->holidays) fputc('\n', out);
}

/* Names the closed form if the block is only a linear map. */
static const char *name_closed_form(const fgt_forecaster_info *i)
{
    if (!i->linear) return "";
    return i->block == FGT_BLOCK_LINEAR && !i->quantile_count && !i->mask
               ? " in closed form"
               : " beside a linear map in closed form";
}

/* Prints why layers have no linear map beside them, which is the default. */
static void report_no_map(const run *r, FILE *out)
{
    enum { MOST = 2048 }; /* rows of a window, see fgt_forecaster_create() */
    const fgt_forecaster_info *i = &r->info;
    const long long            l = (long long)i->input_len, h = (long long)i->pred_len;
    if (i->linear || r->o->load || r->o->model.output.no_linear || options_counts(r->o)) return;
    fprintf(out, "there is no linear map in closed form: ");
    if (l + h > MOST)
        fprintf(out, "%lld rows of input and %lld to forecast are more than %d; a smaller --input has one\n",
                l, h, MOST);
    else
        fprintf(out, "no series has %lld rows of input and %lld to forecast within the training rows; a "
                "smaller --input has one\n",
                l, h);
}

/* Prints a default that depends on the data. */
static void report_horizon(const run *r, FILE *out)
{
    char step[TIME_MAX];
    if (r->o->model.pred_len || r->o->load) return;
    const int64_t rows = fgt_table_count_rows(r->table);
    fprintf(out, "without --pred the forecast has %lld row%s", (long long)r->info.pred_len,
            plural(r->info.pred_len));
    if (time_step(r->table, step))
        fprintf(out, ", because the data has %lld row%s, %s apart", (long long)rows, plural(rows), step);
    fputc('\n', out);
}

void report_start(const run *r, FILE *out)
{
    const fgt_forecaster_info *i = &r->info;
    fgt_model                 *m = fgt_forecaster_get_model(r->forecaster);
    char                       name[PLAIN_TEXT];
    fprintf(out, "%s: %lld row%s, %lld series; windows of %lld row%s, %lld to forecast",
            plain_text(r->dataset, name, sizeof name), (long long)fgt_table_count_rows(r->table),
            plural(fgt_table_count_rows(r->table)), (long long)i->columns, (long long)i->input_len,
            plural(i->input_len), (long long)i->pred_len);
    if (r->train_windows)
        fprintf(out, ": %lld training, %lld validation, %lld test", (long long)r->train_windows,
                (long long)r->val_windows, (long long)r->test_windows);
    fputc('\n', out);
    report_horizon(r, out);
    fputs(block_names[i->block], out);
    if (block_has(i->block, FGT_BLOCK_TRAIT_TOKENS)) fprintf(out, " on %s tokens", tokens_name(i->tokens));
    fprintf(out, "%s%s%s: %lld parameter%s; %s %s (%s), %d thread%s\n", name_closed_form(i),
            i->revin ? ", revin" : "", i->mask ? ", mask channel" : "", (long long)model_info(m).parameters,
            plural(model_info(m).parameters), r->build.blas, r->build.blas_version, r->build.blas_config,
            r->build.threads, r->build.threads == 1 ? "" : "s");
    report_no_map(r, out);
    report_rows(r, out);
    report_roles(i, out);
    counts_report(i, out);
    if (r->o->describe) program_describe(m, out);
    fflush(out);
}

/* Whether nothing was trained. */
static bool is_solved(const run *r)
{
    return !r->o->load && r->info.linear && !r->report.samples && !r->report.cancelled;
}

static void report_search(const run *r, FILE *out)
{
    const fgt_search_report *s = &r->search;
    fprintf(out, "tried %lld model%s with %lld epoch%s in %.1f s; number %lld stayed, ",
            (long long)s->candidates, plural(s->candidates), (long long)s->epochs, plural(s->epochs),
            s->seconds, (long long)s->best);
    if (s->best_epochs || !r->info.linear)
        fprintf(out, "which was trained for %lld epoch%s\n", (long long)s->best_epochs,
                plural(s->best_epochs));
    else
        fputs("which is a linear map\n", out);
}

/* Whether a share of the layers was chosen, for a single model. */
static bool has_share(const run *r)
{
    return !r->o->load && !r->o->automatic && !r->o->backtest && r->o->members < 2 && !isnan(r->report.share);
}

static void report_training(const run *r, FILE *out)
{
    if (r->o->backtest && !r->o->load && !r->report.samples)
        fprintf(out, "the linear maps were found in closed form, in %.1f s\n", r->report.seconds);
    else if (r->o->backtest && !r->o->load)
        fprintf(out, "training took %.1f s; %lld window%s went through the backward pass\n",
                r->report.seconds, (long long)r->report.samples, plural(r->report.samples));
    else if (r->o->automatic)
        report_search(r, out);
    else if (!r->o->load && r->report.samples && !r->report.best_epoch && r->info.linear)
        fprintf(out,
                "the layers were no better than the linear map after %lld window%s, %.1f s: the model is "
                "this map, %s\n",
                (long long)r->report.samples, plural(r->report.samples), r->report.seconds,
                r->info.quantile_count ? "with the quantiles of its errors" : "without layers");
    else if (is_solved(r))
        fputs("the linear map was found in closed form, in one step\n", out);
    else if (!r->o->load && r->report.stopped_early && !r->report.epochs)
        fprintf(out,
                "trained on %lld window%s in %.1f s; the layers gained little over the linear map, so "
                "training ended within the first epoch\n",
                (long long)r->report.samples, plural(r->report.samples), r->report.seconds);
    else if (!r->o->load || r->o->adapter.adapt)
        fprintf(
            out,
            "trained for %lld epoch%s in %.1f s; the best was number %lld; %lld window%s went through the "
            "backward pass\n",
            (long long)r->report.epochs, r->report.epochs == 1 ? "" : "s", r->report.seconds,
            (long long)r->report.best_epoch, (long long)r->report.samples, plural(r->report.samples));
    if (has_share(r) && r->report.best_epoch)
        fprintf(out, "the validation rows keep %.1f %% of what the layers add to the linear map\n",
                100 * r->report.share);
}

void report_errors(const run *r, FILE *out)
{
    report_masked(r, out);
    report_training(r, out);
    if (!r->test_windows) return;
    if (!isnan(r->predict_us)) fprintf(out, "a forecast of one window takes %.0f us\n", r->predict_us);
    report_scores(r, out);
    if (r->o->backtest) report_backtest(r, out);
    report_certainty(r, out);
}

static json_t *describe(const run *r)
{
    char                       hash[20];
    const fgt_forecaster_info *i = &r->info;
    fgt_model                 *m = fgt_forecaster_get_model(r->forecaster);
    json_t                    *tokens =
        block_has(i->block, FGT_BLOCK_TRAIT_TOKENS) ? json_string(tokens_name(i->tokens)) : json_null();
    snprintf(hash, sizeof hash, "%016" PRIx64, fgt_model_get_hash(m));
    return json_pack("{s:s, s:s, s:o, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:s, s:b}", "dataset",
                     r->dataset, "model", block_names[i->block], "tokens", tokens, "revin", (int)i->revin,
                     "parameters", (json_int_t)model_info(m).parameters, "columns", (json_int_t)i->columns,
                     "input_len", (json_int_t)i->input_len, "pred_len", (json_int_t)i->pred_len,
                     "train_windows", (json_int_t)r->train_windows, "val_windows", (json_int_t)r->val_windows,
                     "test_windows", (json_int_t)r->test_windows, "threads", (json_int_t)r->build.threads,
                     "blis_config", r->build.blas_config, "weights_hash", hash, "linear_map", (int)i->linear);
}

/* seed and training of this run: null if the model was loaded */
static json_t *describe_training(const run *r)
{
    const fgt_fit_report *t = &r->report;
    if (r->o->load && !r->o->update && !r->o->adapter.adapt)
        return json_pack("{s:I, s:i, s:n, s:f, s:n, s:i, s:n, s:b, s:b, s:n}", "seed",
                         (json_int_t)r->info.seed, "epochs_run", 0, "best_epoch", "train_seconds", 0.0,
                         "train_cpu_seconds",
                         "samples_backpropagated", 0, "val_loss", "cancelled", 0, "diverged", 0,
                         "layers_share");
    return json_pack("{s:I, s:I, s:I, s:f, s:o, s:I, s:o, s:b, s:b, s:o}", "seed", (json_int_t)r->info.seed,
                     "epochs_run", (json_int_t)t->epochs, "best_epoch", (json_int_t)t->best_epoch,
                     "train_seconds", t->seconds, "train_cpu_seconds",
                     r->train_cpu > 0 ? json_real(r->train_cpu) : json_null(), "samples_backpropagated",
                     (json_int_t)t->samples, "val_loss", json_out_real(t->best_loss), "cancelled",
                     t->cancelled != 0, "diverged", t->diverged != 0, "layers_share",
                     has_share(r) ? json_real(t->share) : json_null());
}

json_t *report_describe_errors(const run *r)
{
    const struct {
        const char   *name;
        const errors *e;
    } all[]      = {{"val", &r->val},
                    {"test", &r->test},
                    {"naive", &r->naive},
                    {"seasonal", &r->seasonal},
                    {"linear", &r->linear}};
    json_t *o    = json_pack(
           "{s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:b, s:I, s:I, s:I, s:I, s:o, s:o, s:o, "
              "s:I}",
           "counts", (json_int_t)r->info.counts, "missing", (json_int_t)r->rows.missing, "values_filled",
           (json_int_t)r->rows.filled, "filled", report_pack_fills(r), "outside", (json_int_t)r->rows.outside,
           "files_appended", (json_int_t)r->rows.appended, "files_joined", (json_int_t)r->rows.joined, "long",
           fgt_table_get_name(r->table, FGT_TABLE_NAME_ID, 0) != NULL, "rows_removed",
           (json_int_t)r->rows.repeats, "rows_in_conflict", (json_int_t)r->rows.conflicts, "rows_added",
           (json_int_t)r->rows.gaps, "test_rows_seen", (json_int_t)r->seen_rows, "season",
        r->season ? json_integer(r->season) : json_null(), "predict_us", json_out_real(r->predict_us),
           "columns_ignored", report_list_ignored(r), "categories_unseen", (json_int_t)r->rows.unseen);
    bool    good = o != NULL;
    for (size_t i = 0; good && i < sizeof all / sizeof *all; i++)
        good = report_set_errors(o, all[i].name, all[i].e);
    if (good && r->test_windows) good = report_set_scores(o, r);
    if (good && r->o->backtest) good = report_set_backtest(o, r);
    if (good && r->o->automatic) good = report_set_auto(o, r);
    if (good) good = report_set_certainty(o, r);
    if (good) return o;
    json_decref(o);
    return NULL;
}

static json_t *pack_refit(const run *r)
{
    fgt_forecaster_info info = {.size = sizeof info};
    char                hash[20];
    if (!r->whole || fgt_forecaster_get_info(r->whole, &info) != FGT_OK) return json_null();
    snprintf(hash, sizeof hash, "%016" PRIx64, fgt_model_get_hash(fgt_forecaster_get_model(r->whole)));
    return json_pack("{s:I, s:I, s:f, s:s}", "rows", (json_int_t)info.seen_rows, "epochs",
                     (json_int_t)r->refit.epochs, "seconds", r->refit.seconds, "weights_hash", hash);
}

bool report_json(run *r, FILE *out)
{
    json_t    *all = describe(r), *training = describe_training(r), *measured = report_describe_errors(r);
    const bool good = all && training && measured && !json_object_update(all, training) &&
                      !json_object_update(all, measured);
    json_decref(training);
    json_decref(measured);
    if (!good) {
        json_decref(all);
        all = NULL;
    }
    if (all) json_object_set_new(all, "refit", pack_refit(r));
    if (all) selection_report(&r->o->selection, r->reference_loss, all);
    if (all && !(report_set_masked(all, r) && blend_report(r, all) && report_set_layers(all, r) &&
                 report_set_settings(all, r))) {
        json_decref(all);
        all = NULL;
    }
    return json_out_print(all, out);
}
