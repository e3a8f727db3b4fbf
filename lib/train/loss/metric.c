/* SPDX-License-Identifier: BSD-3-Clause */

/* Metrics, which are computed from running sums of errors. */

#include <math.h>

#include "train/loss/loss.h"

static void add_element(fgt_metric *m, double y, double t)
{
    if (isnan(t)) return;
    const double e = fabs(y - t), both = fabs(y) + fabs(t);
    m->count++;
    m->square += e * e;
    m->absolute += e;
    if (t != 0) {
        m->percent += e / fabs(t);
        m->percent_count++;
    }
    if (both != 0) m->symmetric += 2 * e / both;
}

/* Whether y_t is the largest logit, or the first of several that are largest. False if any logit is NaN. */
static bool is_first_largest(int64_t n, const fgti_real *y, int64_t t)
{
    for (int64_t c = 0; c < n; c++)
        if (!(c < t ? y[t] > y[c] : y[t] >= y[c])) return false;
    return true;
}

fgt_status fgt_metric_add(fgt_context *ctx, fgt_metric *metric, const fgt_view *y, const fgt_view *target)
{
    if (!ctx) return FGT_E_ARG;
    if (!metric) return fgti_fail(&ctx->error, FGT_E_ARG, "metric: metric is NULL");
    const bool classes = target && (target->dtype == FGT_DTYPE_I64 || target->dtype == FGT_DTYPE_I32);
    FGTI_TRY(fgti_target_check(&ctx->error, y, target, classes, true));
    const int64_t    n = fgt_view_count(target);
    const fgti_real *p = y->data, *t = target->data;
    if (!classes) {
        for (int64_t i = 0; i < n; i++) add_element(metric, (double)p[i], (double)t[i]);
        return FGT_OK;
    }
    const int64_t columns = y->shape[y->rank - 1];
    for (int64_t r = 0; r < n; r++) {
        const int64_t class = fgti_target_class(target, r);
        if (class == FGT_CLASS_MISSING) continue;
        metric->correct += is_first_largest(columns, p + r * columns, class);
        metric->rows++;
    }
    return FGT_OK;
}

static double metric_mean(double sum, int64_t count)
{
    return count ? sum / (double)count : NAN;
}

double fgt_metric_get(const fgt_metric *metric, int32_t kind)
{
    if (!metric) return NAN;
    switch (kind) {
    case FGT_METRIC_MSE: return metric_mean(metric->square, metric->count);
    case FGT_METRIC_MAE: return metric_mean(metric->absolute, metric->count);
    case FGT_METRIC_RMSE: return sqrt(metric_mean(metric->square, metric->count));
    case FGT_METRIC_MAPE: return metric_mean(metric->percent, metric->percent_count);
    case FGT_METRIC_SMAPE: return metric_mean(metric->symmetric, metric->count);
    case FGT_METRIC_ACCURACY: return metric_mean((double)metric->correct, metric->rows);
    default: return NAN;
    }
}
