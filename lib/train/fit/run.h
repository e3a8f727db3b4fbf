/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RUN_H
#define FGTI_RUN_H

/* The state of one training (fgt_model_fit()), which the files of this folder share. */

#include "model/access.h"
#include "train/checkpoint.h"
#include "train/evaluate.h"
#include "train/fit/order.h"
#include "train/reduction/reduction_impl.h"

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
    fgti_loss_sum *loss;                      /* [count]: losses of the shards of a batch */
    float         *score;                     /* [batch]: scores of a batch's samples; NULL without a
                                               * selector */
    unsigned char *tail, *tails;              /* message of this rank at the end of a step; messages of all
                                               * ranks */
    int64_t       *bytes;                     /* [ranks] */
    fgti_loss_sum *batch_loss, *batch_losses; /* [batches of validation]: of this rank; of all ranks */
    float         *my_scores, *scores;        /* [samples]: of this rank; of all ranks; with a selector */
} fgti_shards;

/* A run of fgt_model_fit(). */
typedef struct fgti_trainer {
    fgt_model    *model;
    fgt_context  *ctx;
    fgti_slabs    slabs;
    fgt_fit_opts  opts; /* defaults filled in */
    fgt_source    train, validation;
    fgt_loss_opts loss;
    fgt_optim    *optim;
    fgti_batch    batch;
    fgti_order    order; /* without a selector */
    fgti_real    *best;  /* weights of report.best_epoch; without validation every epoch is the best so far */
    int64_t       best_samples; /* samples done when `best` was found */
    fgti_real    *average;      /* average of the weights; NULL: not wanted */
    fgti_shards   shards;
    fgti_checkpoint file;           /* file of opts.resume or opts.moments, between opening and applying it */
    double          start, written; /* times: begin of the run; last checkpoint */
    fgt_fit_report  report;

    /* the running epoch */
    const int64_t *index; /* samples that the selector has chosen; NULL: no selector */
    int64_t        epoch, sample, samples;
    int64_t        resumed; /* samples of an interrupted epoch that are already done; 0: none */
    double         sum;     /* sum of the losses of `counted` elements */
    int64_t        counted;
    double         lr;         /* learning rate of the last step */
    double         first_loss; /* loss of the run's first batch with a target; NaN before it */
} fgti_trainer;

#endif
