/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RUN_H
#define FGTI_RUN_H

/* The state of one training (fgt_model_fit()). All files of this folder share it. */

#include "model/access.h"
#include "train/checkpoint.h"
#include "train/evaluate.h"
#include "train/fit/order.h"
#include "train/reduction/reduction_impl.h"

/* A sum of losses, and the number of elements in the sum. */
typedef struct fgti_loss_sum {
    double  sum;
    int64_t count;
} fgti_loss_sum;

typedef struct fgti_shards {
    fgti_ranks     ranks;
    fgti_reduction reduction;
    int64_t        count;                     /* number of shards of a batch; 0: batches are not cut into
                                               * shards */
    bool           wish;                      /* the host wants to stop the run of this rank */
    bool           due;                       /* rank 0 will write a checkpoint after this step */
    double         scale;                     /* factor by which the gradients of this step are multiplied */
    int64_t       *grains;                    /* [ranks]: number of grains (segments.h) for which each rank
                                               * has the squares */
    fgti_loss_sum *loss;                      /* [count]: losses of each shard of a batch */
    float         *score;                     /* [batch]: scores of the samples of a batch; NULL: there is no
                                               * selector */
    unsigned char *tail, *tails;              /* tail: message of this rank at the end of a step; tails:
                                               * messages of all ranks */
    int64_t       *bytes;                     /* [ranks]: size of each message */
    fgti_loss_sum *batch_loss, *batch_losses; /* [batches of validation]; the first for this rank, the second
                                               * for all ranks */
    float         *my_scores, *scores;        /* [samples], with a selector only; the first for this rank, the
                                               * second for all ranks */
} fgti_shards;

/* A run of fgt_model_fit(). */
typedef struct fgti_trainer {
    fgt_model      *model;
    fgt_context    *ctx;
    fgti_slabs      slabs;
    fgt_fit_opts    opts; /* defaults are filled in */
    fgt_source      train, validation;
    fgt_loss_opts   loss;
    fgt_optim      *optim;
    fgti_batch      batch;
    fgti_order      order; /* used if there is no selector */
    fgti_real      *best;  /* weights of report.best_epoch; without validation the last epoch is always the
                            * best */
    int64_t         best_samples; /* number of samples done when `best` was found */
    fgti_real      *average;      /* average of the weights; NULL: no average is wanted */
    fgti_shards     shards;
    fgti_checkpoint file;           /* the file of opts.resume or opts.moments, from opening it until it has
                                     * been applied */
    double          start, written; /* start: time when the run began; written: time of the last checkpoint */
    fgt_fit_report  report;

    /* The next fields are about the running epoch. */
    const int64_t *index; /* samples that the selector has chosen; NULL: there is no selector */
    int64_t        epoch, sample, samples;
    int64_t        resumed; /* samples that an interrupted epoch had already done; 0: no epoch was
                             * interrupted */
    double         sum;     /* sum of the losses of all `counted` elements */
    int64_t        counted;
    double         lr;         /* learning rate of the last step */
    double         first_loss; /* loss of the first batch of the run that has a target; NaN: there was no such
                                * batch yet */
} fgti_trainer;

#endif
