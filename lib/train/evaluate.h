/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_EVALUATE_H
#define FGTI_EVALUATE_H

#include <fighter/train.h>

#include "core/context.h"
#include "train/loss/spectral.h"

/* The value of an fgt_value() layer for the samples in a batch. */
typedef struct fgti_batch_value {
    const char *layer; /* name of the layer; the model owns the text */
    fgt_view    view;
} fgti_batch_value;

/* The buffers for one batch. Their shapes follow from the model's input and output. */
typedef struct fgti_batch {
    fgt_model        *model;
    fgt_workspace    *passes;         /* the workspace for predictions; NULL: the model's own */
    fgt_view          x, y, target;   /* the first axis has as many samples as the last fgti_batch_load() has
                                       * loaded */
    int64_t           size;           /* most samples of the batch */
    int64_t          *index;          /* [size]: numbers of the samples, used if all samples are taken in
                                       * order */
    float            *score, *weight; /* [size]: only for a selector */
    int64_t           values;         /* number of values; 0 if the sources have no values */
    fgti_batch_value *value;          /* [values] */
    fgti_spectral     spectral;
} fgti_batch;

/* Creates a batch. has_values: some source has get_value. loss: from fgti_loss_read(); NULL: there is no
 * loss. After an error the caller destroys the batch. */
fgt_status fgti_batch_create(fgt_model *model, int64_t size, int32_t target_dtype, bool has_values,
                             const fgt_loss_opts *loss, fgti_batch *b);
/* Destroys a batch, and removes the values that it has set in the model. */
void       fgti_batch_destroy(fgt_context *ctx, fgti_batch *b);
fgt_status fgti_batch_load(fgt_model *model, fgti_batch *b, const fgt_source *source, const int64_t *index,
                           int64_t n);

/* If the error text is about sample i of the batch, puts the number of this sample, index[i], before the
 * text. Returns s. */
fgt_status fgti_batch_blame(fgt_context *ctx, const int64_t *index, fgt_status s);

/* Predicts the samples that are loaded. */
fgt_status fgti_batch_pass(const fgti_batch *b);

/* Loads the samples from number `at` on, as many as fit into the batch, and predicts them. *n: how many. */
fgt_status fgti_batch_predict(fgt_model *model, fgti_batch *b, const fgt_source *source, int64_t at,
                              int64_t *n);

/* Chooses the scores for a selector's strategy: losses of the samples, or norms of their gradients. */
fgt_loss_samples fgti_batch_scores(const fgti_batch *b, const fgt_attent *selector);
/* fgti_loss_run_samples() for the batch. index: the numbers of its samples. */
fgt_status fgti_batch_loss(fgt_context *ctx, const fgti_batch *b, const fgt_loss_opts *opts,
                           const int64_t *index, const fgt_loss_samples *samples, double *sum, int64_t *count,
                           const fgt_view *dy);
/* Computes the scores of all samples of a source, in prediction mode, and reports them to a selector. */
fgt_status fgti_score(fgt_model *model, fgti_batch *b, const fgt_source *source, const fgt_loss_opts *opts,
                      fgt_attent *selector);

/* Computes the losses of all samples of a source, [count], and their mean over all elements, in prediction
 * mode. passes: as in fgti_batch. */
fgt_status fgti_evaluate_samples(fgt_model *model, fgt_workspace *passes, const fgt_source *source,
                                 const fgt_loss_opts *opts, float *losses, double *mean);

fgt_status fgti_source_check(fgti_error *err, const char *what, const fgt_source *in, fgt_source *out);
/* Computes the mean loss and the metrics of all samples of a source, in prediction mode. loss NULL: not
 * needed; metrics NULL: none wanted. */
fgt_status fgti_evaluate(fgt_model *model, fgti_batch *b, const fgt_source *source, const fgt_loss_opts *opts,
                         double *loss, fgt_metric *metric);

#endif
