/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/time/time_axis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/keyed_hash.h"
#include "core/sort.h"
#include "data/time/row_clock.h"
#include "data/time/scan/time_scan.h"
#include "data/time/zone.h"

/* ---- steps ---- */

int64_t fgti_axis_anchor(const fgt_time_step *step, const int64_t *times, int64_t n)
{
    for (int64_t i = 0; step->months && i < n; i++) {
        const fgti_day d = fgti_day_of_time(times[i], NULL);
        if (d.day < fgti_month_length(d.year, d.month)) return times[i];
    }
    return times[0];
}

/* ---- error texts ---- */

static const char *show_time(int64_t time, char buf[24])
{
    fgti_time_format(time, buf, 24);
    return buf;
}

const char *fgti_axis_row(const fgti_axis *a, int64_t row, char buf[FGTI_ROW_TEXT])
{
    if (!a->merged) return fgti_labelled_row(a->labels, a->from[row], a->time[row], buf);
    return a->labels->texts ? fgti_show(fgti_strings_get(a->labels->texts, a->from[row]), buf)
                            : show_time(a->time[row], buf);
}

/* ---- a single wrong label, for which repairs of the rows would only add errors ---- */

/* fewest rows that show a step */
enum { SLIP_LEAST = 4 };

/* Whether the times increase by equal steps. The only exception: the time at `at` is `apart` steps after the
 * time before it. */
static bool is_even(const int64_t *time, int64_t n, const fgt_time_step *s, int64_t at, int64_t apart)
{
    for (int64_t r = 1; r < n; r++)
        if (fgti_step_count(s, time[r - 1], time[r]) != (r == at ? apart : 1)) return false;
    return true;
}

static bool all_rise(const int64_t *time, int64_t n)
{
    for (int64_t r = 1; r < n; r++)
        if (time[r] <= time[r - 1]) return false;
    return true;
}

/* Whether all rows except row k have even steps. *time: the time that row k should have. rest, spare: [rows -
 * 1]. */
static bool is_slip(const fgti_axis *a, int64_t k, int64_t *rest, int64_t *spare, int64_t *time)
{
    const int64_t n = a->rows - 1;
    memcpy(rest, a->time, (size_t)k * sizeof *rest);
    memcpy(rest + k, a->time + k + 1, (size_t)(n - k) * sizeof *rest);
    if (!all_rise(rest, n)) return false;
    const fgt_time_step s = fgti_step_find(rest, n, spare);
    if (!fgti_step_known(&s) || !is_even(rest, n, &s, k, k && k < n ? 2 : 1)) return false;
    const int64_t before = fgti_time_add(rest[0], &s, -1), after = fgti_time_add(rest[n - 1], &s, 1);
    if (a->time[k] == before || a->time[k] == after)
        return false; /* the label is right, but it is at the wrong place */
    *time = k ? fgti_time_add(rest[k - 1], &s, 1) : before;
    return true;
}

const char *fgti_axis_show_slip(const fgti_axis *a, int64_t row, char text[FGTI_SLIP_TEXT])
{
    const bool zoned = a->labels->zoned; /* the times are in UTC, but the labels are not */
    int64_t   *rest  = NULL, time;
    char       should[24], here[FGTI_ROW_TEXT];
    *text = 0;
    if (a->merged || a->rows < SLIP_LEAST) return text;
    if (FGTI_NEW(a->ctx, 2 * a->rows, "times of rows", &rest) != FGT_OK) return text;
    for (int64_t k = row; k >= row - 1 && !*text; k--)
        if (is_slip(a, k, rest, rest + a->rows, &time) && fgti_time_format(time, should, sizeof should) > 0)
            snprintf(text, FGTI_SLIP_TEXT, "the label of %s may be wrong%s%s%s", fgti_axis_row(a, k, here),
                     zoned ? "" : ": ", zoned ? "" : should, zoned ? "" : " would fit there");
    fgti_free(a->ctx, rest);
    return text;
}

/* ---- refusals ---- */

/* Whether a row may be where a clock is put back. The step is not known yet, but clocks are put back by at
 * most an hour. */
