/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of --report. */
#include "insight.h"
#include "blend_report.h"
#include "input.h"
#include "insight_quality.h"
#include "options_model.h"

#include "../common/blocks.h"
#include "../common/insight.h"
#include "../common/program.h"

static const char about[] =
    "How to read a forecast of this model. Its layers see the input as tokens; attention says how much each "
    "token reads of each other one, and not whether that is of use.";
static const char about_linear[] = "On what a forecast of this model depends, which is a linear map.";

bool insight_start(run *r)
{
    const bool layers = block_has(r->info.block, FGT_BLOCK_TRAIT_TOKENS);
    if (!r->o->report || r->page) return true;
    return insight_open(r->ctx, r->dataset, (fgt_block)r->info.block, fgt_forecaster_get_model(r->forecaster),
                        layers ? about : about_linear, &r->page);
}

/* The last test window, whose true values are known; without test windows, the rows after the data (-1). */
static int64_t row_of(const run *r)
{
    return r->test_windows ? r->split.test_end - r->info.pred_len : -1;
}

bool insight_record(run *r, const fgt_progress *p)
{
    const fgt_report_forecast o = {.size = sizeof o, .epoch = p->epoch};
    if (!r->page || !p->epoch_done) return true;
    if (!insight_losses(r->page, p)) return false;
    /* with several members, the layers of one member are not the layers of the model */
    if (!r->test_windows || r->o->members > 1) return true;
    if (fgt_report_add_forecast(r->page, r->forecaster, r->table, row_of(r), &o) != FGT_OK)
        return insight_failed(r->ctx);
    return insight_hops(r->page, r->ctx, fgt_forecaster_get_model(r->forecaster), p->epoch);
}

/* Why the layers of a model with a linear map were left out. */
static const char *left_out(const run *r)
{
    if (!r->o->load && !r->report.best_epoch)
        return "everything: no epoch was better than the linear map, so the layers have their first weights, "
               "and attention is as random as these";
    return "the linear map: the layers forecast what it leaves, so attention explains only their part";
}

static bool add_model(const run *r)
{
    const fgt_forecaster_info *i = &r->info;
    if (!block_has(i->block, FGT_BLOCK_TRAIT_TOKENS))
        return insight_fact(r->page, "model", "linear%s", i->linear ? ", in closed form" : "");
    return insight_fact(r->page, "model", "%s on %s tokens%s", block_names[i->block], tokens_name(i->tokens),
                        i->linear ? ", beside a linear map in closed form" : "");
}

static bool add_facts(const run *r)
{
    const fgt_forecaster_info *i = &r->info;
    fgt_report                *p = r->page;
    return insight_add_quality(r) && add_model(r) &&
           insight_fact(p, "series", "%lld, of which %lld are forecast", (long long)(i->columns + i->past),
                        (long long)i->columns) &&
           insight_fact(p, "window", "%lld row%s of input, %lld row%s of forecast", (long long)i->input_len,
                        plural(i->input_len), (long long)i->pred_len, plural(i->pred_len)) &&
           (r->o->load || insight_training(p, &r->report)) &&
           (!i->linear || !block_has(i->block, FGT_BLOCK_TRAIT_TOKENS) ||
            insight_fact(p, "what attention leaves out", "%s", left_out(r)));
}

/* Adds the window, its interval if enough errors are known, and the attention for its forecast. The rows
 * after the data are forecast by the model of all rows, as in the file of --predict. */
static bool add_window(const run *r)
{
    fgt_forecaster  *f      = r->whole && !r->test_windows ? r->whole : r->forecaster;
    fgt_table       *future = NULL;
    fgt_calibration *known  = NULL;
    if (!r->test_windows && !input_load_future(r, &future)) return false;
    fgt_status s = fgt_calibration_create(f, r->table, row_of(r), &known);
    if (s == FGT_OK || s == FGT_E_DATA) {
        const fgt_report_forecast o = {.size        = sizeof o,
                                       .future      = future,
                                       .calibration = known,
                                       .level       = r->o->interval_count ? r->o->interval[0] : 0.8};
        s                           = fgt_report_add_forecast(r->page, f, r->table, row_of(r), &o);
    }
    fgt_calibration_destroy(&known);
    fgt_table_destroy(&future);
    if (s != FGT_OK) return insight_failed(r->ctx);
    return insight_hops(r->page, r->ctx, fgt_forecaster_get_model(f), 0);
}

bool insight_write(run *r)
{
    if (!insight_start(r) || !add_facts(r) || !blend_page(r) || !add_window(r)) return false;
    return fgt_report_save(r->page, FGT_TO_FILE(r->o->report)) == FGT_OK || insight_failed(r->ctx);
}
