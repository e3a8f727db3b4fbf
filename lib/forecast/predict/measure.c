/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors in the units of the table, and the metrics made from them. */
#include <fighter/experimental/evaluate.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/size.h"
#include "data/table.h"
#include "forecast/forecaster_impl.h"
#include "forecast/rows/frame.h"
#include "ranks/ranks.h"

static void measure_add(fgt_forecast_metric *m, double forecast, double truth)
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
        measure_add(&metrics[i], fgti_view_get(forecast, i), fgti_view_get(truth, i));
    return FGT_OK;
}

void fgt_forecast_metric_sum(const fgt_forecast_metric *metrics, int64_t count, int64_t stride,
                             fgt_forecast_metric *sum)
{
    fgt_forecast_metric all = {0};
    for (int64_t i = 0; metrics && i < count; i++, metrics += stride) {
        all.count += metrics->count;
        all.error += metrics->error;
        all.absolute += metrics->absolute;
        all.square += metrics->square;
        all.truth += metrics->truth;
        all.symmetric += metrics->symmetric;
        all.relative += metrics->relative;
        all.not_zero += metrics->not_zero;
    }
    if (sum) *sum = all;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

double fgt_forecast_metric_get_measure(const fgt_forecast_metric *metric, int32_t measure,
                                       const fgt_forecast_metric *naive)
{
    const fgt_forecast_metric none = {0}, *m = metric ? metric : &none, *by = naive ? naive : &none;
    const double              n = (double)m->count, naive_n = (double)by->count;
    switch (measure) {
    case FGT_FORECAST_MEASURE_MSE: return ratio(m->square, n);
    case FGT_FORECAST_MEASURE_RMSE: return sqrt(ratio(m->square, n));
    case FGT_FORECAST_MEASURE_MAE: return ratio(m->absolute, n);
    case FGT_FORECAST_MEASURE_BIAS: return ratio(m->error, n);
    case FGT_FORECAST_MEASURE_WAPE: return ratio(m->absolute, m->truth);
    case FGT_FORECAST_MEASURE_MAPE: return ratio(m->relative, (double)m->not_zero);
    case FGT_FORECAST_MEASURE_SMAPE: return ratio(m->symmetric, n);
    case FGT_FORECAST_MEASURE_MASE: return ratio(ratio(m->absolute, n), ratio(by->absolute, naive_n));
    case FGT_FORECAST_MEASURE_RMSSE: return sqrt(ratio(ratio(m->square, n), ratio(by->square, naive_n)));
    default: return NAN;
    }
}

/* ---- errors of a naive forecast ---- */

/* PIECE: number of rows that are read at a time. PART: number of rows whose errors one rank sums. The sums of
 * the parts are added in order, so the result does not depend on the number of ranks. */
enum { PIECE = 1024, PART = 65536 };

typedef struct naive_sums {
    const fgt_forecaster *f;
    const fgt_table      *table;
    fgti_ranks            ranks;
    int64_t               begin, end, season;
    int64_t               parts;
    fgt_forecast_metric  *mine, *all; /* [parts,C] */
    int64_t              *bytes;      /* [ranks] */
} naive_sums;

/* Compares rows begin .. end-1 of a stored table with the rows one season later. */
static fgt_status compare_rows(const fgti_frame *frame, int64_t begin, int64_t end, int64_t season,
                               float *before, fgt_forecast_metric *naive)
{
    const int64_t wide = frame->f->names.count;
    for (int64_t r = begin, n; r < end; r += n) {
        const float *after;
        n = fgti_least(fgti_least(PIECE, frame->room), end - r);
        FGTI_TRY(fgti_frame_get_raw(frame, r, n, &after));
        memcpy(before, after, (size_t)(n * wide) * sizeof *before);
        FGTI_TRY(fgti_frame_get_raw(frame, r + season, n, &after));
        for (int64_t i = 0; i < n; i++)
            for (int64_t c = 0; c < frame->f->info.columns; c++) {
                const double old = (double)before[i * wide + c];
                if (!isnan(old)) measure_add(&naive[c], old, (double)after[i * wide + c]);
            }
    }
    return FGT_OK;
}

/* Adds the naive errors of rows begin .. end-1 of a table in memory. */
static fgt_status compare_values(const naive_sums *s, int64_t begin, int64_t end, fgt_forecast_metric *naive)
{
    const fgt_table *t = s->table;
    for (int64_t c = 0; c < s->f->info.columns; c++) {
        int64_t column;
        FGTI_TRY(fgt_table_get_column(t, fgti_strings_get(&s->f->names, c), &column));
        const double *v = t->values + column;
        for (int64_t r = begin; r < end; r++) {
            const double before = v[r * t->columns];
            if (!isnan(before)) measure_add(&naive[c], before, v[(r + s->season) * t->columns]);
        }
    }
    return FGT_OK;
}

static int64_t measure_part_of(const naive_sums *s, int64_t rank)
{
    return fgti_ranks_share(&s->ranks, s->parts, rank);
}

/* Measures the parts of this rank. frame NULL: the table is in memory. */
static fgt_status measure_parts(naive_sums *s, const fgti_frame *frame, float *before)
{
    const int64_t last = s->end - s->season, rank = s->ranks.with.rank;
    fgt_status    status = FGT_OK;
    for (int64_t p = measure_part_of(s, rank); p < measure_part_of(s, rank + 1) && status == FGT_OK; p++) {
        fgt_forecast_metric *naive = s->mine + p * s->f->info.columns;
        const int64_t        begin = s->begin + p * PART, end = fgti_least(begin + PART, last);
        status = frame ? compare_rows(frame, begin, end, s->season, before, naive)
                       : compare_values(s, begin, end, naive);
    }
    return status;
}

static fgt_status measure_mine(naive_sums *s)
{
    const fgt_forecaster *f      = s->f;
    float                *before = NULL;
    fgti_frame            frame;
    if (!s->table->store) return measure_parts(s, NULL, NULL);
    fgt_status status = fgti_frame_init(f, s->table, &frame);
    if (status == FGT_OK) status = FGTI_NEW(f->ctx, PIECE * f->names.count, "rows", &before);
    if (status == FGT_OK) status = measure_parts(s, &frame, before);
    fgti_free(f->ctx, before);
    fgti_frame_done(f, &frame);
    return status;
}

static fgt_status check_naive(naive_sums *s, const fgt_forecast_metric *naive)
{
    const fgt_forecaster *f   = s->f;
    fgti_error           *err = &f->ctx->error;
    int64_t               column;
    if (!s->table || !naive) return fgti_fail(err, FGT_E_ARG, "naive errors: table or result is NULL");
    if (s->begin < 0 || s->end < s->begin || s->end > s->table->rows || s->season < 1)
        return fgti_fail(err, FGT_E_ARG,
                         "naive errors: rows %lld..%lld of %lld and season %lld do not make sense",
                         (long long)s->begin, (long long)s->end, (long long)s->table->rows,
                         (long long)s->season);
    for (int64_t c = 0; c < f->info.columns; c++)
        FGTI_TRY(fgt_table_get_column(s->table, fgti_strings_get(&f->names, c), &column));
    if (s->season < s->end - s->begin) s->parts = (s->end - s->begin - s->season - 1) / PART + 1;
    FGTI_TRY(FGTI_NEW(f->ctx, s->ranks.with.ranks, "errors", &s->bytes));
    FGTI_TRY(FGTI_NEW(f->ctx, fgti_mul(s->parts, f->info.columns), "errors", &s->mine));
    return FGTI_NEW(f->ctx, fgti_mul(s->parts, f->info.columns), "errors", &s->all);
}

static fgt_status measure_naive(naive_sums *s)
{
    char            rows[96];
    const fgti_word word    = {"the rows of naive errors", rows};
    const int64_t   columns = s->f->info.columns, first = measure_part_of(s, s->ranks.with.rank);
    snprintf(rows, sizeof rows, "%lld..%lld, season %lld, %lld series", (long long)s->begin,
             (long long)s->end, (long long)s->season, (long long)columns);
    FGTI_TRY(fgti_ranks_compare(&s->ranks, &word, 1));
    FGTI_TRY(fgti_ranks_agree(&s->ranks, measure_mine(s)));
    for (int64_t q = 0; q < s->ranks.with.ranks; q++)
        s->bytes[q] =
            (measure_part_of(s, q + 1) - measure_part_of(s, q)) * columns * (int64_t)sizeof *s->mine;
    return fgti_ranks_gather(&s->ranks, s->mine + first * columns, s->bytes, s->all);
}

fgt_status fgt_forecaster_compute_naive_errors(const fgt_forecaster *forecaster, const fgt_table *table,
                                               int64_t begin, int64_t end, int64_t season,
                                               const fgt_collective *collective, fgt_forecast_metric *naive)
{
    const fgt_forecaster *f = forecaster;
    if (!f) return FGT_E_ARG;
    naive_sums s      = {.f = f, .table = table, .begin = begin, .end = end, .season = season};
    fgt_status status = fgti_ranks_init(f->ctx, collective, &s.ranks);
    if (status == FGT_OK) status = fgti_ranks_agree(&s.ranks, check_naive(&s, naive));
    if (status == FGT_OK) status = measure_naive(&s);
    for (int64_t c = 0; status == FGT_OK && c < f->info.columns; c++)
        fgt_forecast_metric_sum(s.all + c, s.parts, f->info.columns, &naive[c]);
    fgti_ranks_done(&s.ranks);
    fgti_free(f->ctx, s.bytes);
    fgti_free(f->ctx, s.mine);
    fgti_free(f->ctx, s.all);
    return status;
}
