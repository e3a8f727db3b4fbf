/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_ATTENT_H
#define FIGHTER_ATTENT_H

/** @file attent.h
 *  AtteNT: selects the samples that are worth a training step, for any model. The host, the program that
 *  calls the library, reports a score for each sample, asks for the subset of the next epoch, and trains on
 *  it in its own way:
 *
 *      for (;;) {
 *          if (fgt_attent_get_due(a))                  // forward passes over all samples
 *              fgt_attent_add(a, index, n, score);
 *          fgt_attent_begin_epoch(a, &subset);                // the next epoch
 *          if (subset.stop) break;
 *          // train on subset.index[0 .. subset.count-1], batch by batch. The losses of a batch can be
 *          // reported almost for free: fgt_attent_add(a, subset.index + at, n, loss)
 *      }
 *
 *  fgt_model_fit() does all this itself if it gets a selector. Letters: n is the number of samples, m of them
 *  are selected; T is the number of epochs, t the epoch, from 1; s is a score (minus the sample's reference,
 *  if there are references); E is the number of elements of a sample's output, f the model's output, f* the
 *  target. Each random number is a function of seed, epoch and sample. Source: Zhang et al., "Nonparametric
 *  Teaching of Attention Learners", algorithm 1, appendices C and D.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fgt_attent fgt_attent;

/** Which samples are selected. Strategies with weights w draw m samples one after the other, without
 *  replacement, with probabilities proportional to w. For this they take the m largest of log w + Gumbel
 *  noise (Kool, van Hoof, Welling 2019). */
typedef enum fgt_attent_strategy {
    FGT_ATTENT_STRATEGY_SOFT         = 0, /**< w is a function of the score: fgt_attent_weights */
    FGT_ATTENT_STRATEGY_HARD         = 1, /**< the m largest scores; of equal scores the first ones */
    FGT_ATTENT_STRATEGY_RANDOM       = 2, /**< w = 1 */
    FGT_ATTENT_STRATEGY_CLASS_WEIGHT = 3, /**< w = 1 / (number of samples in the sample's group); uses no
                                               scores */
    FGT_ATTENT_STRATEGY_FIXED_WEIGHT = 4, /**< w = group_weight of the sample's group; uses no scores */
    FGT_ATTENT_STRATEGY_GRADNORM     = 5, /**< scores are gradient norms; w = s. With groups w is the mean of
                                               s in the sample's group (after Chen et al. 2018). A score below
                                               0 counts as 0 */
    FGT_ATTENT_STRATEGY_INFOBATCH    = 6  /**< each sample with a score below the mean is dropped with
                                               probability r = prune. If it is kept, its gradient must be
                                               scaled by 1 / (1 - r), so that the expected sum stays the same
                                               (fgt_attent_get_weights()). After epoch prune_until T all
                                               samples are kept and none is scaled. Scores come from the
                                               training passes (Qin et al. 2024) */
} fgt_attent_strategy;

/** Weights of FGT_ATTENT_STRATEGY_SOFT. */
typedef enum fgt_attent_weights {
    FGT_ATTENT_WEIGHTS_SOFTMAX      = 0, /**< e^(s / temperature) */
    FGT_ATTENT_WEIGHTS_PROPORTIONAL = 1, /**< s^(1 / temperature), independent of the scale of scores; s below
                                              0 counts as 0: selected after all others */
    FGT_ATTENT_WEIGHTS_SIGMOID      = 2  /**< (1 + e^-s)^(-1 / temperature) */
} fgt_attent_weights;

/** How many samples an epoch has: m = n ratio, rounded, at least 1. The ratio is a function of u, the
 *  progress of the training. u = (t - 1) / (T - 1), or 1 if T = 1. In part c of FGT_ATTENT_INTERVAL_CYCLES u
 *  = c / (C - 1). */
typedef enum fgt_attent_ratio {
    FGT_ATTENT_RATIO_INCREMENTAL = 0, /**< ratio_start + (ratio_end - ratio_start) u */
    FGT_ATTENT_RATIO_COSINE      = 1, /**< ratio_end - (ratio_end - ratio_start) (1 + cos(pi u)) / 2 */
    FGT_ATTENT_RATIO_FIXED       = 2, /**< ratio */
    FGT_ATTENT_RATIO_SIMPLE      = 3  /**< 1 in the first epoch, then ratio */
} fgt_attent_ratio;

