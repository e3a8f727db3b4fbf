/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CYCLES_H
#define FGTI_CYCLES_H

#include "forecast/known/calendar.h"

/* Returns the parts (of day, week and year) that the training rows of the first `targets` columns depend on.
 * All columns are tested together. */
int32_t fgti_calendar_keep_shown(const fgt_table *table, const fgt_split *split, int64_t targets,
                                 int32_t parts);

#endif
