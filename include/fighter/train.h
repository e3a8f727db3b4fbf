/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_TRAIN_H
#define FIGHTER_TRAIN_H

/** @file train.h
 *  Losses, metrics, optimisers, learning-rate schedules, and a training loop.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/attent.h>
#include <fighter/base.h>
#include <fighter/model.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fgt_collective; /* experimental/collective.h */

/* ---- losses ---------------------------------------------------------------------------------- */

typedef enum fgt_loss_kind {
    FGT_LOSS_MSE           = 0, /**< mean (y - t)^2 */
    FGT_LOSS_L1            = 1, /**< mean |y - t| */
    FGT_LOSS_SMOOTH_L1     = 2, /**< with e = |y - t|: e^2 / (2 beta) below beta, e - beta/2 above */
    FGT_LOSS_HUBER         = 3, /**< e^2 / 2 below delta = beta, beta (e - beta/2) above */
    FGT_LOSS_CROSS_ENTROPY = 4, /**< rows of C logits against class numbers; mean over rows of
                                     (1 - s) (-log p_t) + s mean_c(-log p_c), s the smoothing */
    FGT_LOSS_BCE           = 5, /**< logits against targets in 0 .. 1 (not checked): mean of
                                     log(1 + e^y) - t y */
    FGT_LOSS_QUANTILE      = 6, /**< with e = t - y: mean max(q e, (q-1) e), minimised by the q-quantile of
                                     the targets */
    FGT_LOSS_POISSON       = 7, /**< half of the deviance, mean y - t + t log(t/y), for counts t with mean and
                                     variance y >= 0; y below 1e-8 counts as 1e-8 */
    FGT_LOSS_NEGATIVE_BINOMIAL = 8 /**< half of the deviance, mean t log(t/y) - (t + 1/a) log((1 + a t) / (1 +
                                        a y)), for counts t with mean y >= 0 and variance y + a y^2, a the
                                        dispersion */
} fgt_loss_kind;

/** Class of a row without a class: see fgt_loss_opts.skip_nan. */
enum { FGT_CLASS_MISSING = -1 };

typedef struct fgt_loss_opts {
    size_t  size;
    int32_t kind;            /**< an fgt_loss_kind */
    float   beta;            /**< smooth-l1, huber; 0: 1 */
    float   label_smoothing; /**< cross entropy: s, 0 <= s < 1 */
    int32_t skip_nan;        /**< 1: elements with a NaN target, and rows with class FGT_CLASS_MISSING, count
                                  neither in the mean nor in dy */
    float   quantile;        /**< quantile: q, 0 < q < 1; 0: 0.5 */
    float   dispersion;      /**< negative binomial: a; 0: 1 */
    int64_t quantile_count;  /**< quantile: n, for several quantiles at once; 0: one */
    float   quantiles[FGT_QUANTILES_MAX]; /**< element i of y is an estimate of quantile i mod n of these */
    float   spectral; /**< a, 0 <= a <= 1: share of the spectral part; mse, l1, smooth-l1 and huber */
    int32_t reserved;
    const float *class_weights; /**< cross entropy: [class_count] factors on the losses of rows, by their
                                     class; the mean still divides by all rows; NULL: 1 */
    int64_t      class_count;   /**< length of class_weights and class_priors: C */
    const float *class_priors;  /**< cross entropy: p, positive, divided by their sum. The loss then is the
                                     loss of y_c + log p_c, and label smoothing gives s p_c to class c instead
                                     of s/C. With the shares of the classes in training, y becomes as if all
                                     classes were equally frequent; NULL: p_c = 1/C */
} fgt_loss_opts;

/** Weights and results of a loss for each of the B samples of a batch. Each array is [B], or NULL. */
typedef struct fgt_loss_samples {
    size_t       size;
    const float *weight; /**< in: factors of the samples' losses and gradients; NULL: 1 */
    float       *loss;   /**< out: l_b, mean over the elements (rows) of sample b that count; 0 if none
                              counts */
    float       *norm;   /**< out: |dl_b / dy_b|, norm of the gradient of l_b at the model's output */
} fgt_loss_samples;

