/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LOCAL_WEIGHTS_H
#define FGTI_LOCAL_WEIGHTS_H

/* Weights of the members in the forecast of each series. */

#include "forecast/local/own.h"

/* Computes weight [panel->count,FGTI_MEMBERS]. The weight of member k in the forecast of series i is
 *
 *     w_ik = softmax over k of x_i a_k - 2 log q_ik
 *
 * x are the features of the series. a minimises the mean over runs of |sum_k w_k e_k|, with w = softmax(x
 * a_k), where e_k is the error of member k. So members are judged by what they add to the others, over the
 * whole panel. Adam makes 60 steps, fewer with fewer than 8 series, and 120 with many origins. a begins at 0,
 * and its constants begin at -7 (l - min(max(l, -.25), .25)), where l is the log of the member's error
 * divided by the usual error: a member that is far better than the others is further away than the steps
 * reach. For maps of long series, x a_k is 4 larger if there are many origins, and minus infinity in series
 * without maps.
 *
 * q_ik is in own.h. If members have no error at all, they get all of the weight. Afterwards lean.h moves
 * weights to simple forecasts. Rare series (rare.h) have only the rate.
 *
 * Runs count from origin `first` on, backwards in time. Without such runs all weights are equal.
 * FGT_E_NOMEM. */
fgt_status fgti_weights_find(fgt_context *ctx, const fgti_runs *runs, int64_t first, double *weight);

/* Computes the weights `out` [FGTI_MEMBERS] that a series would have without one of its runs. w are the
 * weights with all runs, and `size` [FGTI_MEMBERS] are the errors of the run, whose part of q is removed from
 * w. */
void fgti_weights_without(const fgti_own *own, int64_t series, const float *size, const double *w,
                          double *out);

#endif
