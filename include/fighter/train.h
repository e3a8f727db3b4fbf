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
    FGT_LOSS_SMOOTH_L1     = 2, /**< with e = |y - t|: mean of e^2 / (2 beta) if e < beta, else e - beta/2 */
    FGT_LOSS_HUBER         = 3, /**< with e = |y - t|: mean of e^2 / 2 if e < beta, else beta (e - beta/2) */
    FGT_LOSS_CROSS_ENTROPY = 4, /**< y has rows of C logits, targets are class numbers: mean over rows of (1 -
                                     s) (-log p_t) + s mean_c(-log p_c), where s is label_smoothing */
    FGT_LOSS_BCE           = 5, /**< y are logits, targets are in 0 .. 1 (not checked): mean of log(1 + e^y) -
                                     t y */
    FGT_LOSS_QUANTILE      = 6, /**< with e = t - y: mean of max(q e, (q-1) e). The q-quantile of the targets
                                     has the least loss */
    FGT_LOSS_POISSON       = 7, /**< for counts t with mean and variance y >= 0: half of the deviance, the
                                     mean of y - t + t log(t/y). y below 1e-8 counts as 1e-8 */
    FGT_LOSS_NEGATIVE_BINOMIAL = 8 /**< for counts t with mean y >= 0 and variance y + a y^2, where a is the
                                        dispersion: half of the deviance, the mean of t log(t/y) - (t + 1/a)
                                        log((1 + a t) / (1 + a y)) */
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
    int64_t quantile_count;  /**< quantile: number n of quantiles; 0: one quantile, q */
    float   quantiles[FGT_QUANTILES_MAX]; /**< the n quantiles. Element i of y is an estimate of quantiles[i
                                               mod n] */
    float   spectral; /**< a, 0 <= a <= 1: share of the spectral part (fgt_loss_compute()); only for mse, l1,
                           smooth-l1 and huber */
    int32_t reserved;
    const float *class_weights; /**< cross entropy: [class_count] factors, one for each class, on the losses
                                     of rows. The mean still divides by the number of rows. NULL: 1 */
    int64_t      class_count;   /**< C, length of class_weights and class_priors */
    const float *class_priors;  /**< cross entropy: p_c, positive; they are divided by their sum. The loss is
                                     computed from y_c + log p_c instead of y_c, and label smoothing gives s
                                     p_c to class c instead of s/C. If p_c are the shares of the classes in
                                     training, the model learns y as if all classes were equally frequent.
                                     NULL: p_c = 1/C */
} fgt_loss_opts;

/** Weights and results of a loss for each of the B samples of a batch. Each array is [B], or NULL. */
typedef struct fgt_loss_samples {
    size_t       size;
    const float *weight; /**< in: factors of the samples' losses and gradients; NULL: 1 */
    float       *loss;   /**< out: l_b, mean over the elements or rows of sample b that count; 0 if no element
                              counts */
    float       *norm;   /**< out: |dl_b / dy_b|, norm of the gradient of l_b at the model's output */
} fgt_loss_samples;

/** Computes a loss and its gradient with respect to y. Sums are in double, in an order that does not depend
 *  on the number of threads.
 *  Spectral part. e = y - t are the differences between output and target. Their Fourier transform along axis
 *  1, with H steps, is
 *      E_f = sum_h e_h exp(-2 pi i f h/H),  f = 0 .. floor(H/2)
 *  With `spectral` = a the result is (1 - a) times the loss + a times the mean of |E_f|. The reason:
 *  differences of neighbouring steps are similar, but differences at different frequencies are almost
 *  independent. With skip_nan, e is 0 where the target is NaN, and in the mean of |E_f| each sequence of H
 *  steps counts in proportion to the number of its targets that are not NaN.
 *  Samples. With `samples` the call also returns the loss and the gradient norm of each sample, which
 *  selection (attent.h) needs, and each sample may have a weight. Then *loss is the sum of the weighted
 *  losses of all elements, divided by the number of elements, and dy is the gradient of *loss. If all weights
 *  are 1, *loss and dy equal the results without `samples` up to rounding.
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
 *           FGT_E_SHAPE, also another class_count; FGT_E_VERSION; FGT_E_DATA a class out of range (the error
 *           text names the row), no element left after skip_nan; FGT_E_NOMEM with `spectral`; FGT_E_NONFINITE
 *           the loss is NaN or infinite, for example with a negative count (with `samples` the error text
 *           names the sample); do not use dy. *loss is untouched on error */
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
    int64_t rows, correct;        /**< classification: rows with a class; rows whose largest logit belongs to
                                       their class */
} fgt_metric;

