/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors of forecasts, in standard deviations. */
#include <fighter/experimental/evaluate.h>
#include <math.h>

#include "forecast/predict/outputs.h"
#include "forecast/predict/visit.h"
#include "forecast/rows/feed.h"
#include "forecast/rows/frame.h"

/* Visits all windows whose targets lie in rows begin .. end-1. */
static fgt_status visit_rows(fgt_forecaster *f, const fgt_table *table, int64_t begin, int64_t end,
                             fgti_take_forecast take, void *user)
{
    fgti_frame frame;
    fgti_feed  d = {0};
    fgt_source source;
    fgt_status s = fgti_frame_init(f, table, &frame);
    if (s == FGT_OK) s = fgti_feed_init(&d, f, &frame, "windows", begin, end, 1, 1, &source);
    if (s == FGT_OK) s = fgti_visit(f, &source, 0, source.count, take, user);
    fgti_feed_done(&d);
    fgti_frame_done(f, &frame);
    return s;
}

/* ---- forecasts ---- */

typedef struct comparison {
    fgt_forecaster *f;
    float          *points; /* [H,C] */
    fgt_metric      metric;
} comparison;

static fgt_status compare_points(void *user, int64_t window, const float *forecast, const float *truth)
{
    comparison   *k = user;
    const int64_t h = k->f->info.pred_len, c = k->f->info.columns;
    (void)window;
    fgti_forecast_points(k->f, forecast, h * c, k->points);
    return fgt_metric_add(k->f->ctx, &k->metric, FGT_VIEW(k->points, h, c), FGT_VIEW(truth, h, c));
}

fgt_status fgt_forecaster_evaluate(fgt_forecaster *forecaster, const fgt_table *table, int64_t begin,
                                   int64_t end, fgt_metric *metric)
{
    fgt_forecaster *f = forecaster;
    if (!f) return FGT_E_ARG;
    if (!table || !metric) return fgti_fail(&f->ctx->error, FGT_E_ARG, "forecaster: table or metric is NULL");
    comparison k = {.f = f, .metric = *metric};
    FGTI_TRY(FGTI_NEW(f->ctx, f->info.pred_len * f->info.columns, "forecast", &k.points));
    const fgt_status s = visit_rows(f, table, begin, end, compare_points, &k);
    fgti_free(f->ctx, k.points);
    if (s == FGT_OK) *metric = k.metric;
    return s;
}

/* ---- quantiles ---- */

typedef struct judgement {
    const fgt_forecaster_info *info;
    fgt_quantile_metric       *metric; /* [Q,H] */
} judgement;

static fgt_status compare_judge(void *user, int64_t window, const float *forecast, const float *truth)
{
    const judgement *j = user;
    const int64_t    h = j->info->pred_len, heads = j->info->quantile_count;
    (void)window;
    for (int64_t i = 0; i < h * j->info->columns; i++)
        for (int64_t q = 0; q < heads && !isnan(truth[i]); q++) {
            const double         e = (double)truth[i] - (double)forecast[i * heads + q];
            fgt_quantile_metric *m = &j->metric[q * h + i / j->info->columns];
            m->count++;
            m->below += e <= 0;
            m->loss += e > 0 ? j->info->quantiles[q] * e : (j->info->quantiles[q] - 1) * e;
        }
    return FGT_OK;
}

fgt_status fgt_forecaster_evaluate_quantiles(fgt_forecaster *forecaster, const fgt_table *table,
                                             int64_t begin, int64_t end, fgt_quantile_metric *metrics)
{
    fgt_forecaster *f = forecaster;
    if (!f) return FGT_E_ARG;
    fgti_error *err = &f->ctx->error;
    if (!table || !metrics) return fgti_fail(err, FGT_E_ARG, "quantiles: table or metrics is NULL");
    if (!f->info.quantile_count) return fgti_fail(err, FGT_E_STATE, "the model has no quantiles");
    for (int64_t i = 0; i < f->info.quantile_count * f->info.pred_len; i++)
        metrics[i] = (fgt_quantile_metric){0};
    judgement j = {&f->info, metrics};
    return visit_rows(f, table, begin, end, compare_judge, &j);
}

void fgt_quantile_metric_sum(const fgt_quantile_metric *metrics, int64_t count, int64_t stride,
                             fgt_quantile_metric *sum)
{
    fgt_quantile_metric all = {0};
    for (int64_t i = 0; metrics && i < count; i++, metrics += stride) {
        all.count += metrics->count;
        all.below += metrics->below;
        all.loss += metrics->loss;
    }
    if (sum) *sum = all;
}

/* CRPS = 2 int_0^1 loss_q dq. Each quantile represents the levels that are nearest to its level. */
double fgt_quantile_metric_get_crps(const fgt_quantile_metric *metrics, const double *quantiles,
                                    int64_t count)
{
    double sum = 0;
    if (!metrics || !quantiles || count < 1) return NAN;
    for (int64_t q = 0; q < count; q++) {
        const double low  = q > 0 ? (quantiles[q - 1] + quantiles[q]) / 2 : 0;
        const double high = q + 1 < count ? (quantiles[q] + quantiles[q + 1]) / 2 : 1;
        sum += 2 * (high - low) * metrics[q].loss / (double)metrics[q].count;
    }
    return sum;
}
