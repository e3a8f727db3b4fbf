/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts of rows that are known, in the units of the table. */
#include <math.h>

#include "core/size.h"
#include "data/table.h"
#include "forecast/predict/known_errors.h"
#include "forecast/predict/naive.h"
#include "forecast/predict/outputs.h"
#include "forecast/predict/visit.h"
#include "forecast/rows/feed.h"

typedef struct visitor {
    fgt_forecaster       *f;
    const fgt_table      *table;
    const fgti_frame     *frame;
    const fgt_windows    *windows;
    fgt_forecast_visit_fn visit;
    void                 *user;
    double               *forecast, *truth; /* [H,C] each */
    double               *quantiles;        /* [Q,H,C] */
    float                *points;           /* [H,C], standardised */
    int64_t              *column;           /* [C]: column of the table */
    fgti_known_errors     known;            /* levels 0: no intervals */
    double               *low, *high;       /* [levels,H,C] */
} visitor;

static fgt_status put_truth(const visitor *v, int64_t row)
{
    const fgt_table *t = v->table;
    const int64_t    c = v->f->info.columns, l = v->f->info.input_len, steps = v->f->info.pred_len;
    const float     *rows, *raw = NULL;
    if (t->store) FGTI_TRY(fgti_frame_get_raw(v->frame, row, steps, &raw));
    for (int64_t h = 0; h < steps; h++)
        for (int64_t i = 0; i < c; i++)
            v->truth[h * c + i] = raw ? (double)raw[h * v->f->names.count + i]
                                      : t->values[(row + h) * t->columns + v->column[i]];
    FGTI_TRY(fgti_frame_get_series(v->frame, row - l, l, &rows));
    for (int64_t i = 0; i < c; i++)
        for (int64_t h = 0; !fgti_frame_has_value(v->f, rows, l, i) && h < steps; h++)
            v->truth[h * c + i] = NAN;
    return FGT_OK;
}

/* Writes the ends of the intervals in the units of the table. An end is the model's quantile plus a quantile
 * of the errors. */
static void put_intervals(visitor *v, fgt_forecast_window *w)
{
    fgti_known_errors *k     = &v->known;
    const double      *from  = w->quantiles.data ? v->quantiles : v->forecast;
    const int64_t      steps = v->f->info.pred_len, series = v->f->info.columns;
    fgti_known_errors_at(k, w->row);
    for (int64_t i = 0; i < k->levels * k->cells; i++) {
        const int64_t   cell = i % k->cells;
        const fgti_ends e    = k->from[i / k->cells];
        const double    low  = from[e.low + cell] + k->low[i] * k->now->scale[cell],
                     high    = from[e.high + cell] + k->high[i] * k->now->scale[cell];
        const double least   = k->now->least[cell % series];
        v->low[i]            = low < least && from[e.low + cell] >= least ? least : low;
        v->high[i]           = high < least && from[e.high + cell] >= least ? least : high;
    }
    w->low  = *FGT_VIEW_OF(FGT_DTYPE_F64, v->low, k->levels, steps, series);
    w->high = *FGT_VIEW_OF(FGT_DTYPE_F64, v->high, k->levels, steps, series);
}

/* Passes one window to the host. The truth is taken from the table, which has more digits. all: the model's
 * output; NULL: the forecast does not come from the model. */
static fgt_status hand_over(visitor *v, int64_t window, const float *forecast, const float *all)
{
    const int64_t       h = v->f->info.pred_len, c = v->f->info.columns, q = v->f->info.quantile_count;
    fgt_forecast_window w = {.size     = sizeof w,
                             .window   = window,
                             .row      = fgti_windows_row(v->windows, window),
                             .forecast = *FGT_VIEW_OF(FGT_DTYPE_F64, v->forecast, h, c),
                             .truth    = *FGT_VIEW_OF(FGT_DTYPE_F64, v->truth, h, c)};
    fgti_forecast_put(v->f, forecast, h, &w.forecast, 0);
    if (all && q) {
        w.quantiles = *FGT_VIEW_OF(FGT_DTYPE_F64, v->quantiles, q, h, c);
        fgti_forecast_put_quantiles(v->f, all, &w.quantiles);
    }
    if (v->known.levels) put_intervals(v, &w);
    FGTI_TRY(put_truth(v, w.row));
    *v->f->ctx->error.text = 0;
    const fgt_status s     = v->visit(v->user, &w);
    if (s == FGT_OK || *v->f->ctx->error.text) return s;
    return fgti_fail(&v->f->ctx->error, s, "visit: %s at the forecast of row %lld",
                     s == FGT_E_CANCELLED ? "stopped" : "the visitor failed", (long long)w.row);
}

