/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts from the rows of a table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <fighter/experimental/absent.h>

#include "data/table.h"
#include "data/table_clock.h"
#include "data/table_time.h"
#include "forecast/known/holidays.h"
#include "forecast/predict/outputs.h"
#include "forecast/predict/predict.h"
#include "forecast/rows/frame.h"

/* The rows at which forecasts start. `future` has the known columns from there on; it may be `table`
 * itself. */
typedef struct table_rows {
    const fgt_table *table, *future;
    const int64_t   *row;  /* [count] */
    fgt_time_step    step; /* the step between rows if by_time is true */
    bool             by_time;
    bool             apart; /* future is another table */
    int64_t          first; /* apart, not by_time: row of `table` at which `future` begins; -1: the start */
    int64_t          own;   /* apart, by_time: from this row on `table` may fill gaps in `future` */
    int64_t          need;  /* rows of known columns that a forecast reads */
    int64_t          steps; /* rows of a forecast */
} table_rows;

/* Fills in the struct. If the model was trained without times, the step between rows comes from the
 * tables. */
static table_rows predict_table_rows_of(const fgt_forecaster_workspace *w, const fgt_table *table,
                                        const int64_t *row, const fgt_table *future)
{
    table_rows t = {.table  = table,
                    .future = future ? future : table,
                    .row    = row,
                    .step   = w->f->info.step,
                    .apart  = future != NULL,
                    .first  = -1,
                    .own    = table->rows,
                    .need   = w->f->info.pred_len,
                    .steps  = w->f->info.pred_len};
    if (!fgti_step_known(&t.step)) t.step = t.table->info.step;
    if (!fgti_step_known(&t.step)) t.step = t.future->info.step;
    t.by_time = t.table->times && t.future->times && fgti_step_known(&t.step);
    return t;
}

/* ---- where a forecast starts ---- */

/* Finds the row after the last one in which a target has a value. */
static fgt_status find_origin(const fgt_forecaster *f, fgti_error *err, const fgt_table *table,
                              int64_t *origin)
{
    const double *v = table->values;
    *origin         = table->store ? table->rows : 0;
    for (int64_t i = 0; i < f->info.columns; i++) {
        int64_t c, r = table->rows;
        FGTI_TRY(fgti_table_find(err, table, fgti_strings_get(&f->names, i), &c));
        while (v && r > *origin && isnan(v[(r - 1) * table->columns + c])) r--;
        if (r > *origin) *origin = r;
    }
    return FGT_OK;
}

int64_t fgt_forecaster_find_row(const fgt_forecaster *forecaster, const fgt_table *table)
{
    int64_t row;
    return forecaster && table && find_origin(forecaster, NULL, table, &row) == FGT_OK ? row : -1;
}

static fgt_status check_origin(const fgt_forecaster_workspace *w, const fgt_table *table, int64_t row)
{
    if (row < 0 || row > table->rows)
        return fgti_fail(w->error, FGT_E_ARG, "table: row is out of range (got %lld, need 0 .. %lld)",
                         (long long)row, (long long)table->rows);
    if (row >= w->f->info.input_len) return FGT_OK;
    return fgti_fail(w->error, FGT_E_DATA,
                     "too few rows before the forecast (got %lld, need %lld for the model)", (long long)row,
                     (long long)w->f->info.input_len);
}

/* ---- rows of tables ---- */

/* Finds the row of `table` that has the time of row `row` of a forecast. */
static int64_t predict_table_find_time(const table_rows *t, const fgt_table *table, int64_t origin,
                                       int64_t row)
{
    const int64_t time = fgti_table_time_after(t->table, origin - 1, &t->step, row + 1);
    int64_t       r    = 0;
    if (table->clock.by_clock == t->table->clock.by_clock)
        return fgti_time_find(table->times, table->rows, time);
    /* one of the tables has too few rows to show whether its rows are days */
    const int64_t clock = fgti_table_clock_after(t->table, origin - 1, &t->step, row + 1);
    while (r < table->rows && fgti_table_clock(table, r) != clock) r++;
    return r < table->rows ? r : -1;
}

