/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/time/step.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/sort.h"

enum { WEEK = 7, ALL_WEEK = 127, BUSINESS_DAYS = 31 };

/* ---- days of the week ---- */

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Days since the Monday before 1970-01-01. It is a multiple of seven for each Monday. */
static int64_t from_monday(int64_t day)
{
    return day + 3;
}

static int32_t weekday_of(int64_t day)
{
    return (int32_t)(from_monday(day) - WEEK * floor_div(from_monday(day), WEEK));
}

static int32_t weekdays_of(const fgt_time_step *s)
{
    return s->weekdays ? s->weekdays : ALL_WEEK;
}

static int32_t count_days(int32_t weekdays)
{
    int32_t n = 0;
    for (; weekdays; weekdays &= weekdays - 1) n++;
    return n;
}

/* Counts the open days from a fixed Monday up to this day. A closed day has the number of the open day before
 * it. */
static int64_t open_day(const fgt_time_step *s, int64_t day)
{
    const int32_t open = weekdays_of(s), upto = open & ((2 << weekday_of(day)) - 1);
    return floor_div(from_monday(day), WEEK) * count_days(open) + count_days(upto) - 1;
}

static int64_t day_of_open(const fgt_time_step *s, int64_t number)
{
    const int32_t open = weekdays_of(s), n = count_days(open);
    const int64_t week = floor_div(number, n);
    int64_t       left = number - week * n, day = 0;
    while (!(open >> day & 1) || left-- > 0) day++;
    return week * WEEK + day - from_monday(0);
}

/* ---- rows ---- */

static int64_t rows_of_day(const fgt_time_step *s)
{
    return s->day_rows ? s->day_rows : 1;
}

/* The number of the row at a time or, if no row has this time, of the row before it. *exact: a row has this
 * time. The step must have closed days or hours. */
static int64_t step_row_of(const fgt_time_step *s, int64_t time, bool *exact)
{
    int64_t       rest, rows = rows_of_day(s), slot = 0;
    const int64_t day  = fgti_day_number(fgti_day_of_time(time, &rest));
    const bool    open = weekdays_of(s) >> weekday_of(day) & 1;
    if (s->day_rows) slot = floor_div(rest - s->day_begin, s->milliseconds);
    *exact = open && slot >= 0 && slot < rows && (!s->day_rows || !((rest - s->day_begin) % s->milliseconds));
    if (slot < 0) slot = -1;
    if (slot >= rows || !open) slot = rows - 1;
    return open_day(s, day) * rows + slot;
}

static bool step_add_rows(int64_t time, const fgt_time_step *s, int64_t n, int64_t *sum)
{
    const int64_t most = INT64_C(1) << 40; /* in days or rows; longer than all years that times can have */
    bool          exact;
    int64_t       rest;
    if (n < -most || n > most || !fgti_time_in_range(time)) return false;
    *sum = time;
    if (!n) return true;
    const int64_t row = step_row_of(s, time, &exact) + n, rows = rows_of_day(s);
    const int64_t number = floor_div(row, rows), day = day_of_open(s, number);
    fgti_day_of_time(time, &rest);
    if (s->day_rows) rest = s->day_begin + (row - number * rows) * s->milliseconds;
    *sum = day * FGTI_DAY + rest;
    return fgti_time_in_range(*sum);
}

static int64_t month_of(int64_t time)
{
    const fgti_day d = fgti_day_of_time(time, NULL);
    return d.year * 12 + d.month - 1;
}

/* The last day of a month that is one of these days of the week. */
static int32_t last_day(int64_t year, int32_t month, int32_t weekdays)
{
    int32_t       day  = fgti_month_length(year, month);
    const int64_t last = fgti_day_number((fgti_day){year, month, day});
    while (!(weekdays >> weekday_of(last - fgti_month_length(year, month) + day) & 1)) day--;
    return day;
}

/* Whether a time is on the last day of its month that the step's days of the week have. */
static bool ends_month(const fgt_time_step *s, int64_t time)
{
    const fgti_day d = fgti_day_of_time(time, NULL);
    return d.day == last_day(d.year, d.month, weekdays_of(s));
}