static bool goes_back(const fgti_axis *a, int64_t row)
{
    return !a->labels->zoned && a->time[row - 1] - a->time[row] < 60 * FGTI_MINUTE &&
           fgti_time_is_change(a->time[row]);
}

/* Whether the other rows are in order, and row k would come after or before all of them, with a gap that is
 * wider than all others. */
static bool is_outlier(const fgti_axis *a, int64_t k)
{
    const int64_t first = k == 0, last = a->rows - 1 - (k == a->rows - 1);
    int64_t       widest = 0;
    for (int64_t r = first + 1; r <= last; r++) {
        const int64_t gap = r == k ? 0 : a->time[r] - a->time[r - 1 - (r - 1 == k)];
        if (gap < 0) return false;
        if (gap > widest) widest = gap;
    }
    return a->rows >= SLIP_LEAST &&
           (a->time[first] - a->time[k] > widest || a->time[k] - a->time[last] > widest);
}

static fgt_status refuse_order(const fgti_axis *a, int64_t row)
{
    char this[FGTI_ROW_TEXT], last[FGTI_ROW_TEXT], slip[FGTI_SLIP_TEXT];
    int64_t rises = 0;
    for (int64_t r = 1; r < a->rows; r++) rises += a->time[r] > a->time[r - 1];
    if (!rises)
        return fgti_fail(&a->ctx->error, FGT_E_DATA,
                         "%.280s: the newest row comes first, %s, and the oldest last, %s; the option "
                         "`repair` order can put the rows in order",
                         a->labels->what, fgti_axis_row(a, 0, this), fgti_axis_row(a, a->rows - 1, last));
    fgti_axis_show_slip(a, row, slip);
    for (int64_t k = row; k >= row - 1 && !*slip; k--)
        if (is_outlier(a, k))
            snprintf(slip, sizeof slip, "the label of %s may be wrong", fgti_axis_row(a, k, last));
    return fgti_fail(&a->ctx->error, FGT_E_DATA, "%.280s: %s is earlier than %s, which comes before it; %s%s",
                     a->labels->what, fgti_axis_row(a, row, this), fgti_axis_row(a, row - 1, last),
                     goes_back(a, row) ? FGTI_AXIS_CHANGE : "",
                     *slip ? slip : "the option `repair` order can put the rows in order");
}

bool fgti_axis_is_change(const fgti_axis *a, int64_t time)
{
    return !a->labels->zoned && !a->step.months && a->step.milliseconds < FGTI_DAY &&
           fgti_time_is_change(time);
}

/* Writes ", 50 of them on a Sunday" if days are missing, and at least half of them are the same day of the
 * week. */
static const char *show_weekday(const fgti_axis *a, int64_t missing, char buf[64])
{
    int64_t count[7] = {0}, most = 0;
    *buf             = 0;
    if (missing < 3 || a->step.milliseconds != FGTI_DAY || fgti_step_closes(&a->step)) return buf;
    for (int64_t r = 1; r < a->rows; r++)
        for (int64_t t = a->time[r - 1]; (t = fgti_time_add(t, &a->step, 1)) < a->time[r];)
            count[fgti_weekday(fgti_day_number(fgti_day_of_time(t, NULL))) - 1]++;
    for (int64_t i = 1; i < 7; i++)
        if (count[i] > count[most]) most = i;
    if (2 * count[most] >= missing)
        snprintf(buf, 64, ", %lld of them on a %s", (long long)count[most], fgti_weekday_names[most]);
    return buf;
}

static fgt_status time_axis_refuse_gap(const fgti_axis *a, int64_t row)
{
    char this[FGTI_ROW_TEXT], last[FGTI_ROW_TEXT], step[FGTI_STEP_TEXT], weekday[64], slip[FGTI_SLIP_TEXT];
    int64_t gaps = 0, missing = 0;
    for (int64_t r = 1; r < a->rows; r++) {
        const int64_t n = fgti_step_count(&a->step, a->time[r - 1], a->time[r]);
        gaps += n > 1;
        if (n > 1) missing += n - 1;
    }
    fgti_axis_show_slip(a, row, slip);
    return fgti_fail(
        &a->ctx->error, FGT_E_DATA,
        "%.280s: rows are missing between %s and %s, at steps of %s (%lld row%s in %lld place%s%s); %s%s%s%s",
        a->labels->what, fgti_axis_row(a, row - 1, last), fgti_axis_row(a, row, this),
        fgti_step_text(&a->step, step), (long long)missing, missing == 1 ? "" : "s", (long long)gaps,
        gaps == 1 ? "" : "s", show_weekday(a, missing, weekday),
        fgti_axis_is_change(a, fgti_time_add(a->time[row - 1], &a->step, 1)) ? FGTI_AXIS_CHANGE : "", slip,
        *slip ? "; where it is right, " : "",
        missing / FGTI_GAPS_MOST > a->rows
            ? "so many rows cannot be added"
            : "the option `repair` gaps can add them, and `missing` says with which values");
}

