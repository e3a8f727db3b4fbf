/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VOCAB_H
#define FGTI_VOCAB_H

#include <fighter/text.h>

#include "core/opts.h"
#include "data/words.h"
#include "text/tokens.h"

struct fgt_vocab {
    fgt_context   *ctx;
    fgt_vocab_opts opts;  /* defaults filled in */
    fgti_words     words; /* id FGTI_ID_WORDS + i */
};

#define FGTI_ID_WORDS 2 /* the first word's id */

/* ---- encoding of one text ---- */

typedef struct fgti_encoder {
    fgt_context     *ctx; /* for memory and sentences; not always the vocabulary's */
    const fgt_vocab *vocab;
    fgti_tokens      tokens;
    fgti_bytes       clean; /* the text, with invalid UTF-8 replaced */
    int32_t         *ids;   /* [capacity], of the last text */
    int64_t          capacity;
    int64_t          replaced; /* number of U+FFFD in all texts so far */
} fgti_encoder;

/* fgti_encoder_done() must be called even after an error. */
fgt_status fgti_encoder_init(fgt_context *ctx, const fgt_vocab *vocab, int64_t capacity, fgti_encoder *e);
/* *count ids of a text, at most e->capacity. */
fgt_status fgti_encoder_read(fgti_encoder *e, const char *text, int64_t size, int64_t *count);
void       fgti_encoder_done(fgti_encoder *e);

/* fgt_vocab_encode() of texts one after another, with an encoder that stays; T is at most its capacity. */
fgt_status fgti_encoder_put(fgti_encoder *e, const char *const *texts, int64_t n, const fgt_view *ids,
                            const fgt_view *padding);
/* Whether these are n texts; what fgt_vocab_encode() asks first. */
fgt_status fgti_texts_check(fgti_error *err, const char *const *texts, int64_t n);

/* fgt_encoding_create(), with so many bytes for texts that stay on disk; 0: few, for samples in their
 * order. */
fgt_status fgti_encoding_new(const fgt_vocab *vocab, const fgt_corpus *corpus, int64_t tokens, int64_t bytes,
                             fgt_encoding **encoding);
/* Of all samples: their ids and classes. */
uint64_t fgti_encoding_hash(const fgt_encoding *encoding);

/* ---- in model files ----
 * A vocabulary is stored as its options, which config.h writes as text by this table, and its words in the
 * order of their ids, each followed by a NUL: a tensor of type U8 and shape [size]. */

extern const fgti_opt fgti_vocab_opts[];

/* The words; borrowed from the vocabulary. */
const char *fgti_vocab_bytes(const fgt_vocab *vocab, int64_t *size);
/* Makes a vocabulary from its options and words. FGT_E_FORMAT: the bytes are not such a list, or a word
 * occurs twice; other errors as fgt_vocab_create(). *vocab is NULL on error. */
fgt_status fgti_vocab_restore(fgt_context *ctx, const fgt_vocab_opts *opts, const char *bytes, int64_t size,
                              fgt_vocab **vocab);

#endif
