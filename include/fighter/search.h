/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_SEARCH_H
#define FIGHTER_SEARCH_H

/** @file search.h The search for a forecaster: many are tried on the validation rows, and the best one stays.
 *
 *      fgt_forecaster_opts common = {.size = sizeof common, .pred_len = 96};
 *      fgt_search_opts     search = {.size = sizeof search, .forecaster = &common, .seconds = 300};
 *      fgt_forecaster_search(ctx, &search, table, &split, &forecaster, NULL);
 *      fgt_forecaster_save(forecaster, "best.safetensors");
 *
 *  Unless a function says otherwise: no shapes, no units; pointers are borrowed for the call; only functions
 *  that return an fgt_status can fail; one thread at a time may use a context and what was made from it; the
 *  function is available since 0.1. */

#include <fighter/forecast.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Parts of a candidate of which 0 says something, so that a search has to be told to leave them alone. They
 *  may be added up. */
typedef enum fgt_search_part {
    FGT_SEARCH_BLOCK    = 1, /**< `block` */
    FGT_SEARCH_TOKENS   = 2, /**< `tokens` */
    FGT_SEARCH_CALENDAR = 4, /**< `calendar` */
    FGT_SEARCH_REVIN    = 8, /**< `revin` */
    FGT_SEARCH_LOSS     = 16 /**< `loss` */
} fgt_search_part;

/** Report of a search on one training of one candidate, or of the measurement of one in closed form. */
typedef struct fgt_trial {
    size_t                         size;
    const fgt_forecaster_opts     *opts; /**< of the candidate, defaults filled in, with the calendar that it
                                              knows. Its pointers are the host's or the library's */
    const fgt_forecaster_fit_opts *fit;  /**< of its training, defaults filled in */
    int64_t                        candidate; /**< its number, from 0 */
    int64_t                        rung;      /**< from 0 */
    int64_t                        epochs;    /**< that it was trained for, in this rung and before; 0: it is
                                                   a linear map in closed form, or was not trained yet */
    int64_t members; /**< 1; more: it is the mean of so many candidates, of which this one is the first */
    double  seconds; /**< that went into it, in this rung and before */
    double  loss;    /**< on the validation rows; infinite: its training failed */
    double  gain;    /**< what `loss` is lower by than that of the best linear map in closed form; NaN: there
                          is none */
    double  error;   /**< standard error of `gain` */
    double  least;   /**< loss of the best candidate so far */
    int32_t best;    /**< 1: it is the best candidate so far */
    int32_t cut;     /**< 1: the budget, or the host, ended its rung before the end */
} fgt_trial;

/** Return 0 to go on, anything else to end the search with the best candidate so far. */
typedef int (*fgt_trial_fn)(void *user, const fgt_trial *trial);

typedef struct fgt_search_opts {
    size_t                         size;
    const fgt_forecaster_opts     *forecaster; /**< what all candidates have in common; NULL: nothing */
    const fgt_forecaster_fit_opts *fit; /**< the same of their training; NULL: nothing. `epochs` is the most
                                             that one candidate gets, 0: any number. `progress` is called for
                                             each training, and may end the search. No selector, checkpoint,
                                             resume, moments and collective */
    fgt_trial_fn trial;   /**< NULL: none */
    void        *user;    /**< of trial */
    double       seconds; /**< to be spent; 0: 120, or any number where `epochs` is given; negative: none, so
                               that the result is not trained */
    int64_t      epochs;  /**< of training to be spent, of all candidates together; 0: any number */
    int32_t      fixed;   /**< an fgt_search_part, or a sum of them: these stay, even if they are 0 */
    int32_t      reserved;
} fgt_search_opts;

typedef struct fgt_search_report {
    size_t  size;
    int64_t candidates;  /**< that were tried */
    int64_t trials;      /**< calls of fgt_search_opts.trial, also without one */
    int64_t best;        /**< number of the candidate that stayed */
    int64_t best_epochs; /**< that it was trained for */
    int64_t members;     /**< 1; more: the result is a mean of so many candidates, of which `best` is the
                              first */
    int64_t epochs;      /**< of all candidates */
    int64_t samples;     /**< windows that went through the backward pass */
    double  loss;        /**< of the best one on the validation rows */
    double  linear_loss; /**< of the best linear map in closed form; NaN: there is none */
    double  seconds;
    int32_t cancelled;   /**< 1: a callback ended the search */
    int32_t exhausted;   /**< 1: the budget did */
} fgt_search_report;

