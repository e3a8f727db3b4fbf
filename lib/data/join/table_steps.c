/* SPDX-License-Identifier: BSD-3-Clause */
/* Series of long files that have different steps, such as months beside days. */
#include "data/join/table_steps.h"

#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/sort.h"

/* LEAST: fewest rows that show a step. HOLES: at most one in HOLES rows may be missing. */
enum { LEAST = 4, HOLES = 5 };

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a                  = b;
        b                  = rest;
    }
    return a;
}

/* Sorts times [n] and drops repeated times. Returns the number of times left. */
static int64_t sort_times(int64_t *time, int64_t n)
{
    int64_t count = 0;
    fgti_sort_whole(time, n);
    for (int64_t r = 0; r < n; r++)
        if (!count || time[r] > time[count - 1]) time[count++] = time[r];
    return count;
}

/* Whether the increasing times [n] have a regular step. spare [n]. */
static bool are_even(const int64_t *time, int64_t n, int64_t *spare)
{
    int64_t             missing = 0;
    const fgt_time_step step    = fgti_step_find(time, n, spare);
    for (int64_t r = 1; r < n; r++) {
        const int64_t k = fgti_step_count(&step, time[r - 1], time[r]);
        if (k < 1) return false;
        missing += k - 1;
    }
    return HOLES * missing <= n + missing;
}

/* The longest step, in milliseconds, such that all times of all series are whole steps after the first time.
 * 0: there is no such step, a series of LEAST or more rows is not regular, or fewer than two series have
 * LEAST rows. begin [series+1]; at [3 rows], whose first `rows` elements are the order of
 * fgti_long_sort(). */
static int64_t table_steps_find(const fgti_long *l, const int64_t *times, const int64_t *begin, int64_t *at)
{
    const int64_t rows = l->rows->rows;
    int64_t      *time = at + rows, first = 0, shown = 0, step = 0;
    for (int64_t i = 0; i < l->series.texts.count; i++) {
        const int64_t n = begin[i + 1] - begin[i];
        for (int64_t k = 0; k < n; k++) time[k] = times[at[begin[i] + k]];
        const int64_t count = sort_times(time, n);
        if (count < LEAST) continue;
        if (!are_even(time, count, time + rows)) return 0;
        if (!shown++) first = time[0];
        for (int64_t k = 0; k < count; k++) step = gcd(step, llabs(time[k] - first));
    }
    for (int64_t r = 0; r < rows && step; r++)
        if ((times[r] - first) % step) return 0;
    return shown > 1 ? step : 0;
}

static fgt_status table_steps_make_axis(const fgti_long *l, const fgti_row_labels *labels,
                                        const int64_t *times, const fgt_time_step *step, fgti_axis *axis)
{
    int64_t *sorted;
    FGTI_TRY(FGTI_NEW(l->ctx, l->rows->rows, "times of rows", &sorted));
    memcpy(sorted, times, (size_t)l->rows->rows * sizeof *times);
    FGTI_TRY(fgti_axis_init(l->ctx, labels, l->rows->rows, sorted, FGT_TABLE_REPAIR_ORDER, true, axis));
    fgti_axis_drop_repeats(axis);
    FGTI_TRY(fgti_table_check_size(&l->ctx->error, labels->what,
                                   fgti_step_count(step, axis->time[0], axis->time[axis->rows - 1]) + 1,
                                   l->series.texts.count, l->rows->rows));
    return fgti_axis_fill(axis, step);
}

fgt_status fgti_long_split_axis(const fgti_long *l, const int64_t *times, fgt_status s, fgti_axis *axis)
{
    const fgti_error old  = l->ctx->error;
    fgti_axis        fine = {.ctx = l->ctx};
    fgt_time_step    step = {0};
    int64_t         *begin, *at;
    FGTI_TRY(FGTI_NEW(l->ctx, l->series.texts.count + 1, "rows of series", &begin));
    fgt_status e = FGTI_NEW(l->ctx, 3 * l->rows->rows, "rows of series", &at);
    if (e == FGT_OK) {
        fgti_long_sort(l, begin, at);
        step.milliseconds = table_steps_find(l, times, begin, at);
    }
    fgti_free(l->ctx, begin);
    fgti_free(l->ctx, at);
    if (e != FGT_OK || !step.milliseconds) return e == FGT_OK ? s : e;
    e = table_steps_make_axis(l, axis->labels, times, &step, &fine);
    fgti_axis_done(e == FGT_OK ? axis : &fine);
    if (e == FGT_OK) *axis = fine;
    if (e != FGT_E_SIZE) return e;
    l->ctx->error = old;
    return s;
}
