/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SHARDS_STEP_H
#define FGTI_SHARDS_STEP_H

#include "train/fit/run.h"

/* fgt_step() and fgt_optim_settle() for a training with ranks. Each rank updates its part of the weights.
 * Then all ranks get all parts. */
fgt_status fgti_shards_step(fgti_trainer *t);
fgt_status fgti_shards_settle_rows(fgti_trainer *t);
/* If rank 0 says that a checkpoint is due, rank 0 gets the moments of all ranks. */
fgt_status fgti_shards_collect(fgti_trainer *t, bool due);

#endif
