/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a forecaster from the options, and trains it. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <fighter/experimental/defaults.h>
#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/exact.h>
#include <fighter/experimental/graph_data.h>

#include "forecast.h"

#include "../common/progress.h"

/* One of SHARE rows is a validation row, by the default of --split. */
enum { SHARE = 10, DEFAULT_PRED = 96 };

/* The default of --pred: from the step of the rows; if it is not known, the library's default (0), or half of
 * the validation rows if these are too few for it. */
static int64_t default_pred(const run *r)
{
    const int64_t usual = time_horizon(r->table, SHARE);
    fgt_split     s;
    if (usual || fgt_split_compute(r->ctx, fgt_table_count_rows(r->table), &r->o->split, &s) != FGT_OK)
        return usual;
    const int64_t rows = s.val_end - s.val_begin;
    return rows < 2 || rows >= DEFAULT_PRED ? 0 : rows / 2;
}

/* The linear baseline uses only the values of the rows. */
static fgt_forecaster_opts linear_opts(const options *o)
{
    return (fgt_forecaster_opts){.size                = sizeof(fgt_forecaster_opts),
                                 .input_len           = o->model.input_len,
                                 .inputs.shared_scale = o->model.inputs.shared_scale,
                                 .inputs.blind        = o->model.inputs.blind,
                                 .block.kind          = FGT_BLOCK_LINEAR,
                                 .tokens.revin        = 1,
                                 .inputs.calendar     = FGT_CALENDAR_NONE};
}

static fgt_forecaster_opts model_opts(const options *o)
{
    fgt_forecaster_opts opts    = o->model;
    opts.size                   = sizeof opts;
    opts.block.layer_hops       = o->hop_count ? o->hops : NULL;
    opts.block.layer_hops_count = o->hop_count;
    opts.space.diffusion        = opts.space.kind != FGT_FORECAST_SPACE_NONE;
    opts.output.no_linear       = opts.output.no_linear || options_counts(o);
    opts.inputs.calendar        = (int32_t)o->calendar;
    opts.output.quantiles       = o->quantile_count ? o->quantiles : NULL;
    opts.output.quantile_count  = o->quantile_count;
    library_switch_off(fgt_forecaster_get_option, o->given_model, &opts);
    return opts;
}

fgt_forecaster_opts train_opts(const run *r, bool linear)
{
    const options      *o    = r->o;
    fgt_forecaster_opts opts = linear ? linear_opts(o) : model_opts(o);
    opts.pred_len            = o->model.pred_len ? o->model.pred_len : default_pred(r);
    opts.batch               = o->fit.training.batch;
    opts.seed                = (uint64_t)o->seed;
    return opts;
}

bool train_add_data(const run *r, const fgt_graph *graph, fgt_forecaster_opts *opts, column_roles *c)
{
    if (!columns_find(r, c) || !columns_check_late(r, &c->target) || !columns_check_late(r, &c->past))
        return false;
    opts->inputs.targets      = c->target.name;
    opts->inputs.target_count = c->target.count;
    opts->inputs.past         = c->past.count ? c->past.name : NULL;
    opts->inputs.past_count   = c->past.count;
    opts->inputs.known        = c->known.name;
    opts->inputs.known_count  = c->known.count;
    opts->space.graph         = graph;
    opts->inputs.holidays     = r->holidays;
    opts->inputs.features     = r->features;
    return true;
}

/* Whether the graph is for a gcn between series, which takes random walks and divides by the sums of rows
 * itself. */
static bool has_walks(const options *o)
{
    return o->model.space.kind && block_has(o->model.space.block, FGT_BLOCK_TRAIT_LEARNED);
}

/* Loads a graph whose nodes have the names of series: with --space the targets, otherwise all variates, in
 * the order of the forecaster's columns. Other tokens are not series, so their graph has no names. */
static bool load_by_names(run *r, const column_roles *c, fgt_graph **graph)
{
    const bool    named       = r->o->model.space.kind || r->o->model.tokens.kind == FGT_TOKENS_VARIATE;
    const int64_t past        = r->o->model.space.kind ? 0 : c->past.count,
                  count       = named ? c->target.count + past : 0;
    const char        **names = named ? calloc((size_t)count, sizeof *names) : NULL;
    fgt_graph_load_opts opts  = {.size        = sizeof opts,
                                 .names       = names,
                                 .count       = count,
                                 .no_negative = has_walks(r->o)};
    if (named && !names) return complain("no memory");
    for (int64_t i = 0; i < count; i++)
        names[i] = i < c->target.count ? c->target.name[i] : c->past.name[i - c->target.count];
    const fgt_status s = fgt_graph_load(r->ctx, r->o->graph, &opts, graph);
    free(names);
    return s == FGT_OK || run_failed(r, r->o->graph);
}

