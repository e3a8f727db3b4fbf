/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TRAINER_H
#define FGTI_TRAINER_H

#include "model/access.h"
#include "train/checkpoint.h"
#include "train/order.h"
#include "train/shards.h"
#include "train/train_impl.h"

/* A run of fgt_model_fit(). */
struct fgti_trainer {
    fgt_model     *model;
    fgt_context   *ctx;
    fgti_slabs     slabs;
    fgt_fit_opts   opts; /* defaults filled in */
    fgt_source     train, validation;
    fgt_loss_opts  loss;
    fgt_optim     *optim;
    fgti_batch     batch;
    fgti_order     order; /* without a selector */
    fgti_real     *best; /* weights of report.best_epoch; without validation every epoch is the best so far */
    int64_t        best_samples; /* samples done when `best` was found */
    fgti_real     *average; /* of the weights; NULL: none */
    fgti_shards    shards;
    fgti_checkpoint file; /* of resume or moments, between opening and applying it */
    double         start, written; /* of the run; of the last checkpoint */
    fgt_fit_report report;

    /* the running epoch */
    const int64_t *index; /* its samples; the selector's */
    int64_t        epoch, sample, samples;
    int64_t resumed; /* samples of an interrupted epoch that are already done; 0: none */
    double  sum; /* of the losses of `counted` elements */
    int64_t counted;
    double  lr; /* of the last step */
    double  first_loss; /* of the first batch of the run with a target; NaN before */
};

/* ---- trainer.c ---- */

/* The loss of the n samples in the batch, with the selector's weights. Its gradient overwrites y, which is no
 * longer needed; scores for the selector are stored in the batch. */
fgt_status fgti_trainer_loss(fgti_trainer *t, const int64_t *index, int64_t n, double *sum, int64_t *count);

/* ---- trainer_state.c ---- */

/* FGT_E_ARG unless all ranks train the same model in the same way on the same data. */
fgt_status fgti_trainer_compare(fgti_trainer *t);

/* Tests whether opts.checkpoint can be created, before hours of training. */
fgt_status fgti_trainer_check_output(const fgti_trainer *t);
/* Writes opts.checkpoint, after an epoch or within it; seconds of the whole run so far. */
fgt_status fgti_trainer_save(fgti_trainer *t, double seconds, bool within);
/* Whether a checkpoint is due: after an epoch; within it, after this number of samples. */
bool fgti_trainer_due(const fgti_trainer *t);
bool fgti_trainer_part_due(const fgti_trainer *t, int64_t sample);
/* Opens and checks the file of opts.resume or opts.moments, if there is one. */
fgt_status fgti_trainer_open(fgti_trainer *t);
/* Takes from this file the place where the run continues, or the optimiser's state; on error nothing. With
 * ranks it fails on all of them or on none, because they have compared their files. */
fgt_status fgti_trainer_resume(fgti_trainer *t);

#endif
