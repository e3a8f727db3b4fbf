/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the forecast of the rows after the last one to a CSV file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <fighter/experimental/absent.h>
#include <fighter/experimental/series.h>

#include "certainty.h"
#include "columns.h"
#include "input.h"
#include "predict.h"
#include "predict_file.h"
#include "times.h"

#include "../common/program.h"

/* Number of rows of the forecast. */
static int64_t steps(const run *r)
{
    return r->o->horizon ? r->o->horizon : r->info.pred_len;
}

/* The model has quantiles only for its own horizon. */
static int64_t quantiles(const run *r)
{
    return r->o->horizon ? 0 : r->info.quantile_count;
}

int64_t predict_planes(const run *r)
{
    return 1 + quantiles(r) + 2 * r->o->interval_count;
}

/* ---- planes after the forecast ---- */

/* Warns if intervals are computed from too few errors. */
static void warn_of_few(const run *r, const fgt_calibration *calibration)
{
    const long long count   = (long long)fgt_calibration_count_windows(calibration);
    const long long trained = (long long)fgt_calibration_count_trained_windows(calibration);
    double          level   = 0;
    for (int64_t i = 0; i < r->o->interval_count; i++)
        if (certainty_needs(r->o->interval[i]) > count && !(r->o->interval[i] < level))
            level = r->o->interval[i];
    if (level > 0)
        warn("intervals of %g %% come from the errors of all steps and series together: only %lld forecast%s "
             "can be compared, and %lld would show each step by itself",
             100 * level, count, count == 1 ? "" : "s", (long long)certainty_needs(level));
    if (trained)
        warn("intervals may be too narrow: %lld of the %lld forecasts whose errors they come from %s of rows "
             "that the model was trained on",
             trained, count, trained == 1 ? "is" : "are");
}

/* Adds the ends of intervals from errors that were known before `row` (-1: before the forecast of --predict);
 * NaN: no errors are known. */
static fgt_status add_intervals(run *r, int64_t row, double *values)
{
    const int64_t    h = steps(r), c = r->info.columns, q = quantiles(r);
    const fgt_view   forecast =
        q ? *FGT_VIEW_OF(FGT_DTYPE_F64, values + h * c, q, h, c) : *FGT_VIEW_OF(FGT_DTYPE_F64, values, h, c);
    fgt_calibration *calibration = NULL;
    fgt_status       s           = FGT_OK;
    if (r->o->interval_count) s = fgt_calibration_create(r->forecaster, r->table, row, &calibration);
    if (calibration && row == -1) warn_of_few(r, calibration);
    for (int64_t i = 0; s == FGT_OK && i < 2 * r->o->interval_count; i++) {
        const double   level = r->o->interval[i / 2], p = i % 2 ? (1 + level) / 2 : (1 - level) / 2;
        const fgt_view end = *FGT_VIEW_OF(FGT_DTYPE_F64, values + (1 + q + i) * h * c, h, c);
        s                  = fgt_calibration_compute_quantile(calibration, &forecast, p, &end);
    }
    fgt_calibration_destroy(&calibration);
    if (s != FGT_E_DATA) return s;
    for (int64_t k = (1 + q) * h * c; k < predict_planes(r) * h * c; k++) values[k] = NAN;
    return FGT_OK;
}

/* Whether no target before k begins in the same row. */
static bool is_first(const int64_t *rows, int64_t k)
{
    for (int64_t i = 0; i < k; i++)
        if (rows[i] == rows[k]) return false;
    return true;
}

/* Adds the quantiles [Q,H,C]. Targets that begin in the same row are forecast together. */
static bool add_quantiles(run *r, const fgt_table *future, double *values, const int64_t *rows)
{
    const int64_t h = steps(r), c = r->info.columns, q = quantiles(r), cells = h * c;
    double       *all  = malloc((size_t)(q * cells + 1) * sizeof *all);
    bool          good = all || complain("no memory");
    for (int64_t k = 0; good && q && k < c; k++) {
        if (rows[k] < 0 || !is_first(rows, k)) continue;
        good = fgt_forecaster_workspace_predict_quantiles(
                   fgt_forecaster_get_workspace(r->forecaster), r->table, rows[k], future,
                   FGT_VIEW_OF(FGT_DTYPE_F64, all, q, h, c)) == FGT_OK ||
               run_failed(r, r->o->data);
        for (int64_t i = 0; good && i < q * cells; i++)
            if (rows[i % c] == rows[k]) values[cells + i] = all[i];
    }
    free(all);
    return good;
}

/* ---- the rows after the data ---- */