/** Tries forecasters and gives the one that is most surely good on the validation rows.
 *    1. Linear maps in closed form, with 1, 1/2 and 2 times the default look-back, and without the calendar
 *       where it has one by default. The others have look-back and calendar of the best map: the first one,
 *       unless another is better by more than two standard errors, as below.
 *    2. Candidates with layers, in a fixed order. They differ from the default in block, tokens,
 *       look-back, size, dropout, loss, learning rate, averaging, patches or normalisation. Each is trained
 *       for one epoch. There are as many of them as leave time for the rungs that follow, each of which is
 *       expected to take as long as this one.
 *    3. Successive halving: the better half is trained on for two epochs, the better half of these for four,
 *       and so on. The last one is trained on until a rung brings no gain. Within each rung the learning rate
 *       falls to 0, and it begins anew in the next one. If there is time left, further candidates follow.
 *    4. The means of the best 2, 3 and 4 candidates with the same look-back, see
 *       fgt_forecaster_create_mean().
 *  What `forecaster` and `fit` say stays as it is, numbers other than 0 and the parts in `fixed`, which
 *  narrows the search. The maps in closed form can be the result unless another block is fixed.
 *  The gain of layers is what their loss is lower by than that of the best map. Its standard error comes from
 *  blocks of windows. The layers with the largest gain, less two standard errors, are the result; where this
 *  is not above 0 for any, the best map is. Smaller gains are likely to be chance. With fewer than 4 windows
 *  of validation none is sure: the first candidate that can be the result stays, a map or layers that were
 *  not trained yet, which leave it as it is. Without a map in closed form the result is the candidate with
 *  the least loss.
 *  An epoch has at most 65536 / C windows, or 1024 where that is more, drawn at random for each epoch; with
 *  `thin` of `fit` above 1 it has the share that this says.
 *  All candidates are compared on the same values of the same validation rows: in MSE, with quantiles in the
 *  mean pinball loss, and in the loss of `fit` where that is not 0. A candidate that became worse goes back
 *  to what it was before. So on these rows the result is never worse than the first map. On other rows its
 *  error will be higher, because it was chosen on these.
 *  The budget is looked at after each step. A training that would overrun it ends, and its finished epochs
 *  count. The means are measured afterwards. Maps take up to a quarter of the seconds, but the first one is
 *  always made. Where there can be none (see fgt_forecaster_create()), the first candidate is trained for one
 *  epoch, whatever the budget.
 *  With a budget of epochs alone the result depends on seed, data and options, not on machine and threads.
 *  With one of seconds it depends on which epochs end in time; the same ones give the same bits.
 *  Source   successive halving: Jamieson and Talwalkar 2016; learning rates that begin anew: Loshchilov and
 *           Hutter 2017; simpler ones within some standard errors: Breiman, Friedman,
 *           Olshen and Stone 1984
 *  Units    losses in standard deviations of the training rows, those of MSE in squares of them
 *  Cost     the budget. One candidate is in memory at a time, or those of a mean; the others are files of
 *           fgt_forecaster_save_memory(), beside up to six linear maps in double
 *  Owner    everything is borrowed for the call; *forecaster is the caller's, as if it had been made by
 *           fgt_forecaster_create() and trained by fgt_forecaster_fit(); report (its size set) may be NULL
 *  Errors   as fgt_forecaster_create() and fgt_forecaster_fit(), but a training that ends with
 *           FGT_E_NONFINITE only rules its candidate out, unless all are; FGT_E_ARG also a selector, a
 *           checkpoint, resume, moments or a collective; FGT_E_DATA there are no validation rows;
 *           FGT_E_NOMEM. On error *forecaster is NULL */
FGT_API FGT_MUST fgt_status fgt_forecaster_search(fgt_context *ctx, const fgt_search_opts *opts,
                                                  const fgt_table *table, const fgt_split *split,
                                                  fgt_forecaster **forecaster, fgt_search_report *report);

#ifdef __cplusplus
}
#endif
#endif
