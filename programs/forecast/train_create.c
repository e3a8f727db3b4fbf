/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a forecaster from the options. */
#include <stdlib.h>

#include <fighter/experimental/exact.h>
#include <fighter/experimental/graph_data.h>

#include "columns.h"
#include "counts.h"
#include "options_model.h"
#include "train_create.h"
#include "train_opts.h"

#include "../common/blocks.h"
#include "../common/program.h"
#include "../common/progress.h"

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
    fgt_graph_load_opts opts  = {
         .size = sizeof opts, .names = names, .count = count, .no_negative = has_walks(r->o)};
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
    if (s == FGT_E_NAME) return columns_failed(r, r->o->data, r->table);
    if (s == FGT_OK) return counts_find(r, *out);
    /* errors of options are not reported for the data file */
    return ready && run_failed(r, s == FGT_E_ARG ? NULL : r->o->data);
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
