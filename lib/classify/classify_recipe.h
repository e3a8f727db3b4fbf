/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CLASSIFY_RECIPE_H
#define FGTI_CLASSIFY_RECIPE_H

#include "classify/classifier_impl.h"

/* Checks the options of a classifier of texts and fills in the defaults. */
fgt_status fgti_classify_check(fgti_error *err, int64_t classes, fgt_classifier_opts *o);
/* fgt_classifier_choose_vocab() in any context, not only in the context of the corpus. */
fgt_status fgti_classify_vocab(fgt_context *ctx, const fgt_corpus *texts, int32_t block, fgt_vocab_opts *o);
/* Makes the model: ids [B,T] -> [B,classes]. */
fgt_status fgti_classify_build(fgt_context *ctx, const fgt_classifier_opts *o, const fgt_vocab *vocab,
                               int64_t classes, fgt_model **model);

#endif