/** A loss and its gradient with respect to y. The mean is summed in double, in an order that does not depend
 *  on the number of threads.
 *  Spectral part. With `spectral` = a the result is (1 - a) times the loss + a times the mean of |E_f|, where
 *      E_f = sum_h e_h exp(-2 pi i f h/H),  f = 0 .. floor(H/2)
 *  is the Fourier transform along axis 1 of the differences e = y - t. Neighbouring steps have similar
 *  differences; different frequencies have almost independent ones. With skip_nan, e is 0 where the target is
 *  NaN, and the weight of a sequence is proportional to the number of its other targets.
 *  Samples. With `samples` the loss and the gradient norm of each sample are returned too, as selection
 *  (attent.h) needs them, and each sample may have a weight. *loss then is the sum of the weighted losses of
 *  all elements divided by their number, and dy is its gradient. If all weights are 1, *loss and dy equal the
 *  results without `samples` up to rounding.
 *  Source   definitions as in torch.nn.functional, reduction "mean"; quantile: Koenker and Bassett 1978;
 *           deviances: McCullagh and Nelder 1989; class_priors: Menon et al. 2021 (logit adjustment);
 *           spectral part: Wang et al. 2025 (FreDF)
 *  Shapes   y any, with `samples` [B,...], with `spectral` [B,H,...]; target like y, or for cross entropy
 *           I64 or I32 of y's shape without its last axis; *loss scalar; dy like y, or NULL
 *  Units    the loss's
 *  Cost     with `spectral` time grows with H times the sum of its prime factors; 96 H numbers for each
 *           thread during the call
 *  Owner    borrowed; opts and samples may be NULL; dy is overwritten and may be y itself; the arrays of
 *           samples are filled
 *  Errors   FGT_E_ARG, also `spectral`, class_weights or class_priors with another loss, a weight or prior
 *           that is negative or not finite, a prior of 0, or a weight of a sample that is not finite;
 *           FGT_E_SHAPE, also another class_count; FGT_E_VERSION; FGT_E_DATA a class out of range (its row),
 *           no element left after skip_nan; FGT_E_NOMEM with `spectral`; FGT_E_NONFINITE the loss is NaN or
 *           infinite (with `samples`: its sample), for example with a negative count (do not use dy). *loss
 *           is untouched on error */
FGT_API FGT_MUST fgt_status fgt_loss_compute(fgt_context *ctx, const fgt_view *y, const fgt_view *target,
                                             const fgt_loss_opts *opts, const fgt_loss_samples *samples,
                                             double *loss, const fgt_view *dy);

/** The mean squared error: fgt_loss_compute() with default options. */
static inline FGT_MUST fgt_status fgt_loss_mse(fgt_context *ctx, const fgt_view *y, const fgt_view *target,
                                               double *loss, const fgt_view *dy)
{
    return fgt_loss_compute(ctx, y, target, NULL, NULL, loss, dy);
}

/* ---- metrics --------------------------------------------------------------------------------- */

/** Running sums of a comparison; zero it before the first fgt_metric_add(). The struct is frozen: it will
 *  never grow. */
typedef struct fgt_metric {
    double  square, absolute;    /**< sum (y-t)^2, sum |y-t| */
    double  percent, symmetric;  /**< sum |y-t|/|t| for t != 0; sum 2|y-t|/(|y|+|t|) unless both are 0 */
    int64_t count, percent_count; /**< elements compared; elements with t != 0 */
    int64_t rows, correct;       /**< classification: rows with a class; rows whose largest logit is its */
} fgt_metric;

typedef enum fgt_metric_kind {
    FGT_METRIC_MSE      = 0,
    FGT_METRIC_MAE      = 1,
    FGT_METRIC_RMSE     = 2,
    FGT_METRIC_MAPE     = 3, /**< mean of |y-t| / |t| over elements with t != 0, a share */
    FGT_METRIC_SMAPE    = 4, /**< mean of 2 |y-t| / (|y| + |t|), 0 .. 2; a pair of zeros counts as 0 */
    FGT_METRIC_ACCURACY = 5  /**< share of correct rows, 0 .. 1; of equal logits the first one counts */
} fgt_metric_kind;

/** Adds a batch. Elements with a NaN target, and rows with class FGT_CLASS_MISSING, are left out.
 *  Shapes   y and target as for fgt_loss_compute(); integer targets count rows, real ones elements
 *  Owner    borrowed
 *  Errors   FGT_E_ARG, FGT_E_SHAPE; FGT_E_DATA a class out of range */
