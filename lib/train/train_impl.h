/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TRAIN_IMPL_H
#define FGTI_TRAIN_IMPL_H

#include <fighter/train.h>

#include "core/context.h"
#include "core/opts.h"
#include "core/tensor.h"
#include "train/loss/spectral.h"

/* ---- options, which are also in checkpoints ---- */

extern const fgti_opt fgti_loss_opts[], fgti_optim_opts[], fgti_schedule_opts[];

/* ---- one array over the workers ---- */

/* n elements in at most FGTI_CHUNKS chunks. Their borders depend only on n, so sums of chunks that are added
 * in order have the same bits for any number of threads; they are few enough for an array on the stack. */
#define FGTI_CHUNKS 64
typedef struct fgti_cut {
    int64_t n, size, count;
} fgti_cut;

/* grain: the smallest number of elements for which a thread pays. */
static inline fgti_cut fgti_cut_of(int64_t n, int64_t grain)
{
    const int64_t grains = (n - 1) / grain + 1, each = (grains - 1) / FGTI_CHUNKS + 1;
    return n > 0 ? (fgti_cut){n, each * grain, (grains - 1) / each + 1} : (fgti_cut){0};
}
static inline int64_t fgti_cut_length(const fgti_cut *cut, int64_t chunk)
{
    const int64_t left = cut->n - chunk * cut->size;
    return left < cut->size ? left : cut->size;
}

/* About ten microseconds of an update or a loss: twice the time to wake a thread. */
#define FGTI_GRAIN 8192

/* ---- loss.c, loss_samples.c ---- */

/* Checked options with their defaults. */
fgt_status fgti_loss_read(fgti_error *err, const fgt_loss_opts *in, fgt_loss_opts *out);
/* Kinds are numbered from 0 without gaps; NULL: no such kind. */
const char *fgti_loss_name(int32_t kind);
/* Whether the loss compares numbers of any size: not classes, not logits. false: also no such kind. */
bool fgti_loss_of_numbers(int32_t kind);
/* Whether the loss compares numbers that are not negative. false: also no such kind. */
bool fgti_loss_of_counts(int32_t kind);
/* Whether the loss takes classes, not numbers. */
bool fgti_loss_of_classes(const fgt_loss_opts *opts);
/* *sum of the losses of the elements (rows of classes) that count, and their number; dy as
 * fgt_loss_compute(). No element is not an error: *count is 0, and dy is not written. opts from
 * fgti_loss_read(), spectral made for them and outputs of this size. */
fgt_status fgti_loss_run(fgt_context *ctx, const fgt_loss_opts *opts, const fgt_view *y,
                         const fgt_view *target, const fgti_spectral *spectral, double *sum, int64_t *count,
                         const fgt_view *dy);
/* The same sample by sample; weights are finite. *bad: the sample of the batch that makes it FGT_E_NONFINITE,
 * for the caller's sentence; -1: none. */
fgt_status fgti_loss_run_samples(fgt_context *ctx, const fgt_loss_opts *opts, const fgt_view *y,
                                 const fgt_view *target, const fgti_spectral *spectral,
                                 const fgt_loss_samples *samples, double *sum, int64_t *count,
                                 const fgt_view *dy, int64_t *bad);
/* FGT_E_ARG unless dtype is FGT_DTYPE_F32 or FGT_DTYPE_I64, and fits the loss (NULL: any loss). */
fgt_status fgti_target_dtype_check(fgti_error *err, const fgt_loss_opts *opts, int32_t dtype);
/* Checks y against target for all losses and metrics; classes must be in 0 .. C-1, or with `missing` may be
 * FGT_CLASS_MISSING. */
fgt_status fgti_target_check(fgti_error *err, const fgt_view *y, const fgt_view *target, bool classes,
                             bool missing);
/* Class of row r. */
int64_t fgti_target_class(const fgt_view *target, int64_t r);

/* ---- schedule.c ---- */