/* Finds the row of `future` that has the known columns for row `row` of the forecast; -1: there is no such
 * row. */
static int64_t find_future(const table_rows *t, int64_t origin, int64_t row)
{
    if (t->by_time) return predict_table_find_time(t, t->future, origin, row);
    const int64_t begin  = t->first < 0 ? origin : t->first;
    const int64_t number = t->apart ? origin + row - begin : origin + row;
    return number < t->future->rows ? number : -1;
}

/* Returns the row of `table` that may replace row `row` of `future`; -1: there is no such row. A forecast
 * from the middle of the table must not use rows after its start. */
static int64_t find_here(const table_rows *t, int64_t origin, int64_t row)
{
    if (!t->by_time) return origin + row < t->first ? origin + row : -1;
    const int64_t here = t->own < t->table->rows ? predict_table_find_time(t, t->table, origin, row) : -1;
    return here >= t->own ? here : -1;
}

static fgt_status table_get_series(const fgt_forecaster_workspace *w, const void *from, int64_t i, float *x)
{
    const table_rows *t = from;
    const int64_t     l = w->f->info.input_len, inputs = fgti_forecaster_inputs(w->f);
    for (int64_t row = t->row[i] - l; row < t->row[i]; row++) {
        const int64_t at = fgti_table_row_by_clock(t->table, t->row[i] - l, t->row[i], row);
        for (int64_t c = 0; c < inputs; c++)
            FGTI_TRY(fgti_standardise(w->f, w->error, "", t->table, at, c,
                                      t->table->values[at * t->table->columns + w->column[c]], x++));
    }
    return FGT_OK;
}

/* Appends "; the forecast takes 4 rows from 2024-10-27 on, and ..." */
static void show_rows(const fgt_forecaster_workspace *w, const table_rows *t, int64_t i, int64_t row,
                      char *buf, size_t size)
{
    const fgt_table *all = t->future;
    char             begin[FGTI_FORM_TEXT], from[FGTI_FORM_TEXT], to[FGTI_FORM_TEXT], more[80] = "";
    const int64_t    first = fgti_table_time_after(t->table, t->row[i] - 1, &t->step, 1);
    if (fgti_table_write_time(t->table, first, begin, sizeof begin) < 1 ||
        fgti_table_write_time(all, all->times[0], from, sizeof from) < 1 ||
        fgti_table_write_time(all, all->times[all->rows - 1], to, sizeof to) < 1)
        return;
    if (row >= (w->by_row ? 1 : w->f->info.pred_len))
        snprintf(more, sizeof more, "; a `horizon` of %lld row%s needs no more", (long long)row,
                 row == 1 ? "" : "s");
    else if (t->steps < t->need)
        snprintf(more, sizeof more, "; a shorter `horizon` needs as many, as the layers read all of them");
    snprintf(buf, size, "; the forecast takes %lld row%s from %s on, and the rows here are of %s to %s%s",
             (long long)t->need, t->need == 1 ? "" : "s", begin, from, to, more);
}

/* Fails because a known column k has no value in row `at` of the future. at -1: the future has no such
 * row. */
static fgt_status fail_unknown(const fgt_forecaster_workspace *w, const table_rows *t, int64_t i, int64_t row,
                               int64_t at, int64_t k)
{
    const char *what = t->apart ? "future: " : "", *more = t->apart ? "" : "; `future` can have it";
    const int64_t first = fgti_forecaster_inputs(w->f);
    char          column[FGTI_SHOW], here[FGTI_ROW_TEXT], time[FGTI_FORM_TEXT] = "";
    fgti_strings_show(&w->f->names, first, first + k, column);
    if (t->by_time)
        fgti_table_write_time(t->table, fgti_table_time_after(t->table, t->row[i] - 1, &t->step, row + 1),
                              time, sizeof time);
    if (at >= 0)
        return fgti_fail(w->error, FGT_E_DATA,
                         "%s%s: column \"%s\" has no value, and the forecast needs it; the option `missing` "
                         "can fill it",
                         what, fgti_table_row(t->future, at, here), column);
    if (*time) {
        char rows[384] = "";
        show_rows(w, t, i, row, rows, sizeof rows);
        return fgti_fail(w->error, FGT_E_DATA,
                         "%sthere is no row for %s, where the forecast needs column \"%s\"%s%s", what, time,
                         column, rows, more);
    }
    return fgti_fail(w->error, FGT_E_DATA,
                     "%sthere is no row %lld after the last one, where the forecast of %lld needs column "
                     "\"%s\"%s",
                     what, (long long)row + 1, (long long)t->need, column, more);
}