/** How many epochs each interval k = 0, 1, ... has. Scores, subset and ratio stay the same within an
 *  interval. With `redraw` only the scores stay the same. */
typedef enum fgt_attent_interval {
    FGT_ATTENT_INTERVAL_INCREMENTAL = 0, /**< interval + k growth epochs */
    FGT_ATTENT_INTERVAL_FIXED       = 1, /**< interval epochs */
    FGT_ATTENT_INTERVAL_CYCLES      = 2  /**< the schedule of the authors' program, which sees more samples.
                                              Epoch 1 has all samples. The other epochs make C = `cycles`
                                              equal parts. Part c = 0 .. C-1 begins with an interval of
                                              interval + (interval_end - interval) c / (C - 1) epochs, rounded
                                              down, but at most the whole part. The remaining epochs of the
                                              part have all samples */
} fgt_attent_interval;

/** Source of the scores. */
typedef enum fgt_attent_scores {
    FGT_ATTENT_SCORES_PASS     = 0, /**< a forward pass over all samples before each selection that needs
                                         scores, see fgt_attent_get_due() */
    FGT_ATTENT_SCORES_TRAINING = 1  /**< the training passes, at no extra cost: a sample's last loss. Samples
                                         without a score come first, in random order; with gradient norms and
                                         groups they get their group's weight */
} fgt_attent_scores;

/** How the residual |f - f*| is computed from scores. Algorithm 1 stops if the residual is below stop_below.
 *  |.| is the Frobenius norm over all samples and the elements of their outputs. References are not
 *  subtracted. */
typedef enum fgt_attent_residual {
    FGT_ATTENT_RESIDUAL_SQUARES = 0, /**< a score is the mean of (f - f*)^2 over the E elements of a sample,
                                          as with FGT_LOSS_MSE. Then |f - f*|^2 = E sum s */
    FGT_ATTENT_RESIDUAL_NORMS   = 1, /**< a score is the norm of f - f* of a sample. Then |f - f*|^2 = sum
                                          s^2 */
    FGT_ATTENT_RESIDUAL_NONE    = 2  /**< scores do not determine the residual, which is NaN */
} fgt_attent_residual;

/** A function of the host that gets a piece of the log. If it returns another status than FGT_OK, the call
 *  returns this status. */
typedef fgt_status (*fgt_attent_log_fn)(void *user, const char *text, size_t size);

/** Options of a selector. The defaults are the paper's final setting: incremental ratio, incremental
 *  interval, soft weights. The authors' program uses another schedule: FGT_ATTENT_INTERVAL_CYCLES with soft
 *  weights, redraw and rescore. For language models the program trains on all samples in epoch 1 and then
 *  selects once, by the losses of this epoch: strategy hard, ratio simple, scores from training, and a fixed
 *  interval as long as the run. */
