/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CLASSIFY_PRETRAIN_H
#define FGTI_CLASSIFY_PRETRAIN_H

#include "classify/classifier_impl.h"

/* Trains the first embeddings on the corpus. Set everything else of the classifier before. */
fgt_status fgti_classify_pretrain(fgt_classifier *c, const fgt_classifier_opts *o, const fgt_corpus *corpus);

#endif
