/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LEAN_H
#define FGTI_LEAN_H

/* Moves weights to a simple forecast, unless the panel shows that the blend is better than this forecast. */

#include "forecast/local/runs.h"

/* Compares the blend with mixtures (1 - l) b + l g. b is the forecast of the blend, and l is 1/2 or 1. g is
 * one of four simple forecasts: the last value, the seasonal value, the last value with drift, or the mean.
 * Each mixture has another error than b in the runs of each series. d is the mean difference of these errors,
 * in units of errors, and s is the standard error of d over the series. The mixture with the least d - 2 s is
 * taken if this is below 0: its l and g then change weight [panel->count,FGTI_MEMBERS].
 *
 * The blend chose its weights by these same runs, so it looks better than it is, most of all with few series.
 * So if 2 s is above .03, d - .03 counts for l = 1, and d for l = 1/2.
 *
 * No weight changes with fewer than 25 runs (runs of a series that overlap count in part). The weights of a
 * series also stay if its own d is above .25, or if g is the mean and its last 3 rows are at another level.
 * Constant and rare series do not count in d.
 *
 * Runs count from origin `first` on, backwards in time. FGT_E_NOMEM. */
fgt_status fgti_lean(fgt_context *ctx, const fgti_runs *runs, int64_t first, double *weight);

#endif
