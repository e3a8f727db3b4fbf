/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SPREAD_H
#define FGTI_SPREAD_H

/* Quantiles of forecasts, from errors with the same weights at earlier origins. */

#include "forecast/local/runs.h"
#include "forecast/local/shift.h"

typedef struct fgti_spread fgti_spread;

/* Makes a spread, which has the quantiles of errors.
 *
 * Units. Each series gets its own unit, now and at each origin. A regression gives this unit as a multiple of
 * the series' unit in units.h:
 *
 *     log mean |E| = b_0 + b_1 log D + b_2 x
 *
 * E are the errors of a run. D is the distance of its members, the weighted mean of |f_k - f|. x is the level
 * among the features of the series. log D and x are limited to 3 deviations from their mean. A series that is
 * shorter than a season does not show the season, so its unit is multiplied by a factor. The factor is a
 * ratio from other series: the distance of values from their mean, divided by the distance of forecasts from
 * values. With fewer than two seasons and 2 rows the root of the factor is taken. The factor is raised to the
 * power (1 - share)^(1/4), with the share from panel_season.h. If no run has seen the season of a series, its
 * unit is the expected error of the seasonal value, to the extent to which the seasonal value has the weight
 * (unseen.h).
 *
 * Quantiles. They are found for each step from the errors of all series in these units. If a step has fewer
 * than 60 errors, the errors of neighbouring steps also count. If fewer than 6 runs do not overlap, errors
 * with the opposite sign also count. A quantile is the forecast plus the distance of the errors' quantile
 * from their median, times
 *
 *     1 + s (.1 + .8 / sqrt(r))
 *
 * s is the deviation of log mean |E| from the regression, with one more run whose deviation is .5. r is the
 * number of runs, but overlapping runs count in part. The weights of the panel were chosen by the same
 * errors. The weights of each series were not: a run is judged by the weights that the other runs of its
 * series give. Without any run, the errors of step k are taken as in a random walk. They are normal, with k
 * times the variance of changes whose mean size is the unit.
 *
 * Runs count from origin `first` on. If the levels of at least a tenth of the series shifted (shift [count],
 * or NULL), runs whose rows overlap the shift of their series do not count, unless there are no others: the
 * errors of such runs are the shift. weight [count,FGTI_MEMBERS]; level [levels], 0 to 1. FGT_E_NOMEM. */
fgt_status fgti_spread_new(fgt_context *ctx, const fgti_runs *runs, int64_t first, const fgti_shift *shift,
                           const double *weight, const double *level, int64_t levels, fgti_spread **out);
void       fgti_spread_free(fgt_context *ctx, fgti_spread **spread);

/* Writes the quantiles q [h,levels] of the forecast f [h] of a series, which is the mean of `members`
 * [FGTI_MEMBERS,h] with the weights w. The quantiles are f if 5 rows or more are all equal. They are NaN if
 * nothing shows how the series changes: it has one row, and no other series helps. */
void fgti_spread_quantiles(const fgti_spread *spread, int64_t series, const double *w, const double *members,
                           const double *f, double *q);

#endif
