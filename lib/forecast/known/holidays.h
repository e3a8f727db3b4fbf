/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_HOLIDAYS_H
#define FGTI_HOLIDAYS_H

/* Numbers for the holidays of a row: how many of its days are some, whether the day after it is one,
 * whether the day before it is one, and for each name whether one of its days has it. */

#include "data/days.h"
#include "forecast/forecaster.h"

/* The part that does not depend on names. */
enum { FGTI_HOLIDAYS_PLAIN = 3 };

/* The days with those names that rows from `first` to `last` have, so that something can be learned of them;
 * not more than 16. A single name says no more than none. */
fgt_status fgti_holidays_choose(fgt_context *ctx, const fgt_days *days, int64_t first, int64_t last,
                                fgt_days **own);
/* Numbers for each row, at most FGTI_HOLIDAYS_MOST; NULL: 0. */
enum { FGTI_HOLIDAYS_MOST = FGTI_HOLIDAYS_PLAIN + 16 };
int64_t fgti_holidays_width(const fgt_days *days);

/* Writes what the model knows of a time: the calendar, and then the holidays. */
void fgti_forecaster_write_time(const fgt_forecaster *f, int64_t time, float *out);
/* The second part of that. */
void fgti_forecaster_write_holidays(const fgt_forecaster *f, int64_t time, float *out);
/* Whether it knows anything of it. */
static inline bool fgti_forecaster_needs_time(const fgt_forecaster *f)
{
    return f->info.calendar || f->info.holidays || f->info.cycles;
}

#endif