typedef enum fgt_metric_kind {
    FGT_METRIC_MSE      = 0,
    FGT_METRIC_MAE      = 1,
    FGT_METRIC_RMSE     = 2,
    FGT_METRIC_MAPE     = 3, /**< mean of |y-t| / |t| over elements with t != 0, a share */
    FGT_METRIC_SMAPE    = 4, /**< mean of 2 |y-t| / (|y| + |t|), 0 .. 2; a pair of zeros counts as 0 */
    FGT_METRIC_ACCURACY = 5  /**< share of correct rows, 0 .. 1; of equal logits the first one counts */
} fgt_metric_kind;

/** Adds the results of a batch to a metric. Elements with a NaN target, and rows with class
 *  FGT_CLASS_MISSING, are left out.
 *  Shapes   y and target as for fgt_loss_compute(). Integer targets are classes of rows; targets of F32 are
 *           compared element by element
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
    FGT_SCHEDULE_CONSTANT = 0, /**< lr is constant after the warm-up */
    FGT_SCHEDULE_COSINE   = 1, /**< min_lr + (lr - min_lr) (1 + cos(pi (t-W)/(total-W))) / 2; after total:
                                    min_lr */
    FGT_SCHEDULE_STEP     = 2  /**< lr gamma^floor((t-W)/every) */
} fgt_schedule_kind;

