/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MODEL_SHARE_H
#define FGTI_MODEL_SHARE_H

/* A model of the host, and the blend beside it. */

#include "forecast/local/runs.h"

/* Takes the forecasts [3,h] of a run that judges the model, in the scale of the series, `back` rows before
 * its end: of the model, of the other members, and of both with the share that runs with other rows give.
 * They may be written over. */
typedef struct fgti_judged {
    void (*take)(void *arg, int64_t series, int64_t back, double *forecast);
    void *arg;
} fgti_judged;

/* Shares the weights out between the host's model and the other members. With f the forecasts of the model,
 * and f + d the blend of the others, which `weight` [panel->count,FGTI_MEMBERS] has, their share is
 *
 *     s = p sum_b (y - f) d / E_b / (1 + sum_b d^2 / E_b), within 0 .. 1
 *
 * with b the runs of a series, E_b the squared error of f in a run and the median one, so that runs with
 * large errors do not decide alone, and p the probability of linear/gain.h that d gains more than chance, as
 * likely as not before any run is seen. Runs are the newer half of the origins from `first` on, as far as the
 * model knows none of their rows; d then has weights that the older half chose, because errors that choose
 * weights are smaller than others. Of a series without such runs s is the mean of the others, and where there
 * are no such runs 0. Where the forecast that the weights are for is NaN (last [count,h], or NULL for
 * origin 0), and of rare counts, s is 1. Without a model nothing changes. judged, if there is
 * one, is told of all runs b. FGT_E_NOMEM. */
fgt_status fgti_model_share(fgt_context *ctx, const fgti_runs *runs, int64_t first, const double *last,
                            double *weight, const fgti_judged *judged);

#endif
