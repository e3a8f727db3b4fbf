/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TRAINER_LOSS_H
#define FGTI_TRAINER_LOSS_H

#include "train/fit/run.h"

/* Computes the loss of the n samples in the batch, with the selector's weights. The gradient overwrites y,
 * which is not needed any more. Scores for the selector are stored in the batch. */
fgt_status fgti_trainer_loss(fgti_trainer *t, const int64_t *index, int64_t n, double *sum, int64_t *count);

#endif
