/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_HOLIDAYS_H
#define FGTI_HOLIDAYS_H

/* Features of the holidays of a row: the number of holidays among the row's days, whether the next day and
 * the day before are holidays, and for each name whether a holiday with this name is among the row's days. */

#include "data/days.h"
#include "forecast/forecaster_impl.h"

/* Number of features that do not depend on names. */
enum { FGTI_HOLIDAYS_PLAIN = 3 };

/* Chooses the days with names that occur in the rows from `first` to `last`, because only these can be
 * learned. At most 16 names are chosen. A single name is left out, as it adds no information. */
fgt_status fgti_holidays_choose(fgt_context *ctx, const fgt_days *days, int64_t first, int64_t last,
                                fgt_days **own);
/* The largest number of features of a row. */
enum { FGTI_HOLIDAYS_MOST = FGTI_HOLIDAYS_PLAIN + 16 };
/* Number of features of a row, at most FGTI_HOLIDAYS_MOST; 0 if days is NULL. */
int64_t fgti_holidays_width(const fgt_days *days);

/* Writes the features of a time: the calendar, and then the holidays. */
void fgti_forecaster_write_time(const fgt_forecaster *f, int64_t time, float *out);
/* Writes only the features of the holidays. */
void fgti_forecaster_write_holidays(const fgt_forecaster *f, int64_t time, float *out);
/* Whether the model reads times: calendar, holidays or cycles. */
static inline bool fgti_forecaster_needs_time(const fgt_forecaster *f)
{
    return f->info.calendar || f->info.holidays || f->info.cycles;
}

#endif
