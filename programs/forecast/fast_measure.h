/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_FAST_MEASURE_H
#define PROGRAMS_FORECAST_FAST_MEASURE_H

/* Errors of forecasts without training. */

#include "fast.h"

/* Makes an array [planes,steps,series], which the caller frees. Its planes are the forecast, its quantiles,
 * and the lower and upper end of each interval (with `apart` all lower ends before all upper ends). On error
 * prints a message and returns NULL. */
double *fast_planes(const fast *f, const fast_forecast *g, bool apart);
/* Allocates the sums of errors of the run, in units of the rows before the last `steps` rows of each
 * series. */
bool fast_measure_begin(fast *f);
/* Adds the errors of forecasts and of the baselines. Writes them with the true values to `out`, if it is not
 * NULL; *one: the errors of these forecasts. */
bool fast_measure_add(fast *f, const fast_forecast *g, FILE *out, origin *one);
/* Copies the errors of all forecasts to the run. */
bool fast_measure_end(fast *f);
/* Index of a quantile that is among the levels. */
int64_t fast_find_level(const fast *f, double level);

#endif