static bool load_plain(run *r, fgt_graph **graph)
{
    column_roles c;
    const bool   good = columns_find(r, &c) && load_by_names(r, &c, graph);
    columns_done(&c);
    return good;
}

bool train_load_graph(run *r, fgt_graph **graph)
{
    fgt_graph *plain;
    if (!r->o->graph || r->o->load || options_learn_graph(r->o)) return true;
    if (!load_plain(r, &plain)) return false;
    if (has_walks(r->o) ||
        !block_has(r->o->model.space.kind ? r->o->model.space.block : r->o->model.block.kind,
                   FGT_BLOCK_TRAIT_LEARNED)) {
        *graph = plain;
        return true;
    }
    const fgt_status s = fgt_graph_create_normalised(plain, FGT_GRAPH_NORM_ROW, 0, graph);
    fgt_graph_destroy(&plain);
    return s == FGT_OK || run_failed(r, r->o->graph);
}

bool train_create(run *r, bool linear, fgt_forecaster **out)
{
    fgt_forecaster_opts opts  = train_opts(r, linear);
    fgt_graph          *graph = NULL;
    fgt_status          s     = FGT_E_NOMEM;
    column_roles        c;
    const bool          found = train_add_data(r, NULL, &opts, &c);
    if (linear) {
        opts.inputs.past_count = opts.inputs.known_count = 0;
        opts.inputs.past = opts.inputs.known = NULL;
        opts.inputs.holidays                 = NULL;
        opts.inputs.features                 = NULL;
    }
    const bool ready = found && (linear || train_load_graph(r, &graph));
    opts.space.graph = graph;
    if (ready && !opts.output.no_linear) progress_stage("linear map", c.target.count, "series");
    if (ready) s = fgt_forecaster_create(r->ctx, r->table, &r->split, &opts, out);
    if (ready && !opts.output.no_linear) progress_stage_done();
    if (s == FGT_OK) s = fgt_forecaster_set_exact(*out, r->o->exact);
    fgt_graph_destroy(&graph);
    columns_done(&c);
    if (s == FGT_E_NAME) return run_failed_name(r, r->o->data, r->table);
    if (s == FGT_OK) return counts_find(r, *out);
    /* errors of options are not reported for the data file */
    return ready && run_failed(r, s == FGT_E_ARG ? NULL : r->o->data);
}

void curve_done(curve *c)
{
    free(c->loss);
    free(c->validation);
    *c = (curve){0};
}

typedef struct watch {
    progress_label label;
    run           *r;
    bool           kept;   /* it is the model itself, whose curve is kept */
    bool           failed; /* a message was printed */
} watch;

static bool grow(double **v, int64_t count)
{
    double *more = realloc(*v, (size_t)count * sizeof *more);
    if (more) *v = more;
    return more;
}

/* The curve is only for the plot, so it simply ends if there is no memory for it. */
static int show(void *user, const fgt_progress *p)
{
    watch *w = user;
    curve *c = &w->r->curve;
    if (w->kept && p->epoch_done && grow(&c->loss, c->epochs + 1) && grow(&c->validation, c->epochs + 1)) {
        c->loss[c->epochs]         = p->loss;
        c->validation[c->epochs++] = p->validation;
        c->has_validation          = c->has_validation || isfinite(p->validation);
    }
    if (w->kept && !insight_record(w->r, p)) w->failed = true;
    return progress_show(&w->label, p) || w->failed;
}

/* Reports errors of a checkpoint with its file, all others with the data. */
static bool fit_failed(const run *r, const fgt_forecaster_fit_opts *o)
{
    const char *const files[] = {o->training.resume, o->training.moments};
    const char       *text = fgt_context_get_error(r->ctx), *path = r->o->data;
    for (int i = 0; i < 2; i++)
        if (files[i] && !strncmp(text, files[i], strlen(files[i]))) path = NULL;
    return run_failed(r, path);
}

bool train_fit(run *r, fgt_forecaster *f, fgt_forecaster_fit_opts opts, const char *name,
               fgt_fit_report *report)
{
    watch w = {{name, "windows"}, r, f == r->forecaster, false};
    if (w.kept) curve_done(&r->curve);
    opts.size     = sizeof opts;
    opts.training.progress = show;
    opts.training.user     = &w;
    opts.training.seed     = (uint64_t)r->o->seed;
    opts.training.batch    = r->o->fit.training.batch;
    report->size  = sizeof *report;
    return (fgt_forecaster_fit(f, r->table, &r->split, &opts, report) == FGT_OK || fit_failed(r, &opts)) &&
           !w.failed;
}