static fgt_status table_get_known(const fgt_forecaster_workspace *w, const void *from, int64_t i, int64_t row,
                                  float *known)
{
    const table_rows *t      = from;
    const int64_t     inputs = fgti_forecaster_inputs(w->f);
    const fgt_table  *table  = row < 0 ? t->table : t->future;
    const int64_t    *column = row < 0 ? w->column + inputs : w->future;
    const int64_t     at     = row < 0 ? t->row[i] + row : find_future(t, t->row[i], row);
    const int64_t     here   = row < 0 || !t->apart ? -1 : find_here(t, t->row[i], row);
    for (int64_t k = 0; k < w->f->info.known; k++) {
        double v = at < 0 ? NAN : table->values[at * table->columns + column[k]];
        if (isnan(v) && here >= 0)
            v = t->table->values[here * t->table->columns + w->column[inputs + k]];
        if (row >= 0 && isnan(v)) return fail_unknown(w, t, i, row, at, k);
        FGTI_TRY(fgti_standardise(w->f, w->error, row < 0 || !t->apart ? "" : "future: ", table, at,
                                  inputs + k, v, &known[k]));
    }
    return FGT_OK;
}

static int64_t table_get_time(const fgt_forecaster_workspace *w, const void *from, int64_t i, int64_t row)
{
    const table_rows *t = from;
    return fgti_table_clock_after(t->table, t->row[i] - 1, &w->f->info.step, row + 1);
}

/* Whether the clock may change within the rows of a forecast. */
static bool is_clocked(const fgt_forecaster *f, const fgt_table *table)
{
    const fgt_time_step *s = &f->info.step;
    return table->clock.offset && !table->clock.by_clock && s->milliseconds && !fgti_step_closes(s);
}

/* ---- for hosts ---- */

/* Refuses tables whose labels are not times. Their rows must not be matched by position unless the host asks
 * for it. */
static fgt_status predict_table_check_labels(const fgt_forecaster_workspace *w, const table_rows *t)
{
    const fgt_table *unread = t->future->info.unread ? t->future : t->table->info.unread ? t->table : NULL;
    char             name[FGTI_SHOW], label[FGTI_SHOW], row[FGTI_ROW_TEXT];
    if (t->apart && t->by_time && fgti_table_clocks_differ(t->table, t->future))
        return fgti_fail(w->error, FGT_E_DATA,
                         "future: %s has %s UTC offset, but the rows of the table have %s; the option `zone` "
                         "names the zone of labels without an offset, such as Europe/Berlin",
                         fgti_table_row(t->future, 0, row), fgti_table_is_utc(t->future) ? "a" : "no",
                         fgti_table_is_utc(t->future) ? "none" : "one");
    if (!t->apart || !unread) return FGT_OK;
    return fgti_fail(w->error, FGT_E_DATA,
                     "%s: labels of \"%s\" are not times (\"%s\" in %s), so its rows cannot be matched by "
                     "time with the rows of the %s; the option `date` can match the rows of both by number%s",
                     unread == t->future ? "future" : "table",
                     fgti_show(fgt_table_get_name(unread, FGT_TABLE_NAME_LABELS, 0), name),
                     fgti_show(fgt_table_get_name(unread, FGT_TABLE_NAME_ROW, 0), label),
                     fgti_row_text(&unread->lines, 0, NULL, row), unread == t->future ? "table" : "future",
                     fgti_forecaster_needs_time(w->f) ? " (for a model that is trained in this way)" : "");
}