fgt_status fgti_axis_refuse_missing(fgti_error *err, const char *what, const fgti_gaps *g, int64_t rows,
                                    const fgt_time_step *step)
{
    char from[24], to[24], text[FGTI_STEP_TEXT];
    return fgti_fail(err, FGT_E_DATA,
                     "%.300s: %lld rows would be missing, several times as many as the %lld that are there, "
                     "at steps of %s; %lld of them between %s and %s",
                     what, (long long)g->missing, (long long)rows, fgti_step_text(step, text),
                     (long long)g->most, show_time(g->from, from), show_time(g->to, to));
}

/* Whether all times are near multiples of `size` milliseconds, and these multiples are even. time, spare:
 * [rows]. */
static bool rounds_evenly(const fgti_axis *a, int64_t size, int64_t *time, int64_t *spare)
{
    enum { NEAR = 10 }; /* "near" means a tenth of the size */
    const fgti_clock clock = {.round = size};
    int64_t          n     = 0;
    for (int64_t r = 0; r < a->rows; r++) {
        time[n] = a->time[r];
        fgti_clock_round(&clock, 1, &time[n]);
        if (llabs(time[n] - a->time[r]) > size / NEAR) return false;
        const bool again = n && time[n] == time[n - 1];
        if (again && !a->merged) return false;
        n += !again;
    }
    const fgt_time_step s = fgti_step_find(time, n, spare);
    for (int64_t r = 1; r < n; r++)
        if (!fgti_step_count(&s, time[r - 1], time[r])) return false;
    return n > 1;
}

/* Writes the advice to round the times to the largest step that makes them even, or "". FGT_E_NOMEM. */
static fgt_status show_round(const fgti_axis *a, char text[80])
{
    static const struct {
        int64_t     ms;
        const char *name;
    } sizes[] = {{86400000, "1d"},   {43200000, "12h"},  {28800000, "8h"},  {21600000, "6h"},
                 {14400000, "4h"},   {10800000, "3h"},   {7200000, "2h"},   {3600000, "1h"},
                 {1800000, "30min"}, {1200000, "20min"}, {900000, "15min"}, {600000, "10min"},
                 {300000, "5min"},   {120000, "2min"},   {60000, "1min"},   {30000, "30s"},
                 {20000, "20s"},     {15000, "15s"},     {10000, "10s"},    {5000, "5s"},
                 {2000, "2s"},       {1000, "1s"}};
    enum { OFFSETS = 900000 }; /* divides the offsets of clocks: multiples of it are the same in UTC */
    int64_t *time;
    *text = 0;
    FGTI_TRY(FGTI_NEW(a->ctx, 2 * a->rows, "times of rows", &time));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !*text; i++)
        if ((!a->labels->zoned || OFFSETS % sizes[i].ms == 0) &&
            rounds_evenly(a, sizes[i].ms, time, time + a->rows))
            snprintf(text, 80, "; the option `round` %s can move the times to whole steps", sizes[i].name);
    fgti_free(a->ctx, time);
    return FGT_OK;
}

