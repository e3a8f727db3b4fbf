/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_STEP_H
#define FGTI_STEP_H

/* Steps of time: counting, comparing and writing steps, and finding a step in the times of rows. */

#include "data/time/time.h"

static inline bool fgti_step_known(const fgt_time_step *s)
{
    return s->milliseconds || s->months;
}

/* Whether the step has days, or hours of each day, that never have rows. */
static inline bool fgti_step_closes(const fgt_time_step *s)
{
    return s->weekdays || s->day_rows;
}

bool fgti_step_same(const fgt_time_step *a, const fgt_time_step *b);
/* Whether fgti_step_find() can have found this step. A damaged or forged file may have another step. */
bool fgti_step_valid(const fgt_time_step *s);
/* Number of rows in a day, and in seven days; 0: the step does not divide them. */
int64_t fgti_step_day_rows(const fgt_time_step *s);
int64_t fgti_step_week_rows(const fgt_time_step *s);
/* fgt_time_add() for a step that comes from a table. Returns `time` itself if there is no sum. */
int64_t fgti_time_add(int64_t time, const fgt_time_step *step, int64_t n);
/* The number of steps from one time to another; 0: it is not a whole number. The days of the months are not
 * checked. */
int64_t fgti_step_count(const fgt_time_step *s, int64_t from, int64_t to);
/* Finds the step of increasing times [n]. spare [n] is overwritten. */
fgt_time_step fgti_step_find(const int64_t *time, int64_t n, int64_t *spare);

/* Writes a step for error texts, as "15 minutes", "1 month", "1 business day" or "1 day of Mon-Sat". Returns
 * buf. */
#define FGTI_STEP_TEXT 96
const char *fgti_step_text(const fgt_time_step *step, char buf[FGTI_STEP_TEXT]);

/* Finds the step of the times [n]. A time that is not later than the time before it is skipped. */
fgt_status fgti_step_rising(fgt_context *ctx, const int64_t *time, int64_t n, fgt_time_step *step);

#endif
