/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CALENDAR_H
#define FGTI_CALENDAR_H

/* The time of a row as numbers that a network can use. */

#include <fighter/forecast.h>

#define FGTI_CALENDAR_ALL (FGT_CALENDAR_DAY | FGT_CALENDAR_WEEK | FGT_CALENDAR_MONTH | FGT_CALENDAR_YEAR)

/* Parts of FGT_CALENDAR_AUTO. Rows at this step go through each of them twice from the first to the last
 * time, because what was seen once cannot be told from a trend. The day of the month is never chosen: few
 * series depend on it, and others learn it by heart. */
int32_t fgti_calendar_choose(const fgt_time_step *step, int64_t first, int64_t last);
/* Those of the parts (of day, week and year) that show in the training rows of the first `targets` columns,
 * all columns taken together. cycles.c */
int32_t fgti_calendar_keep_shown(const fgt_table *table, const fgt_split *split, int64_t targets,
                                 int32_t parts);
/* How many numbers these parts are. */
int64_t fgti_calendar_width(int32_t parts);
/* Writes them for a time. */
void fgti_calendar_write(int32_t parts, int64_t time, float *out);

/* Times of the day that rows at this step have, at most one a minute, or days of the week: the part is
 * FGT_CALENDAR_DAY or _WEEK. */
int32_t fgti_cycle_count(const fgt_time_step *step, int32_t part);
/* Which of them this time is, from 0. */
int32_t fgti_cycle_id(const fgt_time_step *step, int32_t part, int64_t time);

/* Rows in a day, a week or a year, whichever is the shortest that has more than one; 1: none. */
int64_t fgti_calendar_season(const fgt_time_step *step);
/* Rows in the longest cycle of these parts; 0: there are none. */
int64_t fgti_calendar_rows(int32_t parts, const fgt_time_step *step);

#endif
