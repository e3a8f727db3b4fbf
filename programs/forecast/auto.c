/* SPDX-License-Identifier: BSD-3-Clause */
/* Searches for a model: --auto. */
#include <stdlib.h>

#include <fighter/experimental/defaults.h>
#include <fighter/experimental/exact.h>

#include "auto.h"
#include "columns.h"
#include "counts.h"
#include "predict.h"
#include "report_auto.h"
#include "train_create.h"
#include "train_opts.h"

#include "../common/progress.h"

/* Ends the search only after an interruption. Progress is not shown here, because the table of trials shows
 * it: each line takes seconds. */
static int go_on(void *user, const fgt_progress *p)
{
    (void)user;
    (void)p;
    return progress_interrupted();
}

/* Prints a trial even if there is no memory to keep it. */
static fgt_status note(void *user, const fgt_search_trial *trial)
{
    run        *r    = user;
    const tried t    = {.trial = *trial, .opts = *trial->opts, .fit = *trial->fit};
    tried      *more = realloc(r->trials, (size_t)(r->trial_count + 1) * sizeof *more);
    report_auto_line(&t, stderr);
    if (!more) return progress_interrupted() ? FGT_E_CANCELLED : FGT_OK;
    r->trials                   = more;
    r->trials[r->trial_count++] = t;
    return progress_interrupted() ? FGT_E_CANCELLED : FGT_OK;
}

static int32_t fixed_parts(const options *o)
{
    return (command_line_has("model") ? FGT_SEARCH_PART_BLOCK : 0) |
           (command_line_has("tokens") ? FGT_SEARCH_PART_TOKENS : 0) |
           (o->has_calendar ? FGT_SEARCH_PART_CALENDAR : 0) |
           (command_line_has("loss") ? FGT_SEARCH_PART_LOSS : 0);
}

/* Reports wrong names and missing windows before the search. For this it makes a model with as many input
 * rows but without the linear map, so that making it takes no time. */
static bool check(run *r, fgt_forecaster_opts opts)
{
    fgt_forecaster_opts full = {.size = sizeof full};
    if (fgt_forecaster_opts_init(r->ctx, r->table, &opts, &full) != FGT_OK) return run_failed(r, r->o->data);
    opts.input_len  = full.input_len;
    opts.tokens.layer_len = 0;
    opts.output.no_linear = 1;
    const bool good = fgt_forecaster_create(r->ctx, r->table, &r->split, &opts, &r->forecaster) == FGT_OK
                          ? train_get_info(r) && train_count_windows(r) && predict_check(r)
                          : run_failed(r, r->o->data);
    fgt_forecaster_destroy(&r->forecaster);
    return good;
}

static bool search(run *r, const fgt_forecaster_opts *opts)
{
    const options          *o   = r->o;
    fgt_forecaster_fit_opts fit = train_fit_opts(r);
    fit.training.progress       = go_on;
    const fgt_search_opts s     = {.size       = sizeof s,
                                   .forecaster = opts,
                                   .fit        = &fit,
                                   .trial      = note,
                                   .user       = r,
                                   .seconds    = o->has_budget && o->budget == 0 ? -1 : o->budget,
                                   .epochs     = o->budget_epochs,
                                   .fixed      = fixed_parts(o)};
    r->search.size              = sizeof r->search;
    progress_catch_interrupt();
    report_auto_head(stderr);
    if (fgt_forecaster_search(r->ctx, r->table, &r->split, &s, &r->forecaster, &r->search) != FGT_OK)
        return run_failed(r, o->data);
    r->report = (fgt_fit_report){.size       = sizeof r->report,
                                 .epochs     = r->search.best_epochs,
                                 .best_epoch = r->search.best_epochs,
                                 .samples    = r->search.samples,
                                 .best_loss  = r->search.loss,
                                 .seconds    = r->search.seconds,
                                 .cancelled  = r->search.cancelled};
    if (r->search.cancelled) fputs("  interrupted; the model is the best one so far\n", stderr);
    if (fgt_forecaster_set_exact(r->forecaster, o->exact) != FGT_OK) return run_failed(r, NULL);
    return counts_find(r, r->forecaster) && train_get_info(r) && train_count_windows(r);
}

bool auto_search(run *r)
{
    fgt_forecaster_opts opts  = train_opts(r, false);
    fgt_graph          *graph = NULL;
    column_roles        c     = {0};
    const bool good = train_load_graph(r, &graph) && train_add_data(r, graph, &opts, &c) && check(r, opts) &&
                      search(r, &opts);
    columns_done(&c);
    fgt_graph_destroy(&graph);
    return good;
}
