/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LOCAL_WEIGHTS_H
#define FGTI_LOCAL_WEIGHTS_H

/* How much each member counts in the forecast of each series. */

#include "forecast/local/own.h"

/* w_ik = softmax over k of x_i a_k - 2 log q_ik, for series i and member k:
 *   a minimises the mean over runs of |sum_k w_k e_k|, with w = softmax(x a_k), by 60 steps of Adam (fewer
 *     with fewer than 8 series, 120 where there are many origins): members are judged by what they add to the
 *     others, over the whole panel, by features x of the series. It begins at 0, and its constants at
 *     -7 (l - min(max(l, -.25), .25)), where l is the log of the error of member k beside the usual one: a
 *     member that is far better than the others is further away than the steps reach. x a_k is 4 more of the
 *     maps of long series where there are many origins, and minus infinity in series without them;
 *   q_ik is in own.h. Members without any error have all of the weight.
 * Then weights lean on a forecast by hand, see lean.h. Rare series (rare.h) have the rate alone.
 * From the runs of origin `first` and earlier ones; without such runs all weights are equal.
 * weight [panel->count,FGTI_MEMBERS]. FGT_E_NOMEM. */
fgt_status fgti_weights_find(fgt_context *ctx, const fgti_runs *runs, int64_t first, double *weight);

/* The weights `out` [FGTI_MEMBERS] that a series would have by its other runs: w without what one run, whose
 * errors are `size` [FGTI_MEMBERS], says of q. */
void fgti_weights_without(const fgti_own *own, int64_t series, const float *size, const double *w,
                          double *out);

#endif