typedef struct fgt_attent_opts {
    size_t            size;
    int64_t           samples;     /**< n, at most 2^32; no default */
    int64_t           epochs;      /**< T; 0: without end, only with a fixed or simple ratio */
    int64_t           count;       /**< m, only with a fixed ratio; 0: m follows from the ratio */
    int64_t           interval;    /**< epochs; 0: 1, with cycles 5 */
    int64_t           growth;      /**< epochs; 0: 1 */
    int64_t           cycles;      /**< C, below T; 0: 10 */
    int64_t           interval_end; /**< epochs of the last cycle's interval; 0: 10 */
    uint64_t          seed;
    double            ratio;       /**< 0: 0.7 */
    double            ratio_start; /**< 0: 0.2 */
    double            ratio_end;   /**< 0: 0.8 */
    double            temperature; /**< 0: 1 */
    double            prune;       /**< r; 0: 0.5 */
    double            prune_until; /**< share of T; 0: 0.875 */
    double            stop_below;  /**< epsilon of algorithm 1: training stops if the residual
                                        (fgt_attent_subset) is below it. Not with FGT_ATTENT_RESIDUAL_NONE. 0:
                                        never */
    const fgt_view   *groups;      /**< group of each sample: I32 or I64 [n] in 0 .. group_count-1; copied */
    const double     *group_weight; /**< [group_count], positive weights for FGT_ATTENT_STRATEGY_FIXED_WEIGHT;
                                         copied */
    int64_t           group_count; /**< at most 65536; 0: no groups */
    fgt_attent_log_fn log;         /**< gets a few lines at every step; NULL: no log. The form of the lines
                                        may change, so another version of the library may not be able to
                                        replay them */
    void             *log_user;
    const char       *replay; /**< text of an earlier log, whose subsets are repeated; borrowed until the
                                   selector is destroyed */
    int64_t           replay_bytes;
    int32_t           strategy;          /**< an fgt_attent_strategy */
    int32_t           ratio_schedule;    /**< an fgt_attent_ratio; INFOBATCH ignores it and drops samples by
                                              prune */
    int32_t           interval_schedule; /**< an fgt_attent_interval; INFOBATCH ignores it and selects in
                                              every epoch */
    int32_t           scores;            /**< an fgt_attent_scores */
    int32_t           residual;     /**< an fgt_attent_residual; fgt_model_fit() uses NONE instead of SQUARES
                                         if the loss is not a mean of squares */
    int32_t           weights;      /**< an fgt_attent_weights */
    int32_t           redraw;       /**< 1: each epoch has a new subset, drawn by the interval's scores with
                                         the epoch's ratio */
    int32_t           rescore;      /**< 1, only with redraw: each epoch also has new scores */
    int32_t           ordered;      /**< 1: indices ascend; 0: in a new random order every epoch */
    int32_t           log_indices;  /**< 1: the log has the indices of each subset, and can be replayed
                                         without scores; 0: it has only a hash */
    int64_t           elements;    /**< E; 0: 1, in fgt_model_fit() the model's output */
    const float      *reference;   /**< [n] losses of a simple rule, which are subtracted from the scores, so
                                        that noise that no rule can forecast does not count (Mindermann et al.
                                        2022). Only with SOFT (not PROPORTIONAL), HARD and INFOBATCH. Copied;
                                        NULL: no references */
} fgt_attent_opts;

/** The subset of an epoch. */
typedef struct fgt_attent_subset {
    size_t         size;
    const int64_t *index;    /**< [count], the samples, no number twice; the selector's memory, valid until
                                  the selector's next step */
    int64_t        count;    /**< m; 0 after a stop */
    int64_t        epoch;    /**< t */
    int64_t        interval; /**< length of the interval, epochs */
    uint64_t       hash;     /**< hash of the selected set, independent of the order of the samples */
    double         ratio;    /**< m / n */
    double         score;    /**< mean of the known scores of the subset when it was selected, without
                                  subtraction of references; NaN: no score is known */
    double         residual; /**< |f - f*| computed from the last scores (fgt_attent_residual); NaN: some
                                  scores are unknown */
    int32_t        fresh;    /**< 1: newly selected; 0: the subset of the epoch before */
    int32_t        stop;     /**< 1: T epochs are done, or residual < stop_below; no epoch begins */
} fgt_attent_subset;

/** Creates a selector. This call allocates all memory of the selector: 13 bytes for each sample, 2 more with
 *  groups, 4 more with references.
 *  Units    scores: any unit; a larger score means more to learn
 *  Owner    *attent is the caller's; ctx and opts->replay must outlive it, the rest is copied
 *  Errors   FGT_E_ARG an option out of range, count above n, no epochs for a schedule that needs them, no
 *           groups for a strategy that needs them, references for a strategy that cannot use them, stop_below
 *           without a residual; FGT_E_SHAPE groups have another length or type; FGT_E_DATA a group out of
 *           range, or a reference that is not finite (the error text names the sample); FGT_E_FORMAT replay
 *           is not a log, or is a log of other samples; FGT_E_VERSION; FGT_E_NOMEM. *attent is NULL on
 *           error */
FGT_API FGT_MUST fgt_status fgt_attent_create(fgt_context *ctx, const fgt_attent_opts *opts,
                                              fgt_attent **attent);

