/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of a table's rows. */
#include "data/table_time.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/opts.h"
#include "core/size.h"
#include "data/table.h"
#include "data/table_repeats.h"
#include "data/time/time_axis.h"

/* ---- moving rows to their times ---- */

static double *table_place_values(const fgt_table *t, const fgti_axis *a, double *values)
{
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t c = 0; c < t->columns; c++)
            values[r * t->columns + c] = a->from[r] < 0 ? NAN : t->values[a->from[r] * t->columns + c];
    return values;
}

void fgti_table_write_label(const fgt_table *t, int64_t time, int32_t offset, char text[FGTI_FORM_TEXT])
{
    if (t->clock.offset)
        fgti_clock_write(&t->clock, &t->written, time, offset, text, FGTI_FORM_TEXT);
    else
        fgti_time_form_show(&t->written, time, text);
}

fgt_status fgti_table_place_labels(const fgt_table *t, const fgti_axis *a, fgti_strings *dates)
{
    char text[FGTI_FORM_TEXT];
    for (int64_t r = 0; t->labels && r < a->rows; r++) {
        const bool  known = a->from[r] >= 0;
        const char *label = known ? fgti_strings_get(&t->dates, a->from[r]) : text;
        if (!known) fgti_table_write_label(t, a->time[r], t->clock.offset ? t->clock.offset[r] : 0, text);
        FGTI_TRY(fgti_strings_add(t->ctx, dates, label, (int64_t)strlen(label)));
    }
    return FGT_OK;
}

/* Brings the rows of the table into the axis's order. */
static fgt_status table_place_rows(fgt_table *t, const fgti_axis *a)
{
    fgti_strings dates = {0};
    double      *values;
    int64_t      count;
    if (!fgti_size_mul(a->rows, t->columns, &count))
        return fgti_fail(&t->ctx->error, FGT_E_SIZE, "%.200s: too large", a->labels->what);
    FGTI_TRY(FGTI_NEW(t->ctx, count, "table", &values));
    fgt_status s = fgti_table_place_labels(t, a, &dates);
    if (s == FGT_OK) s = fgti_lines_place(t->ctx, &t->lines, a->from, a->rows);
    if (s != FGT_OK) {
        fgti_strings_done(t->ctx, &dates);
        fgti_free(t->ctx, values);
        return s;
    }
    table_place_values(t, a, values);
    fgti_strings_done(t->ctx, &t->dates);
    fgti_free(t->ctx, t->values);
    t->values   = values;
    t->capacity = count;
    t->dates    = dates;
    t->rows     = a->rows;
    return FGT_OK;
}

fgt_status fgti_table_take_times(fgt_table *t, const char *what, int64_t *times, int32_t repair,
                                  const fgt_time_step *known)
{
    fgti_axis      a;
    fgt_table_info info = t->info;
    const fgti_row_labels labels = {what, t->dates.count == t->rows ? &t->dates : NULL, &t->lines,
                                    t->clock.offset != NULL, t->clock.round};
    info.repeats = info.conflicts = 0;
    fgt_status s                  = fgti_axis_init(t->ctx, &labels, t->rows, times, repair, false, &a);
    a.known                       = known;
    if (s == FGT_OK) s = fgti_table_settle_repeats(t, &a, repair, &info);
    if (s == FGT_OK) s = fgti_axis_settle_gaps(&a, repair);
    if (s == FGT_OK) s = fgti_clock_place(t->ctx, &t->clock, &a);
    if (s == FGT_OK && (a.reordered || a.repeats || a.gaps)) s = table_place_rows(t, &a);
    if (s == FGT_OK) {
        fgti_free(t->ctx, t->times);
        t->times = a.time;
        a.time   = NULL;
        t->room  = 0;
        t->info           = info;
        t->info.gaps      = a.gaps;
        t->info.step      = a.step;
        t->info.reordered = a.reordered;
    }
    fgti_axis_done(&a);
    return s;
}

fgt_status fgti_table_refuse_first(fgti_error *err, const char *what, int64_t line, const char *column)
{
    char show[FGTI_SHOW], place[40] = "";
    if (line) snprintf(place, sizeof place, "line %lld: ", (long long)line);
    return fgti_fail(
        err, FGT_E_DATA,
        "%.300s: %scolumn \"%s\": the first row has no value, and there is no earlier one to fill it "
        "with; the option `missing` can mask it, or make it zero",
        what, place, fgti_show(column, show));
}

fgt_status fgti_table_add_fills(fgt_table *t, int64_t column, fgti_fills more)
{
    if (!more.count) return FGT_OK;
    if (!t->fills) FGTI_TRY(FGTI_NEW(t->ctx, t->columns, "filled values", &t->fills));
    fgti_fills *f = &t->fills[column];
    if (!f->count || more.first < f->first) f->first = more.first;
    f->count += more.count;
    return FGT_OK;
}

fgt_status fgti_table_fill_cell(fgt_table *t, int32_t missing, int64_t row, int64_t column)
{
    double *v = &t->values[row * t->columns + column];
    *v        = fgti_missing_value(missing, row ? v[-t->columns] : NAN);
    return fgti_table_add_fills(t, column, (fgti_fills){!isnan(*v), row});
}