static fgt_status refuse_step(const fgti_axis *a, int64_t row)
{
    char this[FGTI_ROW_TEXT], last[FGTI_ROW_TEXT], step[FGTI_STEP_TEXT], slip[FGTI_SLIP_TEXT], many[80] = "";
    char    even[80] = "";
    int64_t uneven   = -1; /* number of uneven rows besides this one */
    fgti_axis_show_slip(a, row, slip);
    if (!*slip) FGTI_TRY(show_round(a, even));
    for (int64_t r = 1; r < a->rows; r++) uneven += !fgti_step_count(&a->step, a->time[r - 1], a->time[r]);
    if (uneven > 0)
        snprintf(many, sizeof many, "; the times are uneven, as %lld other row%s", (long long)uneven,
                 uneven == 1 ? " shows" : "s show");
    return fgti_fail(&a->ctx->error, FGT_E_DATA,
                     "%.280s: %s is not a whole number of steps of %s after %s%s%s%s%s%s", a->labels->what,
                     fgti_axis_row(a, row, this), fgti_step_text(&a->step, step),
                     fgti_axis_row(a, row - 1, last), many, *slip ? "; " : "", slip, even,
                     a->merged || *slip ? "" : "; the option `date` can take the rows as they are");
}

/* ---- repairs ---- */

typedef struct place {
    int64_t time, row;
} place;

static int compare_places(const void *a, const void *b, const void *arg)
{
    const place *x = a, *y = b;
    (void)arg;
    return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
                              : (x->row > y->row) - (x->row < y->row);
}

static fgt_status put_in_order(fgti_axis *a)
{
    place *p;
    FGTI_TRY(FGTI_NEW(a->ctx, a->rows, "times of rows", &p));
    for (int64_t r = 0; r < a->rows; r++) p[r] = (place){a->time[r], a->from[r]};
    fgti_sort(p, a->rows, sizeof *p, compare_places, NULL);
    for (int64_t r = 0; r < a->rows; r++) {
        a->time[r] = p[r].time;
        a->from[r] = p[r].row;
    }
    fgti_free(a->ctx, p);
    a->reordered = true;
    return FGT_OK;
}

void fgti_axis_drop_repeats(fgti_axis *a)
{
    int64_t k = 0;
    for (int64_t r = 0; r < a->rows; r++) {
        if (k && a->time[k - 1] == a->time[r]) k--;
        a->time[k]   = a->time[r];
        a->from[k++] = a->from[r];
    }
    a->repeats += a->rows - k;
    a->rows = k;
}

/* The slot that has a time, or the empty slot where the time belongs. */
static int64_t find_slot(const int64_t *slot, int64_t slots, const fgti_hash_key *key, const int64_t *times,
                         int64_t time)
{
    int64_t at = (int64_t)(fgti_keyed_hash(key, &time, sizeof time) & (uint64_t)(slots - 1));
    while (slot[at] && times[slot[at] - 1] != time) at = (at + 1) & (slots - 1);
    return at;
}

/* Drops repeated times before the rows are sorted: series that follow one another repeat the same few times.
 * Stops when the number of different times becomes large. */
static fgt_status drop_early(fgti_axis *a)
{
    const fgti_hash_key key = fgti_hash_key_draw();
    int64_t            *slot, slots = 64, last = 0, r = 0, k = 0;
    while (slots < a->rows / 8) slots *= 2;
    FGTI_TRY(FGTI_NEW(a->ctx, slots, "times of rows", &slot));
    for (; r < a->rows && 2 * k < slots; r++) {
        const int64_t time = a->time[r];
        if (last + 1 < k && a->time[last + 1] == time) { /* the time that follows in the series before */
            last++;
        } else {
            const int64_t at = find_slot(slot, slots, &key, a->time, time);
            if (!slot[at]) {
                a->time[k] = time;
                slot[at]   = ++k;
            }
            last = slot[at] - 1;
        }
        a->from[last] = a->from[r];
    }
    a->repeats += r - k;
    for (; r < a->rows; r++, k++) {
        a->time[k] = a->time[r];
        a->from[k] = a->from[r];
    }
    a->rows = k;
    fgti_free(a->ctx, slot);
    return FGT_OK;
}

