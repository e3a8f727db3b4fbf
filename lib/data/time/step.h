/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_STEP_H
#define FGTI_STEP_H

/* Steps of time: counting, comparing and writing them, and finding them in the times of rows. */

#include "data/time/time.h"

static inline bool fgti_step_known(const fgt_time_step *s)
{
    return s->milliseconds || s->months;
}

/* True if the step has days, or hours of each day, without rows. */
static inline bool fgti_step_closes(const fgt_time_step *s)
{
    return s->weekdays || s->day_rows;
}

bool fgti_step_same(const fgt_time_step *a, const fgt_time_step *b);
/* Returns false if fgti_step_find() cannot have found this step, although a file may claim it. */
bool fgti_step_valid(const fgt_time_step *s);
/* Rows of a day and of seven days, if the step divides them, otherwise 0. */
int64_t fgti_step_day_rows(const fgt_time_step *s);
int64_t fgti_step_week_rows(const fgt_time_step *s);
/* fgt_time_add() for steps that come from a table: `time` itself if there is no sum. */
int64_t fgti_time_add(int64_t time, const fgt_time_step *step, int64_t n);
/* The number of steps from one time to another; 0: not a whole number. The days of months are not checked. */
int64_t fgti_step_count(const fgt_time_step *s, int64_t from, int64_t to);
/* Finds the step of rising times [n]; spare [n] is overwritten. */
fgt_time_step fgti_step_find(const int64_t *time, int64_t n, int64_t *spare);

/* Writes a step as "15 minutes", "1 month", "1 business day" or "1 day of Mon-Sat", for error texts; returns
 * buf. */
#define FGTI_STEP_TEXT 96
const char *fgti_step_text(const fgt_time_step *step, char buf[FGTI_STEP_TEXT]);

/* The step of the times [n]; times that are not later than the ones before are skipped. */
fgt_status fgti_step_rising(fgt_context *ctx, const int64_t *time, int64_t n, fgt_time_step *step);

#endif