fgt_status fgti_table_fill(fgt_table *t, int32_t missing, const char *what)
{
    if (missing < FGT_TABLE_MISSING_FORWARD_FILL) return FGT_OK;
    for (int64_t i = 0; i < t->rows * t->columns; i++) {
        if (!isnan(t->values[i])) continue;
        if (i < t->columns && missing == FGT_TABLE_MISSING_FORWARD_FILL)
            return fgti_table_refuse_first(&t->ctx->error, what, fgti_lines_get(&t->lines, 0),
                                           fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, i));
        FGTI_TRY(fgti_table_fill_cell(t, missing, i / t->columns, i % t->columns));
    }
    return FGT_OK;
}

/* ---- for hosts ---- */

static fgt_status write_labels(const fgt_table *t, const int64_t *times, fgti_strings *dates)
{
    char text[24];
    for (int64_t r = 0; t->labels && r < t->rows; r++)
        FGTI_TRY(fgti_strings_add(t->ctx, dates, text, fgti_time_format(times[r], text, sizeof text)));
    return FGT_OK;
}

fgt_status fgt_table_set_times(fgt_table *table, const fgt_view *times, int32_t repair)
{
    if (!table) return FGT_E_ARG;
    fgt_table   *t   = table;
    fgti_error  *err = &t->ctx->error;
    fgti_strings old = t->dates, dates = {0};
    fgti_time_form written = t->written;
    fgti_clock   clock     = t->clock;
    int64_t     *own;
    FGTI_TRY(fgti_table_check_loaded(err, "times", table));
    FGTI_TRY(fgti_view_check(err, "times", times, FGT_DTYPE_I64, 1, &t->rows));
    if (repair < 0 || repair > FGT_TABLE_REPAIR_ALL)
        return fgti_fail(err, FGT_E_ARG, "table: repair is out of range (got %d, need 0 .. %d)", (int)repair,
                         FGT_TABLE_REPAIR_ALL);
    for (int64_t r = 0; r < t->rows; r++)
        if (!fgti_time_in_range(((const int64_t *)times->data)[r]))
            return fgti_fail(err, FGT_E_DATA, "table: row %lld: time %lld is not in the years 1 to 9999",
                             (long long)r, (long long)((const int64_t *)times->data)[r]);
    FGTI_TRY(FGTI_NEW(t->ctx, t->rows, "times of rows", &own));
    memcpy(own, times->data, (size_t)t->rows * sizeof *own);
    fgt_status s = write_labels(t, own, &dates);
    if (s != FGT_OK) {
        fgti_strings_done(t->ctx, &dates);
        fgti_free(t->ctx, own);
        return s;
    }
    t->dates   = dates;
    t->written = (fgti_time_form){0};
    t->clock   = (fgti_clock){0};
    s          = fgti_table_take_times(t, "table", own, repair, NULL);
    if (s != FGT_OK) {
        t->written = written;
        t->clock   = clock;
        clock      = (fgti_clock){0};
        dates    = t->dates;
        t->dates = old;
        old      = dates;
    }
    fgti_strings_done(t->ctx, &old);
    fgti_clock_done(t->ctx, &clock);
    return s;
}

int64_t fgti_table_write_time(const fgt_table *table, int64_t time, char *text, int64_t capacity)
{
    const int32_t *offset = table->clock.offset;
    if (!offset) return fgti_time_form_write(&table->written, time, text, capacity);
    const int64_t row  = fgti_time_find(table->times, table->rows, time);
    const int64_t near = time < table->times[0] ? 0 : table->rows - 1;
    const int32_t here = row < 0 ? fgti_clock_offset(&table->clock, time, offset[near]) : offset[row];
    return fgti_clock_write(&table->clock, &table->written, time, here, text, capacity);
}

fgt_status fgt_table_format_time(const fgt_table *table, int64_t time, char *text, int64_t capacity)
{
    char all[FGTI_FORM_TEXT];
    if (!table) return FGT_E_ARG;
    fgti_error *err = &table->ctx->error;
    if (!text) return fgti_fail(err, FGT_E_ARG, "time: text is NULL");
    const int64_t size = fgti_table_write_time(table, time, all, sizeof all);
    if (size < 1)
        return fgti_fail(err, FGT_E_DATA, "time: the form of the table's labels cannot express %lld",
                         (long long)time);
    if (size >= capacity)
        return fgti_fail(err, FGT_E_ARG, "time: text is too small (got %lld bytes, need %lld)",
                         (long long)capacity, (long long)size + 1);
    memcpy(text, all, (size_t)size + 1);
    return FGT_OK;
}

fgt_view fgt_table_get_times(const fgt_table *table)
{
    fgt_view v = {.rank = 1, .dtype = FGT_DTYPE_I64};
    if (!table || !table->times) return v;
    v.data     = table->times;
    v.shape[0] = table->rows;
    return v;
}

/* 12 monthly rows show the rule for months, because they contain every month and, in leap years, a leap
 * day. */
enum { TELLING = 12 };

int64_t fgti_table_time_after(const fgt_table *t, int64_t row, const fgt_time_step *step, int64_t n)
{
    if (!step->months) return fgti_time_add(t->times[row], step, n);
    const int64_t anchor = fgti_axis_anchor(step, t->times, fgti_least(t->rows, TELLING));
    return fgti_time_add(anchor, step, fgti_step_count(step, anchor, t->times[row]) + n);
}
