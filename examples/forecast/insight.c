/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of --report. */
#include <math.h>

#include "forecast.h"

#include "../common/insight.h"

static const char about[] =
    "How to read a forecast of this model. Its layers see the input as tokens; attention says how much each "
    "token reads of each other one, and not whether that is of use.";
static const char about_linear[] = "On what a forecast of this model depends, which is a linear map.";

bool insight_start(run *r)
{
    const bool layers = block_has(r->info.block, FGT_BLOCK_HAS_TOKENS);
    if (!r->o->report || r->page) return true;
    return insight_open(r->ctx, r->dataset, (fgt_block)r->info.block, fgt_forecaster_get_model(r->forecaster),
                        layers ? about : about_linear, &r->page);
}

/* The last test window, whose truth is known; without one, what follows the data. */
static int64_t row_of(const run *r)
{
    return r->test_windows ? r->split.test_end - r->info.pred_len : -1;
}

bool insight_record(run *r, const fgt_progress *p)
{
    const fgt_report_forecast o = {.size = sizeof o, .epoch = p->epoch};
    if (!r->page || !p->epoch_done) return true;
    if (!insight_losses(r->page, p)) return false;
    return !r->test_windows || r->o->members > 1 || /* the layers of one member are not those of the model */
           fgt_report_add_forecast(r->page, r->forecaster, r->table, row_of(r), &o) == FGT_OK ||
           insight_failed(r->ctx);
}

/* Of a model with a linear map. */
static const char *left_out(const run *r)
{
    if (!r->o->load && !r->report.best_epoch)
        return "everything: no epoch was better than the linear map alone, so the layers have their first "
               "weights, and attention is as random as these";
    return "the linear map: the layers forecast what it leaves, so attention explains their part alone";
}

static bool add_model(const run *r)
{
    const fgt_forecaster_info *i = &r->info;
    if (!block_has(i->block, FGT_BLOCK_HAS_TOKENS))
        return insight_fact(r->page, "model", "linear%s", i->linear ? ", in closed form" : "");
    return insight_fact(r->page, "model", "%s on %s tokens%s", block_names[i->block], tokens_name(i->tokens),
                        i->linear ? ", beside a linear map in closed form" : "");
}

static bool add_facts(const run *r)
{
    const fgt_forecaster_info *i = &r->info;
    fgt_report                *p = r->page;
    return add_model(r) &&
           insight_fact(p, "series", "%lld, of which %lld are forecast", (long long)(i->columns + i->past),
                        (long long)i->columns) &&
           insight_fact(p, "window", "%lld rows of input, %lld rows of forecast", (long long)i->input_len,
                        (long long)i->pred_len) &&
           (r->o->load || insight_training(p, &r->report)) &&
           (isnan(r->test.mse) || !r->test_windows ||
            insight_fact(p, "error on the test rows", "MSE %.3f, MAE %.3f in standard deviations",
                         r->test.mse, r->test.mae)) &&
           (!i->linear || !block_has(i->block, FGT_BLOCK_HAS_TOKENS) ||
            insight_fact(p, "what attention leaves out", "%s", left_out(r)));
}

/* The window, and the attention that led to its forecast. */
static bool add_window(const run *r)
{
    fgt_table *future = NULL;
    if (!r->test_windows && !input_load_future(r, &future)) return false;
    const fgt_report_forecast o = {.size = sizeof o, .future = future};
    const fgt_status          s = fgt_report_add_forecast(r->page, r->forecaster, r->table, row_of(r), &o);
    fgt_table_destroy(&future);
    return s == FGT_OK || insight_failed(r->ctx);
}

bool insight_write(run *r)
{
    if (!insight_start(r) || !add_facts(r) || !add_window(r)) return false;
    return fgt_report_save(r->page, r->o->report) == FGT_OK || insight_failed(r->ctx);
}
