/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_SMALL_H
#define FIGHTER_EXPERIMENTAL_SMALL_H

/** @file small.h
 *  Small files of classifiers of texts.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/classify.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Writes a classifier of texts to a small file: weights are rounded to bf16, which takes half of the bytes,
 *  and the vocabulary has only its `words` most frequent words, n-grams and runs of letters (the rows that
 *  hashed ones share stay). fgt_classifier_load() makes a whole classifier of the file. If words were left
 *  out, it becomes more accurate again by another epoch of fgt_classifier_fit(); then write it by this
 *  function again.
 *  Shapes   words: at least 1; 0, or more than the vocabulary has: all words
 *  Owner    to: borrowed for the call
 *  Errors   as fgt_classifier_save(); FGT_E_ARG words < 0; FGT_E_UNSUPPORTED a classifier of images, or of
 *           several members; FGT_E_STATE an adapter is active: merge it first */
FGT_API FGT_MUST fgt_status fgt_classifier_save_small(const fgt_classifier *classifier, int64_t words,
                                                      const fgt_output *to);

#ifdef __cplusplus
}
#endif

#endif
