/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_COUNTS_H
#define PROGRAMS_FORECAST_COUNTS_H

/* Forecasts of counts. */

#include "run.h"

/* Finds which targets of a new forecaster are counts, if at least half of them are. Without --allow-negative
 * forecasts of counts are not negative. On error prints a message and returns false. */
bool counts_find(const run *r, fgt_forecaster *f);
/* Prints that forecasts of counts below 0 become 0. */
void counts_report(const fgt_forecaster_info *i, FILE *out);

#endif
