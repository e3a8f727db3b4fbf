/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_FAST_MEASURE_H
#define PROGRAMS_FORECAST_FAST_MEASURE_H

/* Errors of forecasts without training. */

#include "fast.h"

/* Makes an array [planes,steps,series] of a forecast. The planes are the forecast, its quantiles, and the
 * lower and upper end of each interval. If `apart` is set, all lower ends come before all upper ends. The
 * caller frees the array. On error prints a message and returns NULL. */
double *fast_planes(const fast *f, const fast_forecast *g, bool apart);
/* Allocates the sums of errors of the run. Their units come from the rows before the last `steps` rows of
 * each series. */
bool fast_measure_begin(fast *f);
/* Adds the errors of forecasts from one origin, and of the baselines; *one has the errors of only these
 * forecasts. If `out` is not NULL, writes the forecasts and the true values to it. */
bool fast_measure_add(fast *f, const fast_forecast *g, FILE *out, origin *one);
/* Copies the errors of all forecasts to the run. */
bool fast_measure_end(fast *f);
/* Index of a quantile in f->level; the quantile must be there. */
int64_t fast_find_level(const fast *f, double level);

#endif
