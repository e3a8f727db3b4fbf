/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_STANDARD_FIT_H
#define FGTI_STANDARD_FIT_H

/* Training of forecasters and classifiers. */

#include <fighter/train.h>

#include "core/status.h"

/* FGT_E_VERSION: a reserved field is not 0. */
fgt_status fgti_training_check(fgti_error *err, const fgt_training *training);
/* Fills in the batch and the learning rate, and checks both. `what` names the object for error texts; it was
 * created for batches of up to `most` samples. */
fgt_status fgti_fit_check(fgti_error *err, const char *what, int64_t most, double standard_lr,
                          fgt_training *training);
/* Sets opts->optim to the standard optimiser, which is *optim with *schedule. Its learning rate falls to 0 as
 * a cosine. Learning rate, weight decay and warm-up are moved from opts->training to *optim and *schedule.
 * opts must have a batch. */
void fgti_fit_optim(fgt_fit_opts *opts, fgt_schedule_opts *schedule, fgt_optim_opts *optim);
/* fgt_model_fit() with the standard optimiser. */
fgt_status fgti_fit(fgt_model *model, const fgt_fit_opts *opts, fgt_fit_report *report);

#endif