/** Destroys a selector and sets *attent to NULL.
 *  Owner    takes *attent */
FGT_API void fgt_attent_destroy(fgt_attent **attent);

/** 1 if the next fgt_attent_begin_epoch() needs new scores of all samples, else 0. New scores are needed if
 *  three conditions hold: the strategy uses scores that do not come from training; fewer than all samples are
 *  selected; and an interval begins, a subset is drawn with rescore, or a sample has no score yet. If the
 *  caller reports no new scores, the old ones are used.
 *  Errors   none; 0 for NULL */
FGT_API int32_t fgt_attent_get_due(const fgt_attent *attent);

/** Reports scores: score[i] is the score of sample index[i].
 *  Shapes   index, score [count]
 *  Units    losses, or norms (see fgt_attent_opts)
 *  Owner    borrowed
 *  Errors   FGT_E_ARG NULL, a sample that does not exist; FGT_E_NONFINITE a score is NaN or infinite (the
 *           error text names the sample). On error no score is stored */
FGT_API FGT_MUST fgt_status fgt_attent_add(fgt_attent *attent, const int64_t *index, int64_t count,
                                           const float *score);

/** Begins the next epoch: selects its samples, or within an interval keeps the samples of the previous epoch.
 *  Source   Zhang et al. (AtteNT), algorithm 1; other strategies: see fgt_attent_strategy
 *  Cost     about 60 n nanoseconds, for random numbers, a radix selection of the m-th key, and the order; no
 *           allocation
 *  Owner    subset (its size set) is filled; its index is the selector's
 *  Errors   FGT_E_ARG; FGT_E_VERSION subset->size is not set; FGT_E_STATE a sample has no score (the error
 *           text names the first one): nothing changes. If the log function fails, the call returns its
 *           status, but the epoch has begun. With replay: FGT_E_FORMAT a line of the log is malformed,
 *           FGT_E_DATA the log does not have this epoch, or has another subset for it. Then no epoch has
 *           begun, and after another subset the previous subset is lost
 *  Threads  one at a time per context; the subset does not depend on the number of threads */
FGT_API FGT_MUST fgt_status fgt_attent_begin_epoch(fgt_attent *attent, fgt_attent_subset *subset);

/** Fills in the subset of the current epoch once more.
 *  Owner    subset (its size set) is filled; its index is the selector's
 *  Errors   FGT_E_ARG; FGT_E_VERSION; FGT_E_STATE no epoch has begun */
FGT_API FGT_MUST fgt_status fgt_attent_get_subset(const fgt_attent *attent, fgt_attent_subset *subset);

/** Gets factors for the gradients of samples of the subset. A factor is 1, or with
 *  FGT_ATTENT_STRATEGY_INFOBATCH also 1 / (1 - r).
 *  Shapes   index, weight [count]
 *  Owner    weight is filled
 *  Errors   FGT_E_ARG NULL, a sample that does not exist or is not selected (the error text names it). On
 *           error nothing is written */
FGT_API FGT_MUST fgt_status fgt_attent_get_weights(const fgt_attent *attent, const int64_t *index,
                                                   int64_t count, float *weight);

/** Writes the state (scores, subset, place in the schedules) as bytes, for a training checkpoint, at any
 *  moment.
 *  Units    capacity, *bytes: bytes. The state has the byte order of the machine
 *  Owner    buffer is the caller's; NULL: only *bytes is filled in
 *  Errors   FGT_E_ARG NULL; FGT_E_SIZE the buffer is too small */
FGT_API FGT_MUST fgt_status fgt_attent_get_state(const fgt_attent *attent, void *buffer, int64_t capacity,
                                                 int64_t *bytes);

/** Restores a state, so that this selector continues like another one with the same options.
 *  Owner    borrowed
 *  Errors   FGT_E_ARG NULL; FGT_E_SIZE; FGT_E_FORMAT data is not a state, is damaged, has another byte order,
 *           or comes from another selector (samples, strategy, seed); or a failed replay had lost the subset
 *           of the interval. On error the selector is as before */
FGT_API FGT_MUST fgt_status fgt_attent_set_state(fgt_attent *attent, const void *data, int64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
