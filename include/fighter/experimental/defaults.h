/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_DEFAULTS_H
#define FIGHTER_EXPERIMENTAL_DEFAULTS_H

/** @file defaults.h
 *  The defaults that the library chooses for forecasters, classifiers and their training, for inspection
 *  before they are used.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/classify.h>
#include <fighter/forecast.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Copies options of a forecaster and fills in the defaults, so that *full makes the same forecaster as *opts
 *  for this table. Columns, graph and calendar are copied as they are.
 *  Owner    opts may be NULL; table may be NULL, for a table without a regular step; the caller sets
 *           full->size; arrays of *full belong to *opts or to the library
 *  Errors   errors of fgt_forecaster_create() that do not depend on the table. Then *full is untouched */
FGT_API FGT_MUST fgt_status fgt_forecaster_opts_init(fgt_context *ctx, const fgt_table *table,
                                                     const fgt_forecaster_opts *opts,
                                                     fgt_forecaster_opts       *full);

/** Copies options of a training and fills in the defaults, so that *full trains as *opts does. windows:
 *  number of windows of the training rows, from fgt_forecaster_count_windows() with `inside`. The default of
 *  `thin` depends on this number.
 *  Owner    opts may be NULL; the caller sets full->size; pointers of *opts are copied
 *  Errors   FGT_E_ARG, FGT_E_VERSION. Then *full is untouched */
FGT_API FGT_MUST fgt_status fgt_forecaster_fit_opts_init(const fgt_forecaster *forecaster, int64_t windows,
                                                         const fgt_forecaster_fit_opts *opts,
                                                         fgt_forecaster_fit_opts       *full);

/** Chooses options of a vocabulary for texts. The vocabulary has the words that occur at least twice. Unless
 *  the block reads its tokens in order, it also has pairs of words: the pairs that occur at least twice or,
 *  in texts of 2^21 words or more, all pairs, hashed to 2^17 buckets. If more than 4 % of the words occur
 *  once, many words of other texts will be unknown, and the vocabulary also has runs of letters (`letters` =
 *  3).
 *  Source   Good 1953, "The population frequencies of species"; letters: Bojanowski et al. 2017
 *  Shapes   block: an fgt_block
 *  Cost     one pass over the texts
 *  Owner    *opts, whose size field is set, is filled
 *  Errors   FGT_E_ARG; FGT_E_VERSION; FGT_E_UNSUPPORTED, FGT_E_IO, FGT_E_FORMAT, FGT_E_NOMEM as
 *           fgt_vocab_create() */
FGT_API FGT_MUST fgt_status fgt_classifier_choose_vocab(const fgt_corpus *texts, int32_t block,
                                                        fgt_vocab_opts *opts);

/** Default number of epochs of a training. For texts it is the number that makes about 750 steps, between 2
 *  and 20; for images it is 30.
 *  Shapes   samples: number of training samples; batch: as in the options, 0: the classifier's batch
 *  Units    epochs
 *  Errors   none; NULL has 0
 *  Threads  any */
FGT_API int64_t fgt_classifier_count_epochs(const fgt_classifier *classifier, int64_t samples, int64_t batch);

#ifdef __cplusplus
}
#endif
#endif