bool train_get_info(run *r)
{
    r->info.size = sizeof r->info;
    return fgt_forecaster_get_info(r->forecaster, &r->info) == FGT_OK || run_failed(r, NULL);
}

/* inside: the window must not reach back to earlier rows. */
static bool has_window(const run *r, const char *what, bool inside, int64_t rows, int64_t windows)
{
    const int64_t h = r->info.pred_len, l = r->info.input_len;
    const char   *less       = r->o->load || h == 1 ? "another --split" : "a smaller --pred, another --split";
    char          window[56] = "";
    if (!rows || windows) return true;
    if (inside) snprintf(window, sizeof window, "for a window of %lld row%s and ", (long long)l, plural(l));
    return complain("%s: %lld %s row%s too few %sto forecast %lld; give %s or more rows", r->o->data,
                    (long long)rows, what, rows == 1 ? " is" : "s are", window, (long long)h, less);
}

bool train_count_windows(run *r)
{
    const fgt_split *s = &r->split;
    r->train_windows   = fgt_forecaster_count_windows(r->forecaster, s->train_begin, s->train_end, 1);
    r->val_windows     = fgt_forecaster_count_windows(r->forecaster, s->val_begin, s->val_end, 0);
    r->test_windows    = fgt_forecaster_count_windows(r->forecaster, s->test_begin, s->test_end, 0);
    return has_window(r, "test", false, s->test_end - s->test_begin, r->test_windows) &&
           ((r->o->load && !r->o->adapter.adapt) ||
            (has_window(r, "training", true, s->train_end - s->train_begin, r->train_windows) &&
             has_window(r, "validation", false, s->val_end - s->val_begin, r->val_windows)));
}

bool train_find_length(const run *r, int64_t *input, int64_t *pred)
{
    const fgt_forecaster_opts opts = train_opts(r, false);
    fgt_forecaster_opts       full = {.size = sizeof full};
    if (fgt_forecaster_opts_init(r->ctx, r->table, &opts, &full) != FGT_OK) return run_failed(r, NULL);
    *input = full.input_len;
    *pred  = full.pred_len;
    return true;
}

bool train_check_length(const run *r)
{
    const int64_t rows = fgt_table_count_rows(r->table);
    int64_t       l, h;
    if (!train_find_length(r, &l, &h)) return false;
    if (l + h <= rows) return true;
    return complain("%s: a window of %lld row%s and %lld to forecast is longer than the series of %lld "
                    "row%s; %s%s",
                    r->o->data, (long long)l, plural(l), (long long)h, (long long)rows, plural(rows),
                    h > 1 && l < rows ? "try a smaller --pred" : "more rows are needed",
                    r->o->model.input_len > 1 ? " or a smaller --input" : "");
}

bool train_create_selector(run *r, int64_t epochs, fgt_attent **selector)
{
    const selection *how   = &r->o->selection;
    selection_data   data  = {.count = r->train_windows, .epochs = epochs, .seed = (uint64_t)r->o->seed};
    int64_t         *group = NULL;
    float           *reference = NULL;
    bool             good      = !selection_needs_groups(how) || (group = groups_of_windows(r, &data.groups));
    if (good && how->excess) good = (reference = reference_of_windows(r));
    if (reference) r->reference_loss = selection_mean(reference, data.count);
    data.group     = group;
    data.reference = reference;
    if (good) good = selection_create(how, r->ctx, &data, selector);
    free(group);
    free(reference);
    return good;
}

static bool create_selector(run *r)
{
    const fgt_forecaster_fit_opts opts = train_fit_opts(r);
    fgt_forecaster_fit_opts       full = {.size = sizeof full};
    if (!selection_trains(&r->o->selection)) return true;
    if (fgt_forecaster_fit_opts_init(r->forecaster, r->train_windows, &opts, &full) != FGT_OK)
        return run_failed(r, r->o->data);
    return train_create_selector(r, full.training.epochs, &r->selector);
}

bool train_prepare(run *r)
{
    return train_create(r, false, &r->forecaster) && train_get_info(r) && train_count_windows(r) &&
           create_selector(r);
}

