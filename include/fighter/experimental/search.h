/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_SEARCH_H
#define FIGHTER_EXPERIMENTAL_SEARCH_H

/** @file search.h The search for a forecaster: many are tried on the validation rows, and the best one stays.
 *
 *      fgt_forecaster_opts common = {.size = sizeof common, .pred_len = 96};
 *      fgt_search_opts     search = {.size = sizeof search, .forecaster = &common, .seconds = 300};
 *      fgt_forecaster_search(ctx, table, &split, &search, &forecaster, NULL);
 *      fgt_forecaster_save(forecaster, FGT_TO_FILE("best.safetensors"));
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/forecast.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Options for which 0 is a real choice. Name them in fgt_search_opts.fixed if a search must not change them.
 *  The values can be summed. */
typedef enum fgt_search_part {
    FGT_SEARCH_PART_BLOCK    = 1, /**< `block.kind` */
    FGT_SEARCH_PART_TOKENS   = 2, /**< `tokens.kind` */
    FGT_SEARCH_PART_CALENDAR = 4, /**< `inputs.calendar` */
    FGT_SEARCH_PART_REVIN    = 8, /**< `tokens.revin` */
    FGT_SEARCH_PART_LOSS     = 16 /**< `loss` */
} fgt_search_part;

/** Report of a search on one training of one candidate, or on the measurement of a linear part. */
typedef struct fgt_search_trial {
    size_t                         size;
    const fgt_forecaster_opts     *opts; /**< of the candidate, with defaults filled in and its calendar. Its
                                              pointers are the host's or the library's */
    const fgt_forecaster_fit_opts *fit;  /**< of its training, with defaults filled in */
    int64_t                        candidate; /**< its number, from 0 */
    int64_t                        rung;      /**< round of trainings, from 0 */
    int64_t                        epochs;    /**< epochs of its training so far; 0: it is only a linear part,
                                                   or not trained yet */
    int64_t members; /**< 1: a single candidate; above 1: the mean of this many candidates, of which this one
                          is the first */
    double  seconds; /**< spent on it so far */
    double  loss;    /**< on the validation rows; infinite: its training failed */
    double  gain;    /**< loss of the best linear part minus `loss`; NaN: there is no linear part */
    double  error;   /**< standard error of `gain` */
    double  least;   /**< loss of the best candidate so far */
    int32_t best;    /**< 1: it is the best candidate so far */
    int32_t cut;     /**< 1: the budget, or the host, ended its rung early */
} fgt_search_trial;

/** Returns FGT_OK to go on, another status to end the search with the best candidate so far. */
typedef fgt_status (*fgt_search_trial_fn)(void *user, const fgt_search_trial *trial);

typedef struct fgt_search_opts {
    size_t                         size;
    const fgt_forecaster_opts     *forecaster; /**< options of all candidates; NULL: defaults */
    const fgt_forecaster_fit_opts *fit; /**< options of all trainings; NULL: defaults. `epochs`: most epochs
                                             of one candidate, 0: any number. `progress` is called in each
                                             training, and may end the search. No selector, checkpoint,
                                             resume, moments and collective */
    fgt_search_trial_fn            trial;   /**< NULL: none */
    void        *user;    /**< of trial */
    double       seconds; /**< budget; 0: 120, or no limit if `epochs` is given; negative: no training */
    int64_t      epochs;  /**< budget: epochs of all candidates together; 0: no limit */
    int32_t      fixed;   /**< an fgt_search_part, or a sum of them: options that stay, even if they are 0 */
    int32_t      reserved;
} fgt_search_opts;

typedef struct fgt_search_report {
    size_t  size;
    int64_t candidates;  /**< number of candidates tried */
    int64_t trials;      /**< number of trials, as fgt_search_opts.trial counts them */
    int64_t best;        /**< number of the candidate that is the result */
    int64_t best_epochs; /**< epochs of its training */
    int64_t members;     /**< 1: a single candidate; above 1: the result is the mean of this many candidates,
                              and `best` is the first */
    int64_t epochs;      /**< of all candidates */
    int64_t samples;     /**< windows that went through the backward pass */
    double  loss;        /**< loss of the result on the validation rows */
    double  linear_loss; /**< loss of the best linear part; NaN: there is no linear part */
    double  seconds;
    int32_t cancelled;   /**< 1: a callback ended the search */
    int32_t exhausted;   /**< 1: the budget ended the search */
} fgt_search_report;

