/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SHARDS_H
#define FGTI_SHARDS_H

#include "train/fit/run.h"

/* Called first in a run: reads collective and shards; from then on ranks can tell each other of failures. */
fgt_status fgti_shards_open(fgti_trainer *t);
/* Allocates the rest when the run is prepared. */
fgt_status fgti_shards_init(fgti_trainer *t);
void       fgti_shards_done(fgti_trainer *t);

/* Passes over a batch of n samples: the model gets this rank's part of the gradient of its mean loss.
 * *counted: number of elements with a loss. */
fgt_status fgti_shards_learn(fgti_trainer *t, const int64_t *index, int64_t n, double *sum, int64_t *counted);
/* fgti_evaluate() of validation, and fgti_score() of train; each rank takes a part of the batches. */
fgt_status fgti_shards_validate(fgti_trainer *t, double *loss);
fgt_status fgti_shards_score(fgti_trainer *t);
/* At the end of an epoch: a rank that wants to stop stops all. */
fgt_status fgti_shards_settle(fgti_trainer *t);

#endif
