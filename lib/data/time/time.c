/* SPDX-License-Identifier: BSD-3-Clause */
/* Days of the proleptic Gregorian calendar, and time stamps written as text. */
#include "data/time/time.h"

#include <stdio.h>
#include <string.h>

#define BEFORE_1970 INT64_C(719162)  /* days from 0001-01-01 to 1970-01-01 */
#define LAST_DAY    INT64_C(2932896) /* day number of 9999-12-31, counted from 1970-01-01 */

static bool leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int32_t fgti_month_length(int64_t year, int32_t month)
{
    static const int32_t length[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return length[month - 1] + (month == 2 && leap(year));
}

/* Days from 0001-01-01 to the first day of a year. */
static int64_t days_before(int64_t year)
{
    const int64_t y = year - 1;
    return 365 * y + y / 4 - y / 100 + y / 400;
}

int64_t fgti_day_number(fgti_day day)
{
    static const int32_t before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    return days_before(day.year) + before[day.month - 1] + (day.month > 2 && leap(day.year)) + day.day - 1 -
           BEFORE_1970;
}

fgti_day fgti_day_of(int64_t number)
{
    const int64_t n = number + BEFORE_1970;
    fgti_day      d = {n ? 1 + 400 * (n - 1) / 146097 : 1, 1, 1}; /* this year may be one too early */
    while (days_before(d.year + 1) <= n) d.year++;
    int64_t rest = n - days_before(d.year);
    for (; rest >= fgti_month_length(d.year, d.month); d.month++) rest -= fgti_month_length(d.year, d.month);
    d.day += (int32_t)rest;
    return d;
}

int64_t fgti_weekday(int64_t number)
{
    const int64_t day = (number + 3) % 7; /* 1970-01-01 was a Thursday */
    return 1 + (day < 0 ? day + 7 : day);
}

fgti_day fgti_day_of_time(int64_t time, int64_t *rest)
{
    const int64_t day = time / FGTI_DAY - (time % FGTI_DAY < 0);
    if (rest) *rest = time - day * FGTI_DAY;
    return fgti_day_of(day);
}

bool fgti_time_in_range(int64_t time)
{
    return time >= -BEFORE_1970 * FGTI_DAY && time < (LAST_DAY + 1) * FGTI_DAY;
}

/* Changes are on Sundays: the second or last of March, the first of April, the first or last of October, or
 * the first of November. */
bool fgti_time_is_change(int64_t clock)
{
    int64_t        rest;
    const fgti_day d     = fgti_day_of_time(clock, &rest);
    const bool     first = d.day <= 7, last = d.day > 24, second = d.day > 7 && d.day <= 14;
    if ((fgti_day_number(d) + 4) % 7 || rest > FGTI_DAY / 8) return false;
    if (d.month == 3) return second || last;
    return (first && (d.month == 4 || d.month == 10 || d.month == 11)) || (last && d.month == 10);
}

int64_t fgti_time_find(const int64_t *times, int64_t n, int64_t time)
{
    int64_t low = 0, high = n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (times[middle] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && times[low] == time ? low : -1;
}

int64_t fgti_time_format(int64_t time, char *text, int64_t capacity)
{
    char    all[64];
    int64_t rest;
    if (!text || !fgti_time_in_range(time)) return -1;
    const fgti_day d  = fgti_day_of_time(time, &rest);
    const int      ms = (int)(rest % 1000), s = (int)(rest / 1000);
    int n = snprintf(all, sizeof all, "%04d-%02d-%02d %02d:%02d:%02d", (int)d.year, (int)d.month, (int)d.day,
                     s / 3600, s / 60 % 60, s % 60);
    if (ms) n += snprintf(all + n, sizeof all - (size_t)n, ".%03d", ms);
    if (capacity <= n) return -1;
    memcpy(text, all, (size_t)n + 1);
    return n;
}

fgt_status fgt_time_format(int64_t time, char *text, int64_t capacity)
{
    if (!text) return FGT_E_ARG;
    if (!fgti_time_in_range(time)) return FGT_E_DATA;
    return fgti_time_format(time, text, capacity) < 0 ? FGT_E_ARG : FGT_OK;
}
