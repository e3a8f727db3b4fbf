/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VOCAB_H
#define FGTI_VOCAB_H

#include <fighter/text.h>

#include "core/opts.h"
#include "core/strings/words.h"

struct fgt_vocab {
    fgt_context   *ctx;
    fgt_vocab_opts opts;  /* defaults filled in */
    fgti_words     words; /* the words; word i has the id FGTI_ID_WORDS + i */
};

#define FGTI_ID_WORDS 2 /* the first word's id */

/* The number of words, and the number of ids. */
static inline int64_t fgti_vocab_words(const fgt_vocab *v)
{
    return v->words.texts.count;
}

static inline int64_t fgti_vocab_ids(const fgt_vocab *v)
{
    return FGTI_ID_WORDS + v->words.texts.count + v->opts.buckets + v->opts.letter_buckets;
}

/* Number of ids of a token. */
static inline int64_t fgti_vocab_bag(const fgt_vocab *v)
{
    return v->opts.bag ? v->opts.bag : 1;
}

/* fgt_vocab_create() in any context, not only in the context of the corpus. */
fgt_status fgti_vocab_new(fgt_context *ctx, const fgt_corpus *corpus, const fgt_vocab_opts *opts,
                          fgt_vocab **vocab);

/* Counts the different words of all texts, and how many of them occur once. */
fgt_status fgti_vocab_survey(fgt_context *ctx, const fgt_corpus *corpus, int64_t *words, int64_t *once);

/* ---- in model files ----
 * A model file has the options of a vocabulary as text, which config.h writes by this table. It also has the
 * words in the order of their ids, each with a NUL at its end: a tensor of type U8 and shape [size]. */

extern const fgti_opt fgti_vocab_opts[];

/* The words; borrowed from the vocabulary. */
const char *fgti_vocab_bytes(const fgt_vocab *vocab, int64_t *size);
/* Makes a vocabulary from its options and words. FGT_E_FORMAT: the bytes are not a list of words, or a word
 * occurs twice. Other errors are as in fgt_vocab_create(). *vocab is NULL on error. */
fgt_status fgti_vocab_restore(fgt_context *ctx, const fgt_vocab_opts *opts, const char *bytes, int64_t size,
                              fgt_vocab **vocab);

#endif
