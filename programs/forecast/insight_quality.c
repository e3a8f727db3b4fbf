/* SPDX-License-Identifier: BSD-3-Clause */
/* The accuracy of the forecasts, for the page of --report. */
#include <math.h>

#include "insight_quality.h"
#include "scores.h"

#include "../common/insight.h"
#include "../common/program.h"

enum { RIVALS = 4 };

/* One forecaster or simple rule, and its errors on the test rows. */
typedef struct rival {
    const char   *name;
    const errors *all;
    const scores *scores;
} rival;

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
    char         text[400];
    const bool   mase  = !isnan(r->test.mase);
    double       least = INFINITY;
    const double own   = error_of(&r->test, mase);
    int          at    = 0;
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
    const int64_t    every = (of->scores->steps + 99) / 100;
    fgt_report_point p     = {.size = sizeof p, .axis = "step", .curve = of->name, .first = 1};
    p.about                = mase ? says : NULL;
    p.chart                = mase ? "Error by step, MASE" : "Error by step, MSE in standard deviations";
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
