/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CLASSIFY_CREATE_H
#define FGTI_CLASSIFY_CREATE_H

#include "classify/classifier_impl.h"

/* Reads the samples that a host passes. Their kind must be the kind of the classifier: texts or images. The
 * argument may be NULL, which stands for no samples. needed: samples must be given. FGT_E_ARG: both texts and
 * images are given. */
fgt_status fgti_samples_check(const fgt_classifier *c, const char *what, bool needed, const fgt_samples *in,
                              fgt_samples *out);
/* Makes an empty classifier with `members` models. The caller fills it, then calls
 * fgti_classifier_finish(). */
fgt_status fgti_classifier_new(fgt_context *ctx, int64_t members, fgt_classifier **out);

#endif