static bool add_months(int64_t time, const fgt_time_step *s, int64_t months, int64_t *sum)
{
    int64_t rest;
    if (!fgti_time_in_range(time)) return false;
    if (months < -120000 || months > 120000) return false; /* longer than all years that times can have */
    fgti_day      d    = fgti_day_of_time(time, &rest);
    const bool    last = d.day == fgti_month_length(d.year, d.month);
    const int64_t m    = d.year * 12 + d.month - 1 + months;
    if (m < 12 || m >= 120000) return false;
    d.year               = m / 12;
    d.month              = (int32_t)(m % 12) + 1;
    const int32_t length = fgti_month_length(d.year, d.month);
    if (last || d.day > length) d.day = length;
    if (s->weekdays) d.day = last_day(d.year, d.month, s->weekdays);
    *sum = fgti_day_number(d) * FGTI_DAY + rest;
    return true;
}

/* Computes the time n steps after a time. Returns false if there is no such time; *sum is then undefined. */
static bool add_steps(int64_t time, const fgt_time_step *step, int64_t n, int64_t *sum)
{
    int64_t months, span;
    if (fgti_step_closes(step) && !fgti_step_valid(step)) return false;
    if (step->months)
        return !__builtin_mul_overflow(step->months, n, &months) && add_months(time, step, months, sum);
    if (fgti_step_closes(step)) return step_add_rows(time, step, n, sum);
    return !__builtin_mul_overflow(step->milliseconds, n, &span) && !__builtin_add_overflow(time, span, sum);
}

int64_t fgti_time_add(int64_t time, const fgt_time_step *step, int64_t n)
{
    int64_t sum;
    return add_steps(time, step, n, &sum) ? sum : time;
}

fgt_status fgt_time_add(int64_t time, const fgt_time_step *step, int64_t steps, int64_t *sum)
{
    int64_t result;
    if (!step || !sum || (!step->months && !step->milliseconds)) return FGT_E_ARG;
    if (fgti_step_closes(step) && !fgti_step_valid(step)) return FGT_E_ARG;
    if (!add_steps(time, step, steps, &result)) return FGT_E_DATA;
    *sum = result;
    return FGT_OK;
}

int64_t fgti_step_count(const fgt_time_step *s, int64_t from, int64_t to)
{
    if (s->months) {
        const int64_t months = month_of(to) - month_of(from);
        if (s->weekdays && !(ends_month(s, from) && ends_month(s, to) && (to - from) % FGTI_DAY == 0))
            return 0;
        return months % s->months ? 0 : months / s->months;
    }
    if (!fgti_step_closes(s)) return (to - from) % s->milliseconds ? 0 : (to - from) / s->milliseconds;
    bool          here, there;
    const int64_t n = step_row_of(s, to, &there) - step_row_of(s, from, &here);
    return here && there && (s->day_rows || (to - from) % FGTI_DAY == 0) ? n : 0;
}

bool fgti_step_same(const fgt_time_step *a, const fgt_time_step *b)
{
    return a->milliseconds == b->milliseconds && a->months == b->months && a->weekdays == b->weekdays &&
           a->day_rows == b->day_rows && a->day_begin == b->day_begin;
}

bool fgti_step_valid(const fgt_time_step *s)
{
    const int64_t ms = s->milliseconds;
    if (!fgti_step_closes(s))
        return !s->day_begin && (ms > 0) != (s->months > 0) && ms >= 0 && s->months >= 0;
    if (s->months)
        return s->months > 0 && !ms && s->weekdays == BUSINESS_DAYS && !s->day_rows && !s->day_begin;
    if (ms < 1 || s->weekdays < 0 || s->weekdays >= ALL_WEEK || s->day_rows < 0) return false;
    if (!s->day_rows) return ms == FGTI_DAY && !s->day_begin;
    return ms < FGTI_DAY && s->day_begin >= 0 && s->day_begin < FGTI_DAY &&
           s->day_rows - 1 <= (FGTI_DAY - 1 - s->day_begin) / ms;
}

int64_t fgti_step_day_rows(const fgt_time_step *s)
{
    if (s->day_rows) return s->day_rows;
    return s->milliseconds && FGTI_DAY % s->milliseconds == 0 ? FGTI_DAY / s->milliseconds : 0;
}

int64_t fgti_step_week_rows(const fgt_time_step *s)
{
    const int64_t week = WEEK * FGTI_DAY;
    if (fgti_step_closes(s) && !s->months) return count_days(weekdays_of(s)) * rows_of_day(s);
    return s->milliseconds && week % s->milliseconds == 0 ? week / s->milliseconds : 0;
}

/* ---- finding steps ---- */

