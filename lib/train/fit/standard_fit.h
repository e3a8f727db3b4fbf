/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_STANDARD_FIT_H
#define FGTI_STANDARD_FIT_H

/* Training of forecasters and classifiers. */

#include <fighter/train.h>

#include "core/status.h"

/* Fills in the batch and the learning rate and checks them. `what` was created for up to `most` samples. */
fgt_status fgti_fit_check(fgti_error *err, const char *what, int64_t most, int64_t *batch, double standard_lr,
                          double *lr);
/* Options that theirs share with fgt_model_fit(). */
#define FGTI_FIT_OPTS(o)                                                                              \
    .size = sizeof(fgt_fit_opts), .progress = (o)->progress, .user = (o)->user, .seed = (o)->seed,    \
    .epochs = (o)->epochs, .batch = (o)->batch, .patience = (o)->patience, .selector = (o)->selector, \
    .checkpoint = (o)->checkpoint, .resume = (o)->resume, .checkpoint_every = (o)->checkpoint_every,  \
    .checkpoint_seconds = (o)->checkpoint_seconds, .collective = (o)->collective, .shards = (o)->shards
/* Learning rate and its schedule. */
typedef struct fgti_fit_rates {
    double lr, weight_decay;
    double warmup; /* share of all steps in which the learning rate grows to lr, below 1 */
} fgti_fit_rates;
/* The standard optimiser. optim points to schedule; of opts, the batch is set. */
void fgti_fit_optim(const fgt_fit_opts *opts, const fgti_fit_rates *rates, fgt_schedule_opts *schedule,
                    fgt_optim_opts *optim);
/* fgt_model_fit() with the standard optimiser, whose learning rate falls from lr to 0 as a cosine. opts has
 * no optimiser, but the batch. */
fgt_status fgti_fit(fgt_model *model, const fgt_fit_opts *opts, const fgti_fit_rates *rates,
                    fgt_fit_report *report);

#endif
