/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_ATTENT_H
#define FIGHTER_ATTENT_H

/** @file attent.h
 *  AtteNT: which samples are worth a training step. The model may be any: the host reports a score for each
 *  sample, asks for the subset of the next epoch, and trains on it as it likes:
 *
 *      for (;;) {
 *          if (fgt_attent_get_due(a))                  // forward passes over all samples
 *              fgt_attent_add(a, index, n, score);
 *          fgt_attent_step(a, &subset);                // the next epoch
 *          if (subset.stop) break;
 *          // train on subset.index[0 .. subset.count-1], batch by batch. The losses of a batch can be
 *          // reported almost for free: fgt_attent_add(a, subset.index + at, n, loss)
 *      }
 *
 *  fgt_model_fit() does so itself when it is given a selector. Letters: n samples, m of them selected,
 *  T epochs, t the epoch from 1, s a score (less its reference, where there are some), E elements of a
 *  sample's output, f the model's output, f* the target. All draws are functions of (seed, epoch, sample).
 *  Source: Zhang et al., "Nonparametric Teaching of Attention Learners", algorithm 1, appendices C and D.
 *
 *  Unless a function says otherwise: no shapes, no units; pointers are borrowed for the call; only functions
 *  that return an fgt_status can fail; one thread at a time may use a context and what was made from it; the
 *  function is available since 0.1. */

#include <fighter/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fgt_attent fgt_attent;

/** Which samples. Where weights w are named, m samples are drawn without replacement, each time with
 *  probabilities proportional to w: the m largest of log w + Gumbel noise (Kool, van Hoof, Welling 2019). */
typedef enum fgt_attent_strategy {
    FGT_ATTENT_SOFT         = 0, /**< w of an fgt_attent_weights */
    FGT_ATTENT_HARD         = 1, /**< the m largest scores; of equal ones the first */
    FGT_ATTENT_RANDOM       = 2, /**< w = 1 */
    FGT_ATTENT_CLASS_WEIGHT = 3, /**< w = 1 / (samples of its group); no scores */
    FGT_ATTENT_FIXED_WEIGHT = 4, /**< w = group_weight of its group; no scores */
    FGT_ATTENT_GRADNORM     = 5, /**< scores are gradient norms; w = s, with groups their mean in its group
                                      (after Chen et al. 2018); below 0 as 0 */
    FGT_ATTENT_INFOBATCH    = 6  /**< all, but those below the mean score are dropped with probability
                                      r = prune; the gradients of those of them that are kept are to be
                                      scaled by 1 / (1 - r), so that sums keep their expectation. After
                                      epoch prune_until T all, unscaled. Scores are those of the training
                                      passes (Qin et al. 2024) */
} fgt_attent_strategy;

/** Weights of FGT_ATTENT_SOFT. */
typedef enum fgt_attent_weights {
    FGT_ATTENT_WEIGHTS_SOFTMAX      = 0, /**< e^(s / temperature) */
    FGT_ATTENT_WEIGHTS_PROPORTIONAL = 1, /**< s^(1 / temperature), whatever the scale of the scores; of
                                              those below 0 as of 0: after all others */
    FGT_ATTENT_WEIGHTS_SIGMOID      = 2  /**< (1 + e^-s)^(-1 / temperature) */
} fgt_attent_weights;

/** How many: m = n ratio, rounded, at least 1. u = (t - 1) / (T - 1), 1 when T = 1; in cycles c / (C - 1). */
typedef enum fgt_attent_ratio {
    FGT_ATTENT_RATIO_INCREMENTAL = 0, /**< ratio_start + (ratio_end - ratio_start) u */
    FGT_ATTENT_RATIO_COSINE      = 1, /**< ratio_end - (ratio_end - ratio_start) (1 + cos(pi u)) / 2 */
    FGT_ATTENT_RATIO_FIXED       = 2, /**< ratio */
    FGT_ATTENT_RATIO_SIMPLE      = 3  /**< 1 in the first epoch, then ratio */
} fgt_attent_ratio;

