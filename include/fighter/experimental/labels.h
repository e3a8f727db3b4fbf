/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_LABELS_H
#define FIGHTER_EXPERIMENTAL_LABELS_H

/** @file labels.h
 *  Classifiers of texts that may have several labels, or none.
 *
 *      const fgt_corpus_opts lines = {.size = sizeof lines, .form = FGT_CORPUS_FORM_LABELS};
 *      fgt_corpus_load(ctx, "train.txt", &lines, &train);
 *      fgt_classifier_create_labels(ctx, train, NULL, &classifier);
 *      fgt_classifier_fit(classifier, FGT_TEXTS(train), NULL, NULL, NULL);
 *      fgt_classifier_predict(classifier, &rows, probability, NULL);
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/classify.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Makes a classifier as fgt_classifier_create() does, but each label is a decision of its own (one-vs-all).
 *  Its classes are the labels: the class of a text is a list of labels with blanks between them, such as "x
 *  y", as fgt_corpus_load() reads it in the form FGT_CORPUS_FORM_LABELS.
 *
 *  The probability of a label is the logistic function of its logit, so the probabilities of a text do not
 *  sum to 1. fgt_classifier_fit() minimises the binary cross entropy, the mean over all labels; it does not
 *  use label_smoothing and balance. fgt_classifier_evaluate() returns FGT_E_UNSUPPORTED. The defaults of
 *  dropout and lr are for texts with one label: fighter-text has a dropout of 0.3, a rate of 0.01 and no
 *  validation, because the loss on validation rises before the labels are learned.
 *  Source   fastText's loss one-vs-all: Joulin et al. 2017
 *  Owner    everything is copied; *classifier is the caller's, the context must outlive it
 *  Errors   as fgt_classifier_create(); FGT_E_DATA fewer than two labels. On error *classifier is NULL */
FGT_API FGT_MUST fgt_status fgt_classifier_create_labels(fgt_context *ctx, const fgt_corpus *texts,
                                                         const fgt_classifier_opts *opts,
                                                         fgt_classifier           **classifier);

/** Whether fgt_classifier_create_labels() made the classifier.
 *  Errors   none; 0 for NULL
 *  Threads  any */
FGT_API int32_t fgt_classifier_has_labels(const fgt_classifier *classifier);

#ifdef __cplusplus
}
#endif

#endif