FGT_API FGT_MUST fgt_status fgt_metric_add(fgt_context *ctx, fgt_metric *metric, const fgt_view *y,
                                           const fgt_view *target);

/** The value of a metric so far; NaN if nothing was added for it.
 *  Shapes   kind: an fgt_metric_kind
 *  Units    see fgt_metric_kind
 *  Errors   NaN: NULL, or another kind
 *  Threads  any */
FGT_API double fgt_metric_get(const fgt_metric *metric, int32_t kind);

/* ---- schedules ------------------------------------------------------------------------------- */

typedef enum fgt_schedule_kind {
    FGT_SCHEDULE_CONSTANT = 0, /**< lr after the warm-up */
    FGT_SCHEDULE_COSINE   = 1, /**< min_lr + (lr - min_lr) (1 + cos(pi (t-W)/(total-W))) / 2; after
                                    total: min_lr */
    FGT_SCHEDULE_STEP     = 2  /**< lr gamma^floor((t-W)/every) */
} fgt_schedule_kind;

typedef struct fgt_schedule_opts {
    size_t  size;
    int64_t warmup;       /**< W steps of linear warm-up: lr (s + (1-s) t/W) */
    int64_t total;        /**< cosine: all steps, more than W; no default */
    int64_t every;        /**< step: steps between decays; no default */
    double  min_lr;
    double  gamma;        /**< step: factor; 0: 0.5 */
    double  warmup_start; /**< s: share of lr at t = 0 */
    int32_t kind;         /**< an fgt_schedule_kind */
    int32_t reserved;
} fgt_schedule_opts;

/** Learning rate of step t = 0, 1, ...
 *  Source   torch.optim.lr_scheduler: LinearLR, CosineAnnealingLR, StepLR; Loshchilov and Hutter 2017
 *  Units    as lr
 *  Errors   FGT_E_ARG t < 0, lr < 0, an option out of range */
FGT_API FGT_MUST fgt_status fgt_schedule_get(fgt_context *ctx, const fgt_schedule_opts *opts, double lr,
                                             int64_t t, double *out);

/* ---- optimisers ------------------------------------------------------------------------------ */

typedef enum fgt_optim_kind { FGT_OPTIM_ADAMW = 0, FGT_OPTIM_ADAM = 1, FGT_OPTIM_SGD = 2 } fgt_optim_kind;

typedef struct fgt_optim_opts {
    size_t                   size;
    const fgt_schedule_opts *schedule; /**< copied; NULL: constant */
    double                   lr;           /**< 0: 1e-3 */
    double                   beta1, beta2; /**< adam; 0: 0.9 and 0.999 */
    double                   eps;          /**< adam, at least FLT_MIN; 0: 1e-8 */
    double                   weight_decay; /**< adamw: w -= lr wd w; adam and sgd: g += wd w */
    double                   momentum;     /**< sgd */
    double                   clip;         /**< largest global norm of the gradients; 0: no clipping */
    int32_t                  nesterov;     /**< sgd */
    int32_t                  kind;         /**< an fgt_optim_kind */
} fgt_optim_opts;

typedef struct fgt_optim fgt_optim;

/** Creates an optimiser for all parameters of a model, with its state.
 *    adam   m = b1 m + (1-b1) g;  v = b2 v + (1-b2) g^2;  w -= lr m/(1-b1^t) / (sqrt(v/(1-b2^t)) + eps)
 *    sgd    v = momentum v + g (v = g in the first step);  w -= lr v, nesterov: lr (g + momentum v)
 *  Embedding rows are updated lazily: a step changes only the rows of an fgt_embedding() that have a
 *  gradient. When a later step touches a row again, the row first gets the updates that it has missed, with
 *  gradient 0: its momentum runs out at the learning rates of those steps, m and v decay, and so do adamw's
 *  weights. So a row gets the updates of the dense rule, but later: passes in between use it without them. A
 *  row that every step touches follows the dense rule bit by bit.
 *  Three things differ from the dense rule. The weight decay of adam and sgd (g += wd w) acts only in steps
 *  that touch the row. eps, if it matters, is scaled as in the row's last step. With beta1^2 >= beta2, or a
 *  momentum of 1, missed updates would grow without end and are left out, while m and v still decay.
 *  fgt_optim_settle() brings all rows up to date.
 *  Frozen parameters (fgt_model_set_frozen()) are not updated.
 *  Source   Kingma and Ba 2015; Loshchilov and Hutter 2019; Sutskever et al. 2013; as torch.optim
 *  Owner    *optim is the caller's; the model must outlive it and takes no more layers
 *  Errors   FGT_E_ARG an option out of range, nesterov without momentum; FGT_E_STATE a model without
 *           parameters; FGT_E_NOMEM; *optim is NULL on error */