/* Fails because the known column `name` is not in `future`. If `name` is price[B] and `future` has price[A],
 * the error text says that series B has no rows. */
static fgt_status fail_column(const fgt_forecaster_workspace *w, const table_rows *t, const char *name)
{
    const size_t size = strlen(name);
    char         series[FGTI_SHOW], own[FGTI_SHOW];
    for (const char *cut = strchr(name, '['); cut && name[size - 1] == ']'; cut = strchr(cut + 1, '['))
        for (int64_t c = t->future->info.series; c < t->future->columns; c++) {
            const char *other = fgt_table_get_name(t->future, FGT_TABLE_NAME_COLUMN, c);
            if (strncmp(other, name, (size_t)(cut - name) + 1) != 0) continue;
            return fgti_fail(w->error, FGT_E_NAME,
                             "future: there is no row of series \"%.*s\", whose column \"%.*s\" the forecast "
                             "needs; it needs rows of each series of the model",
                             (int)(size - 2 - (size_t)(cut - name)), fgti_show(cut + 1, series),
                             (int)(cut - name), fgti_show(name, own));
        }
    fgti_error_prefix(w->error, "future");
    return FGT_E_NAME;
}

static fgt_status predict_table_find_columns(const fgt_forecaster_workspace *w, const table_rows *t)
{
    const fgt_forecaster *f      = w->f;
    const int64_t         inputs = fgti_forecaster_inputs(f);
    FGTI_TRY(fgti_table_check_loaded(w->error, "future", t->future));
    FGTI_TRY(predict_table_check_labels(w, t));
    for (int64_t i = 0; i < f->names.count; i++)
        FGTI_TRY(fgti_table_find_part(w->error, t->table, fgti_strings_get(&f->names, i), &w->column[i]));
    for (int64_t i = 0; i < f->info.known; i++) {
        const char      *name = fgti_strings_get(&f->names, inputs + i);
        const fgt_status s    = fgti_table_find_part(w->error, t->future, name, &w->future[i]);
        if (s != FGT_OK) return t->apart ? fail_column(w, t, name) : s;
    }
    return FGT_OK;
}

/* Returns the row from which on no target has a value. The result is `row` if the last value of some target
 * is right before `row`. */
static int64_t find_own(const fgt_forecaster_workspace *w, const fgt_table *table, int64_t row)
{
    int64_t own = 0;
    for (int64_t i = 0; i < w->f->info.columns; i++) {
        int64_t begin, end;
        fgti_table_span(table, w->column[i], &begin, &end);
        if (end == row) return row;
        if (end > own) own = end;
    }
    return own;
}

/* Marks in w->begin the targets that the table lacks, so that they are not forecast. Returns whether there
 * are such targets. */
static bool mark_absent(const fgt_forecaster_workspace *w, const fgt_table *table)
{
    for (int64_t i = 0; i < w->f->info.columns; i++)
        w->begin[i] = fgti_table_is_absent(table, w->column[i]) ? -1 : 0;
    return table->absent;
}

static fgt_status predict_table_run(fgt_forecaster_workspace *w, const fgt_table *table, const int64_t *row,
                                    bool many, int64_t count, const fgt_table *future,
                                    const fgt_view *forecast)
{
    table_rows t = predict_table_rows_of(w, table, row, future);
    int64_t    steps;
    FGTI_TRY(fgti_predict_check(w, forecast, many, count, &steps));
    for (int64_t i = 0; i < count; i++) FGTI_TRY(check_origin(w, table, row[i]));
    FGTI_TRY(predict_table_find_columns(w, &t));
    if (t.apart) t.own = find_own(w, table, -1);
    t.need  = fgti_predict_known(w, steps);
    t.steps = steps;
    const int64_t      present = 0, *begin = mark_absent(w, table) ? w->begin : NULL, c = w->f->info.columns;
    const bool         clocked = is_clocked(w->f, table);
    const fgti_origins o       = {count,          &t,    table_get_series, table_get_known,
                                  table_get_time, begin, &present,         clocked};
    FGTI_TRY(fgti_predict(w, &o, steps, forecast));
    for (int64_t i = 0; begin && i < count * steps * c; i++)
        if (begin[i % c]) fgti_view_set(forecast, i, NAN);
    return FGT_OK;
}

