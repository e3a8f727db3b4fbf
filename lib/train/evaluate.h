/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_EVALUATE_H
#define FGTI_EVALUATE_H

#include <fighter/train.h>

#include "core/context.h"
#include "train/loss/spectral.h"

/* The value of an fgt_value() layer for the samples of a batch. */
typedef struct fgti_batch_value {
    const char *layer; /* name of the layer, owned by the model */
    fgt_view    view;
} fgti_batch_value;

/* The buffers of one batch, in the shapes of the model's input and output. */
typedef struct fgti_batch {
    fgt_model        *model;
    fgt_workspace    *passes;         /* workspace for predictions; NULL: the model's own */
    fgt_view          x, y, target;   /* their first axis is as long as in the last fgti_batch_load() */
    int64_t           size;           /* samples that fit */
    int64_t          *index;          /* [size]: numbers of the samples, if all are taken in order */
    float            *score, *weight; /* [size], for a selector */
    int64_t           values;         /* number of values; 0 without `has_values` */
    fgti_batch_value *value;          /* [values] */
    fgti_spectral     spectral;
} fgti_batch;

/* has_values: a source has get_value. loss: from fgti_loss_read(); NULL: none. On error the caller destroys
 * the batch. */
fgt_status fgti_batch_create(fgt_model *model, int64_t size, int32_t target_dtype, bool has_values,
                             const fgt_loss_opts *loss, fgti_batch *b);
/* Also removes the values that the batch has set in the model. */
void       fgti_batch_destroy(fgt_context *ctx, fgti_batch *b);
fgt_status fgti_batch_load(fgt_model *model, fgti_batch *b, const fgt_source *source, const int64_t *index,
                           int64_t n);

/* If the error text is about sample i of the batch, puts the sample's number index[i] before the text.
 * Returns s. */
fgt_status fgti_batch_blame(fgt_context *ctx, const int64_t *index, fgt_status s);

/* Predicts the loaded samples. */
fgt_status fgti_batch_pass(const fgti_batch *b);

/* Loads as many samples from `at` on as fit into the batch, and predicts them. *n: number of these
 * samples. */
fgt_status fgti_batch_predict(fgt_model *model, fgti_batch *b, const fgt_source *source, int64_t at,
                              int64_t *n);

/* Scores for the strategy of a selector: losses of samples, or norms of their gradients. */
fgt_loss_samples fgti_batch_scores(const fgti_batch *b, const fgt_attent *selector);
/* fgti_loss_run_samples() on the batch, whose samples have these numbers. */
fgt_status fgti_batch_loss(fgt_context *ctx, const fgti_batch *b, const fgt_loss_opts *opts,
                           const int64_t *index, const fgt_loss_samples *samples, double *sum, int64_t *count,
                           const fgt_view *dy);
/* Reports the scores of all samples of a source to a selector, in prediction mode. */
fgt_status fgti_score(fgt_model *model, fgti_batch *b, const fgt_source *source, const fgt_loss_opts *opts,
                      fgt_attent *selector);

/* The losses of all samples of a source [count], and their mean over all elements, in prediction mode. passes
 * as in fgti_batch. */
fgt_status fgti_evaluate_samples(fgt_model *model, fgt_workspace *passes, const fgt_source *source,
                                 const fgt_loss_opts *opts, float *losses, double *mean);

fgt_status fgti_source_check(fgti_error *err, const char *what, const fgt_source *in, fgt_source *out);
/* Mean loss (loss NULL: not needed) and metrics (NULL: none) of all samples, in prediction mode. */
fgt_status fgti_evaluate(fgt_model *model, fgti_batch *b, const fgt_source *source, const fgt_loss_opts *opts,
                         double *loss, fgt_metric *metric);

#endif