FGT_API FGT_MUST fgt_status fgt_optim_create(fgt_model *model, const fgt_optim_opts *opts, fgt_optim **optim);

/** Destroys an optimiser and sets *optim to NULL.
 *  Owner    takes *optim, not the model */
FGT_API void fgt_optim_destroy(fgt_optim **optim);

/** One update from the gradients, which are then set to zero. The gradients of several fgt_backward() calls
 *  before one step add up.
 *  Errors   FGT_E_ARG NULL; FGT_E_STATE the optimiser belongs to an adapter that is not active or was
 *           removed, or to the model while an adapter is active; or a training or a pass of the model called
 *           the function that calls this; FGT_E_NONFINITE a gradient is NaN or infinite (its parameter):
 *           weights and state are as before, the gradients are set to zero */
FGT_API FGT_MUST fgt_status fgt_step(fgt_optim *optim);

/** Brings the lazily updated rows of an fgt_embedding() up to date (see fgt_optim_create()). Call it when
 *  training pauses or ends, before the weights are used. fgt_model_fit() does so after every epoch. Frozen
 *  rows do not change.
 *  Cost     one pass over the embedding and its state
 *  Errors   FGT_E_ARG NULL; FGT_E_STATE an adapter as for fgt_step() */
FGT_API FGT_MUST fgt_status fgt_optim_settle(fgt_optim *optim);

/** Sets the learning rate from the next step on, at any time. A schedule goes on at its place with the new
 *  rate: fgt_optim_get_lr() then is fgt_schedule_get() of this lr. So a constant schedule gives lr after its
 *  warm-up, and a cosine schedule goes on as if it had begun with this lr. Checkpoints keep the rate.
 *  Units    as fgt_optim_opts.lr
 *  Errors   FGT_E_ARG NULL, or lr is not finite and above 0: the rate stays */
FGT_API FGT_MUST fgt_status fgt_optim_set_lr(fgt_optim *optim, double lr);

/** Learning rate of the next step: the schedule's, if there is one.
 *  Units    as fgt_optim_opts.lr
 *  Errors   none; NaN for NULL
 *  Threads  any, while no thread makes a step */
FGT_API double fgt_optim_get_lr(const fgt_optim *optim);

/** Norm of the gradients in the last step, before clipping.
 *  Units    the loss's, by weight
 *  Errors   none; NaN for NULL, and before the first step
 *  Threads  any, while no thread makes a step */
FGT_API double fgt_optim_get_norm(const fgt_optim *optim);

/* ---- the loop -------------------------------------------------------------------------------- */

/** A source of samples. get writes the n samples with the given numbers, in that order. x and target are
 *  views of whole batches, in the shapes of the model's input ([n,T,D], [n,N,T,D] or I64 ids [n,T]) and
 *  output (fgt_model_info.output; of type target_dtype, classes without the last axis).
 *
 *  For models with further inputs, get_value is called after get for each fgt_value() layer that has a value
 *  for each sample: real numbers [n,N,T,D] (N and T left out if they are 1), ids I64 [n,T], key padding I32
 *  [n,T], with T as planned. After the run these values are not set. Without get_value they stay as the host
 *  set them, for whole batches. The sources of training and validation must both have get_value, or both not.
 *  A status other than FGT_OK ends the run, which returns it. */
typedef struct fgt_source {
    size_t  size;
    int64_t count;
    fgt_status (*get)(void *user, const int64_t *index, int64_t n, const fgt_view *x, const fgt_view *target);
    void *user;
    fgt_status (*get_value)(void *user, const int64_t *index, int64_t n, const char *layer,
                            const fgt_view *value); /**< NULL: none */
    uint64_t fingerprint; /**< a hash of all samples, so that a resumed run recognises its data; 0: none */
    int64_t chunk; /**< for samples that do not stay in memory: number of neighbours to read together. They
                        are shuffled in another way, see fgt_model_fit(); 0: samples stay in memory */
    int64_t pool;  /**< chunks that are in memory at a time, at least 1; 0 with chunk 0 */
    void (*begin_epoch)(void *user, int64_t epoch); /**< called with the number of each epoch of training,
                                                         from 1, before its samples are read, so that a source
                                                         can vary them as a function of this number; called
                                                         again with the same number when a run is resumed.
                                                         NULL: no callback */
} fgt_source;