fgt_status fgti_schedule_read(fgti_error *err, const fgt_schedule_opts *in, fgt_schedule_opts *out);
double     fgti_schedule_lr(const fgt_schedule_opts *opts, double lr, int64_t t);

/* ---- standard_fit.c: training of forecasters and classifiers ---- */

/* Fills in the batch and the learning rate and checks them. `what` was created for up to `most` samples. */
fgt_status fgti_fit_check(fgti_error *err, const char *what, int64_t most, int64_t *batch, double standard_lr,
                          double *lr);
/* Options that theirs share with fgt_model_fit(). */
#define FGTI_FIT_OPTS(o)                                                                              \
    .size = sizeof(fgt_fit_opts), .progress = (o)->progress, .user = (o)->user, .seed = (o)->seed,    \
    .epochs = (o)->epochs, .batch = (o)->batch, .patience = (o)->patience, .selector = (o)->selector, \
    .checkpoint = (o)->checkpoint, .resume = (o)->resume, .checkpoint_every = (o)->checkpoint_every, \
    .checkpoint_seconds = (o)->checkpoint_seconds, .collective = (o)->collective, .shards = (o)->shards
/* Learning rate and its schedule. */
typedef struct fgti_fit_rates {
    double lr, weight_decay;
    double warmup; /* share of all steps in which the learning rate grows to lr, below 1 */
} fgti_fit_rates;
/* The standard optimiser. optim points to schedule; of opts, the batch is set. */
void fgti_fit_optim(const fgt_fit_opts *opts, const fgti_fit_rates *rates, fgt_schedule_opts *schedule,
                    fgt_optim_opts *optim);
/* fgt_model_fit() with the standard optimiser, whose learning rate falls from lr to 0 as a cosine. opts has
 * no optimiser, but the batch. */
fgt_status fgti_fit(fgt_model *model, const fgt_fit_opts *opts, const fgti_fit_rates *rates,
                    fgt_fit_report *report);

/* ---- clip.c ---- */

double fgti_sum_squares(const fgt_context *ctx, int64_t n, const fgti_real *x);
double fgti_clip_factor(double max_norm, double norm);

/* ---- evaluate.c ---- */

/* The value of an fgt_value() layer for the samples of a batch. */
typedef struct fgti_batch_value {
    const char *layer; /* the model's */
    fgt_view    view;
} fgti_batch_value;

/* The buffers of one batch, in the shapes of the model's input and output. */
typedef struct fgti_batch {
    fgt_model        *model;
    fgt_workspace    *passes; /* of predictions; NULL: the model's own */
    fgt_view          x, y, target; /* their first axis is as long as in the last fgti_batch_load() */
    int64_t           size;         /* samples that fit */
    int64_t          *index;        /* [size]: numbers of the samples, if all are taken in order */
    float            *score, *weight; /* [size], for a selector */
    int64_t           values;         /* 0 without `has_values` */
    fgti_batch_value *value;          /* [values] */
    fgti_spectral     spectral;
} fgti_batch;

/* has_values: a source has get_value. loss: from fgti_loss_read(); NULL: none. On error the caller destroys
 * the batch. */
fgt_status fgti_batch_create(fgt_model *model, int64_t size, int32_t target_dtype, bool has_values,
                             const fgt_loss_opts *loss, fgti_batch *b);
/* Also removes the values that it has set in the model. */
void       fgti_batch_destroy(fgt_context *ctx, fgti_batch *b);
fgt_status fgti_batch_load(fgt_model *model, fgti_batch *b, const fgt_source *source, const int64_t *index,
                           int64_t n);

/* Puts the sample that a sentence is about before the sentence: index[i] for i of the batch. Returns s. */
fgt_status fgti_batch_blame(fgt_context *ctx, const int64_t *index, fgt_status s);

/* Predicts the loaded samples. */
fgt_status fgti_batch_pass(const fgti_batch *b);

/* Loads as many samples from `at` on as fit into the batch, *n, and predicts them. */
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
