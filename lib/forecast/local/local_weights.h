/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LOCAL_WEIGHTS_H
#define FGTI_LOCAL_WEIGHTS_H

/* How much each member counts in the forecast of each series. */

#include "forecast/local/runs.h"

/* w_ik = softmax over k of x_i a_k - 2 log q_ik, for series i and member k:
 *   a minimises the mean over runs of |sum_k w_k e_k|, with w = softmax(x a_k), by 60 steps of Adam from 0:
 *     members are judged by what they add to the others, over the whole panel, by features x of the series;
 *   q_ik is the error of the member in the runs of the series, over its usual one, shrunk towards 1 as if two
 *     further runs had said so. Where a member made no error at all in 3 runs or more, such members have all
 *     of the weight.
 * From the runs of origin `first` and earlier ones; without such runs all weights are equal.
 * weight [panel->count,FGTI_MEMBERS]. FGT_E_NOMEM. */
fgt_status fgti_weights_find(fgt_context *ctx, const fgti_runs *runs, int64_t first, double *weight);

#endif
