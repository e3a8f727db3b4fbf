/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts from rows that the host passes as arrays. */
#include "data/table.h"
#include "data/time/time.h"
#include "forecast/known/holidays.h"
#include "forecast/predict/predict.h"
#include "forecast/rows/frame.h"

/* n windows of equally many rows; the last L rows of each are the input. */
typedef struct raw_rows {
    fgt_forecast_rows in;
    int64_t           n, rows;
    int64_t           known; /* number of rows of the known columns of a window */
} raw_rows;

/* Standardises the values of a row. c: the first of `count` columns of the forecaster. number: the row's
 * index in the view. row: the row's number in error messages. */
static fgt_status predict_rows_take(const fgt_forecaster_workspace *w, const char *what, const fgt_view *rows,
                                    int64_t number, int64_t row, int64_t c, int64_t count, float *out)
{
    for (int64_t i = 0; i < count; i++)
        FGTI_TRY(fgti_standardise(w->f, w->error, what, NULL, row, c + i,
                                  fgti_view_get(rows, number * count + i), &out[i]));
    return FGT_OK;
}

static fgt_status raw_get_series(const fgt_forecaster_workspace *w, const void *from, int64_t i, float *x)
{
    const raw_rows *a      = from;
    const int64_t   inputs = fgti_forecaster_inputs(w->f);
    for (int64_t r = a->rows - w->f->info.input_len; r < a->rows; r++, x += inputs)
        FGTI_TRY(predict_rows_take(w, "", a->in.rows, i * a->rows + r, r, 0, inputs, x));
    return FGT_OK;
}

static fgt_status raw_get_known(const fgt_forecaster_workspace *w, const void *from, int64_t i, int64_t row,
                                float *known)
{
    const raw_rows *a = from;
    const int64_t   r = a->rows + row;
    return predict_rows_take(w, "known ", a->in.known, i * a->known + r, r, fgti_forecaster_inputs(w->f),
                             w->f->info.known, known);
}

static int64_t raw_get_time(const fgt_forecaster_workspace *w, const void *from, int64_t i, int64_t row)
{
    return fgti_time_add(((const raw_rows *)from)->in.time[i], &w->f->info.step, row + 1);
}

static fgt_status predict_rows_check_times(const fgt_forecaster_workspace *w, const raw_rows *a)
{
    if (!fgti_forecaster_needs_time(w->f)) return FGT_OK;
    if (!a->in.time)
        return fgti_fail(w->error, FGT_E_ARG,
                         "rows: the model knows the calendar, holidays or times of the day, so the time of "
                         "the last row is needed");
    for (int64_t i = 0; i < a->n; i++)
        if (!fgti_time_in_range(a->in.time[i]))
            return fgti_fail(w->error, FGT_E_ARG, "rows: the time of window %lld is not valid", (long long)i);
    return FGT_OK;
}

/* Checks the views and fills in the sizes. */
static fgt_status predict_rows_check(const fgt_forecaster_workspace *w, const fgt_view *forecast, raw_rows *a,
                                     int64_t *steps)
{
    const fgt_forecaster_info *info    = &w->f->info;
    const fgt_view            *rows    = a->in.rows;
    const bool                 many    = rows && rows->rank == 3;
    const int64_t              shape[] = {-1, -1, fgti_forecaster_inputs(w->f)};
    FGTI_TRY(fgti_view_check_number(w->error, "rows", rows, 2 + many, shape + !many));
    a->n    = many ? rows->shape[0] : 1;
    a->rows = rows->shape[many];
    if (a->rows < info->input_len)
        return fgti_fail(w->error, FGT_E_DATA, "rows: too few rows (got %lld, need %lld for the model)",
                         (long long)a->rows, (long long)info->input_len);
    FGTI_TRY(fgti_predict_check(w, forecast, many, a->n, steps));
    FGTI_TRY(predict_rows_check_times(w, a));
    if (!info->known) return FGT_OK;
    a->known              = a->rows + (*steps > info->pred_len ? *steps : info->pred_len);
    const int64_t known[] = {a->n, a->known, info->known};
    return fgti_view_check_number(w->error, "known", a->in.known, 2 + many, known + !many);
}

fgt_status fgt_forecaster_workspace_predict_rows(fgt_forecaster_workspace *ws, const fgt_forecast_rows *rows,
                                                 const fgt_view *forecast)
{
    raw_rows a;
    int64_t  steps;
    if (!ws) return FGT_E_ARG;
    FGTI_TRY(fgti_forecaster_workspace_begin(ws));
    FGTI_TRY(fgti_opts_read(ws->error, "fgt_forecast_rows", rows, &a.in, sizeof a.in));
    FGTI_TRY(predict_rows_check(ws, forecast, &a, &steps));
    const fgti_origins o = {a.n, &a, raw_get_series, raw_get_known, raw_get_time, NULL, NULL, false};
    return fgti_predict(ws, &o, steps, forecast);
}