/** Progress of a training, for a callback. */
typedef struct fgt_progress {
    size_t  size;
    int64_t epoch, epochs;     /**< from 1 */
    int64_t sample, samples;   /**< samples of this epoch: done, and all */
    int64_t step;              /**< updates so far */
    double  loss;              /**< mean training loss of the epoch so far */
    double  validation;        /**< loss after the epoch; NaN within it, and without validation data */
    double  best;              /**< lowest validation loss so far; NaN before the first one */
    double  lr;
    double  seconds;           /**< since fgt_model_fit() began */
    int32_t epoch_done;        /**< 1: the last call of an epoch */
    int32_t reserved;
} fgt_progress;

/** Called during a training. Return 0 to go on, another number to stop after this step; with several ranks
 *  all stop after the next step, or at the end of the epoch. Like fgt_source.get, it may predict and evaluate
 *  with the model, read from it and set its parameters. Calls that train the model (fgt_forward(),
 *  fgt_backward(), fgt_step(), fgt_model_fit(), fgt_checkpoint_load()) return FGT_E_STATE in it, and in
 *  all other functions of the host that a training calls: begin_epoch, the log of a selector, a
 *  collective. */
typedef int (*fgt_progress_fn)(void *user, const fgt_progress *progress);

/** Options that all trainings share: a part of fgt_fit_opts, and of the options with which forecasters and
 *  classifiers are trained. A field means the same in all of them. 0 is the default: the one that those
 *  options name or, if they name no other, the one given here. */
typedef struct fgt_training {
    fgt_progress_fn       progress;   /**< NULL: none; may cancel */
    void                 *user;       /**< of progress */
    fgt_attent           *selector;   /**< for as many samples as there are for training, of the model's
                                         context: each epoch takes its subset, in its order; NULL: all
                                         samples */
    const char           *checkpoint; /**< file that the run is written to, to be resumed; NULL: none */
    const char           *resume;     /**< file of such a run, to continue from, with the same data and
                                           options; NULL: a new run */
    const char           *moments;    /**< checkpoint whose optimiser moments to start from. It must belong to
                                           the run that produced the present weights (up to one scale factor
                                           on some of them, as fgt_forecaster_fit() applies). NULL: start from
                                           zero */
    const struct fgt_collective *collective; /**< processes that train together (collective.h): all call with
                                                  the same options, data and weights, and end with the same
                                                  weights; NULL: this process only */
    uint64_t                     seed;       /**< seed of the order of the samples */
    int64_t                      epochs;     /**< most epochs; 0: 10 */
    int64_t                      batch; /**< samples in a step, at most the model's batch; 0: the model's */
    int64_t patience; /**< stop after this many epochs without a better validation loss; 0: 3; -1: never */
    double  lr;       /**< learning rate; 0: 1e-3 */
    double  weight_decay; /**< wd of AdamW: each step subtracts lr wd w from each weight w; 0, or negative:
                                none */
    double  warmup;  /**< share of the steps in which the learning rate grows to lr, below 1; 0, or negative:
                            none */
    double  average; /**< d: validate, keep and return a moving average of the weights instead of the last
                            ones: after each step d times itself + (1 - d) times the weights, at the start
                            with a smaller d. Below 1; not with an fgt_embedding(); 0, or negative: none */
    int64_t shards;  /**< a power of two: parts of a batch whose gradients are computed one by one and summed
                            along a binary tree. The weights depend on it, but not on the number of ranks. 0:
                            without a collective no shards, with one 8, or more if there are more ranks */
    int64_t checkpoint_every;   /**< epochs between two writes; the last epoch is always written, unless the
                                    run is stopped within the next one; 0: 1 */
    double  checkpoint_seconds; /**< also write a checkpoint within an epoch, between two steps, after this
                                      many seconds without one; not with a selector; 0: never */
    int64_t reserved[4];        /**< 0 */
} fgt_training;