static fgt_status check_table(const fgt_forecaster_workspace *w, const fgt_table *table)
{
    if (!table) return fgti_fail(w->error, FGT_E_ARG, "forecaster: table is NULL");
    FGTI_TRY(fgti_table_check_loaded(w->error, "forecast", table));
    return fgti_forecaster_check_times(w->f, w->error, table);
}

fgt_status fgt_forecaster_predict_table(fgt_forecaster *forecaster, const fgt_table *table, int64_t row,
                                        const fgt_table *future, const fgt_view *forecast)
{
    if (!forecaster) return FGT_E_ARG;
    fgt_forecaster_workspace *ws = forecaster->lent;
    FGTI_TRY(fgti_forecaster_workspace_begin(ws));
    FGTI_TRY(check_table(ws, table));
    if (row == -1) FGTI_TRY(find_origin(ws->f, ws->error, table, &row));
    return predict_table_run(ws, table, &row, false, 1, future, forecast);
}

fgt_status fgt_forecaster_workspace_predict_windows(fgt_forecaster_workspace *ws, const fgt_table *table,
                                                    const int64_t *rows, int64_t n, const fgt_table *future,
                                                    const fgt_view *forecast)
{
    if (!ws) return FGT_E_ARG;
    FGTI_TRY(fgti_forecaster_workspace_begin(ws));
    FGTI_TRY(check_table(ws, table));
    if (!rows || n < 1)
        return fgti_fail(ws->error, FGT_E_ARG,
                         "forecaster: rows is NULL, or count is out of range (got %lld, need at least 1)",
                         (long long)n);
    int64_t next;
    if (n > 1 || rows[0] != -1) return predict_table_run(ws, table, rows, true, n, future, forecast);
    FGTI_TRY(find_origin(ws->f, ws->error, table, &next));
    return predict_table_run(ws, table, &next, true, 1, future, forecast);
}

/* ---- each target from its own last row ---- */

/* Finds, for each target, the row after its last value; -1: the target has no value, or fewer than L rows
 * come before. */
static fgt_status predict_table_find_rows(const fgt_forecaster_workspace *w, const fgt_table *table,
                                          int64_t *rows)
{
    const int64_t l   = w->f->info.input_len;
    bool          any = false;
    for (int64_t i = 0; i < w->f->info.columns; i++) {
        int64_t begin, end;
        fgti_table_span(table, w->column[i], &begin, &end);
        rows[i] = end > begin && end >= l ? end : -1;
        any     = any || rows[i] >= 0;
    }
    if (any) return FGT_OK;
    return fgti_fail(w->error, FGT_E_DATA, "table: no target has %lld row%s up to its last value",
                     (long long)l, l == 1 ? "" : "s");
}

/* Returns the lowest of rows [count] above `row`; -1: there is no such row. */
static int64_t predict_table_next_row(const int64_t *rows, int64_t count, int64_t row)
{
    int64_t next = -1;
    for (int64_t i = 0; i < count; i++)
        if (rows[i] > row && (next < 0 || rows[i] < next)) next = rows[i];
    return next;
}

/* Forecasts each target from its own last row. Targets that end in the same row are forecast together. All
 * checks are made before the first forecast is written. */
static fgt_status predict_each(fgt_forecaster_workspace *w, table_rows t, const int64_t *rows, int64_t steps,
                               const fgt_view *forecast)
{
    const int64_t count = w->f->info.columns;
    int64_t       row   = -1;
    t.row               = &row;
    t.own               = 0;
    t.need              = fgti_predict_known(w, steps);
    t.steps             = steps;
    for (int64_t i = 0; i < count; i++)
        if (rows[i] > t.first) t.first = rows[i];
    const fgti_origins o = {1,    &t,   table_get_series,         table_get_known, table_get_time,
                            rows, &row, is_clocked(w->f, t.table)};
    while ((row = predict_table_next_row(rows, count, row)) >= 0)
        FGTI_TRY(fgti_predict_check_windows(w, &o, steps));
    while ((row = predict_table_next_row(rows, count, row)) >= 0)
        FGTI_TRY(fgti_predict(w, &o, steps, forecast));
    for (int64_t i = 0; i < steps * count; i++)
        if (rows[i % count] < 0) fgti_view_set(forecast, i, NAN);
    return FGT_OK;
}

