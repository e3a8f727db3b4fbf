/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MASKED_TEXTS_H
#define FGTI_MASKED_TEXTS_H

/* Texts with hidden words, as an fgt_source: ids [n,T], in which the hidden words are replaced, and the
 * classes [n,M], which are the numbers of these words. M places suffice for any text; those that a shorter
 * one does not need have no class. */

#include "classify/classifier.h"

/* Name of the value that says where they are. */
#define FGTI_PLACES "masked.places" /* [B,M] */

typedef struct fgti_masked_texts {
    const fgt_classifier *c;
    fgt_encoding         *encoding;
    int64_t               words, places; /* that may be hidden: the most frequent ones; M */
    double                share;
    uint64_t              seed;
    int64_t               epoch; /* of training; 0: validation */
    int64_t              *order, *candidate; /* [T]: room for a draw */
    int64_t              *place; /* [batch,M]: of the last batch */
} fgti_masked_texts;

/* Of a *t whose first members up to `seed`, except encoding, are set. bytes: as for
 * fgti_classify_feed_init(). Call fgti_masked_texts_done() even after an error. */
fgt_status fgti_masked_texts_init(fgti_masked_texts *t, const fgt_corpus *corpus, int64_t bytes,
                                  fgt_source *source);
void       fgti_masked_texts_done(fgti_masked_texts *t);

#endif