static void warn_of_missing(const run *r, const int64_t *rows)
{
    for (int64_t c = 0; c < r->info.columns; c++)
        if (rows[c] < 0 && !columns_is_absent(r, c))
            warn("%s is not forecast: it has no value, or fewer than %lld row%s up to it",
                 fgt_forecaster_get_name(r->forecaster, c), (long long)r->info.input_len,
                 plural(r->info.input_len));
}

static void warn_of_open_ends(const run *r, const double *values)
{
    const int64_t cells = steps(r) * r->info.columns, first = 1 + quantiles(r);
    for (int64_t i = 0; i < r->o->interval_count; i++) {
        const double *low = values + (first + 2 * i) * cells;
        int64_t       k   = 0;
        while (k < cells && (isnan(values[k]) || !isnan(low[k]))) k++;
        if (k < cells)
            warn("intervals of %g %% are empty where no forecast can be compared with known values",
                 100 * r->o->interval[i]);
    }
}

/* ---- series that have ended ---- */

static int64_t find_last(const fgt_table *table, int64_t column)
{
    const fgt_view v   = fgt_table_get_values(table);
    int64_t        row = v.shape[0] - 1;
    while (row >= 0 && isnan(((const double *)v.data)[row * v.shape[1] + column])) row--;
    return row;
}

/* Writes the names of the targets that are not in `over`, in the form of --columns; "": they are too many, or
 * have commas. */
static void list_others(const run *r, const bool *over, char *text, size_t size)
{
    size_t n    = 0;
    bool   good = true, plain = true;
    for (int64_t c = 0; good && c < r->info.columns; c++) {
        const char *name = run_name(r, c);
        if (over[c]) continue;
        good = !strpbrk(name, ",'\"") && n + strlen(name) + 4 < size;
        plain &= !name[strcspn(name, " ()&;<>|$`\\*?[]#~!{}=%")];
        if (good) n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "," : "", name);
    }
    if (good && !plain) {
        memmove(text + 1, text, n);
        *text = text[n + 1] = '\'';
        text[n + 2]         = 0;
    }
    if (!good) *text = 0;
}

bool predict_refuse_over(const run *r, const bool *over, int64_t target, int64_t last, int64_t rows)
{
    char        others[256], place[PLACE_MAX];
    const char *option = r->o->target ? "--target" : "--columns";
    if (last >= 0) row_place(run_recent(r), last, place);
    list_others(r, over, others, sizeof others);
    return complain("%s: \"%s\" has no value in the %lld row%s before the forecast%s%s; "
                    "%s%s%s forecasts the other columns",
                    r->o->data, run_name(r, target), (long long)rows, plural(rows),
                    last < 0 ? "" : ", and its last one is ",
                    last < 0 ? "" : place, option, *others ? " " : "", others);
}

void predict_warn_late(const run *r, const predict_late *late, const char *what)
{
    char place[PLACE_MAX];
    if (late->count)
        warn("%lld of %lld columns end%s before the last row%s %s %s; %s, and all forecasts follow the last "
             "row of the file",
             (long long)late->count, (long long)r->info.columns, late->count == 1 ? "s" : "",
             late->count == 1 ? ":" : ", first", late->name, row_place(run_recent(r), late->row, place),
             what);
}

/* Checks the future values of known columns, in the rows after the last target or in --future. */
static bool check_known(const run *r)
{
    char             place[PLACE_MAX];
    const fgt_table *table = run_recent(r);
    const int64_t    row   = fgt_forecaster_find_row(r->forecaster, table),
                  have     = fgt_table_count_rows(table) - row;
    if (!r->o->predict || r->o->load || !r->info.known || r->o->future ||
        fgt_table_get_name(table, FGT_TABLE_NAME_ID, 0) || row < 1)
        return true;
    return have >= steps(r) ||
           complain("%s: the forecast needs the known columns of the %lld row%s after the last target, which "
                    "is %s, and %lld of these rows are here; --future FILE can have them",
                    r->o->data, (long long)steps(r), plural(steps(r)), row_place(table, row - 1, place),
                    (long long)have);
}

int64_t predict_find_future(const fgt_table *table, const fgt_table *future, int64_t first, int64_t h)
{
    const fgt_view times = fgt_table_get_times(table), next = fgt_table_get_times(future);
    const int64_t *n = next.data;
    if (!times.shape[0] || !next.shape[0]) return h < fgt_table_count_rows(future) ? h : -1;
    int64_t time;
    if (fgt_table_compute_time(table, first - 1, h + 1, &time) != FGT_OK) return -1;
    for (int64_t row = 0; row < next.shape[0]; row++)
        if (n[row] == time) return row;
    return -1;
}