/** How long scores, subset and ratio are kept: the length of interval k = 0, 1, ... With `redraw` only the
 *  scores are. */
typedef enum fgt_attent_interval {
    FGT_ATTENT_INTERVAL_INCREMENTAL = 0, /**< interval + k growth epochs */
    FGT_ATTENT_INTERVAL_FIXED       = 1, /**< interval epochs */
    FGT_ATTENT_INTERVAL_CYCLES      = 2  /**< the schedule of the authors' program, which sees more samples:
                                              all of them in epoch 1; the other epochs make C = `cycles` equal
                                              parts, and part c = 0 .. C-1 begins with an interval of
                                              interval + (interval_end - interval) c / (C - 1) epochs, rounded
                                              down, or as many as it has. Its other epochs have all samples */
} fgt_attent_interval;

/** Where the scores come from. */
typedef enum fgt_attent_scores {
    FGT_ATTENT_SCORES_PASS     = 0, /**< a forward pass over all samples before each selection that
                                         needs scores; fgt_attent_get_due() says when */
    FGT_ATTENT_SCORES_TRAINING = 1  /**< from the training passes, at no extra cost: a sample's last loss.
                                         Samples without a score come first, in random order, but those of
                                         groups with FGT_ATTENT_GRADNORM, which have the group's weight */
} fgt_attent_scores;

/** What the stop rule of algorithm 1, |f - f*| < stop_below, makes of the scores. |.| is the Frobenius norm
 *  over all samples and the elements of their outputs. References take no part. */
typedef enum fgt_attent_residual {
    FGT_ATTENT_RESIDUAL_SQUARES = 0, /**< a score is the mean of (f - f*)^2 over the E elements of a sample,
                                          as FGT_LOSS_MSE has it: |f - f*|^2 = E sum s */
    FGT_ATTENT_RESIDUAL_NORMS   = 1, /**< a score is the norm of f - f* of a sample: |f - f*|^2 = sum s^2 */
    FGT_ATTENT_RESIDUAL_NONE    = 2  /**< a score says nothing of it: the residual is NaN */
} fgt_attent_residual;

/** Takes a piece of the log. A status other than FGT_OK is passed on. */
typedef fgt_status (*fgt_attent_log_fn)(void *user, const char *text, size_t size);

/** The defaults have the names of the paper's final setting (incremental, incremental, soft), but not the
 *  schedule of the authors' program: that is FGT_ATTENT_INTERVAL_CYCLES, for soft weights with redraw and
 *  rescore. The paper names no epochs of all samples but the first one of its variant for language models.
 *  For this variant the program chooses once, by the losses of epoch 1: hard, the simple ratio, scores from
 *  training, a fixed interval as long as the run. */