static fgt_status fill_gaps(fgti_axis *a)
{
    const int64_t rows = a->rows, total = rows + a->gaps;
    const int64_t anchor = fgti_axis_anchor(&a->step, a->time, rows);
    int64_t      *time, *from, k = 0;
    FGTI_TRY(FGTI_NEW(a->ctx, total, "times of rows", &time));
    const fgt_status s = FGTI_NEW(a->ctx, total, "times of rows", &from);
    if (s != FGT_OK) {
        fgti_free(a->ctx, time);
        return s;
    }
    for (int64_t r = 0; r < rows; r++) {
        const int64_t here = fgti_step_count(&a->step, anchor, a->time[r]);
        const int64_t n    = r ? fgti_step_count(&a->step, a->time[r - 1], a->time[r]) : 1;
        for (int64_t i = 1; i < n; i++, k++) {
            time[k] = fgti_time_add(anchor, &a->step, here - n + i);
            from[k] = -1;
        }
        time[k]   = a->time[r];
        from[k++] = a->from[r];
    }
    fgti_free(a->ctx, a->time);
    fgti_free(a->ctx, a->from);
    a->time = time;
    a->from = from;
    a->rows = total;
    return FGT_OK;
}

/* ---- the axis ---- */

/* Whether the rows fit a known step that has closed days or hours. Too few rows cannot show such a step by
 * themselves. */
static bool axis_fits(const fgti_axis *a, const fgt_time_step *s)
{
    if (!s || a->rows < 2 || !fgti_step_closes(s) || !fgti_step_valid(s)) return false;
    for (int64_t r = 1; r < a->rows; r++)
        if (fgti_step_count(s, a->time[r - 1], a->time[r]) < 1) return false;
    return true;
}

fgt_status fgti_axis_settle_gaps(fgti_axis *a, int32_t repair)
{
    int64_t  *spare, first = 0;
    fgti_gaps g = {0};
    FGTI_TRY(FGTI_NEW(a->ctx, a->rows, "times of rows", &spare));
    a->step = fgti_step_find(a->time, a->rows, spare);
    fgti_free(a->ctx, spare);
    if (axis_fits(a, a->known)) a->step = *a->known;
    for (int64_t r = 1; r < a->rows; r++) {
        const int64_t n = fgti_step_count(&a->step, a->time[r - 1], a->time[r]);
        if (!n) return refuse_step(a, r);
        if (n > 1 && !first) first = r;
        fgti_gaps_add(&g, a->time[r - 1], a->time[r], n - 1);
    }
    if (!g.missing) return FGT_OK;
    if (!(repair & FGT_TABLE_REPAIR_GAPS)) return time_axis_refuse_gap(a, first);
    if (g.missing / FGTI_GAPS_MOST > a->rows)
        return fgti_axis_refuse_missing(&a->ctx->error, a->labels->what, &g, a->rows, &a->step);
    a->gaps = g.missing;
    return fill_gaps(a);
}

fgt_status fgti_axis_fill(fgti_axis *a, const fgt_time_step *step)
{
    a->step = *step;
    a->gaps = fgti_step_count(step, a->time[0], a->time[a->rows - 1]) + 1 - a->rows;
    return fill_gaps(a);
}

fgt_status fgti_axis_init(fgt_context *ctx, const fgti_row_labels *labels, int64_t rows, int64_t *time,
                          int32_t repair, bool merged, fgti_axis *a)
{
    *a = (fgti_axis){.ctx = ctx, .labels = labels, .rows = rows, .time = time, .merged = merged};
    FGTI_TRY(FGTI_NEW(ctx, rows, "times of rows", &a->from));
    for (int64_t r = 0; r < rows; r++) a->from[r] = r;
    for (int64_t r = 1; r < rows; r++)
        if (time[r] < time[r - 1]) {
            if (!(repair & FGT_TABLE_REPAIR_ORDER)) return refuse_order(a, r);
            if (merged) FGTI_TRY(drop_early(a));
            return put_in_order(a);
        }
    return FGT_OK;
}

fgt_status fgti_axis_merge(fgt_context *ctx, const fgti_row_labels *labels, int64_t rows, int64_t *time,
                           int32_t repair, const fgt_time_step *known, fgti_axis *a)
{
    FGTI_TRY(fgti_axis_init(ctx, labels, rows, time, FGT_TABLE_REPAIR_ORDER, true, a));
    a->known = known;
    fgti_axis_drop_repeats(a);
    return fgti_axis_settle_gaps(a, repair);
}

void fgti_axis_done(fgti_axis *a)
{
    fgti_free(a->ctx, a->time);
    fgti_free(a->ctx, a->from);
    *a = (fgti_axis){0};
}
