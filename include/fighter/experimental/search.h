/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_SEARCH_H
#define FIGHTER_EXPERIMENTAL_SEARCH_H

/** @file search.h The search for a forecaster: many candidates are trained and compared on the validation
 *  rows, and the best one is the result.
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

/** Options for which 0 is a real choice, not only the default. If a search must not change such an option,
 *  name it in fgt_search_opts.fixed. The constants can be summed. */
typedef enum fgt_search_part {
    FGT_SEARCH_PART_BLOCK    = 1, /**< `block.kind` */
    FGT_SEARCH_PART_TOKENS   = 2, /**< `tokens.kind` */
    FGT_SEARCH_PART_CALENDAR = 4, /**< `inputs.calendar` */
    FGT_SEARCH_PART_REVIN    = 8, /**< `tokens.revin` */
    FGT_SEARCH_PART_LOSS     = 16 /**< `loss` */
} fgt_search_part;

/** A trial: one training of one candidate, or the measurement of a linear part. */
typedef struct fgt_search_trial {
    size_t                         size;
    const fgt_forecaster_opts     *opts; /**< options of the candidate, with defaults and calendar filled in.
                                              Pointers in it are the host's or the library's */
    const fgt_forecaster_fit_opts *fit;  /**< options of the candidate's training, with defaults filled in */
    int64_t                        candidate; /**< number of the candidate, from 0 */
    int64_t                        rung;      /**< round of trainings, from 0 */
    int64_t                        epochs;    /**< epochs of the candidate's training so far; 0: the candidate
                                                   is only a linear part, or not trained yet */
    int64_t members; /**< 1: the trial is of a single candidate; above 1: of the mean of so many candidates,
                          and `candidate` is the first */
    double  seconds; /**< seconds spent on the candidate so far */
    double  loss;    /**< loss on the validation rows; infinite: the training failed */
    double  gain;    /**< loss of the best linear part minus `loss`; NaN: there is no linear part */
    double  error;   /**< standard error of `gain` */
    double  least;   /**< loss of the best candidate so far */
    int32_t best;    /**< 1: this is the best candidate so far */
    int32_t cut;     /**< 1: the budget, or the host, ended the training of this rung early */
} fgt_search_trial;

/** A function of the host that gets each trial. It returns FGT_OK to go on, another status to end the search
 *  with the best candidate so far. */
typedef fgt_status (*fgt_search_trial_fn)(void *user, const fgt_search_trial *trial);

typedef struct fgt_search_opts {
    size_t                         size;
    const fgt_forecaster_opts     *forecaster; /**< options of all candidates; NULL: defaults */
    const fgt_forecaster_fit_opts *fit;   /**< options of all trainings; NULL: defaults. `epochs` is the most
                                               epochs of one candidate; 0: any number. `progress` is called in
                                               each training, and may end the search. Selector, checkpoint,
                                               resume, moments and collective must not be set */
    fgt_search_trial_fn            trial; /**< NULL: none */
    void                          *user;  /**< of trial */
    double  seconds; /**< budget; 0: 120, or no limit if `epochs` is given; negative: no training */
    int64_t epochs;  /**< budget: epochs of all candidates together; 0: no limit */
    int32_t fixed;   /**< an fgt_search_part, or a sum of several: options that the search must not change,
                          even if they are 0 */
    int32_t reserved;
} fgt_search_opts;

typedef struct fgt_search_report {
    size_t  size;
    int64_t candidates;  /**< number of candidates tried */
    int64_t trials;      /**< number of trials, as fgt_search_opts.trial counts them */
    int64_t best;        /**< number of the candidate that is the result */
    int64_t best_epochs; /**< number of epochs of this candidate's training */
    int64_t members;     /**< 1: the result is a single candidate; above 1: the result is the mean of so many
                              candidates, and `best` is the first */
    int64_t epochs;      /**< of all candidates */
    int64_t samples;     /**< windows that went through the backward pass */
    double  loss;        /**< loss of the result on the validation rows */
    double  linear_loss; /**< loss of the best linear part; NaN: there is no linear part */
    double  seconds;
    int32_t cancelled; /**< 1: a callback ended the search */
    int32_t exhausted; /**< 1: the budget ended the search */
} fgt_search_report;

/** Tries candidates and makes the forecaster that is most surely good on the validation rows. The steps are:
 *    1. Linear parts are measured, with 1, 1/2 and 2 times the default look-back (input_len), and also
 *       without the calendar if there is one by default. The best one is the first, unless another is better
 *       by more than two standard errors (see below). The other candidates use look-back and calendar of the
 *       best one.
 *    2. The first rung: candidates with layers, in a fixed order. They differ from the default in block,
 *       tokens, look-back, size, dropout, loss, learning rate, averaging, patches or normalisation. Each is
 *       trained for one epoch. The number of candidates is such that there is time left for the next rungs,
 *       if each rung takes as long as this one.
 *    3. The next rungs, by successive halving: the better half of the candidates is trained for two more
 *       epochs, the better half of these candidates for four, and so on. The last candidate is trained until
 *       a rung brings no gain. Within each rung the learning rate falls to 0, and it starts anew in the next
 *       rung. If there is time left, further candidates follow.
 *    4. The means of the best 2, 3 and 4 candidates with the same look-back are measured, see
 *       fgt_forecaster_create_mean().
 *  The search does not change options of `forecaster` and `fit` other than 0, and the options in `fixed`. The
 *  result may be only a linear part, unless `fixed` or `forecaster` name another block.
 *
 *  The gain of layers is the loss of the best linear part minus the loss with the layers. Its standard error
 *  comes from blocks of windows. The result is the candidate for which the gain minus two standard errors is
 *  largest. If this difference is not above 0 for any candidate, the result is the best linear part, because
 *  smaller gains are probably chance. With fewer than 4 validation windows no gain is sure: the result is the
 *  first candidate that is allowed as a result, either a linear part, or layers that are not trained yet and
 *  add nothing to a linear part. Without a linear part the result is the candidate with the least loss.
 *
 *  An epoch has at most 65536 / C windows, or 1024 if that is more, drawn at random for each epoch. With
 *  `thin` of `fit` above 1 an epoch has 1 / thin of all windows.
 *  All candidates are compared on the same values of the same validation rows: by MSE, by the mean pinball
 *  loss if there are quantiles, or by the loss of `fit` if that is not 0. A candidate that became worse gets
 *  its earlier weights back. So on these rows the result is never worse than the first linear part. On other
 *  rows the error of the result will be higher, because the result was chosen by its error on these rows.
 *
 *  The budget is checked after each step. A training that would exceed the budget ends, and its finished
 *  epochs count. The means are measured even after that. Linear parts take up to a quarter of the seconds,
 *  but the first one is always made. If there is no linear part (see fgt_forecaster_create()), the first
 *  candidate is trained for one epoch with any budget.
 *  With only a budget of epochs the result depends on seed, data and options, not on machine and threads.
 *  With a budget of seconds it also depends on which epochs end in time; the same epochs give the same bits.
 *  Source   successive halving: Jamieson and Talwalkar 2016; restarts of the learning rate: Loshchilov and
 *           Hutter 2017; simpler models within some standard errors: Breiman, Friedman, Olshen and Stone 1984
 *  Units    losses in standard deviations of the training rows; MSE in their squares
 *  Cost     the time is the budget. Memory: one candidate, or the candidates of a mean; the other candidates
 *           in the form of files of fgt_forecaster_save(); and up to six linear parts in double
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