typedef struct fgt_attent_opts {
    size_t            size;
    int64_t           samples;     /**< n, at most 2^32; no default */
    int64_t           epochs;      /**< T; 0: no end, for the fixed and simple ratio only */
    int64_t           count;       /**< m itself, with the fixed ratio; 0: from the ratio */
    int64_t           interval;    /**< 0: 1, of cycles 5 */
    int64_t           growth;      /**< 0: 1 */
    int64_t           cycles;      /**< C, below T; 0: 10 */
    int64_t           interval_end; /**< of the last cycle; 0: 10 */
    uint64_t          seed;
    double            ratio;       /**< 0: 0.7 */
    double            ratio_start; /**< 0: 0.2 */
    double            ratio_end;   /**< 0: 0.8 */
    double            temperature; /**< 0: 1 */
    double            prune;       /**< r; 0: 0.5 */
    double            prune_until; /**< share of T; 0: 0.875 */
    double            stop_below;  /**< epsilon of algorithm 1: stop when the residual (fgt_attent_subset) is
                                        below it; 0: never; not with FGT_ATTENT_RESIDUAL_NONE */
    const fgt_view   *groups;      /**< I32 or I64 [n] in 0 .. group_count-1; copied */
    const double     *group_weight; /**< [group_count], positive, for fixed weights; copied */
    int64_t           group_count; /**< at most 65536; 0: none */
    fgt_attent_log_fn log;         /**< gets a few lines at every step; NULL: none. Their form is not
                                        promised: another version may not be able to replay them */
    void             *log_user;
    const char       *replay;      /**< text of an earlier log, which chooses; borrowed until destroyed */
    int64_t           replay_size;
    int32_t           strategy;          /**< an fgt_attent_strategy */
    int32_t           ratio_schedule;    /**< an fgt_attent_ratio; InfoBatch has its own */
    int32_t           interval_schedule; /**< an fgt_attent_interval; InfoBatch selects every epoch */
    int32_t           scores;            /**< an fgt_attent_scores */
    int32_t           residual;     /**< an fgt_attent_residual; fgt_model_fit() takes NONE for squares where
                                         its loss has none */
    int32_t           weights;      /**< an fgt_attent_weights */
    int32_t           redraw;       /**< 1: a fresh subset every epoch, with the ratio of the epoch, from
                                         scores as old as the interval */
    int32_t           rescore;      /**< 1: with redraw: new scores every epoch, too */
    int32_t           ordered;      /**< 1: indices ascend; 0: in a fresh random order every epoch */
    int32_t           log_indices;  /**< 1: the log has the indices, replays without scores; 0: a hash */
    int64_t           elements;    /**< E; 0: 1, in fgt_model_fit() those of the model's output */
    const float      *reference;   /**< [n] losses of a simple rule: samples are chosen by what their scores
                                        have in excess of them, so that noise, which no rule foretells, does
                                        not count (Mindermann et al. 2022). For soft (but not proportional),
                                        hard and InfoBatch; copied; NULL: none */
} fgt_attent_opts;

/** The subset of an epoch. */
typedef struct fgt_attent_subset {
    size_t         size;
    const int64_t *index;    /**< [count], no number twice; the selector's, valid until its next step */
    int64_t        count;    /**< m; 0 after a stop */
    int64_t        epoch;    /**< t */
    int64_t        interval; /**< epochs that the interval lasts in all */
    uint64_t       hash;     /**< of the selected set, whatever the order */
    double         ratio;    /**< m / n */
    double         score;    /**< mean score of the subset when it was selected, of those known; no reference
                                  is taken off; NaN: none */
    double         residual; /**< |f - f*| by the last scores (fgt_attent_residual); NaN: some are unknown */
    int32_t        fresh;    /**< 1: newly selected; 0: that of the epoch before */
    int32_t        stop;     /**< 1: T epochs are done, or residual < stop_below; no epoch begins */
} fgt_attent_subset;

/** Creates a selector. All its memory is allocated here: 13 bytes a sample, 2 more with groups, 4 more with
 *  references.
 *  Units    scores: any, the larger the more is to be learned
 *  Owner    *attent is the caller's; ctx and opts->replay must outlive it, the rest is copied
 *  Errors   FGT_E_ARG an option out of range, more samples asked for than there are, no epochs for a schedule
 *           that needs them, no groups for a strategy that does, references for one that takes none,
 *           stop_below without a residual; FGT_E_SHAPE groups; FGT_E_DATA a group out of range, or a
 *           reference that is not finite (its sample); FGT_E_FORMAT replay is no log, or one of other
 *           samples; FGT_E_VERSION; FGT_E_NOMEM. *attent is NULL on error */
FGT_API FGT_MUST fgt_status fgt_attent_create(fgt_context *ctx, const fgt_attent_opts *opts,
                                              fgt_attent **attent);

/** Destroys a selector and sets *attent to NULL.
 *  Owner    takes *attent */
