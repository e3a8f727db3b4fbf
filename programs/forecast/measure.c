/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors of a model, and the season of the naive forecast. */
#include <math.h>
#include <stdlib.h>

#include <fighter/experimental/series.h>

#include "certainty.h"
#include "measure.h"
#include "scores.h"
#include "times.h"
#include "train.h"
#include "train_create.h"

#include "../common/output.h"
#include "../common/program.h"
#include "../common/progress.h"

static bool measure_validation(run *r)
{
    const fgt_split *s = &r->split;
    fgt_metric       m = {0};
    if (!r->val_windows) return true;
    if (fgt_forecaster_evaluate(r->forecaster, r->table, s->val_begin, s->val_end, &m) != FGT_OK)
        return run_failed(r, r->o->data);
    r->val.mse = fgt_metric_get(&m, FGT_METRIC_MSE);
    r->val.mae = fgt_metric_get(&m, FGT_METRIC_MAE);
    return true;
}

bool measure_season(run *r)
{
    const options   *o     = r->o;
    const fgt_split *s     = &r->split;
    const bool       val   = r->val_windows > 0;
    const int64_t    begin = val ? s->val_begin : s->test_begin, end = val ? s->val_end : s->test_end;
    int64_t          seasons[FGT_SEASONS];
    double           least = INFINITY;
    r->season              = o->season;
    const int64_t count    = o->season ? 0 : fgt_table_find_seasons(r->table, seasons);
    for (int64_t i = 0; i < count && seasons[i] <= begin; i++) {
        fgt_metric m = {0};
        if (fgt_forecaster_evaluate_naive(r->forecaster, r->table, begin, end, seasons[i], &m) != FGT_OK)
            return run_failed(r, o->data);
        const double mse = fgt_metric_get(&m, FGT_METRIC_MSE);
        if (!(mse < least)) continue;
        least     = mse;
        r->season = seasons[i];
    }
    return true;
}

/* Measures all test windows. season: of a naive forecast, 0: the forecast of f. out: as for scores_take(). */
static bool measure_test(run *r, fgt_forecaster *f, int64_t season, scores *sums, FILE *out, errors *e)
{
    const fgt_forecast_visit_opts o = {
        .begin = r->split.test_begin, .end = r->split.test_end, .season = season};
    const scores *known = sums == &r->scores ? NULL : &r->scores; /* the model's scores are made first */
    const int64_t errors_of = r->season ? r->season : 1; /* season of the naive errors by which MASE
                                                          * divides */
    if (!scores_init(sums, r, errors_of, known) || !scores_take(sums, r, f, o, out)) return false;
    *e = scores_errors(sums, 0, sums->steps);
    return true;
}

/* Measures the model, and with --forecasts writes each of its forecasts. */
static bool measure_model(run *r)
{
    const char *path = r->o->forecasts;
    output      out  = {0};
    if (path && !output_open(&out, path)) return false;
    if (out.file) forecasts_head(r, out.file);
    const bool good = measure_test(r, r->forecaster, 0, &r->scores, out.file, &r->test);
    return output_close(&out, good) && good;
}

/* The linear baseline is trained with the library's defaults, independent of the options for the model. */
static bool measure_linear(run *r)
{
    fgt_forecaster *linear = NULL;
    fgt_fit_report  report = {0};
    bool            good   = train_create(r, true, &linear) &&
                train_fit(r, linear, (fgt_forecaster_fit_opts){0}, "linear", &report);
    /* an interrupted baseline is not well trained, so it is not measured */
    if (good && !report.cancelled) good = measure_test(r, linear, 0, &r->linear_scores, NULL, &r->linear);
    fgt_forecaster_destroy(&linear);
    return good;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Number of timed forecasts of the first test window. Their median is reported, because the first ones run
 * with cold caches and some are interrupted. */
#define TIMES 31

static bool measure_time(run *r)
{
    const int64_t l = r->info.input_len, h = r->info.pred_len, c = r->info.columns;
    const fgt_table *table = run_recent(r);
    const int64_t    begin = r->tail ? fgt_table_count_rows(table) - h : r->split.test_begin;
    const int64_t    row   = begin > l ? begin : l;
    double        took[TIMES];
    double       *values = malloc((size_t)(h * c) * sizeof *values);
    fgt_status    s      = FGT_OK;
    if (!values) return complain("no memory");
    const fgt_view forecast = *FGT_VIEW_OF(FGT_DTYPE_F64, values, h, c);
    for (int i = 0; s == FGT_OK && i < TIMES; i++) {
        const double start = seconds_now();
        s                  = fgt_forecaster_predict_table(r->forecaster, table, row, NULL, &forecast);
        took[i]            = 1e6 * (seconds_now() - start);
    }
    free(values);
    /* a series may have no value before the test; other windows can still be forecast */
    if (s == FGT_E_DATA) return true;
    if (s != FGT_OK) return run_failed(r, r->o->data);
    qsort(took, TIMES, sizeof *took, compare);
    r->predict_us = took[TIMES / 2];
    return true;
}

bool measure_all(run *r)
{
    r->val = r->test = r->linear = r->naive = r->seasonal = NO_ERRORS;
    r->predict_us                                         = NAN;
    if (r->o->json && !measure_validation(r)) return false; /* only the JSON object shows it */
    if (!r->test_windows) return true;
    if (!measure_season(r) || !measure_model(r) || !measure_time(r)) return false;
    if (!certainty_measure(r)) return false;
    if (r->o->no_baselines) return true;
    if (!measure_test(r, r->forecaster, 1, &r->naive_scores, NULL, &r->naive)) return false;
    if (r->season &&
        !measure_test(r, r->forecaster, r->season, &r->seasonal_scores, NULL, &r->seasonal))
        return false;
    return r->o->load || progress_interrupted() || measure_linear(r);
}
