/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CLASSIFY_PREDICT_H
#define FGTI_CLASSIFY_PREDICT_H

#include "classify/classifier_impl.h"

/* Inputs of b samples -> y [b,C], the mean of the members' logits. The softmax of y is the geometric mean of
 * the members' probabilities, scaled to sum 1. `first`: number of the first sample, for the error text.
 * FGT_E_DATA: a logit is not finite. */
fgt_status fgti_classifier_run(fgt_classifier *c, const fgt_view *x, const fgt_view *y, int64_t first);

#endif
