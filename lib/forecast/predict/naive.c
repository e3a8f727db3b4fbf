/* SPDX-License-Identifier: BSD-3-Clause */
/* Naive forecasts: the values of one season before. */
#include <math.h>

#include <fighter/experimental/evaluate.h>

#include "forecast/predict/naive.h"
#include "forecast/rows/feed.h"

/* Returns the value of series c in `row`. If it is missing, the value one season earlier is taken, and so
 * on. */
static fgt_status latest(const fgti_frame *frame, int64_t c, int64_t row, int64_t season, float *value)
{
    const float *series;
    *value = 0;
    for (; row >= 0; row -= season) {
        FGTI_TRY(fgti_frame_get_series(frame, row, 1, &series));
        if (isnan(series[c])) continue;
        *value = series[c];
        return FGT_OK;
    }
    return FGT_OK;
}

fgt_status fgti_naive_check(const fgt_forecaster *f, int64_t begin, int64_t season)
{
    if (season >= 1 && season <= begin) return FGT_OK;
    return fgti_fail(
        &f->ctx->error, FGT_E_ARG,
        "season is out of range (got %lld, need 1 .. %lld, the rows before those that are compared)",
        (long long)season, (long long)begin);
}

fgt_status fgti_naive_forecast(const fgti_frame *frame, int64_t row, int64_t season, float *forecast)
{
    const int64_t columns = frame->f->info.columns;
    for (int64_t k = 0; k < frame->f->info.pred_len; k++)
        for (int64_t c = 0; c < columns; c++)
            FGTI_TRY(latest(frame, c, row - season + k % season, season, &forecast[k * columns + c]));
    return FGT_OK;
}

static fgt_status naive_compare(const fgti_feed *d, int64_t season, float *truth, float *y,
                                fgt_metric *metric)
{
    const fgt_forecaster *f       = d->f;
    const int64_t         columns = f->info.columns, inputs = fgti_forecaster_inputs(f), h = f->info.pred_len;
    const int64_t         l = f->info.input_len, count = fgt_windows_count_samples(d->windows);
    const float          *rows;
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = fgti_windows_row(d->windows, i);
        FGTI_TRY(fgti_frame_get_series(d->frame, row - l, l + h, &rows));
        for (int64_t c = 0; c < columns; c++) {
            const bool known = fgti_frame_has_value(f, rows, l, c);
            for (int64_t k = 0; k < h; k++)
                truth[k * columns + c] = known ? rows[(l + k) * inputs + c] : NAN;
        }
        FGTI_TRY(fgti_naive_forecast(d->frame, row, season, y));
        FGTI_TRY(fgt_metric_add(f->ctx, metric, FGT_VIEW(y, h, columns), FGT_VIEW(truth, h, columns)));
    }
    return FGT_OK;
}

fgt_status fgt_forecaster_evaluate_naive(fgt_forecaster *forecaster, const fgt_table *table, int64_t begin,
                                         int64_t end, int64_t season, fgt_metric *metric)
{
    fgt_forecaster *f = forecaster;
    fgti_frame      frame;
    fgti_feed       d     = {0};
    float          *both  = NULL;
    fgt_source      source;
    if (!f) return FGT_E_ARG;
    if (!table || !metric) return fgti_fail(&f->ctx->error, FGT_E_ARG, "forecaster: table or metric is NULL");
    const int64_t cells = f->info.pred_len * f->info.columns;
    fgt_status    s     = fgti_frame_init(f, table, &frame);
    if (s == FGT_OK) s = fgti_feed_init(&d, f, &frame, "windows", begin, end, 1, 1, &source);
    if (s == FGT_OK) s = fgti_naive_check(f, begin, season);
    if (s == FGT_OK) s = FGTI_NEW(f->ctx, 2 * cells, "forecasts", &both);
    fgt_metric sum = *metric;
    if (s == FGT_OK) s = naive_compare(&d, season, both, both + cells, &sum);
    if (s == FGT_OK) *metric = sum;
    fgti_free(f->ctx, both);
    fgti_feed_done(&d);
    fgti_frame_done(f, &frame);
    return s;
}
