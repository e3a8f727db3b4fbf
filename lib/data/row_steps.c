/* SPDX-License-Identifier: BSD-3-Clause */
/* Seasons and horizons by the step of a table's rows, and times after the rows. */
#include <fighter/experimental/series.h>

#include "core/context.h"
#include "data/table.h"
#include "data/table_time.h"
#include "data/time/step.h"

enum { WEEK = 7 };

/* Rows in a day or in whole weeks; 0: the step does not divide them. */
static int64_t rows_of_days(const fgt_time_step *s, int64_t days)
{
    if (fgti_step_closes(s))
        return days < WEEK ? fgti_step_day_rows(s) : days / WEEK * fgti_step_week_rows(s);
    return days * FGTI_DAY % s->milliseconds ? 0 : days * FGTI_DAY / s->milliseconds;
}

int64_t fgt_table_find_seasons(const fgt_table *table, int64_t *seasons)
{
    static const int64_t cycles[] = {1, WEEK, 52 * WEEK}; /* days; a year of whole weeks */
    int64_t              count    = 0;
    if (!table || !seasons) return 0;
    const fgt_time_step s = table->info.step;
    if (s.months && 12 % s.months == 0 && s.months < 12) seasons[count++] = 12 / s.months;
    for (size_t i = 0; s.milliseconds && i < sizeof cycles / sizeof *cycles; i++) {
        const int64_t rows = rows_of_days(&s, cycles[i]);
        if (rows > 1) seasons[count++] = rows;
    }
    for (int64_t i = count; i < FGT_SEASONS; i++) seasons[i] = 0;
    return count;
}

int64_t fgt_table_find_horizon(const fgt_table *table, int64_t share)
{
    enum { LEAST = 4 };
    if (!table || share < 1) return 0;
    const fgt_time_step s    = table->info.step;
    const int64_t       size = s.milliseconds;
    int64_t             rows;
    if (s.months)
        rows = 12 / s.months;
    else if (size >= WEEK * FGTI_DAY)
        rows = 8 * WEEK * FGTI_DAY / size;
    else if (size >= FGTI_DAY)
        rows = s.weekdays ? rows_of_days(&s, 2 * WEEK) : 2 * WEEK * FGTI_DAY / size;
    else if (size >= FGTI_DAY / 24)
        rows = s.day_rows ? 2 * s.day_rows : 2 * FGTI_DAY / size;
    else
        return 0;
    const int64_t most = table->rows / share, wanted = rows < LEAST ? LEAST : rows;
    return most < 1 ? 1 : wanted < most ? wanted : most;
}

fgt_status fgt_table_compute_time(const fgt_table *table, int64_t row, int64_t steps, int64_t *time)
{
    if (!table) return FGT_E_ARG;
    fgti_error *err = &table->ctx->error;
    FGTI_TRY(fgti_table_check_loaded(err, "times", table));
    if (!time || row < 0 || row >= table->rows)
        return fgti_fail(err, FGT_E_ARG,
                         "table: row is out of range, or time is NULL (got %lld, need 0 .. %lld)",
                         (long long)row, (long long)table->rows - 1);
    if (!table->times || !fgti_step_known(&table->info.step))
        return fgti_fail(err, FGT_E_STATE, "table: the rows have no times, or their step is not known");
    const fgt_time_step *step = &table->info.step;
    const int64_t        most = INT64_C(1) << 40; /* more than all steps of the calendar */
    const bool           near = steps > -most && steps < most;
    const int64_t        sum  = near ? fgti_table_time_after(table, row, step, steps) : 0;
    if (!near || !fgti_time_in_range(sum) || fgti_step_count(step, table->times[row], sum) != steps)
        return fgti_fail(err, FGT_E_DATA,
                         "table: the time %lld rows after row %lld is not in the years 1 to 9999",
                         (long long)steps, (long long)row);
    *time = sum;
    return FGT_OK;
}
