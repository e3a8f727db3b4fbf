/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TRAINER_DUE_H
#define FGTI_TRAINER_DUE_H

/* Tells when a checkpoint is due. */

#include "train/fit/run.h"

/* Whether a checkpoint is due after the epoch. The next function: within the epoch, after this number of
 * samples. */
bool fgti_trainer_due(const fgti_trainer *t);
bool fgti_trainer_part_due(const fgti_trainer *t, int64_t sample);

#endif
