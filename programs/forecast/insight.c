/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of --report. */
#include <math.h>

#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/report.h>

#include "forecast.h"

#include "../common/insight.h"

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
    if (!r->test_windows || r->o->members > 1) return true; /* with several members, the layers of one member
                                                             * are not the model's layers */
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

/* ---- accuracy ---- */

/* One forecaster or simple rule, and its errors on the test rows. */
typedef struct rival {
    const char   *name;
    const errors *all;
    const scores *scores;
} rival;

enum { RIVALS = 4 };

/* Lists the model, then the rules that need no training, then the linear baseline. */
static int find_rivals(const run *r, char season[64], rival all[RIVALS])
{
    int n    = 0;
    all[n++] = (rival){run_model_name(r), &r->test, &r->scores};
    snprintf(season, 64, "the value %lld row%s ago", (long long)r->season, r->season == 1 ? "" : "s");
    if (!isnan(r->naive.mse)) all[n++] = (rival){"the last value", &r->naive, &r->naive_scores};
    if (!isnan(r->seasonal.mse)) all[n++] = (rival){season, &r->seasonal, &r->seasonal_scores};
    if (!isnan(r->linear.mse)) all[n++] = (rival){"a linear map", &r->linear, &r->linear_scores};
    return n;
}

/* MASE, or MSE if no series has a MASE. */
static double error_of(const errors *e, bool mase)
{
    return mase ? e->mase : e->mse;
}

/* Adds a sentence about whether the forecast is better than the rules that repeat a value, which readers want
 * to know first. */
static bool add_verdict(const run *r, const rival *all, int n)
{
    char       text[400];
    const bool mase  = !isnan(r->test.mase);
    double     least = INFINITY;
    const double own = error_of(&r->test, mase);
    int          at  = 0;
    for (int i = 1; i < n; i++)
        if (all[i].all != &r->linear) least = fmin(least, error_of(all[i].all, mase));
    if (isinf(least)) return true;
    at += snprintf(text, sizeof text, "%s: %s %s %s %.3f", own < least ? "yes" : "no",
                   r->blend ? "without the blend it has a" : "its",
                   mase ? "MASE" : "MSE in standard deviations", r->blend ? "of" : "is", own);
    for (int i = 1; i < n; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s %s has %.3f", i == 1 ? ";" : ",", all[i].name,
                       error_of(all[i].all, mase));
    return insight_fact(r->page, "better than repeating a value?", "%s", text);
}

static bool add_interval_fact(const run *r)
{
    const fgt_interval_metric *m = &r->intervals[0];
    if (!r->coverage || !m->count) return true;
    return insight_fact(r->page, r->blend ? "interval of the model without the blend" : "interval",
                        "of %g %%: holds %.1f %% of the values of the %s rows", 100 * r->o->interval[0],
                        100 * (double)m->inside / (double)m->count, r->forecaster ? "test" : "last");
}

static bool add_curve(const run *r, const rival *of, bool mase)
{
    static const char says[] =
        "By how much forecasts are off, step by step. A MASE of 1 is the error of repeating the value of a "
        "season before in older rows; below 1 is better.";
    fgt_report_point p = {.size  = sizeof p,
                          .chart = mase ? "Error by step, MASE" : "Error by step, MSE in standard deviations",
                          .axis  = "step",
                          .curve = of->name,
                          .about = mase ? says : NULL,
                          .first = 1};
    const int64_t    every = (of->scores->steps + 99) / 100;
    for (int64_t h = 0; h < of->scores->steps; h += every) {
        const errors e = scores_errors(of->scores, h, 1);
        p.x            = (double)(h + 1);
        p.y            = error_of(&e, mase);
        if (fgt_report_add_point(r->page, &p) != FGT_OK) return insight_failed(r->ctx);
    }
    return true;
}

static const char *name_errors(const run *r)
{
    if (!r->forecaster) return "error on the last rows";
    return r->blend ? "error on the test rows, without the blend" : "error on the test rows";
}

bool insight_add_quality(const run *r)
{
    char  season[64];
    rival all[RIVALS];
    bool  good = true;
    if (!r->test_windows || isnan(r->test.mse)) return true;
    const int  n    = find_rivals(r, season, all);
    const bool mase = !isnan(r->test.mase);
    good            = add_verdict(r, all, n) &&
           insight_fact(r->page, name_errors(r),
                        "MSE %.3f, MAE %.3f in standard deviations, in the mean of %lld %s%s", r->test.mse,
                        r->test.mae, (long long)r->test_windows, r->forecaster ? "window" : "origin",
                        plural(r->test_windows)) &&
           add_interval_fact(r);
    for (int i = 0; good && i < n; i++) good = add_curve(r, &all[i], mase);
    return good;
}

/* ---- facts ---- */

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
        s = fgt_report_add_forecast(r->page, f, r->table, row_of(r), &o);
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
