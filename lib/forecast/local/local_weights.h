/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LOCAL_WEIGHTS_H
#define FGTI_LOCAL_WEIGHTS_H

/* Weights of the members in the forecast of each series. */

#include "forecast/local/own.h"

/* w_ik = softmax over k of x_i a_k - 2 log q_ik, for series i and member k:
 *   a minimises the mean over runs of |sum_k w_k e_k|, with w = softmax(x a_k), by 60 steps of Adam (fewer
 *     with fewer than 8 series, 120 with many origins). So members are judged by what they add to the others,
 *     over the whole panel, by features x of the series. It begins at 0, and its constants at
 *     -7 (l - min(max(l, -.25), .25)), with l the log of the error of member k over the usual error: a member
 *     that is far better than the others is further away than the steps reach. For maps of long series x a_k
 *     is 4 larger if there are many origins, and minus infinity in series without maps;
 *   q_ik is in own.h. Members without any error get all weight.
 * Then lean.h moves weights to simple forecasts. Rare series (rare.h) have only the rate.
 * Runs count from origin `first` on, backwards in time; without such runs all weights are equal.
 * weight [panel->count,FGTI_MEMBERS]. FGT_E_NOMEM. */
fgt_status fgti_weights_find(fgt_context *ctx, const fgti_runs *runs, int64_t first, double *weight);

/* The weights `out` [FGTI_MEMBERS] that a series would have by its other runs: w without the part of q from
 * one run, whose errors are `size` [FGTI_MEMBERS]. */
void fgti_weights_without(const fgti_own *own, int64_t series, const float *size, const double *w,
                          double *out);

#endif
