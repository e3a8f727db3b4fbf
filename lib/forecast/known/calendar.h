/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CALENDAR_H
#define FGTI_CALENDAR_H

/* The time of a row as numbers that a network can use. */

#include <fighter/forecast.h>

#define FGTI_CALENDAR_ALL (FGT_CALENDAR_DAY | FGT_CALENDAR_WEEK | FGT_CALENDAR_MONTH | FGT_CALENDAR_YEAR)

/* Parts of FGT_CALENDAR_AUTO: rows at this step cover each of them twice from the first to the last time,
 * because a single cycle looks like a trend. The day of the month is never chosen: few series depend on it,
 * and models of the others overfit it. */
int32_t fgti_calendar_choose(const fgt_time_step *step, int64_t first, int64_t last);
/* Number of features of these parts. */
int64_t fgti_calendar_width(int32_t parts);
/* Writes the features of a time. */
void fgti_calendar_write(int32_t parts, int64_t time, float *out);

/* Number of times of the day that rows at this step have, at most one a minute, or of days of the week: the
 * part is FGT_CALENDAR_DAY or _WEEK. */
int32_t fgti_cycle_count(const fgt_time_step *step, int32_t part);
/* The number of a time among the times that fgti_cycle_count() counts, from 0. */
int32_t fgti_cycle_id(const fgt_time_step *step, int32_t part, int64_t time);

/* Rows in the shortest of day, week and year that has more than one row; 1: no such cycle. */
int64_t fgti_calendar_season(const fgt_time_step *step);
/* Rows in the longest cycle of these parts; 0: no parts. */
int64_t fgti_calendar_rows(int32_t parts, const fgt_time_step *step);

#endif
