/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "data/table.h"
#include "data/time.h"
#include "forecast/calendar.h"
#include "forecast/forecaster.h"

/* ---- the model's input ---- */

/* Row r of all: the L rows of input, and the H rows of the forecast after them. */
static float *known_row(const fgt_forecaster *f, int64_t r)
{
    return f->known + r * fgti_forecaster_known(&f->info);
}

/* The inputs of a row, standardised; c: the first of `count` columns of the forecaster. */
static fgt_status take(const fgt_forecaster *f, const char *what, const fgt_view *rows, int64_t row,
                       int64_t c, int64_t count, float *out)
{
    for (int64_t i = 0; i < count; i++)
        FGTI_TRY(fgti_standardise(f, what, row, c + i, fgti_view_get(rows, row * count + i), &out[i]));
    return FGT_OK;
}

/* A value of a known column that is missing: in the input it becomes the mean, as in training. For the rows
 * of the forecast it must be known. */
static fgt_status settle_known(const fgt_forecaster *f, int64_t r)
{
    float *known = known_row(f, r);
    char   show[FGTI_SHOW];
    for (int64_t i = 0; i < f->info.known; i++) {
        if (!isnan(known[i])) continue;
        if (r >= f->info.input_len)
            return fgti_fail(&f->ctx->error, FGT_E_DATA,
                             "known column \"%s\" has no value %lld rows after the last one",
                             fgti_show(fgti_strings_get(&f->names, fgti_forecaster_inputs(f) + i), show),
                             (long long)(r - f->info.input_len + 1));
        known[i] = 0;
    }
    return FGT_OK;
}

/* The calendar of all rows; `last` is the time of the last row of input. */
static void put_calendar(const fgt_forecaster *f, int64_t last)
{
    for (int64_t r = 0; f->info.calendar && r < f->info.input_len + f->info.pred_len; r++)
        fgti_calendar_write(f->info.calendar, fgt_time_add(last, &f->info.step, r - f->info.input_len + 1),
                            known_row(f, r) + f->info.known);
}

/* A target without a single value in the window would be forecast from nothing. */
static fgt_status check_window(const fgt_forecaster *f)
{
    const int64_t l = f->info.input_len, inputs = fgti_forecaster_inputs(f);
    for (int64_t c = 0; c < f->info.columns; c++) {
        int64_t r = 0;
        char    show[FGTI_SHOW];
        while (r < l && isnan(f->x[r * inputs + c])) r++;
        if (r == l)
            return fgti_fail(&f->ctx->error, FGT_E_DATA,
                             "\"%s\" has no value in the %lld rows before the forecast",
                             fgti_show(fgti_strings_get(&f->names, c), show), (long long)l);
    }
    return FGT_OK;
}

void fgti_forecast_put(const fgt_forecaster *f, const float *y, const fgt_view *forecast)
{
    const double *mean  = fgt_scaler_get_mean(f->scaler).data;
    const double *scale = fgt_scaler_get_scale(f->scaler).data;
    const int64_t c     = f->info.columns;
    for (int64_t i = 0; i < f->info.pred_len * c; i++)
        fgti_view_set(forecast, i, y[i] * scale[i % c] + mean[i % c]);
}

/* A pass over what is in place. */
static fgt_status pass(fgt_forecaster *f, const fgt_view *forecast)
{
    const int64_t l = f->info.input_len, h = f->info.pred_len, c = f->info.columns;
    const int64_t inputs = fgti_forecaster_inputs(f), k = fgti_forecaster_known(&f->info);
    FGTI_TRY(check_window(f));
    fgti_fill(f->x, l, inputs, f->season);
    if (k) {
        FGTI_TRY(fgt_model_set_value(f->model, FGTI_KNOWN_BEFORE, FGT_VIEW(f->known, 1, l, k), NULL));
        FGTI_TRY(fgt_model_set_value(f->model, FGTI_KNOWN, FGT_VIEW(f->known + l * k, 1, h, k), NULL));
    }
    FGTI_TRY(fgt_predict(f->model, FGT_VIEW(f->x, 1, l, inputs), FGT_VIEW(f->y, 1, h, c)));
    fgti_forecast_put(f, f->y, forecast);
    return FGT_OK;
}