/* Returns the most frequent number in v [n], or the least of them if several are most frequent. Sorts v. */
static int64_t most_common(int64_t *v, int64_t n)
{
    int64_t best = v[0], most = 0;
    fgti_sort_whole(v, n);
    for (int64_t i = 0, k; i < n; i = k) {
        for (k = i + 1; k < n && v[k] == v[i];) k++;
        if (k - i <= most) continue;
        most = k - i;
        best = v[i];
    }
    return best;
}

/* Whether the increasing times [n] are on the same day of their months and at the same time of day. In
 * shorter months the last day counts as the same day. */
static bool are_monthly(const int64_t *time, int64_t n)
{
    int64_t first, rest;
    int32_t most = 0;
    fgti_day_of_time(time[0], &first);
    for (int64_t i = 0; i < n; i++) {
        const int32_t day = fgti_day_of_time(time[i], NULL).day;
        if (day > most) most = day;
    }
    for (int64_t i = 0; i < n; i++) {
        const fgti_day d      = fgti_day_of_time(time[i], &rest);
        const int32_t  length = fgti_month_length(d.year, d.month);
        if (rest != first || d.day != (most < length ? most : length)) return false;
        if (i && month_of(time[i]) == month_of(time[i - 1])) return false;
    }
    return true;
}

/* Whether the increasing times [n] are on the last business days of their months, at the same time of day. */
static bool are_business_month_ends(const int64_t *time, int64_t n)
{
    const fgt_time_step s = {.months = 1, .weekdays = BUSINESS_DAYS};
    for (int64_t i = 1; i < n; i++)
        if (fgti_step_count(&s, time[i - 1], time[i]) < 1) return false;
    return true;
}

/* Counts of the times that exist: for each weekday, the number of days with rows and the number of days from
 * the first to the last time; and the first and last row of a day. */
typedef struct habits {
    int64_t have[WEEK], could[WEEK], days;
    int64_t begin, end; /* milliseconds since midnight */
} habits;

static habits habits_of(const int64_t *time, int64_t n)
{
    habits        h     = {.begin = FGTI_DAY};
    const int64_t first = floor_div(time[0], FGTI_DAY), last = floor_div(time[n - 1], FGTI_DAY);
    for (int64_t i = 0, before = first - 1; i < n; i++) {
        const int64_t day = floor_div(time[i], FGTI_DAY), rest = time[i] - day * FGTI_DAY;
        h.have[weekday_of(day)] += day != before;
        h.days += day != before;
        before = day;
        if (rest < h.begin) h.begin = rest;
        if (rest > h.end) h.end = rest;
    }
    for (int64_t d = first; d <= last && d < first + WEEK; d++)
        h.could[weekday_of(d)] = (last - d) / WEEK + 1;
    return h;
}

/* Whether times that are missing `skips` times are closed. share: the fraction of the other possible rows
 * that exist. If the missing times were like the others, the probability that all are missing by chance would
 * be (1 - share)^skips. */
static bool are_closed(double share, int64_t skips)
{
    return skips >= 2 && share > 0.5 && pow(1 - share, (double)skips) < 0.001;
}

/* The weekdays that have rows, if all other weekdays are closed; 0: rows may be on any weekday. */
static int32_t find_weekdays(const habits *h)
{
    int32_t open  = 0;
    int64_t skips = INT64_MAX;
    double  share = 1;
    for (int i = 0; i < WEEK; i++) {
        open |= (h->have[i] > 0) << i;
        if (!h->have[i] && h->could[i] < skips) skips = h->could[i];
        if (h->have[i]) share = fmin(share, (double)h->have[i] / (double)h->could[i]);
    }
    return open < ALL_WEEK && are_closed(share, skips) ? open : 0;
}

/* Finds a step that has rows only on some weekdays, or only in some hours of the day. */
static void find_closed(const int64_t *time, int64_t n, fgt_time_step *s)
{
    const int64_t ms = s->milliseconds < FGTI_DAY ? s->milliseconds : FGTI_DAY;
    if (FGTI_DAY % ms) return;
    for (int64_t i = 0; i < n; i++)
        if ((time[i] - time[0]) % ms) return;
    const habits  h    = habits_of(time, n);
    const int32_t open = find_weekdays(&h);
    if (ms == FGTI_DAY) {
        if (count_days(open) > 1) *s = (fgt_time_step){.milliseconds = ms, .weekdays = open};
        return;
    }
    int64_t    rows  = (h.end - h.begin) / ms + 1;
    const bool night = are_closed((double)n / (double)(h.days * rows), h.days - 1);
    if (!night) rows = FGTI_DAY / ms;
    if (!open && rows == FGTI_DAY / ms) return;
    s->weekdays  = open;
    s->day_rows  = (int32_t)rows;
    s->day_begin = night ? h.begin : h.begin % ms;
}