fgt_forecaster_fit_opts train_fit_opts(const run *r)
{
    const options          *o        = r->o;
    fgt_forecaster_fit_opts opts     = o->fit;
    opts.size                        = sizeof opts;
    opts.training.seed               = (uint64_t)o->seed;
    opts.training.selector           = r->selector;
    opts.training.checkpoint         = o->checkpoint.write;
    opts.training.resume             = o->checkpoint.resume;
    opts.training.checkpoint_every   = o->checkpoint.every;
    opts.training.checkpoint_seconds = 60 * o->checkpoint.minutes;
    opts.training.collective         = cluster_collective();
    opts.training.shards             = o->cluster.shards;
    library_switch_off(fgt_forecaster_get_fit_option, o->given_fit, &opts);
    return opts;
}

bool train_run(run *r)
{
    const fgt_forecaster_fit_opts opts  = train_fit_opts(r);
    const clock_t                 start = clock();
    progress_catch_interrupt();
    if (!pretrain_run(r)) return false;
    if (!train_fit(r, r->forecaster, opts, block_names[r->info.block], &r->report)) return false;
    r->train_cpu = (double)(clock() - start) / CLOCKS_PER_SEC;
    return true;
}

bool train_adapter(run *r)
{
    const adapter *a = &r->o->adapter;
    fgt_model     *m = fgt_forecaster_get_model(r->forecaster);
    if (!create_selector(r)) return false;
    const fgt_forecaster_fit_opts opts  = train_fit_opts(r);
    const clock_t                 start = clock();
    progress_catch_interrupt();
    if (!train_fit(r, r->forecaster, opts, "adapter", &r->report)) return false;
    r->train_cpu = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (r->report.cancelled) fputs("  interrupted; the adapter is the best one so far\n", stderr);
    return !cluster_leads() || adapter_save(a, m) == FGT_OK || run_failed(r, NULL);
}

bool train_update(run *r, FILE *out)
{
    const int64_t           rows = r->info.seen_rows;
    fgt_forecaster_fit_opts opts = train_fit_opts(r);
    opts.training.progress       = progress_show;
    opts.training.user           = &(progress_label){"update", "windows"};
    opts.training.moments        = r->o->moments;
    r->report.size               = sizeof r->report;
    progress_catch_interrupt();
    if (fgt_forecaster_update(r->forecaster, r->table, -1, &opts, &r->report) != FGT_OK)
        return fit_failed(r, &opts);
    if (!train_get_info(r)) return false;
    if (r->report.cancelled) fputs("  interrupted; all new rows count as seen\n", stderr);
    fprintf(out, "updated with %lld new row%s: %lld epoch%s in %.1f s\n",
            (long long)(r->info.seen_rows - rows), plural(r->info.seen_rows - rows),
            (long long)r->report.epochs, plural(r->report.epochs), r->report.seconds);
    return true;
}

/* The options are the same as in the training, except for its length and its files. The chosen layers are
 * trained further at a fifth of the learning rate. */
bool train_whole(run *r, FILE *out)
{
    fgt_forecaster_fit_opts opts = train_final_fit_opts(r);
    const double            start = seconds_now();
    opts.training.epochs          = 0;
    opts.training.lr              = r->o->fit.training.lr / 5;
    opts.training.batch           = r->o->fit.training.batch;
    opts.thin                     = r->o->fit.thin;
    opts.training.selector        = NULL;
    opts.training.checkpoint = opts.training.resume = NULL;
    opts.training.progress                          = progress_show;
    opts.training.user                              = &(progress_label){"all rows", "windows"};
    r->refit.size                = sizeof r->refit;
    if (r->split.train_end >= fgt_forecaster_find_row(r->forecaster, r->table)) return true; /* it has seen
                                                                                              * all rows */
    if (fgt_forecaster_create_refit(r->forecaster, r->table, &r->split, &opts, &r->refit, &r->whole) !=
        FGT_OK)
        return run_failed(r, r->o->data);
    r->refit.seconds = seconds_now() - start;
    if (r->refit.cancelled) {
        fgt_forecaster_destroy(&r->whole);
        fputs("  interrupted; the model knows only the training rows\n", stderr);
        return true;
    }
    fgt_forecaster_info info = {.size = sizeof info};
    if (fgt_forecaster_get_info(r->whole, &info) != FGT_OK) return run_failed(r, NULL);
    fprintf(out, "fitted again to all %lld rows in %.1f s, for%s%s%s%s\n", (long long)info.seen_rows,
            r->refit.seconds, r->o->predicts ? " --predict" : "", r->o->predicts && r->o->save ? " and" : "",
            r->o->save ? " --save" : "", r->test_windows ? "; the errors were measured before" : "");
    return true;
}