/** Tries forecasters and returns the one that is most surely good on the validation rows.
 *    1. Linear parts, with 1, 1/2 and 2 times the default look-back, and without the calendar if there is one
 *       by default. The other candidates use look-back and calendar of the best one: the first, unless
 *       another is better by more than two standard errors, see below.
 *    2. The first rung: candidates with layers, in a fixed order. They differ from the default in block,
 *       tokens, look-back, size, dropout, loss, learning rate, averaging, patches or normalisation. Each is
 *       trained for one epoch. There are as many candidates as leave time for the next rungs, if each rung
 *       takes as long as this one.
 *    3. The next rungs, successive halving: the better half is trained for two more epochs, the better half
 *       of these for four, and so on. The last candidate is trained until a rung brings no gain. Within each
 *       rung the learning rate falls to 0, and it starts anew in the next rung. If there is time left,
 *       further candidates follow.
 *    4. The means of the best 2, 3 and 4 candidates with the same look-back, see
 *       fgt_forecaster_create_mean().
 *  Options of `forecaster` and `fit` other than 0, and the options in `fixed`, do not change, which narrows
 *  the search. The result may be only a linear part, unless `fixed` or `forecaster` name another block.
 *
 *  The gain of layers is the loss of the best linear part minus the loss with the layers. Its standard error
 *  comes from blocks of windows. The result is the candidate with the largest gain minus two standard errors.
 *  If this difference is not above 0 for any candidate, the result is the best linear part, because smaller
 *  gains are likely to be chance. With fewer than 4 windows of validation no gain is sure: the result is the
 *  first candidate that is allowed as a result, either a linear part, or layers that are not trained yet and
 *  add nothing to a linear part. Without a linear part the result is the candidate with the least loss.
 *
 *  An epoch has at most 65536 / C windows, or 1024 if that is more, drawn at random for each epoch. With
 *  `thin` of `fit` above 1 it has 1 / thin of all windows.
 *  All candidates are compared on the same values of the same validation rows: in MSE, with quantiles in the
 *  mean pinball loss, or in the loss of `fit` if that is not 0. A candidate that became worse goes back to
 *  its earlier weights. So on these rows the result is never worse than the first linear part. On other rows
 *  its error will be higher, because it was chosen on these.
 *
 *  The budget is checked after each step. A training that would exceed it ends, and its finished epochs
 *  count. The means are measured after that. Linear parts take up to a quarter of the seconds, but the first
 *  one is always made. If there is no linear part (see fgt_forecaster_create()), the first candidate is
 *  trained for one epoch with any budget.
 *  With only a budget of epochs the result depends on seed, data and options, not on machine and threads.
 *  With a budget of seconds it also depends on which epochs end in time; the same epochs give the same bits.
 *  Source   successive halving: Jamieson and Talwalkar 2016; restarts of the learning rate: Loshchilov and
 *           Hutter 2017; simpler models within some standard errors: Breiman, Friedman, Olshen and Stone 1984
 *  Units    losses in standard deviations of the training rows; MSE in squares of them
 *  Cost     the budget. One candidate, or the candidates of a mean, are in memory at a time; the others are
 *           files of fgt_forecaster_save(), beside up to six linear parts in double
 *  Owner    everything is borrowed for the call; *forecaster is the caller's, as if made by
 *           fgt_forecaster_create() and trained by fgt_forecaster_fit(); report (its size set) may be NULL
 *  Errors   as fgt_forecaster_create() and fgt_forecaster_fit(), but a training that ends with
 *           FGT_E_NONFINITE only rules out its candidate, unless all fail; FGT_E_ARG also a selector, a
 *           checkpoint, resume, moments or a collective; FGT_E_DATA there are no validation rows;
 *           FGT_E_NOMEM. On error *forecaster is NULL */
FGT_API FGT_MUST fgt_status fgt_forecaster_search(fgt_context *ctx, const fgt_table *table,
                                                  const fgt_split *split, const fgt_search_opts *opts,
                                                  fgt_forecaster **forecaster, fgt_search_report *report);

#ifdef __cplusplus
}
#endif
#endif
