/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CALENDAR_H
#define FGTI_CALENDAR_H

/* The time of a row as numbers that a network can use. */

#include <fighter/forecast.h>

#define FGTI_CALENDAR_ALL (FGT_CALENDAR_DAY | FGT_CALENDAR_WEEK | FGT_CALENDAR_MONTH | FGT_CALENDAR_YEAR)

/* Chooses the parts of FGT_CALENDAR_AUTO. A part is chosen if it varies at this step, and if the times from
 * the first to the last row cover its cycle twice: a single cycle looks like a trend. The day of the month is
 * never chosen: few series depend on it, and models of other series overfit it. */
int32_t fgti_calendar_choose(const fgt_time_step *step, int64_t first, int64_t last);
/* Number of features of these parts. */
int64_t fgti_calendar_width(int32_t parts);
/* Writes the features of a time, in the order of the parts. */
void fgti_calendar_write(int32_t parts, int64_t time, float *out);

/* The number of ids of a part. FGT_CALENDAR_DAY: the number of times of the day at which rows of this step
 * can fall; a step below a minute counts as a minute, and steps of months give 1. FGT_CALENDAR_WEEK: 7, the
 * days of the week. */
int32_t fgti_cycle_count(const fgt_time_step *step, int32_t part);
/* The number of a time among the times that fgti_cycle_count() counts. The first one is 0. */
int32_t fgti_cycle_id(const fgt_time_step *step, int32_t part, int64_t time);

/* The number of rows in the shortest cycle of day, week and year that has more than one row; 1: no such
 * cycle. */
int64_t fgti_calendar_season(const fgt_time_step *step);
/* The number of rows in the longest cycle of these parts; 0: no parts. */
int64_t fgti_calendar_rows(int32_t parts, const fgt_time_step *step);

#endif
