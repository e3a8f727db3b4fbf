/* SPDX-License-Identifier: BSD-3-Clause */
/* Appends rows to a table in memory. */
#include <string.h>

#include "core/context.h"
#include "data/table.h"
#include "data/table_time.h"

/* The arrays whose size depends on the number of rows. */
typedef struct row_arrays {
    double  *values;
    int64_t *times;  /* NULL: the rows have no times */
    int32_t *offset; /* NULL: the clock is unknown */
} row_arrays;

static fgt_status table_append_refuse_time(const fgt_table *t, int64_t row, int64_t time, int64_t due)
{
    char got[32] = "not in the years 1 to 9999", need[32] = "", step[FGTI_STEP_TEXT];
    fgti_time_format(time, got, sizeof got);
    fgti_time_format(due, need, sizeof need);
    return fgti_fail(&t->ctx->error, FGT_E_DATA,
                     "times: row %lld: the time is wrong (got %s, need %s, as the rows of the table are %s "
                     "apart); rows that are missing are appended with values NaN",
                     (long long)row, got, need, fgti_step_text(&t->info.step, step));
}

static fgt_status table_append_check_times(const fgt_table *t, const fgt_view *times, int64_t n)
{
    fgti_error *err = &t->ctx->error;
    if (!t->times && t->labels)
        return fgti_fail(err, FGT_E_STATE,
                         "table: its rows have labels that are not times; fgt_table_set_times() gives them "
                         "times");
    if (!t->times && times) return fgti_fail(err, FGT_E_STATE, "times: the table has no times (need NULL)");
    if (!t->times) return FGT_OK;
    FGTI_TRY(fgti_view_check(err, "times", times, FGT_DTYPE_I64, 1, &n));
    if (!fgti_step_known(&t->info.step))
        return fgti_fail(err, FGT_E_STATE, "table: its step is not known, it has a single row");
    int64_t before = t->times[t->rows - 1];
    for (int64_t i = 0; i < n; i++) {
        const int64_t time = ((const int64_t *)times->data)[i];
        const int64_t due  = fgti_table_time_after(t, t->rows - 1, &t->info.step, i + 1);
        if (time != due || time <= before || !fgti_time_in_range(time))
            return table_append_refuse_time(t, i, time, due);
        before = time;
    }
    return FGT_OK;
}

static fgt_status table_append_check_values(const fgt_table *t, const fgt_view *values)
{
    fgti_error *err = &t->ctx->error;
    FGTI_TRY(fgti_view_check_number(err, "values", values, 2, (const int64_t[]){-1, t->columns}));
    if (values->shape[0] < 1)
        return fgti_fail(err, FGT_E_SHAPE, "values: there are no rows (need at least 1)");
    for (int64_t i = 0; i < fgt_view_count(values); i++)
        if (isinf(fgti_view_get(values, i)))
            return fgti_fail(err, FGT_E_DATA, "values: row %lld, column %lld is not finite",
                             (long long)(i / t->columns), (long long)(i % t->columns));
    return FGT_OK;
}

static void free_arrays(fgt_context *ctx, const row_arrays *a)
{
    fgti_free(ctx, a->values);
    fgti_free(ctx, a->times);
    fgti_free(ctx, a->offset);
}

/* Copies the rows of the table into larger arrays. */
static fgt_status table_append_copy_rows(const fgt_table *t, int64_t room, row_arrays *a)
{
    fgt_context *ctx = t->ctx;
    int64_t      count;
    *a = (row_arrays){0};
    if (!fgti_size_mul(room, t->columns, &count))
        return fgti_fail(&ctx->error, FGT_E_SIZE, "table: too large");
    fgt_status s = FGTI_NEW(ctx, count, "table", &a->values);
    if (s == FGT_OK && t->times) s = FGTI_NEW(ctx, room, "times of rows", &a->times);
    if (s == FGT_OK && t->clock.offset) s = FGTI_NEW(ctx, room, "offsets of clocks", &a->offset);
    if (s != FGT_OK) {
        free_arrays(ctx, a);
        return s;
    }
    const size_t rows = (size_t)t->rows;
    memcpy(a->values, t->values, rows * (size_t)t->columns * sizeof *a->values);
    if (a->times) memcpy(a->times, t->times, rows * sizeof *a->times);
    if (a->offset) memcpy(a->offset, t->clock.offset, rows * sizeof *a->offset);
    return FGT_OK;
}

/* Appends the values and labels of rows. */
static fgt_status table_append_rows(fgt_table *t, const row_arrays *a, const fgt_view *values,
                                    const fgt_view *times)
{
    char         text[FGTI_FORM_TEXT];
    const int64_t n = values->shape[0], begin = t->rows * t->columns;
    for (int64_t i = 0; i < n * t->columns; i++) a->values[begin + i] = fgti_view_get(values, i);
    for (int64_t i = 0; t->times && i < n; i++) {
        const int64_t time = ((const int64_t *)times->data)[i], r = t->rows + i;
        a->times[r]        = time;
        if (a->offset) a->offset[r] = fgti_clock_offset(&t->clock, time, a->offset[r - 1]);
        if (!t->labels) continue;
        fgti_table_write_label(t, time, a->offset ? a->offset[r] : 0, text);
        FGTI_TRY(fgti_strings_add(t->ctx, &t->dates, text, (int64_t)strlen(text)));
    }
    return FGT_OK;
}

fgt_status fgt_table_append(fgt_table *table, const fgt_view *values, const fgt_view *times)
{
    if (!table) return FGT_E_ARG;
    fgt_table *t = table;
    FGTI_TRY(fgti_table_check_loaded(&t->ctx->error, "append", t));
    FGTI_TRY(table_append_check_values(t, values));
    FGTI_TRY(table_append_check_times(t, times, values->shape[0]));
    const row_arrays   old   = {t->values, t->times, t->clock.offset};
    const fgti_strings dates = t->dates;
    const int64_t      need  = t->rows + values->shape[0], twice = 2 * t->rows + 8;
    const int64_t      room  = need > twice ? need : twice;
    const bool         grows = need > t->room;
    row_arrays         now   = old;
    if (grows) FGTI_TRY(table_append_copy_rows(t, room, &now));
    const fgt_status s = table_append_rows(t, &now, values, times);
    if (s != FGT_OK) { /* the labels may be in a larger block now, but the old labels are unchanged */
        t->dates.count = dates.count;
        t->dates.used  = dates.used;
        if (grows) free_arrays(t->ctx, &now);
        return s;
    }
    t->rows = need;
    if (!grows) return FGT_OK;
    free_arrays(t->ctx, &old);
    t->values       = now.values;
    t->times        = now.times;
    t->clock.offset = now.offset;
    t->room         = room;
    t->capacity     = room * t->columns;
    return FGT_OK;
}