static fgt_status check_forecast(const fgt_forecaster *f, const fgt_view *forecast)
{
    return fgti_view_check_number(&f->ctx->error, "forecast", forecast, 2,
                                  (const int64_t[]){f->info.pred_len, f->info.columns});
}

/* ---- from raw rows ---- */

static fgt_status take_rows(fgt_forecaster *f, const fgt_forecast_rows *in)
{
    const int64_t l = f->info.input_len, h = f->info.pred_len, inputs = fgti_forecaster_inputs(f);
    const int64_t n = in->rows->shape[0];
    for (int64_t r = 0; r < l; r++) FGTI_TRY(take(f, "", in->rows, n - l + r, 0, inputs, f->x + r * inputs));
    for (int64_t r = 0; f->info.known && r < l + h; r++) {
        FGTI_TRY(take(f, "known ", in->known, n - l + r, inputs, f->info.known, known_row(f, r)));
        FGTI_TRY(settle_known(f, r));
    }
    put_calendar(f, in->time);
    return FGT_OK;
}

static fgt_status check_rows(const fgt_forecaster *f, const fgt_forecast_rows *in)
{
    const fgt_forecaster_info *info = &f->info;
    fgti_error                *err  = &f->ctx->error;
    FGTI_TRY(
        fgti_view_check_number(err, "rows", in->rows, 2, (const int64_t[]){-1, fgti_forecaster_inputs(f)}));
    const int64_t n = in->rows->shape[0];
    if (n < info->input_len)
        return fgti_fail(err, FGT_E_DATA, "rows: %lld rows are given, the model needs %lld", (long long)n,
                         (long long)info->input_len);
    if (info->calendar && (!in->has_time || !fgti_time_in_range(in->time)))
        return fgti_fail(err, FGT_E_ARG,
                         "rows: the model knows the calendar, so the time of the last row is needed");
    if (!info->known) return FGT_OK;
    return fgti_view_check_number(err, "known", in->known, 2,
                                  (const int64_t[]){n + info->pred_len, info->known});
}

fgt_status fgt_forecaster_predict_rows(fgt_forecaster *forecaster, const fgt_forecast_rows *rows,
                                       const fgt_view *forecast)
{
    fgt_forecaster   *f = forecaster;
    fgt_forecast_rows in;
    if (!f) return FGT_E_ARG;
    FGTI_TRY(fgti_opts_read(&f->ctx->error, "fgt_forecast_rows", rows, &in, sizeof in));
    FGTI_TRY(check_rows(f, &in));
    FGTI_TRY(check_forecast(f, forecast));
    FGTI_TRY(take_rows(f, &in));
    return pass(f, forecast);
}

fgt_status fgt_forecaster_predict(fgt_forecaster *forecaster, const fgt_view *rows, const fgt_view *forecast)
{
    const fgt_forecast_rows in = {.size = sizeof in, .rows = rows};
    if (!forecaster) return FGT_E_ARG;
    if (fgti_forecaster_known(&forecaster->info))
        return fgti_fail(
            &forecaster->ctx->error, FGT_E_STATE,
            "the model knows the calendar or known columns; fgt_forecaster_predict_rows() takes them");
    return fgt_forecaster_predict_rows(forecaster, &in, forecast);
}

/* ---- from tables ---- */

/* The row after the last one in which a target has a value. */
static fgt_status find_origin(const fgt_forecaster *f, const fgt_table *table, int64_t *origin)
{
    const double *v = table->values;
    *origin         = 0;
    for (int64_t i = 0; i < f->info.columns; i++) {
        int64_t c, r = table->rows;
        FGTI_TRY(fgt_table_get_column(table, fgti_strings_get(&f->names, i), &c));
        while (r > *origin && isnan(v[(r - 1) * table->columns + c])) r--;
        if (r > *origin) *origin = r;
    }
    return FGT_OK;
}

