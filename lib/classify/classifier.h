/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CLASSIFIER_H
#define FGTI_CLASSIFIER_H

#include "classify/classifier_impl.h"

/* Copies the names of the classes from the data. */
fgt_status fgti_classifier_set_classes(fgt_classifier *c, const fgt_samples *data);
/* Allocates the memory of predictions. Set the models, the classes and info before. */
fgt_status fgti_classifier_finish(fgt_classifier *c);
/* Allocates memory for the inputs of n samples. fgti_classifier_inputs() is the view of this memory for a
 * pass. */
fgt_status fgti_classifier_new_inputs(const fgt_classifier *c, int64_t n, void **x);
fgt_view   fgti_classifier_inputs(const fgt_classifier *c, void *x, int64_t n);
/* Moves *at to the next label of the list "x y", and returns the label's bytes; 0: no more labels. */
int64_t fgti_label_next(const char **at);
/* Number of ids of a text: T K. */
int64_t fgti_classifier_ids(const fgt_classifier *c);
/* FGT_E_ARG: the classifier takes texts but `images` is true, or the opposite. */
fgt_status fgti_classifier_check(const fgt_classifier *c, fgti_error *err, bool images);

#endif
