/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_COUNTS_H
#define PROGRAMS_FORECAST_COUNTS_H

/* Forecasts of counts. */

#include "run.h"

/* Counts have no negative forecasts without --allow-negative. Finds the counts among the targets of a new
 * forecaster, if at least half of its targets are counts. On error prints a message and returns false. */
bool counts_find(const run *r, fgt_forecaster *f);
/* Prints that forecasts of counts below 0 become 0. */
void counts_report(const fgt_forecaster_info *i, FILE *out);

#endif
