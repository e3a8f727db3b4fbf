/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SHARDS_H
#define FGTI_SHARDS_H

#include "train/fit/run.h"

/* Called first in a run. Reads `collective` and `shards`. From then on a rank can tell the others of a
 * failure. */
fgt_status fgti_shards_open(fgti_trainer *t);
/* Allocates everything else. Called when the run is prepared. */
fgt_status fgti_shards_init(fgti_trainer *t);
void       fgti_shards_done(fgti_trainer *t);

/* Runs the passes over a batch of n samples. The model gets this rank's part of the gradient of the mean
 * loss. *counted: number of elements that have a loss. */
fgt_status fgti_shards_learn(fgti_trainer *t, const int64_t *index, int64_t n, double *sum, int64_t *counted);
/* fgti_evaluate() of the validation samples, and fgti_score() of the training samples. Each rank does a part
 * of the batches. */
fgt_status fgti_shards_validate(fgti_trainer *t, double *loss);
fgt_status fgti_shards_score(fgti_trainer *t);
/* Called at the end of an epoch. If one rank wants to stop, all ranks stop. */
fgt_status fgti_shards_settle(fgti_trainer *t);

#endif
