/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MASKED_TEXTS_H
#define FGTI_MASKED_TEXTS_H

/* An fgt_source of texts with hidden words: ids [n,T], in which hidden words are replaced, and the numbers of
 * the hidden words as classes [n,M]. M places are enough for any text. Places that a shorter text does not
 * use have no class. */

#include "classify/classifier_impl.h"

/* Name of the value with the places of the hidden words. */
#define FGTI_PLACES "masked.places" /* [B,M] */

typedef struct fgti_masked_texts {
    const fgt_classifier *c;
    fgt_encoding         *encoding;
    int64_t               words, places; /* number of words that may be hidden, the most frequent ones; M */
    double                share;
    uint64_t              seed;
    int64_t               epoch; /* the training's epoch; 0: validation */
    int64_t              *order, *candidate; /* [T]: working memory of a draw */
    int64_t              *place; /* [batch,M]: the places in the last batch */
} fgti_masked_texts;

/* Before the call set the members of *t from c to seed, except encoding. bytes: memory as in
 * fgti_classify_feed_init(). Call fgti_masked_texts_done() even after an error. */
fgt_status fgti_masked_texts_init(fgti_masked_texts *t, const fgt_corpus *corpus, int64_t bytes,
                                  fgt_source *source);
void       fgti_masked_texts_done(fgti_masked_texts *t);

#endif
