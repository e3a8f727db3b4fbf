/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts from the rows of a table. */
#include <math.h>

#include "data/table.h"
#include "forecast/predict.h"

/* Forecasts start in these rows. `future` has the known columns from there on; it may be the table itself. */
typedef struct table_rows {
    const fgt_table *table, *future;
    const int64_t   *row; /* [count] */
    bool             by_time;
    bool             apart; /* future is another table */
} table_rows;

/* ---- where a forecast starts ---- */

/* The row after the last one in which a target has a value. */
static fgt_status find_origin(const fgt_forecaster *f, fgti_error *err, const fgt_table *table,
                              int64_t *origin)
{
    const double *v = table->values;
    *origin         = 0;
    for (int64_t i = 0; i < f->info.columns; i++) {
        int64_t c, r = table->rows;
        FGTI_TRY(fgti_table_find(err, table, fgti_strings_get(&f->names, i), &c));
        while (r > *origin && isnan(v[(r - 1) * table->columns + c])) r--;
        if (r > *origin) *origin = r;
    }
    return FGT_OK;
}

int64_t fgt_forecaster_find_row(const fgt_forecaster *forecaster, const fgt_table *table)
{
    int64_t row;
    return forecaster && table && find_origin(forecaster, NULL, table, &row) == FGT_OK ? row : -1;
}

static fgt_status check_origin(const fgt_forecast_workspace *w, const fgt_table *table, int64_t row)
{
    if (row < 0 || row > table->rows)
        return fgti_fail(w->error, FGT_E_ARG, "table: row %lld, must lie in 0 .. %lld", (long long)row,
                         (long long)table->rows);
    if (row >= w->f->info.input_len) return FGT_OK;
    return fgti_fail(w->error, FGT_E_DATA, "table: %lld rows before the forecast, the model needs %lld",
                     (long long)row, (long long)w->f->info.input_len);
}

/* ---- rows of tables ---- */

/* The row of a table with this time; -1: there is none. */
static int64_t find_time(const fgt_table *table, int64_t time)
{
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

/* The row that has the known columns of row `row` of a forecast. */
static int64_t find_future(const fgt_forecaster *f, const table_rows *t, int64_t origin, int64_t row)
{
    if (t->by_time)
        return find_time(t->future, fgt_time_add(t->table->times[origin - 1], &f->info.step, row + 1));
    const int64_t number = t->apart ? row : origin + row;
    return number < t->future->rows ? number : -1;
}

static fgt_status get_series(const fgt_forecast_workspace *w, const void *from, int64_t i, float *x)
{
    const table_rows *t = from;
    const int64_t     l = w->f->info.input_len, inputs = fgti_forecaster_inputs(w->f);
    for (int64_t row = t->row[i] - l; row < t->row[i]; row++)
        for (int64_t c = 0; c < inputs; c++)
            FGTI_TRY(fgti_standardise(w->f, w->error, "", row, c,
                                      t->table->values[row * t->table->columns + w->column[c]], x++));
    return FGT_OK;
}

static fgt_status get_known(const fgt_forecast_workspace *w, const void *from, int64_t i, int64_t row,
                            float *known)
{
    const table_rows *t      = from;
    const int64_t     inputs = fgti_forecaster_inputs(w->f);
    const fgt_table  *table  = row < 0 ? t->table : t->future;
    const int64_t    *column = row < 0 ? w->column + inputs : w->future;
    const int64_t     at     = row < 0 ? t->row[i] + row : find_future(w->f, t, t->row[i], row);
    for (int64_t k = 0; k < w->f->info.known; k++) {
        const double v = at < 0 ? NAN : table->values[at * table->columns + column[k]];
        FGTI_TRY(fgti_standardise(w->f, w->error, row < 0 ? "" : "future: ", at, inputs + k, v, &known[k]));
    }
    return FGT_OK;
}

static int64_t get_time(const void *from, int64_t i)
{
    const table_rows *t = from;
    return t->table->times[t->row[i] - 1];
}

/* ---- for hosts ---- */

static fgt_status find_columns(const fgt_forecast_workspace *w, const table_rows *t)
{
    const fgt_forecaster *f      = w->f;
    const int64_t         inputs = fgti_forecaster_inputs(f);
    for (int64_t i = 0; i < f->names.count; i++)
        FGTI_TRY(fgti_table_find(w->error, t->table, fgti_strings_get(&f->names, i), &w->column[i]));
    for (int64_t i = 0; i < f->info.known; i++)
        FGTI_TRY(
            fgti_table_find(w->error, t->future, fgti_strings_get(&f->names, inputs + i), &w->future[i]));
    return FGT_OK;
}

static fgt_status predict(fgt_forecast_workspace *w, const fgt_table *table, const int64_t *row, bool many,
                          int64_t count, const fgt_table *future, const fgt_view *forecast)
{
    const table_rows t = {table, future ? future : table, row, table->times && (!future || future->times),
                          future != NULL};
    int64_t          steps;
    FGTI_TRY(fgti_predict_check(w, forecast, many, count, &steps));
    for (int64_t i = 0; i < count; i++) FGTI_TRY(check_origin(w, table, row[i]));
    FGTI_TRY(find_columns(w, &t));
    const fgti_origins o = {count, &t, get_series, get_known, get_time};
    return fgti_predict(w, &o, steps, forecast);
}

static fgt_status check_table(const fgt_forecast_workspace *w, const fgt_table *table)
{
    if (!table) return fgti_fail(w->error, FGT_E_ARG, "forecaster: table is NULL");
    return fgti_forecaster_check_times(w->f, w->error, table);
}

fgt_status fgt_forecast_workspace_predict_table(fgt_forecast_workspace *ws, const fgt_table *table,
                                                int64_t row, const fgt_table *future,
                                                const fgt_view *forecast)
{
    if (!ws) return FGT_E_ARG;
    FGTI_TRY(check_table(ws, table));
    if (row == -1) FGTI_TRY(find_origin(ws->f, ws->error, table, &row));
    return predict(ws, table, &row, false, 1, future, forecast);
}

fgt_status fgt_forecast_workspace_predict_windows(fgt_forecast_workspace *ws, const fgt_table *table,
                                                  const int64_t *rows, int64_t n, const fgt_table *future,
                                                  const fgt_view *forecast)
{
    if (!ws) return FGT_E_ARG;
    FGTI_TRY(check_table(ws, table));
    if (!rows || n < 1)
        return fgti_fail(ws->error, FGT_E_ARG, "forecaster: rows is NULL, or n is %lld", (long long)n);
    return predict(ws, table, rows, true, n, future, forecast);
}

fgt_status fgt_forecaster_predict_table(fgt_forecaster *forecaster, const fgt_table *table, int64_t row,
                                        const fgt_table *future, const fgt_view *forecast)
{
    if (!forecaster) return FGT_E_ARG;
    FGTI_TRY(fgti_forecaster_need_workspace(forecaster));
    return fgt_forecast_workspace_predict_table(forecaster->own, table, row, future, forecast);
}

fgt_status fgt_forecaster_predict_windows(fgt_forecaster *forecaster, const fgt_table *table,
                                          const int64_t *rows, int64_t n, const fgt_table *future,
                                          const fgt_view *forecast)
{
    if (!forecaster) return FGT_E_ARG;
    FGTI_TRY(fgti_forecaster_need_workspace(forecaster));
    return fgt_forecast_workspace_predict_windows(forecaster->own, table, rows, n, future, forecast);
}