typedef struct fgt_fit_opts {
    size_t                size;
    const fgt_source     *train;
    const fgt_source     *validation; /**< NULL: none, no early stop, the last finished epoch is the best */
    const fgt_loss_opts  *loss;       /**< NULL: MSE */
    const fgt_optim_opts *optim;      /**< with lr, weight_decay and warmup of `training` 0. A cosine schedule
                                           with total 0 spans the run. NULL: AdamW with these three */
    fgt_training          training;
    int64_t               thin; /**< with a source in chunks: an epoch takes one of `thin` chunks, drawn anew
                                     each time; not with a selector; 0: 1, all */
    int64_t               goal_samples; /**< stop after this many samples if no validation loss was below
                                             `goal`; later stop after this many samples without a better loss,
                                             if none was 1.5 % below `goal`. Without a selector, the
                                             validation loss is also measured within an epoch at these points
                                             and counts as the epoch's. 0: no goal */
    double                goal;         /**< loss to reach within goal_samples. Until it is reached, no epoch
                                             counts as better for `patience` */
    int32_t               target_dtype; /**< FGT_DTYPE_F32, or FGT_DTYPE_I64 for classes */
    int32_t               no_shuffle;   /**< 1: samples keep their order */
} fgt_fit_opts;

typedef struct fgt_fit_report {
    size_t  size;
    int64_t epochs;     /**< finished epochs; this and all sums include those before a resumed checkpoint */
    int64_t best_epoch; /**< epoch of the model's weights, from 1; 0: no epoch was finished, or the weights
                             before the first one are better (fgt_forecaster_fit()) */
    int64_t steps, samples; /**< updates; samples that went through the backward pass */
    double  train_loss;     /**< training loss of the last epoch, finished or not */
    double  best_loss;  /**< validation loss of best_epoch; NaN without validation */
    double  seconds;
    int32_t cancelled, stopped_early;
    int64_t failed_checkpoints; /**< number of checkpoints of this run that were not written, or are not safe
                                     against a power failure */
    int32_t diverged;           /**< 1: train_loss is at least 100 times the loss of the first batch, and at
                                     least .001 */
    int32_t reserved;
    double  share;              /**< share of the layers that fgt_forecaster_fit() keeps beside the linear
                                     part, 0 .. 1; NaN: no share was chosen */
} fgt_fit_report;

/** Trains a model: shuffled batches (the last one is smaller), forward, loss, backward, step; after each
 *  epoch the validation loss. It stops early and keeps the weights of the best epoch. The order of samples,
 *  and so the weights, depend on the seeds, not on the number of threads. It allocates only at the start.
 *  Losses are means over the elements that count; a batch without any (skip_nan) makes no step.
 *
 *  Chunks. Samples of a source in chunks are shuffled in two steps, so that few of them are in memory. They
 *  are cut into as many equal streams as a batch has shards, and each stream into chunks of neighbours, of at
 *  most `chunk` samples. Each epoch orders the chunks of a stream anew, and mixes the samples of `pool`
 *  chunks in a row, divided among the streams. Shard k of each batch comes from stream k, so each rank of a
 *  collective reads only its part. Samples from different chunks meet in a batch only if their chunks are in
 *  the same pool. Some samples, fewer than there are chunks, are left out of an epoch: others each time, or
 *  with no_shuffle the last ones.
 *
 *  Selector. It gets the losses of the training passes (with FGT_ATTENT_STRATEGY_GRADNORM the norms of their
 *  gradients at the output), and the losses of a forward pass over all samples when it needs them. Its
 *  weights are applied; if it stops, the run ends (stopped_early).
 *
 *  Checkpoints. A checkpoint is written after an epoch, or within it, and replaces the one before, which
 *  stays whole until then. If one cannot be written, this is counted and logged, and the next one is tried
 *  when it is due. A checkpoint has the model, the optimiser, the best weights, the selector and the place in
 *  the run. A run that is resumed from it, with the model, data and options of the first run and a fresh
 *  selector, gives the same bits as a run without interruption. Only epochs and patience may differ, so that
 *  a finished run can be extended. A cosine schedule with total 0 then spans the new number of epochs (its
 *  warm-up may be the same share of them). So the bits differ from a run that had the new length from the
 *  start, if the learning rate depends on the length. States that a recurrent layer carries from pass to pass
 *  are not kept. fgt_model_load() reads a checkpoint as a model, with the weights of its last epoch, not the
 *  best ones.
 *
 *  With `moments` a new run starts with the moments and steps of another run's optimiser, and with the passes
 *  that dropout has seen. Order, learning rate, schedule and epochs are the new run's. The checkpoint must be
 *  the last one of its run, and the model must have the weights from the end of that run.
 *  Shapes   targets like the model's output, or for classes its shape without the last axis
 *  Owner    everything is borrowed for the call; report (its size set) may be NULL
 *  Errors   FGT_E_ARG; FGT_E_STATE no layers; FGT_E_NOMEM (the weights are as before); for resume errors of
 *           fgt_checkpoint_load(), also FGT_E_FORMAT another seed, loss, batch, number or fingerprint of
 *           samples; for moments the same, also FGT_E_FORMAT other weights or another kind of optimiser.
 *           After these, model and selector are as before. FGT_E_IO the checkpoint cannot be created;
 *           FGT_E_DATA every target is missing (with a selector or `thin`: in all epochs of the run);
 *           FGT_E_NONFINITE loss, gradients or weights, with epoch and step; errors of the passes, the source
 *           and fgt_attent_begin_epoch(). Once training has begun, an error also fills the report. After an
 *           error, or if a callback has cancelled (no error), the model has the weights of the best finished
 *           epoch, or its current weights if no epoch was finished */
