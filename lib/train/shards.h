/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SHARDS_H
#define FGTI_SHARDS_H

/* Training on shards of batches, over the ranks of a collective (fighter/experimental/collective.h). */

#include "train/reduction.h"
#include "train/train_impl.h"

typedef struct fgti_trainer fgti_trainer;

/* A sum of losses, and the number of elements. */
typedef struct fgti_loss_sum {
    double  sum;
    int64_t count;
} fgti_loss_sum;

typedef struct fgti_shards {
    fgti_ranks     ranks;
    fgti_reduction reduction;
    int64_t        count;                     /* shards of a batch; 0: batches are not cut */
    bool           wish;                      /* the host of this rank wants to stop */
    bool           due;                       /* rank 0 writes a checkpoint after this step */
    double         scale;                     /* factor for the gradients of this step */
    int64_t       *grains;                    /* [ranks]: grains whose squares each rank has (segments.h) */
    fgti_loss_sum *loss;                      /* [count]: of the shards of a batch */
    float         *score;                     /* [batch]: of its samples; NULL without a selector */
    unsigned char *tail, *tails;              /* message of a rank at the end of a step; of all ranks */
    int64_t       *bytes;                     /* [ranks] */
    fgti_loss_sum *batch_loss, *batch_losses; /* [batches of validation]: mine; all */
    float         *my_scores, *scores;        /* [samples]: mine; all; with a selector */
} fgti_shards;

/* Called first in a run: reads collective and shards; from then on ranks can tell each other of failures. */
fgt_status fgti_shards_open(fgti_trainer *t);
/* Allocates the rest when the run is prepared. */
fgt_status fgti_shards_init(fgti_trainer *t);
void       fgti_shards_done(fgti_trainer *t);

/* fgti_ranks_agree(), if there are ranks. */
fgt_status fgti_shards_agree(fgti_trainer *t, fgt_status s);
/* Whether this rank writes files. */
bool fgti_shards_writes(const fgti_trainer *t);

/* Passes over a batch of n samples: the model gets this rank's part of the gradient of its mean loss.
 * *counted: number of elements with a loss. */
fgt_status fgti_shards_learn(fgti_trainer *t, const int64_t *index, int64_t n, double *sum, int64_t *counted);
/* fgti_evaluate() of validation, and fgti_score() of train; each rank takes a part of the batches. */
fgt_status fgti_shards_validate(fgti_trainer *t, double *loss);
fgt_status fgti_shards_score(fgti_trainer *t);
/* At the end of an epoch: a rank that wants to stop stops all. */
fgt_status fgti_shards_settle(fgti_trainer *t);

/* ---- shards_step.c ---- */

/* fgt_step() and fgt_optim_settle() for ranks. Each rank updates its part of the weights, and all get all
 * parts. */
fgt_status fgti_shards_step(fgti_trainer *t);
fgt_status fgti_shards_settle_rows(fgti_trainer *t);
/* Rank 0 gets the moments of all ranks, if it says that a checkpoint is due. */
fgt_status fgti_shards_collect(fgti_trainer *t, bool due);

#endif