fgt_status fgt_forecaster_workspace_predict_each(fgt_forecaster_workspace *ws, const fgt_table *table,
                                                 const fgt_table *future, const fgt_view *forecast,
                                                 const fgt_view *rows)
{
    if (!ws) return FGT_E_ARG;
    FGTI_TRY(fgti_forecaster_workspace_begin(ws));
    FGTI_TRY(check_table(ws, table));
    const table_rows t = predict_table_rows_of(ws, table, NULL, future);
    int64_t          steps;
    FGTI_TRY(fgti_predict_check(ws, forecast, false, 1, &steps));
    FGTI_TRY(fgti_view_check(ws->error, "rows", rows, FGT_DTYPE_I64, 1, &ws->f->info.columns));
    FGTI_TRY(predict_table_find_columns(ws, &t));
    FGTI_TRY(predict_table_find_rows(ws, table, rows->data));
    return predict_each(ws, t, rows->data, steps, forecast);
}

/* ---- quantiles ---- */

/* Marks the targets that have a value in the L rows before `row`. Other targets, such as the ended series of
 * a long file, are left out, unless the model also forecasts targets without a value. */
static fgt_status find_alive(const fgt_forecaster_workspace *w, const fgt_table *table, int64_t row)
{
    bool any = false;
    for (int64_t i = 0; i < w->f->info.columns; i++) {
        int64_t r = row - w->f->info.input_len;
        if (fgti_table_is_absent(table, w->column[i])) r = row;
        while (!w->f->info.blind && r < row && isnan(table->values[r * table->columns + w->column[i]])) r++;
        w->begin[i] = r < row ? row : -1;
        any         = any || r < row;
    }
    if (any) return FGT_OK;
    return fgti_fail(w->error, FGT_E_DATA, "no target has a value in the %lld rows before the forecast",
                     (long long)w->f->info.input_len);
}

fgt_status fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_workspace *ws, const fgt_table *table,
                                                      int64_t row, const fgt_table *future,
                                                      const fgt_view *quantiles)
{
    if (!ws) return FGT_E_ARG;
    FGTI_TRY(fgti_forecaster_workspace_begin(ws));
    const fgt_forecaster_info *info = &ws->f->info;
    const int64_t              h = info->pred_len, c = info->columns, n = info->quantile_count;
    if (!n) return fgti_fail(ws->error, FGT_E_STATE, "the model has no quantiles");
    FGTI_TRY(fgti_view_check_number(ws->error, "quantiles", quantiles, 3, (const int64_t[]){n, h, c}));
    FGTI_TRY(check_table(ws, table));
    if (row == -1) FGTI_TRY(find_origin(ws->f, ws->error, table, &row));
    table_rows t = predict_table_rows_of(ws, table, &row, future);
    FGTI_TRY(check_origin(ws, table, row));
    FGTI_TRY(predict_table_find_columns(ws, &t));
    if (t.apart) t.own = find_own(ws, table, row);
    FGTI_TRY(find_alive(ws, table, row));
    const bool         clocked = is_clocked(ws->f, table);
    const fgti_origins o       = {1,         &t,   table_get_series, table_get_known, table_get_time,
                                  ws->begin, &row, clocked};
    /* only the quantiles are wanted: the forecast stays in w->y */
    FGTI_TRY(fgti_predict(ws, &o, h, FGT_VIEW(ws->y, h, c)));
    fgti_forecast_put_quantiles(ws->f, ws->all, quantiles);
    for (int64_t i = 0; i < n * h * c; i++)
        if (ws->begin[i % c] < 0) fgti_view_set(quantiles, i, NAN);
    return FGT_OK;
}
