/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/known/calendar.h"

#include <math.h>

#include "data/time/step.h"

#define WEEK (7 * FGTI_DAY)
#define YEAR (365 * FGTI_DAY)
#define MINUTE ((int64_t)60 * 1000)

/* Numbers of features. Each cycle is described by its first harmonics. The days of the week are described by
 * indicators, because neighbouring days may differ much. */
enum { DAY_HARMONICS = 4, MONTH_HARMONICS = 2, YEAR_HARMONICS = 3, WEEKDAYS = 7 };

/* Milliseconds of a step; months count as 30 days. */
static int64_t calendar_length_of(const fgt_time_step *step)
{
    return step->months ? step->months * 30 * FGTI_DAY : step->milliseconds;
}

int32_t fgti_calendar_choose(const fgt_time_step *step, int64_t first, int64_t last)
{
    static const struct {
        int32_t part;
        int64_t most, cycle; /* the longest step at which the part varies; length of its cycle */
    } parts[]            = {{FGT_CALENDAR_DAY, FGTI_DAY / 2, FGTI_DAY},
                            {FGT_CALENDAR_WEEK, FGTI_DAY, WEEK},
                            {FGT_CALENDAR_YEAR, 100 * FGTI_DAY, YEAR}};
    const int64_t length = calendar_length_of(step);
    int32_t       sum    = 0;
    for (size_t i = 0; length && i < sizeof parts / sizeof *parts; i++)
        if (length <= parts[i].most && last - first + length >= 2 * parts[i].cycle) sum |= parts[i].part;
    return sum;
}

int64_t fgti_calendar_width(int32_t parts)
{
    return (parts & FGT_CALENDAR_DAY ? 2 * DAY_HARMONICS : 0) + (parts & FGT_CALENDAR_WEEK ? WEEKDAYS : 0) +
           (parts & FGT_CALENDAR_MONTH ? 2 * MONTH_HARMONICS : 0) +
           (parts & FGT_CALENDAR_YEAR ? 2 * YEAR_HARMONICS : 0);
}

/* Writes the harmonics of a cycle. share: the part of the cycle that is over, 0 .. 1. */
static float *put_harmonics(double share, int count, float *out)
{
    const double pi = 3.14159265358979323846;
    for (int k = 1; k <= count; k++) {
        *out++ = (float)sin(2 * pi * k * share);
        *out++ = (float)cos(2 * pi * k * share);
    }
    return out;
}

void fgti_calendar_write(int32_t parts, int64_t time, float *out)
{
    int64_t        rest;
    const fgti_day d      = fgti_day_of_time(time, &rest);
    const int64_t  number = fgti_day_number(d);
    const double   clock  = (double)rest / (double)FGTI_DAY;
    if (parts & FGT_CALENDAR_DAY) out = put_harmonics(clock, DAY_HARMONICS, out);
    if (parts & FGT_CALENDAR_WEEK)
        for (int64_t i = 0; i < WEEKDAYS; i++) *out++ = ((number % WEEKDAYS) + WEEKDAYS) % WEEKDAYS == i;
    if (parts & FGT_CALENDAR_MONTH)
        out = put_harmonics((d.day - 1 + clock) / fgti_month_length(d.year, d.month), MONTH_HARMONICS, out);
    if (parts & FGT_CALENDAR_YEAR) {
        const int64_t first = fgti_day_number((fgti_day){d.year, 1, 1});
        put_harmonics(((double)(number - first) + clock) / 366, YEAR_HARMONICS, out);
    }
}

int32_t fgti_cycle_count(const fgt_time_step *step, int32_t part)
{
    if (part == FGT_CALENDAR_WEEK) return WEEKDAYS;
    const int64_t ms = step->milliseconds;
    return (int32_t)(ms > 0 ? FGTI_DAY / (ms > MINUTE ? ms : MINUTE) : 1);
}

int32_t fgti_cycle_id(const fgt_time_step *step, int32_t part, int64_t time)
{
    int64_t        rest;
    const fgti_day d      = fgti_day_of_time(time, &rest);
    const int64_t  number = fgti_day_number(d) % WEEKDAYS, slots = fgti_cycle_count(step, part);
    if (part == FGT_CALENDAR_WEEK) return (int32_t)(number < 0 ? number + WEEKDAYS : number);
    return (int32_t)(rest * slots / FGTI_DAY);
}

int64_t fgti_calendar_season(const fgt_time_step *step)
{
    if (step->months) return 12 % step->months || step->months == 12 ? 1 : 12 / step->months;
    const int64_t day = fgti_step_day_rows(step), week = fgti_step_week_rows(step);
    return day > 1 ? day : week > 1 ? week : 1;
}

int64_t fgti_calendar_rows(int32_t parts, const fgt_time_step *step)
{
    const int64_t length = calendar_length_of(step);
    const int64_t cycle  = parts & FGT_CALENDAR_YEAR    ? YEAR
                           : parts & FGT_CALENDAR_MONTH ? 30 * FGTI_DAY
                           : parts & FGT_CALENDAR_WEEK  ? WEEK
                           : parts & FGT_CALENDAR_DAY   ? FGTI_DAY
                                                        : 0;
    return length ? cycle / length : 0;
}
