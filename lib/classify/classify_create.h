/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CLASSIFY_CREATE_H
#define FGTI_CLASSIFY_CREATE_H

#include "classify/classifier_impl.h"

/* Reads samples of a classifier that a host passes, which must be of its kind; NULL has neither texts nor
 * images. With `needed` they must not be missing. FGT_E_ARG: both texts and images. */
fgt_status fgti_samples_check(const fgt_classifier *c, const char *what, bool needed, const fgt_samples *in,
                              fgt_samples *out);
/* Makes an empty classifier with `members` models. The caller fills it, then calls
 * fgti_classifier_finish(). */
fgt_status fgti_classifier_new(fgt_context *ctx, int64_t members, fgt_classifier **out);

#endif
