/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors in units of the table, and measures made of them. */
#include <fighter/evaluate.h>
#include <math.h>
#include <string.h>

#include "core/size.h"
#include "data/table.h"
#include "forecast/forecaster.h"

static void add(fgt_forecast_metric *m, double forecast, double truth)
{
    if (isnan(truth)) return;
    const double e = forecast - truth, both = fabs(forecast) + fabs(truth);
    m->count++;
    m->error += e;
    m->absolute += fabs(e);
    m->square += e * e;
    m->truth += fabs(truth);
    if (both > 0) m->symmetric += 2 * fabs(e) / both;
    if (truth == 0) return;
    m->relative += fabs(e / truth);
    m->not_zero++;
}

fgt_status fgt_forecast_metric_add(fgt_context *ctx, const fgt_view *forecast, const fgt_view *truth,
                                   fgt_forecast_metric *metrics)
{
    if (!ctx) return FGT_E_ARG;
    if (!metrics) return fgti_fail(&ctx->error, FGT_E_ARG, "metric: no place for the sums");
    FGTI_TRY(fgti_view_check_number(&ctx->error, "forecast", forecast, 2, (const int64_t[]){-1, -1}));
    FGTI_TRY(fgti_view_check_number(&ctx->error, "truth", truth, 2, forecast->shape));
    for (int64_t i = 0; i < fgt_view_count(truth); i++)
        add(&metrics[i], fgti_view_get(forecast, i), fgti_view_get(truth, i));
    return FGT_OK;
}

fgt_forecast_metric fgt_forecast_metric_sum(const fgt_forecast_metric *metrics, int64_t count, int64_t stride)
{
    fgt_forecast_metric sum = {0};
    for (int64_t i = 0; metrics && i < count; i++, metrics += stride) {
        sum.count += metrics->count;
        sum.error += metrics->error;
        sum.absolute += metrics->absolute;
        sum.square += metrics->square;
        sum.truth += metrics->truth;
        sum.symmetric += metrics->symmetric;
        sum.relative += metrics->relative;
        sum.not_zero += metrics->not_zero;
    }
    return sum;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

double fgt_forecast_metric_get(const fgt_forecast_metric *metric, int32_t measure,
                               const fgt_forecast_metric *naive)
{
    const fgt_forecast_metric none = {0}, *m = metric ? metric : &none, *by = naive ? naive : &none;
    const double              n = (double)m->count, naive_n = (double)by->count;
    switch (measure) {
    case FGT_MEASURE_MSE: return ratio(m->square, n);
    case FGT_MEASURE_RMSE: return sqrt(ratio(m->square, n));
    case FGT_MEASURE_MAE: return ratio(m->absolute, n);
    case FGT_MEASURE_BIAS: return ratio(m->error, n);
    case FGT_MEASURE_WAPE: return ratio(m->absolute, m->truth);
    case FGT_MEASURE_MAPE: return ratio(m->relative, (double)m->not_zero);
    case FGT_MEASURE_SMAPE: return ratio(m->symmetric, n);
    case FGT_MEASURE_MASE: return ratio(ratio(m->absolute, n), ratio(by->absolute, naive_n));
    case FGT_MEASURE_RMSSE: return sqrt(ratio(ratio(m->square, n), ratio(by->square, naive_n)));
    default: return NAN;
    }
}

/* Rows that are compared at a time. */
enum { PIECE = 1024 };

static fgt_status compare_rows(const fgti_frame *frame, int64_t begin, int64_t end, int64_t season,
                               float *before, fgt_forecast_metric *naive)
{
    const int64_t wide = frame->f->names.count;
    for (int64_t r = begin, n; r < end - season; r += n) {
        const float *after;
        n = fgti_least(fgti_least(PIECE, frame->room), end - season - r);
        FGTI_TRY(fgti_frame_get_raw(frame, r, n, &after));
        memcpy(before, after, (size_t)(n * wide) * sizeof *before);
        FGTI_TRY(fgti_frame_get_raw(frame, r + season, n, &after));
        for (int64_t i = 0; i < n; i++)
            for (int64_t c = 0; c < frame->f->info.columns; c++) {
                const double old = (double)before[i * wide + c];
                if (!isnan(old)) add(&naive[c], old, (double)after[i * wide + c]);
            }
    }
    return FGT_OK;
}

static fgt_status measure_stored(const fgt_forecaster *f, const fgt_table *table, int64_t begin, int64_t end,
                                 int64_t season, fgt_forecast_metric *naive)
{
    float     *before = NULL;
    fgti_frame frame;
    fgt_status s = fgti_frame_init(f, table, &frame);
    if (s == FGT_OK) s = FGTI_NEW(f->ctx, PIECE * f->names.count, "rows", &before);
    if (s == FGT_OK) s = compare_rows(&frame, begin, end, season, before, naive);
    fgti_free(f->ctx, before);
    fgti_frame_done(f, &frame);
    return s;
}

fgt_status fgt_forecaster_measure_naive(const fgt_forecaster *forecaster, const fgt_table *table,
                                        int64_t begin, int64_t end, int64_t season,
                                        fgt_forecast_metric *naive)
{
    const fgt_forecaster *f = forecaster;
    int64_t               column;
    if (!f) return FGT_E_ARG;
    fgti_error *err = &f->ctx->error;
    if (!table || !naive) return fgti_fail(err, FGT_E_ARG, "naive errors: table or result is NULL");
    if (begin < 0 || end < begin || end > table->rows || season < 1)
        return fgti_fail(err, FGT_E_ARG,
                         "naive errors: rows %lld..%lld of %lld and season %lld do not make sense",
                         (long long)begin, (long long)end, (long long)table->rows, (long long)season);
    for (int64_t c = 0; c < f->info.columns; c++)
        FGTI_TRY(fgt_table_get_column(table, fgti_strings_get(&f->names, c), &column));
    for (int64_t c = 0; c < f->info.columns; c++) naive[c] = (fgt_forecast_metric){0};
    if (table->store) return measure_stored(f, table, begin, end, season, naive);
    for (int64_t c = 0; c < f->info.columns; c++) {
        FGTI_TRY(fgt_table_get_column(table, fgti_strings_get(&f->names, c), &column));
        const double *v = table->values + column;
        for (int64_t r = begin; season < end - begin && r < end - season; r++) {
            const double before = v[r * table->columns];
            if (!isnan(before)) add(&naive[c], before, v[(r + season) * table->columns]);
        }
    }
    return FGT_OK;
}