static fgt_status hand_over_points(void *user, int64_t window, const float *forecast, const float *truth)
{
    visitor *v = user;
    (void)truth;
    fgti_forecast_points(v->f, forecast, v->f->info.pred_len * v->f->info.columns, v->points);
    return hand_over(v, window, v->points, forecast);
}

static fgt_status visit_allocate(visitor *v)
{
    const fgt_forecaster *f     = v->f;
    const int64_t         cells = f->info.pred_len * f->info.columns;
    FGTI_TRY(FGTI_NEW(f->ctx, cells, "forecast", &v->forecast));
    FGTI_TRY(FGTI_NEW(f->ctx, cells, "truth", &v->truth));
    FGTI_TRY(FGTI_NEW(f->ctx, cells, "forecast", &v->points));
    FGTI_TRY(FGTI_NEW(f->ctx, cells * f->info.quantile_count, "quantiles", &v->quantiles));
    FGTI_TRY(FGTI_NEW(f->ctx, f->info.columns, "columns", &v->column));
    FGTI_TRY(FGTI_NEW(f->ctx, cells * v->known.levels, "intervals", &v->low));
    FGTI_TRY(FGTI_NEW(f->ctx, cells * v->known.levels, "intervals", &v->high));
    for (int64_t c = 0; c < f->info.columns; c++)
        FGTI_TRY(fgt_table_get_column(v->table, fgti_strings_get(&f->names, c), &v->column[c]));
    return FGT_OK;
}

static fgt_status visit_naive(visitor *v, const fgti_frame *frame, int64_t season)
{
    fgt_status s = FGT_OK;
    for (int64_t i = 0; s == FGT_OK && i < fgt_windows_count_samples(v->windows); i++) {
        s = fgti_naive_forecast(frame, fgti_windows_row(v->windows, i), season, v->points);
        if (s == FGT_OK) s = hand_over(v, i, v->points, NULL);
    }
    return s;
}

static fgt_status visit_all(visitor *v, const fgt_forecast_visit_opts *o)
{
    fgt_forecaster *f = v->f;
    fgti_frame      frame;
    fgti_feed       d = {0};
    fgt_source      source;
    fgt_status      s = fgti_frame_init(f, v->table, &frame);
    if (s == FGT_OK) s = fgti_feed_init(&d, f, &frame, "windows", o->begin, o->end, o->stride, 1, &source);
    if (s == FGT_OK && o->season) s = fgti_naive_check(f, o->begin, o->season);
    if (s == FGT_OK && o->levels)
        s = fgti_known_errors_init(&v->known, f, v->table, &frame, o->levels, o->level_count, o->begin,
                                   o->end);
    if (s == FGT_OK) s = visit_allocate(v);
    v->windows = d.windows;
    v->frame   = &frame;
    if (s == FGT_OK)
        s = o->season ? visit_naive(v, &frame, o->season)
                      : fgti_visit(f, &source, 0, source.count, hand_over_points, v);
    fgti_feed_done(&d);
    fgti_frame_done(f, &frame);
    return s;
}

static fgt_status check_levels(const fgt_forecaster *f, const fgt_forecast_visit_opts *o)
{
    fgti_error *err = &f->ctx->error;
    if (o->levels ? o->level_count < 1 : o->level_count)
        return fgti_fail(err, FGT_E_ARG,
                         "visit: levels and level_count do not go together (got level_count %lld, need %s)",
                         (long long)o->level_count, o->levels ? "at least 1" : "0");
    if (o->levels && o->season) return fgti_fail(err, FGT_E_ARG, "visit: naive forecasts have no intervals");
    return fgti_levels_check(err, o->levels, o->level_count);
}

fgt_status fgt_forecaster_visit(fgt_forecaster *forecaster, const fgt_table *table,
                                const fgt_forecast_visit_opts *opts, fgt_forecast_visit_fn visit, void *user)
{
    fgt_forecaster         *f = forecaster;
    fgt_forecast_visit_opts o;
    if (!f) return FGT_E_ARG;
    if (!table || !visit) return fgti_fail(&f->ctx->error, FGT_E_ARG, "visit: table or visitor is NULL");
    FGTI_TRY(fgti_opts_read(&f->ctx->error, "fgt_forecast_visit_opts", opts, &o, sizeof o));
    if (!o.end) o.end = table->rows;
    FGTI_TRY(check_levels(f, &o));
    visitor          v = {.f = f, .table = table, .visit = visit, .user = user};
    const fgt_status s = visit_all(&v, &o);
    fgti_free(f->ctx, v.forecast);
    fgti_free(f->ctx, v.quantiles);
    fgti_free(f->ctx, v.truth);
    fgti_free(f->ctx, v.points);
    fgti_free(f->ctx, v.column);
    fgti_free(f->ctx, v.low);
    fgti_free(f->ctx, v.high);
    fgti_known_errors_done(&v.known);
    return s;
}
