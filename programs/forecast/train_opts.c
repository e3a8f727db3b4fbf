/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of a forecaster and of its training, from the command line. */

#include <fighter/experimental/defaults.h>
#include <fighter/experimental/series.h>

#include "options_model.h"
#include "times.h"
#include "train_opts.h"

#include "../common/program.h"

/* One of SHARE rows is a validation row, by the default of --split. */
enum { SHARE = 10, DEFAULT_PRED = 96 };

/* The default of --pred: from the step of the rows; if it is not known, the library's default (0), or half of
 * the validation rows if these are too few for it. */
static int64_t default_pred(const run *r)
{
    const int64_t usual = fgt_table_find_horizon(r->table, SHARE);
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

/* Finds the lengths of a window for a given --pred; 0: as in the options. */
static bool find_length(const run *r, int64_t given, int64_t *input, int64_t *pred)
{
    fgt_forecaster_opts opts = train_opts(r, false), full = {.size = sizeof full};
    if (given) opts.pred_len = given;
    if (fgt_forecaster_opts_init(r->ctx, r->table, &opts, &full) != FGT_OK) return run_failed(r, NULL);
    *input = full.input_len;
    *pred  = full.pred_len;
    return true;
}

bool train_find_length(const run *r, int64_t *input, int64_t *pred)
{
    return find_length(r, 0, input, pred);
}

/* The fewest rows of which each part of the split has a window; 0: no number is known. */
static int64_t count_least(const run *r, int64_t l, int64_t h)
{
    enum { TRIED = 10000 };
    for (int64_t rows = l + h; rows < l + h + TRIED; rows++) {
        fgt_split s;
        if (fgt_split_compute(r->ctx, rows, &r->o->split, &s) == FGT_OK && s.train_end >= l + h &&
            (s.val_end == s.val_begin || s.val_end - s.val_begin >= h) &&
            (s.test_end == s.test_begin || s.test_end - s.test_begin >= h))
            return rows;
    }
    return 0;
}

bool train_check_length(const run *r)
{
    const int64_t rows = fgt_table_count_rows(r->table);
    int64_t       l, h, short_l, short_h;
    char          need[32] = "more";
    if (!find_length(r, 0, &l, &h) || !find_length(r, 1, &short_l, &short_h)) return false;
    if (l + h <= rows) return true;
    const int64_t least = count_least(r, l, h), small = count_least(r, short_l, short_h);
    if (least) snprintf(need, sizeof need, "%lld", (long long)least);
    return complain("%s: a window of %lld row%s and %lld to forecast is longer than the series (got %lld "
                    "row%s, need %s)%s%s",
                    r->o->data, (long long)l, plural(l), (long long)h, (long long)rows, plural(rows), need,
                    small && small <= rows ? "; try a smaller --pred" : "",
                    r->o->model.input_len > 1 ? "; try a smaller --input" : "");
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

/* The last trial that improved the chosen model. */
static const tried *find_chosen(const run *r)
{
    for (int64_t i = r->trial_count - 1; i >= 0; i--)
        if (r->trials[i].trial.candidate == r->search.best && r->trials[i].trial.best) return &r->trials[i];
    return NULL;
}

fgt_forecaster_opts train_final_opts(const run *r)
{
    const tried *t = find_chosen(r);
    return t ? t->opts : train_opts(r, false);
}

fgt_forecaster_fit_opts train_final_fit_opts(const run *r)
{
    const tried *t = find_chosen(r);
    return t ? t->fit : train_fit_opts(r);
}