typedef struct fgt_schedule_opts {
    size_t  size;
    int64_t warmup; /**< W, number of steps of linear warm-up with the rate lr (s + (1-s) t/W) */
    int64_t total;  /**< cosine: number of all steps, more than W; no default */
    int64_t every;  /**< step: number of steps between two decays; no default */
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
 *  gradient. When a later step changes a row again, the row first gets the updates that it has missed, with
 *  gradient 0: its momentum runs out at the learning rates of the missed steps, m and v decay, and with adamw
 *  the weights decay. So a row gets the same updates as by the dense rule, in which every step changes all
 *  rows, but later: passes in between use the row without these updates. A row that every step changes
 *  follows the dense rule bit by bit.
 *  Three things differ from the dense rule. The weight decay of adam and sgd (g += wd w) acts only in steps
 *  that change the row. In missed updates eps is scaled as in the last step that changed the row. With
 *  beta1^2 >= beta2, or a momentum of 1, missed updates would grow without end; they are left out, while m
 *  and v still decay. fgt_optim_settle() brings all rows up to date.
 *  Frozen parameters (fgt_model_set_frozen()) are not updated.
 *  Source   Kingma and Ba 2015; Loshchilov and Hutter 2019; Sutskever et al. 2013; as torch.optim
 *  Owner    *optim is the caller's; the model must outlive it and takes no more layers
 *  Errors   FGT_E_ARG an option out of range, nesterov without momentum; FGT_E_STATE a model without
 *           parameters; FGT_E_NOMEM; *optim is NULL on error */
FGT_API FGT_MUST fgt_status fgt_optim_create(fgt_model *model, const fgt_optim_opts *opts, fgt_optim **optim);

/** Destroys an optimiser and sets *optim to NULL.
 *  Owner    takes *optim, not the model */
FGT_API void fgt_optim_destroy(fgt_optim **optim);

/** Updates the parameters from the gradients, and then sets the gradients to zero. The gradients of several
 *  fgt_backward() calls before one step add up.
 *  Errors   FGT_E_ARG NULL; FGT_E_STATE the optimiser belongs to an adapter that is not active or was
 *           removed, or to the model while an adapter is active; or a training or a pass of the model called
 *           the function that calls this; FGT_E_NONFINITE a gradient is NaN or infinite (the error text names
 *           the parameter): weights and state are as before, and the gradients are set to zero */
FGT_API FGT_MUST fgt_status fgt_step(fgt_optim *optim);

/** Brings the lazily updated rows of an fgt_embedding() up to date (see fgt_optim_create()). Call it when
 *  training pauses or ends, before the weights are used. fgt_model_fit() does so after every epoch. Frozen
 *  rows do not change.
 *  Cost     one pass over the embedding and its state
 *  Errors   FGT_E_ARG NULL; FGT_E_STATE an adapter as for fgt_step() */
FGT_API FGT_MUST fgt_status fgt_optim_settle(fgt_optim *optim);

/** Sets the learning rate lr from the next step on; possible at any time. A schedule continues at its current
 *  step with the new lr: fgt_optim_get_lr() is then fgt_schedule_get() of the new lr. So a constant schedule
 *  gives lr after its warm-up, and a cosine schedule continues as if it had begun with the new lr.
 *  Checkpoints keep the new lr.
 *  Units    as fgt_optim_opts.lr
 *  Errors   FGT_E_ARG NULL, or lr is not finite and above 0: the rate stays */
FGT_API FGT_MUST fgt_status fgt_optim_set_lr(fgt_optim *optim, double lr);

/** Learning rate of the next step, by the schedule if there is one.
 *  Units    as fgt_optim_opts.lr
 *  Errors   none; NaN for NULL
 *  Threads  any, while no thread makes a step */
FGT_API double fgt_optim_get_lr(const fgt_optim *optim);

/** Norm of the gradients in the last step, before clipping.
 *  Units    unit of the loss divided by unit of a weight
 *  Errors   none; NaN for NULL, and before the first step
 *  Threads  any, while no thread makes a step */
FGT_API double fgt_optim_get_norm(const fgt_optim *optim);

/* ---- the loop -------------------------------------------------------------------------------- */

/** A source of samples. get writes the n samples with the numbers index[0 .. n-1], in this order. x and
 *  target are views of whole batches. x has the shape of the model's input: [n,T,D], [n,N,T,D], or ids I64
 *  [n,T]. target has the type target_dtype and the shape of the model's output (fgt_model_info.output); for
 *  classes the last axis is missing.
 *
 *  For models with further inputs, get_value is called after get for each fgt_value() layer that has a value
 *  for each sample: real numbers [n,N,T,D] (N and T left out if they are 1), ids I64 [n,T], key padding I32
 *  [n,T], with T as planned. After the run these values are not set. Without get_value, values stay as the
 *  host set them, for whole batches. The sources of training and validation must both have get_value, or both
 *  not. If a function returns another status than FGT_OK, the run ends and returns this status. */
typedef struct fgt_source {
    size_t  size;
    int64_t count;
    fgt_status (*get)(void *user, const int64_t *index, int64_t n, const fgt_view *x, const fgt_view *target);
    void *user;
    fgt_status (*get_value)(void *user, const int64_t *index, int64_t n, const char *layer,
                            const fgt_view *value); /**< NULL: none */
    uint64_t fingerprint; /**< a hash of all samples, by which a resumed run recognises its data; 0: no
                               hash */
    int64_t  chunk;       /**< for samples that do not stay in memory: number of neighbouring samples to read
                               together. Such samples are shuffled in another way, see fgt_model_fit(). 0:
                               samples stay in memory */
    int64_t pool;  /**< chunks that are in memory at a time, at least 1; 0 with chunk 0 */
    void (*begin_epoch)(void *user, int64_t epoch); /**< called with the number of each training epoch, from
                                                         1, before the samples of the epoch are read, so that
                                                         a source can vary samples by epoch. Called again with
                                                         the same number when a run is resumed. NULL: no
                                                         callback */
} fgt_source;

/** Progress of a training, for a callback. */
typedef struct fgt_progress {
    size_t  size;
    int64_t epoch, epochs;     /**< from 1 */
    int64_t sample, samples;   /**< number of samples of this epoch that are done; number of all samples of
                                    the epoch */
    int64_t step;              /**< updates so far */
    double  loss;              /**< mean training loss of the epoch so far */
    double  validation;        /**< loss after the epoch; NaN within it, and without validation data */
    double  best;              /**< lowest validation loss so far; NaN before the first one */
    double  lr;
    double  seconds;           /**< seconds since fgt_model_fit() began */
    int32_t epoch_done;        /**< 1: the last call of an epoch */
    int32_t reserved;
} fgt_progress;

/** A function of the host that is called during a training. Return 0 to go on, another number to stop after
 *  this step; with several ranks all ranks stop after the next step, or at the end of the epoch. The function
 *  may predict and evaluate with the model, read from it and set its parameters; fgt_source.get may do so,
 *  too. Within all functions of the host that a training calls, also begin_epoch, the log of a selector and a
 *  collective, calls that train the model return FGT_E_STATE: fgt_forward(), fgt_backward(), fgt_step(),
 *  fgt_model_fit(), fgt_checkpoint_load(). */
typedef int (*fgt_progress_fn)(void *user, const fgt_progress *progress);

/** Options that all trainings share: a part of fgt_fit_opts, and of the options with which forecasters and
 *  classifiers are trained. A field means the same in all of them. 0 means the default. If the options of a
 *  forecaster or classifier give another default, it replaces the default given here. */
typedef struct fgt_training {
    fgt_progress_fn progress;   /**< progress callback, which may end the run; NULL: no callback */
    void           *user;       /**< of progress */
    fgt_attent     *selector;   /**< selector of the model's context, for as many samples as there are for
                                     training: each epoch trains on the selector's subset, in its order. NULL:
                                     all samples */
    const char     *checkpoint; /**< file to which the state of the run is written, so that it can be resumed;
                                     NULL: no file */
    const char     *resume;     /**< checkpoint file of a run to continue, with the same data and options;
                                     NULL: a new run */
    const char     *moments;    /**< checkpoint file whose optimiser moments a new run starts from. The file
                                     must belong to the run that produced the present weights (some weights
                                     may have one scale factor since then, as from fgt_forecaster_fit()).
                                     NULL: moments start from zero */
    const struct fgt_collective *collective; /**< processes that train together (collective.h). All of them
                                                  call with the same options, data and weights, and get the
                                                  same weights. NULL: only this process */
    uint64_t                     seed;       /**< seed of the order of the samples */
    int64_t                      epochs;     /**< most epochs; 0: 10 */
    int64_t                      batch; /**< number of samples in a step, at most the model's batch; 0: the
                                             model's batch */
    int64_t patience; /**< the run stops after this many epochs without a better validation loss; 0: 3; -1: no
                           such stop */
    double  lr;       /**< learning rate; 0: 1e-3 */
    double  weight_decay; /**< wd of AdamW: each step subtracts lr wd w from each weight w; 0, or negative: no
                               decay */
    double  warmup;  /**< share of the steps in which the learning rate grows to lr, below 1; 0, or negative:
                          no warm-up */
    double  average; /**< d: a moving average of the weights is validated, kept and returned instead of the
                          last weights. After each step the average becomes d average + (1 - d) weights, at
                          the start with a smaller d. Below 1; not with an fgt_embedding(). 0, or negative: no
                          average */
    int64_t shards;  /**< number of parts of a batch, a power of two. The gradients of the parts are computed
                          one by one and summed along a binary tree. The weights depend on this number, but
                          not on the number of ranks. 0: no parts without a collective; with a collective 8,
                          or more if there are more ranks */
    int64_t checkpoint_every;   /**< number of epochs between two checkpoints. The last finished epoch is
                                     always written, unless the run is stopped within the next epoch. 0: 1 */
    double  checkpoint_seconds; /**< a checkpoint is also written within an epoch, between two steps, after
                                     this many seconds without one. Not with a selector. 0: never */
    int64_t reserved[4];        /**< 0 */
} fgt_training;

typedef struct fgt_fit_opts {
    size_t                size;
    const fgt_source     *train;
    const fgt_source     *validation; /**< NULL: no validation and no early stop; the last finished epoch
                                           counts as the best */
    const fgt_loss_opts  *loss;       /**< NULL: MSE */
    const fgt_optim_opts *optim;      /**< only if lr, weight_decay and warmup of `training` are 0. A cosine
                                           schedule with total 0 spans the run. NULL: AdamW with lr,
                                           weight_decay and warmup of `training` */
    fgt_training          training;
    int64_t               thin; /**< only with a source in chunks: an epoch takes one of each `thin` chunks,
                                     drawn anew for each epoch. Not with a selector. 0: 1, all chunks */
    int64_t               goal_samples; /**< number of samples. The run stops after so many samples if no
                                             validation loss was below `goal`. Later it stops after so many
                                             samples without a better loss, if no loss was 1.5 % below `goal`.
                                             Without a selector, the validation loss is also measured within
                                             an epoch at these points, and counts as the loss of the epoch. 0:
                                             no goal */
    double                goal;         /**< validation loss to reach within goal_samples. Until then no epoch
                                             counts as better for `patience` */
    int32_t               target_dtype; /**< FGT_DTYPE_F32, or FGT_DTYPE_I64 for classes */
    int32_t               no_shuffle;   /**< 1: samples keep their order */
} fgt_fit_opts;

typedef struct fgt_fit_report {
    size_t  size;
    int64_t epochs;     /**< number of finished epochs. In a resumed run epochs, steps, samples and seconds
                             also count the part before the checkpoint */
    int64_t best_epoch; /**< epoch after which the model had the weights that were kept, from 1; 0: no epoch
                             was finished, or the weights before the first epoch are better
                             (fgt_forecaster_fit()) */
    int64_t steps, samples; /**< number of updates; number of samples that went through the backward pass */
    double  train_loss;     /**< training loss of the last epoch, finished or not */
    double  best_loss;  /**< validation loss of best_epoch; NaN without validation */
    double  seconds;
    int32_t cancelled, stopped_early;
    int64_t failed_checkpoints; /**< number of checkpoints of this run that were not written, or are not safe
                                     against a power failure */
    int32_t diverged;           /**< 1: train_loss is at least 100 times the loss of the first batch, and at
                                     least .001 */
    int32_t reserved;
    double  share; /**< factor of the layers that fgt_forecaster_fit() chose beside the linear part, 0 .. 1;
                        NaN: no factor was chosen */
} fgt_fit_report;

/** Trains a model. An epoch has shuffled batches (the last one may be smaller); each batch makes a forward
 *  pass, loss, backward pass and step. After each epoch the validation loss is computed. The run stops early
 *  and keeps the weights of the best epoch. The order of samples, and so the weights, depend on the seeds,
 *  not on the number of threads. Memory is allocated only at the start. Losses are means over the elements
 *  that count; a batch in which no element counts (skip_nan) makes no step.
 *
 *  Chunks. Samples of a source in chunks are shuffled in two steps, so that few of them are in memory. The
 *  samples are cut into as many equal streams as a batch has shards. Each stream is cut into chunks of at
 *  most `chunk` neighbouring samples. Each epoch puts the chunks of a stream in a new order. Then it mixes
 *  the samples of a pool of consecutive chunks; all streams together have `pool` such chunks. Shard k of each
 *  batch comes from stream k, so each rank of a collective reads only its part. Samples from different chunks
 *  meet in a batch only if their chunks are in the same pool. Each epoch leaves out some samples, fewer than
 *  there are chunks: other samples in each epoch, or with no_shuffle the last ones.
 *
 *  Selector. A selector gets the losses of the training passes as scores (with FGT_ATTENT_STRATEGY_GRADNORM
 *  the norms of their gradients at the output), and the losses of a forward pass over all samples when it
 *  needs new scores. The weights of the selector are applied. If the selector stops, the run ends
 *  (stopped_early).
 *
 *  Checkpoints. A checkpoint is written after an epoch, or within it. It replaces the earlier checkpoint,
 *  which stays whole until then. If a checkpoint cannot be written, this is counted and logged, and the run
 *  goes on until the next one is due. A checkpoint has the model, the optimiser, the best weights, the
 *  selector and the place in the run. If a run is resumed from a checkpoint, with the model, data and options
 *  of the first run and a fresh selector, it gives the same bits as a run without interruption. Only epochs
 *  and patience may differ, so that a finished run can be extended. A cosine schedule with total 0 then spans
 *  the new number of epochs (its warm-up may be the same share of them). So, if the learning rate depends on
 *  the number of epochs, the bits differ from a run that had the new number from the start. States that a
 *  recurrent layer carries from pass to pass are not kept. fgt_model_load() reads a checkpoint as a model,
 *  with the weights of its last epoch, not the best ones.
 *
 *  With `moments` a new run starts with the optimiser's moments and number of steps from another run, and
 *  with that run's number of passes for dropout. Order, learning rate, schedule and epochs belong to the new
 *  run. The checkpoint must be the last one of its run, and the model must have the weights from the end of
 *  that run.
 *  Shapes   targets like the model's output; for classes the shape of the output without the last axis
 *  Owner    everything is borrowed for the call; report (its size set) may be NULL
 *  Errors   FGT_E_ARG; FGT_E_STATE no layers; FGT_E_NOMEM (the weights are as before); with resume, errors of
 *           fgt_checkpoint_load(), and FGT_E_FORMAT another seed, loss, batch, number or fingerprint of
 *           samples; with moments the same errors, and FGT_E_FORMAT other weights or another kind of
 *           optimiser. After all errors up to here, model and selector are as before. FGT_E_IO the checkpoint
 *           cannot be created; FGT_E_DATA every target is missing (with a selector or `thin`: in all epochs
 *           of the run); FGT_E_NONFINITE loss, gradients or weights, with epoch and step; errors of the
 *           passes, the source and fgt_attent_begin_epoch(). Once training has begun, an error also fills the
 *           report. After an error, or if a callback has cancelled (no error), the model has the weights of
 *           the best finished epoch, or its current weights if no epoch was finished */
FGT_API FGT_MUST fgt_status fgt_model_fit(fgt_model *model, const fgt_fit_opts *opts, fgt_fit_report *report);

/** State that a training loop of the host needs to continue later. */
typedef struct fgt_checkpoint {
    size_t      size;
    fgt_optim  *optim;     /**< the optimiser, with its model and its place in the schedule */
    fgt_attent *selector;  /**< selector of the same context; NULL: no selector */
    void       *data;      /**< the host's place in its loop, as bytes; NULL: no data */
    int64_t     data_size; /**< 0 with data NULL */
} fgt_checkpoint;

/** Writes a checkpoint, between two steps: weights, optimiser, number of training passes that dropout has
 *  seen, selector, data. The file is a safetensors file that fgt_model_load() can also read. fgt_model_fit()
 *  writes checkpoints itself.
 *  Units    data: bytes of the host, in its own byte order
 *  Cost     with Adam the file has three times the size of the weights (four times from fgt_model_fit());
 *           memory for names and the selector's state
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

/** Computes the mean loss and metrics over all samples of a source, in prediction mode. Metrics leave out
 *  missing targets. If targets are missing and the loss is asked for, set skip_nan in its options.
 *  Shapes   as fgt_model_fit()
 *  Units    the loss's
 *  Owner    borrowed; loss and metric may be NULL; the results are added to metric
 *  Errors   as fgt_model_fit() */
FGT_API FGT_MUST fgt_status fgt_model_evaluate(fgt_model *model, const fgt_source *source,
                                               const fgt_loss_opts *opts, int32_t target_dtype, double *loss,
                                               fgt_metric *metric);

#ifdef __cplusplus
}
#endif
#endif