fgt_time_step fgti_step_find(const int64_t *time, int64_t n, int64_t *spare)
{
    fgt_time_step s = {0};
    if (n < 2) return s;
    const bool monthly = are_monthly(time, n), ends = !monthly && n > 2 && are_business_month_ends(time, n);
    const bool months = monthly || ends;
    for (int64_t i = 0; i + 1 < n; i++)
        spare[i] = months ? month_of(time[i + 1]) - month_of(time[i]) : time[i + 1] - time[i];
    *(months ? &s.months : &s.milliseconds) = most_common(spare, n - 1);
    if (ends) s.weekdays = BUSINESS_DAYS;
    if (!months && spare[0] != spare[n - 2]) find_closed(time, n, &s);
    return s;
}

/* ---- text ---- */

/* Writes " of Mon-Fri" or " of Mon, Wed, Fri". Three or more days in a row are written as a range. */
static void write_weekdays(int32_t weekdays, char *out, size_t size)
{
    static const char *const names[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    const char              *between = " of ";
    *out                             = 0;
    for (int i = 0, k; i < WEEK; i = k + 1) {
        for (k = i; k < WEEK && weekdays >> k & 1;) k++;
        const size_t at = strlen(out);
        if (k > i + 2)
            snprintf(out + at, size - at, "%s%s-%s", between, names[i], names[k - 1]);
        else if (k > i)
            snprintf(out + at, size - at, k > i + 1 ? "%s%s, %s" : "%s%s", between, names[i], names[k - 1]);
        if (k > i) between = ", ";
    }
}

const char *fgti_step_text(const fgt_time_step *s, char buf[FGTI_STEP_TEXT])
{
    static const struct {
        int64_t     size;
        const char *unit;
    } units[] = {
        {FGTI_DAY, "day"}, {3600000, "hour"}, {60000, "minute"}, {1000, "second"}, {1, "millisecond"}};
    int64_t     n    = s->months;
    const char *unit = s->weekdays ? "month end" : "month";
    char        days[48], minutes[40] = "";
    for (size_t i = 0; !s->months && i < sizeof units / sizeof *units; i++) {
        if (s->milliseconds % units[i].size) continue;
        n    = s->milliseconds / units[i].size;
        unit = units[i].unit;
        break;
    }
    if (n > 60 && !strcmp(unit, "second")) { /* 898 seconds, for example */
        snprintf(minutes, sizeof minutes, "%lld minute%s ", (long long)n / 60, n < 120 ? "" : "s");
        n %= 60;
    }
    write_weekdays(s->weekdays, days, sizeof days);
    if (s->weekdays == BUSINESS_DAYS) snprintf(days, sizeof days, s->day_rows ? " of business days" : "");
    const bool business = s->weekdays == BUSINESS_DAYS && !s->day_rows;
    const int  at       = snprintf(buf, FGTI_STEP_TEXT, "%s%lld %s%s%s%s", minutes, (long long)n,
                            business ? "business " : "", unit, n == 1 ? "" : "s", days);
    if (s->day_rows && s->day_rows < FGTI_DAY / s->milliseconds) {
        const int64_t from = s->day_begin / 60000, to = from + (s->day_rows - 1) * s->milliseconds / 60000;
        snprintf(buf + at, FGTI_STEP_TEXT - (size_t)at, " from %02d:%02d to %02d:%02d", (int)(from / 60),
                 (int)(from % 60), (int)(to / 60), (int)(to % 60));
    }
    return buf;
}

fgt_status fgti_step_rising(fgt_context *ctx, const int64_t *time, int64_t n, fgt_time_step *step)
{
    int64_t *rising, count = 0;
    FGTI_TRY(FGTI_NEW(ctx, 2 * n, "times of rows", &rising));
    for (int64_t i = 0; i < n; i++)
        if (!count || time[i] > rising[count - 1]) rising[count++] = time[i];
    *step = fgti_step_find(rising, count, rising + n);
    fgti_free(ctx, rising);
    return FGT_OK;
}
