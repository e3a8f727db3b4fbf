/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/table_clock.h"

#include "data/table_time.h"

static int32_t offset_after(const fgt_table *t, int64_t row, int64_t n, int64_t time)
{
    const int64_t at = row + n;
    if (at >= 0 && at < t->rows) return t->clock.offset[at];
    return fgti_clock_offset(&t->clock, time, t->clock.offset[at < 0 ? 0 : t->rows - 1]);
}

int64_t fgti_table_clock_after(const fgt_table *t, int64_t row, const fgt_time_step *step, int64_t n)
{
    const int64_t time = fgti_table_time_after(t, row, step, n);
    return !t->clock.offset || t->clock.by_clock ? time : time + offset_after(t, row, n, time) * FGTI_MINUTE;
}

int64_t fgti_table_clock(const fgt_table *t, int64_t row)
{
    const int64_t time = fgti_table_time(t, row);
    return !t->clock.offset || t->clock.by_clock ? time : time + t->clock.offset[row] * FGTI_MINUTE;
}

int64_t fgti_table_row_by_clock(const fgt_table *t, int64_t begin, int64_t end, int64_t row)
{
    const int32_t *offset = t->clock.offset;
    const int64_t  ms     = t->info.step.milliseconds;
    if (!offset || t->clock.by_clock || !ms) return row;
    const int64_t ahead = (offset[end - 1] - offset[row]) * FGTI_MINUTE;
    if (ahead % ms) return row;
    const int64_t at = row + ahead / ms;
    return at < begin ? begin : at < end ? at : end - 1;
}

bool fgti_table_is_utc(const fgt_table *t)
{
    return t->written.clock == FGTI_CLOCK_UTC || t->clock.zone.offset;
}

bool fgti_table_clocks_differ(const fgt_table *a, const fgt_table *b)
{
    const int64_t x = a->info.step.milliseconds, y = b->info.step.milliseconds;
    return a->written.clock && b->written.clock && fgti_table_is_utc(a) != fgti_table_is_utc(b) &&
           ((x && x < FGTI_DAY) || (y && y < FGTI_DAY));
}
