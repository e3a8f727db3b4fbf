/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LEAN_H
#define FGTI_LEAN_H

/* Moves weights to a simple forecast, unless the panel shows that the blend is better. */

#include "forecast/local/runs.h"

/* b is the forecast of the blend. g is the last value, the seasonal value, the last value with drift, or the
 * mean. The mixtures (1 - l) b + l g with l = 1/2 and 1 have other errors than b in the runs of each series:
 * d is the mean difference, in units of errors, and s its standard error over the series. weight
 * [panel->count,FGTI_MEMBERS] gets the g and l with the least d - 2 s, if this is below 0. The blend chose
 * its weights by these same runs, so it looks better than it is, most of all with few series: if 2 s is above
 * .03, d - .03 counts for l = 1, and d for l = 1/2.
 * No weight changes with fewer than 25 runs (runs of a series that overlap count in part), in a series whose
 * own d is above .25, and for the mean in a series whose last 3 rows are at another level. Constant and rare
 * series do not judge.
 * Runs count from origin `first` on, backwards in time. FGT_E_NOMEM. */
fgt_status fgti_lean(fgt_context *ctx, const fgti_runs *runs, int64_t first, double *weight);

#endif