/* Whether the row h rows after row first - 1 is in --future or in the table, with all known columns; *name:
 * the column without a value. */
static bool has_known(const run *r, const fgt_table *future, int64_t first, int64_t h, const char **name)
{
    const fgt_table *table[] = {future, run_recent(r)};
    const int64_t    row[]   = {predict_find_future(table[1], future, first, h), first + h};
    for (int64_t k = 0; k < r->info.known; k++) {
        bool known = false;
        *name      = fgt_forecaster_get_name(r->forecaster, r->info.columns + r->info.past + k);
        for (int i = 0; i < 2; i++) {
            const fgt_view v = fgt_table_get_values(table[i]);
            int64_t        c;
            if (fgt_table_get_column(table[i], *name, &c) != FGT_OK) return true; /* reported later */
            known |= row[i] >= 0 && row[i] < v.shape[0] &&
                     !isnan(((const double *)v.data)[row[i] * v.shape[1] + c]);
        }
        if (!known) return false;
    }
    return true;
}

/* Checks before the training that --future has the rows and columns that are needed. */
static bool check_future(const run *r)
{
    enum { FEW_ROWS = 8 };
    const fgt_table *table = run_recent(r);
    const int64_t    first = fgt_forecaster_find_row(r->forecaster, table);
    char             time[3][TIME_MAX] = {{0}}, plain[PLAIN_TEXT];
    const char      *name = "";
    fgt_table       *future;
    int64_t          h = 0;
    if (!r->o->predict || r->o->load || !r->info.known || !r->o->future ||
        fgt_table_get_name(table, FGT_TABLE_NAME_ID, 0) || table_is_stored(table) ||
        !fgt_table_get_times(table).shape[0] || first < 1)
        return true;
    if (!input_read_future(r, &future)) return false;
    const fgt_view times = fgt_table_get_times(future);
    const int64_t  rows  = times.shape[0] + fgt_table_count_rows(table) - first;
    while (h < steps(r) && has_known(r, future, first, h, &name)) h++;
    /* for a few rows the library can tell better whether they are days */
    const bool good = h == steps(r) || !times.shape[0] || (times.shape[0] < FEW_ROWS && rows >= steps(r));
    if (!good) {
        const int64_t *all = times.data, last = times.shape[0] - 1;
        int64_t        needed;
        if (fgt_table_compute_time(table, first - 1, h + 1, &needed) == FGT_OK)
            time_text(table, needed, time[0]);
        time_text(future, all[0], time[1]);
        time_text(future, all[last], time[2]);
        complain("%s: \"%s\" has no value at %s, where the forecast of %lld row%s needs it; the rows here "
                 "are of %s to %s",
                 r->o->future, plain_text(name, plain, sizeof plain), time[0], (long long)steps(r),
                 plural(steps(r)), time[1], time[2]);
    }
    fgt_table_destroy(&future);
    return good;
}

/* Prints which columns of a wide table ended too long ago to be forecast, and what --future lacks. */
static bool check_columns(const run *r)
{
    const fgt_table *table = run_recent(r);
    if (!check_known(r) || !check_future(r)) return false;
    if (!r->o->predict || r->info.blind || fgt_table_get_name(table, FGT_TABLE_NAME_ID, 0) ||
        table_is_stored(table))
        return true;
    const int64_t end = fgt_forecaster_find_row(r->forecaster, table), begin = end - r->info.input_len;
    int64_t      *columns = run_columns(r), first = -1;
    bool         *over    = calloc((size_t)r->info.columns, sizeof *over);
    bool          good    = columns && (over || complain("no memory"));
    predict_late  late    = {0};
    for (int64_t c = 0; good && c < r->info.columns; c++) {
        const int64_t last = columns_is_absent(r, c) ? end : find_last(table, columns[c]);
        over[c]            = last < begin;
        if (over[c] && first < 0) first = c;
        if (last < end - 1 && !late.count++) late = (predict_late){1, run_name(r, c), last};
    }
    if (first < 0) predict_warn_late(r, &late, "the rows after it count as missing");
    if (first >= 0)
        good = predict_refuse_over(r, over, first, find_last(table, columns[first]), r->info.input_len);
    free(columns);
    free(over);
    return good;
}