int64_t fgt_forecaster_find_row(const fgt_forecaster *forecaster, const fgt_table *table)
{
    int64_t row;
    return forecaster && table && find_origin(forecaster, table, &row) == FGT_OK ? row : -1;
}

static fgt_status choose_origin(const fgt_forecaster *f, const fgt_table *table, int64_t row, int64_t *origin)
{
    *origin = row;
    if (row < -1 || row > table->rows)
        return fgti_fail(&f->ctx->error, FGT_E_ARG, "table: row %lld, must lie in -1 .. %lld", (long long)row,
                         (long long)table->rows);
    if (row == -1) FGTI_TRY(find_origin(f, table, origin));
    if (*origin >= f->info.input_len) return FGT_OK;
    return fgti_fail(&f->ctx->error, FGT_E_DATA, "table: %lld rows before the forecast, the model needs %lld",
                     (long long)*origin, (long long)f->info.input_len);
}

/* The row of a table with this time; without times, row `number`. -1: there is none. */
static int64_t find_row(const fgt_table *table, bool by_time, int64_t time, int64_t number)
{
    if (!by_time) return number < table->rows ? number : -1;
    int64_t low = 0, high = table->rows;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (table->times[middle] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low < table->rows && table->times[low] == time ? low : -1;
}

/* The known columns of H rows, from the table itself, or from `future`, where both have times by the time. */
static fgt_status take_future(fgt_forecaster *f, const fgt_table *table, const fgt_table *future,
                              int64_t origin)
{
    const int64_t    l = f->info.input_len, inputs = fgti_forecaster_inputs(f);
    const bool       by_time = table->times && (!future || future->times);
    const fgt_table *from    = future ? future : table;
    for (int64_t i = 0; i < f->info.known; i++) {
        int64_t c;
        FGTI_TRY(fgt_table_get_column(from, fgti_strings_get(&f->names, inputs + i), &c));
        for (int64_t h = 0; h < f->info.pred_len; h++) {
            const int64_t time = by_time ? fgt_time_add(table->times[origin - 1], &f->info.step, h + 1) : 0;
            const int64_t row  = find_row(from, by_time, time, future ? h : origin + h);
            const double  v    = row < 0 ? NAN : from->values[row * from->columns + c];
            FGTI_TRY(fgti_standardise(f, "future: ", row, inputs + i, v, known_row(f, l + h) + i));
        }
    }
    for (int64_t h = 0; h < f->info.pred_len; h++) FGTI_TRY(settle_known(f, l + h));
    return FGT_OK;
}

static fgt_status take_table(fgt_forecaster *f, const fgt_table *table, const fgt_table *future,
                             int64_t origin)
{
    const int64_t l = f->info.input_len, inputs = fgti_forecaster_inputs(f);
    for (int64_t i = 0; i < inputs + f->info.known; i++) {
        int64_t c;
        FGTI_TRY(fgt_table_get_column(table, fgti_strings_get(&f->names, i), &c));
        for (int64_t r = 0; r < l; r++) {
            const int64_t row = origin - l + r;
            float        *out = i < inputs ? &f->x[r * inputs + i] : known_row(f, r) + i - inputs;
            FGTI_TRY(fgti_standardise(f, "", row, i, table->values[row * table->columns + c], out));
        }
    }
    for (int64_t r = 0; r < l; r++) FGTI_TRY(settle_known(f, r));
    if (f->info.calendar) put_calendar(f, table->times[origin - 1]);
    return take_future(f, table, future, origin);
}

fgt_status fgt_forecaster_predict_table(fgt_forecaster *forecaster, const fgt_table *table, int64_t row,
                                        const fgt_table *future, const fgt_view *forecast)
{
    fgt_forecaster *f = forecaster;
    int64_t         origin;
    if (!f) return FGT_E_ARG;
    if (!table) return fgti_fail(&f->ctx->error, FGT_E_ARG, "forecaster: table is NULL");
    FGTI_TRY(check_forecast(f, forecast));
    FGTI_TRY(fgti_forecaster_check_times(f, table));
    FGTI_TRY(choose_origin(f, table, row, &origin));
    FGTI_TRY(take_table(f, table, future, origin));
    return pass(f, forecast);
}
