/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SPREAD_H
#define FGTI_SPREAD_H

/* Quantiles of forecasts, from the errors that the same weights made at earlier origins. */

#include "forecast/local/runs.h"
#include "forecast/local/shift.h"

typedef struct fgti_spread fgti_spread;

/* With E the errors of a run, and D how far its members lie apart (the weighted mean of |f_k - f|):
 *     log mean |E| = b_0 + b_1 log D + b_2 x        x: the level among the features of the series
 * gives each series its own unit, now and at each origin, as a multiple of its unit in units.h; log D and x
 * count up to 3 deviations from their mean. A series that is shorter than a season does not show it: its unit
 * is as much larger as values are further from their mean in other series than forecasts are from values;
 * with fewer than two seasons and 2 rows it is larger by the root of that; and to the power of
 * (1 - share)^(1/4), with the share of the season of others that the series follows (shape.h). The errors of
 * all series in these units, by step, have the quantiles; those of neighbouring steps count too where there
 * are fewer than 60 at a step, and their opposites where fewer than 6 runs do not overlap. A quantile is the
 * forecast, moved by the distance between it and the median of the errors, by
 *     1 + s (.1 + .8 / sqrt(r))
 * of it: s is the deviation of log mean |E| from the regression, with one further run where it is .5; r is
 * the number of runs, or how many of them do not overlap. Where no run has seen the season of a series, its
 * unit is the error to expect from the seasonal value, as far as this has the weight (unseen.h). The weights
 * of the panel were chosen by the same errors; those of each series were not: a run is judged by the weights
 * that the other runs of its series give. Without any run the errors of step k are taken to be as in a walk:
 * normal, with k times the variance that changes have whose mean size is the unit.
 * Runs count from origin `first` on. Where the levels of a tenth of the series or more shifted (shift
 * [count], or NULL), runs whose rows reach into the shift of their series do not count, unless there are no
 * others: their errors are the shift. weight [count,FGTI_MEMBERS]; level [levels], 0 to 1. FGT_E_NOMEM. */
fgt_status fgti_spread_new(fgt_context *ctx, const fgti_runs *runs, int64_t first, const fgti_shift *shift,
                           const double *weight, const double *level, int64_t levels, fgti_spread **out);
void       fgti_spread_free(fgt_context *ctx, fgti_spread **spread);

/* Quantiles q [h,levels] of the forecast f [h] of a series, the mean of `members` [FGTI_MEMBERS,h] with
 * the weights w. They are f where 5 rows or more are all equal, and NaN where nothing says
 * how it changes: it has one row, and no other series tells. */
void fgti_spread_quantiles(const fgti_spread *spread, int64_t series, const double *w, const double *members,
                           const double *f, double *q);

#endif