/* Writes or checks the file of --predict. */
static bool use_file(const run *r, const double *values, const int64_t *rows,
                     bool (*use)(const predict_file *, const char *))
{
    const int64_t      count = r->info.columns;
    const char       **names = calloc((size_t)count, sizeof *names);
    const predict_file file  = {.table          = run_recent(r),
                                .series         = count,
                                .steps          = steps(r),
                                .name           = names,
                                .quantile       = r->info.quantiles,
                                .quantile_count = quantiles(r),
                                .interval       = r->o->interval,
                                .interval_count = r->o->interval_count,
                                .values         = values,
                                .row            = rows};
    if (!names) return complain("no memory");
    for (int64_t c = 0; c < count; c++) names[c] = fgt_forecaster_get_name(r->forecaster, c);
    const bool good = use(&file, r->o->predict);
    free(names);
    return good;
}

bool predict_check_names(const run *r)
{
    return !r->o->predict || use_file(r, NULL, NULL, predict_file_check);
}

bool predict_check(const run *r)
{
    if (r->o->plot && !r->test_windows && !r->o->predict)
        return complain("--plot %s: there is no test window to draw", r->o->plot);
    if (r->o->forecasts && !r->test_windows)
        return complain("--forecasts %s: there is no test window to forecast", r->o->forecasts);
    return columns_check_plot(r) && predict_check_names(r) && check_columns(r);
}

/* ---- the forecast ---- */

/* Series of a long file are forecast from the last row of each, columns of other files together. */
static bool find_values(run *r, double *values, int64_t *rows)
{
    const fgt_forecaster_info *i    = &r->info;
    const fgt_view             next = *FGT_VIEW_OF(FGT_DTYPE_F64, values, steps(r), i->columns);
    fgt_table                 *future;
    fgt_status                 s;
    if (!input_load_future(r, &future)) return false;
    if (fgt_table_get_name(r->table, FGT_TABLE_NAME_ID, 0)) {
        s = fgt_forecaster_workspace_predict_each(fgt_forecaster_get_workspace(r->forecaster), r->table,
                                                  future, &next,
                                                  FGT_VIEW_OF(FGT_DTYPE_I64, rows, i->columns));
    } else {
        s = fgt_forecaster_predict_table(r->forecaster, r->table, -1, future, &next);
        const int64_t row = fgt_forecaster_find_row(r->forecaster, r->table);
        for (int64_t c = 0; c < i->columns; c++) rows[c] = columns_is_absent(r, c) ? -1 : row;
    }
    const bool good =
        (s == FGT_OK || run_failed(r, r->o->data)) && add_quantiles(r, future, values, rows);
    fgt_table_destroy(&future);
    if (!good) return false;
    input_warn_of_holidays(r, fgt_forecaster_find_row(r->forecaster, r->table) - 1, steps(r));
    warn_of_missing(r, rows);
    if (add_intervals(r, -1, values) != FGT_OK) return run_failed(r, r->o->data);
    warn_of_open_ends(r, values);
    return true;
}

/* Replaces the model's forecasts of the rows after the data by the blend, if there is one. */
static void take_blend(const run *r, double *values)
{
    const int64_t steps = r->o->horizon ? r->o->horizon : r->info.pred_len;
    const int64_t cells = predict_planes(r) * steps * r->info.columns;
    if (r->blend) memcpy(values, r->blend, (size_t)cells * sizeof *values);
}

bool predict_values(run *r, double *values, int64_t *rows)
{
    fgt_forecaster *const measured = r->forecaster;
    if (r->whole) r->forecaster = r->whole;
    const bool good = find_values(r, values, rows);
    r->forecaster   = measured;
    if (good) take_blend(r, values);
    return good;
}

bool predict_known(run *r, double *values, const int64_t *rows)
{
    const int64_t    h = steps(r), c = r->info.columns;
    const fgt_view   next = *FGT_VIEW_OF(FGT_DTYPE_F64, values, h, c);
    const fgt_status s    = fgt_forecaster_predict_table(r->forecaster, r->table, rows[0], NULL, &next);
    if (s != FGT_OK) return run_failed(r, r->o->data);
    if (!add_quantiles(r, NULL, values, rows)) return false;
    return add_intervals(r, rows[0], values) == FGT_OK || run_failed(r, r->o->data);
}

bool predict_next(run *r)
{
    fgt_table *const           all  = r->table;
    const fgt_forecaster_info *i    = &r->info;
    const int64_t              size = predict_planes(r) * steps(r) * i->columns;
    double                    *next = malloc((size_t)size * sizeof *next);
    int64_t                   *rows = malloc((size_t)i->columns * sizeof *rows);
    r->table                        = run_recent(r);
    bool good                       = (next && rows) || complain("no memory");
    good     = good && predict_values(r, next, rows) && use_file(r, next, rows, predict_file_write);
    r->table = all;
    free(rows);
    free(next);
    return good;
}
