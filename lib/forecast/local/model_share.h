/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MODEL_SHARE_H
#define FGTI_MODEL_SHARE_H

/* The share of the host's model in a forecast, beside the blend of the other members. */

#include "forecast/local/runs.h"

/* take() gets the forecasts [3,h] of a run that judges the model, in the scale of the series. The run begins
 * `back` rows before the end of the series. The forecasts are the model's, the other members', and the blend
 * of both with the share that other runs give. take() may overwrite them. After a status other than FGT_OK it
 * is not called again. */
typedef struct fgti_judged {
    fgt_status (*take)(void *arg, int64_t series, int64_t back, double *forecast);
    void *arg;
} fgti_judged;

/* Divides the weights between the host's model and the other members. f is the forecast of the model, and f +
 * d is the blend of the other members by `weight` [panel->count,FGTI_MEMBERS]. The share of the other members
 * is
 *
 *     s = p sum_b (y - f) d / E_b / (1 + sum_b d^2 / E_b), limited to 0 .. 1
 *
 * b are runs of the series. E_b is the squared error of f in run b plus the median of these errors, so that
 * runs with large errors do not dominate. p is the probability of linear/gain.h that d gains more than
 * chance; it is 1/2 before any run is seen.
 *
 * The runs b are the newer half of the origins from `first` on, if the model has learned from none of their
 * rows. The older half of the origins chooses the weights of d, because errors that choose weights look
 * smaller than they are. A series without such runs has the mean s of the other series, or 0 if no series has
 * such runs.
 *
 * s is 1 for rare counts. s is also 1 if the model has no forecast for the rows that the weights are for: it
 * is NaN in `last` [count,h], or in the run at origin 0 if `last` is NULL. Without a model nothing changes.
 * judged, if given, gets all runs b. FGT_E_NOMEM; errors of `judged`. */
fgt_status fgti_model_share(fgt_context *ctx, const fgti_runs *runs, int64_t first, const double *last,
                            double *weight, const fgti_judged *judged);

#endif