FGT_API void fgt_attent_destroy(fgt_attent **attent);

/** 1 when the next fgt_attent_step() needs new scores of all samples: an interval begins, or a subset is
 *  drawn, with rescore or while some samples have no score; the strategy uses scores, they do not come from
 *  training, and not all samples are selected. A host that reports none selects by old scores.
 *  Errors   none; 0 for NULL */
FGT_API int32_t fgt_attent_get_due(const fgt_attent *attent);

/** Reports scores: score[i] is that of sample index[i].
 *  Shapes   index, score [count]
 *  Units    losses, or norms (see fgt_attent_opts)
 *  Owner    borrowed
 *  Errors   FGT_E_ARG NULL, a sample that does not exist; FGT_E_NONFINITE a score is NaN or infinite (its
 *           sample). On error no score is taken */
FGT_API FGT_MUST fgt_status fgt_attent_add(fgt_attent *attent, const int64_t *index, int64_t count,
                                           const float *score);

/** Begins the next epoch: selects its samples, or keeps those of the epoch before within an interval.
 *  Source   Zhang et al. (AtteNT), algorithm 1; of the other strategies see fgt_attent_strategy
 *  Cost     about 60 n nanoseconds: draws, a radix selection of the m-th key, the order; no allocation
 *  Owner    subset (its size set) is filled; its index is the selector's
 *  Errors   FGT_E_ARG; FGT_E_VERSION subset->size is not set; FGT_E_STATE a sample has no score (the
 *           first): nothing is changed. A status of log: the epoch has begun all the same. With replay
 *           FGT_E_FORMAT (its line), FGT_E_DATA the log has no such epoch or another subset: no epoch has
 *           begun; after another subset the last one is lost
 *  Threads  one at a time per context; the subset does not depend on their number */
FGT_API FGT_MUST fgt_status fgt_attent_step(fgt_attent *attent, fgt_attent_subset *subset);

/** Fills in the subset of the current epoch once more.
 *  Owner    subset (its size set) is filled; its index is the selector's
 *  Errors   FGT_E_ARG; FGT_E_VERSION; FGT_E_STATE no epoch has begun */
FGT_API FGT_MUST fgt_status fgt_attent_get(const fgt_attent *attent, fgt_attent_subset *subset);

/** Factors for the gradients of samples of the subset: 1, or 1 / (1 - r) from InfoBatch.
 *  Shapes   index, weight [count]
 *  Owner    weight is filled
 *  Errors   FGT_E_ARG NULL, a sample that does not exist or is not selected (its number): nothing is
 *           written */
FGT_API FGT_MUST fgt_status fgt_attent_get_weights(const fgt_attent *attent, const int64_t *index,
                                                   int64_t count, float *weight);

/** Size of the state that fgt_attent_get_state() copies: scores, subset, place in the schedules.
 *  Units    bytes
 *  Errors   none; 0 for NULL */
FGT_API int64_t fgt_attent_size(const fgt_attent *attent);

/** Copies the state out, for a training checkpoint, at any moment.
 *  Units    in the byte order of the machine
 *  Owner    data is filled
 *  Errors   FGT_E_ARG NULL; FGT_E_SIZE size is not fgt_attent_size() */
FGT_API FGT_MUST fgt_status fgt_attent_get_state(const fgt_attent *attent, void *data, int64_t size);

/** Restores a state, so that this selector continues where one with the same options stood.
 *  Owner    borrowed
 *  Errors   FGT_E_ARG NULL; FGT_E_SIZE; FGT_E_FORMAT no state, one of another selector (samples, strategy,
 *           seed) or byte order, a damaged one, or one within an interval whose subset a failed replay has
 *           lost. On error the selector is as before */
FGT_API FGT_MUST fgt_status fgt_attent_set_state(fgt_attent *attent, const void *data, int64_t size);

#ifdef __cplusplus
}
#endif
#endif
