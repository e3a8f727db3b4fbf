/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds a single wrong label, for which repairs of the rows would only add errors. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "data/time/time.h"
#include "data/time/time_axis.h"

/* The fewest rows that show a step. */
enum { LEAST = 4 };

/* Whether times rise by equal steps, except for `apart` steps from the time before `at` to the time at
 * `at`. */
static bool is_even(const int64_t *time, int64_t n, const fgt_time_step *s, int64_t at, int64_t apart)
{
    for (int64_t r = 1; r < n; r++)
        if (fgti_step_count(s, time[r - 1], time[r]) != (r == at ? apart : 1)) return false;
    return true;
}

static bool rises(const int64_t *time, int64_t n)
{
    for (int64_t r = 1; r < n; r++)
        if (time[r] <= time[r - 1]) return false;
    return true;
}

/* Whether the rows without row k are even. rest, spare: [rows - 1]. */
static bool is_slip(const fgti_axis *a, int64_t k, int64_t *rest, int64_t *spare, int64_t *time)
{
    const int64_t n = a->rows - 1;
    memcpy(rest, a->time, (size_t)k * sizeof *rest);
    memcpy(rest + k, a->time + k + 1, (size_t)(n - k) * sizeof *rest);
    if (!rises(rest, n)) return false;
    const fgt_time_step s = fgti_step_find(rest, n, spare);
    if (!fgti_step_known(&s) || !is_even(rest, n, &s, k, k && k < n ? 2 : 1)) return false;
    const int64_t before = fgti_time_add(rest[0], &s, -1), after = fgti_time_add(rest[n - 1], &s, 1);
    if (a->time[k] == before || a->time[k] == after) return false; /* the label is right, and only its place
                                                                    * is wrong */
    *time = k ? fgti_time_add(rest[k - 1], &s, 1) : before;
    return true;
}

const char *fgti_axis_show_slip(const fgti_axis *a, int64_t row, char text[FGTI_SLIP_TEXT])
{
    const bool zoned = a->labels->zoned; /* the times are in UTC, but the labels are not */
    int64_t   *rest  = NULL, time;
    char       should[24], here[FGTI_ROW_TEXT];
    *text = 0;
    if (a->merged || a->rows < LEAST) return text;
    if (FGTI_NEW(a->ctx, 2 * a->rows, "times of rows", &rest) != FGT_OK) return text;
    for (int64_t k = row; k >= row - 1 && !*text; k--)
        if (is_slip(a, k, rest, rest + a->rows, &time) && fgti_time_format(time, should, sizeof should) > 0)
            snprintf(text, FGTI_SLIP_TEXT, "the label of %s may be wrong%s%s%s", fgti_axis_row(a, k, here),
                     zoned ? "" : ": ", zoned ? "" : should, zoned ? "" : " would fit there");
    fgti_free(a->ctx, rest);
    return text;
}
