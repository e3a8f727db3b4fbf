/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LEAN_H
#define FGTI_LEAN_H

/* Weights that lean on a forecast by hand, where the panel does not show that more is worth it. */

#include "forecast/local/runs.h"

/* With b the forecasts of the blend, and g of the last value, the seasonal value, the last value with drift
 * or the mean, (1 - l) b + l g of l = 1/2 and 1 made further errors than b in the runs of each series: in the
 * mean d, in units of errors, with the standard error s over the series. weight [panel->count,FGTI_MEMBERS]
 * takes the g and l of the least d - 2 s, where this is below 0. The blend has chosen its weights by these
 * runs, so it looks better than it is, in few series most of all: where 2 s is above .03, d - .03 counts of
 * l = 1, and d of l = 1/2. No weight changes where there are fewer than 25 runs (runs of a series that
 * overlap count in part), of a series whose own d is above .25, and by the mean of one whose last 3 rows are
 * at another level. Constant and rare series do not judge.
 * From the runs of origin `first` and earlier ones. FGT_E_NOMEM. */
fgt_status fgti_lean(fgt_context *ctx, const fgti_runs *runs, int64_t first, double *weight);

#endif