FGT_API FGT_MUST fgt_status fgt_model_fit(fgt_model *model, const fgt_fit_opts *opts, fgt_fit_report *report);

/** State that a training loop of the host needs to continue later. */
typedef struct fgt_checkpoint {
    size_t      size;
    fgt_optim  *optim;     /**< with its model and place in the schedule */
    fgt_attent *selector;  /**< of the same context; NULL: none */
    void       *data;      /**< the host's place in its loop, as bytes; NULL: no data */
    int64_t     data_size; /**< 0 with data NULL */
} fgt_checkpoint;

/** Writes a checkpoint, between two steps: weights, optimiser, number of training passes that dropout has
 *  seen, selector, data. The safetensors file can also be read by fgt_model_load(). fgt_model_fit() writes
 *  its own.
 *  Units    data: bytes of the host, in its own byte order
 *  Cost     a file of three times the weights with Adam (fgt_model_fit(): four times); memory for names and
 *           the selector's state
 *  Owner    borrowed
 *  Errors   FGT_E_ARG; FGT_E_STATE an adapter as for fgt_step(); FGT_E_VERSION; FGT_E_IO (the old file stays,
 *           unless the error text says that the new one was written); FGT_E_NOMEM */
FGT_API FGT_MUST fgt_status fgt_checkpoint_save(const fgt_checkpoint *checkpoint, const char *path);

/** Continues from a checkpoint. The host first makes model, optimiser and selector with the same options, and
 *  freezes the same parameters. This call restores the weights and the state of all of them, and fills data.
 *  The next steps have the same bits as without interruption. Gradients are set to zero.
 *  Units    as fgt_checkpoint_save()
 *  Owner    borrowed; views that the model gave of its last pass are no longer valid
 *  Errors   FGT_E_ARG; FGT_E_STATE as fgt_step(); FGT_E_IO; FGT_E_FORMAT not a checkpoint, damaged, or
 *           of another model, optimiser or selector, or other frozen parameters; FGT_E_NAME, FGT_E_SHAPE a
 *           tensor is missing or of another size; FGT_E_NONFINITE a weight; FGT_E_VERSION; FGT_E_NOMEM. On
 *           error everything is as before */
FGT_API FGT_MUST fgt_status fgt_checkpoint_load(const fgt_checkpoint *checkpoint, const char *path);

/** Mean loss, and metrics if asked for, over all samples of a source, in prediction mode. Metrics leave out
 *  missing targets; if the loss is asked for, too, it must also do so (skip_nan).
 *  Shapes   as fgt_model_fit()
 *  Units    the loss's
 *  Owner    borrowed; loss and metric may be NULL; metric is added to
 *  Errors   as fgt_model_fit() */
FGT_API FGT_MUST fgt_status fgt_model_evaluate(fgt_model *model, const fgt_source *source,
                                               const fgt_loss_opts *opts, int32_t target_dtype, double *loss,
                                               fgt_metric *metric);

#ifdef __cplusplus
}
#endif
#endif
