/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ENCODER_H
#define FGTI_ENCODER_H

/* Encodes texts, one after another, as ids. */

#include <fighter/text.h>

#include "text/vocab/tokens.h"

typedef struct fgti_encoder {
    fgt_context     *ctx; /* for memory and error texts; it may differ from the vocabulary's context */
    const fgt_vocab *vocab;
    fgti_tokens      tokens;
    fgti_bytes       clean;       /* the text, in which invalid UTF-8 has been replaced */
    int32_t         *ids;         /* [capacity,bag]: ids of the last text; -id belongs to the token of the id
                             * before */
    int64_t          used, heads; /* number of ids and of tokens of the last text */
    int64_t          capacity;    /* most tokens of a text */
    int64_t          replaced; /* number of U+FFFD in all texts so far */
} fgti_encoder;

/* Call fgti_encoder_done() even after an error. */
fgt_status fgti_encoder_init(fgt_context *ctx, const fgt_vocab *vocab, int64_t capacity, fgti_encoder *e);
/* Allocates memory for texts of up to n bytes of valid UTF-8. A few texts need more memory later
 * (tokens.h). */
fgt_status fgti_encoder_reserve(fgti_encoder *e, int64_t n);
/* Encodes a text as at most e->capacity tokens; *count gets the number of ids. */
fgt_status fgti_encoder_read(fgti_encoder *e, const char *text, int64_t size, int64_t *count);
void       fgti_encoder_done(fgti_encoder *e);

/* Does the work of fgt_vocab_encode() with an encoder that is used for many texts. T is at most its
 * capacity. */
fgt_status fgti_encoder_put(fgti_encoder *e, const char *const *texts, int64_t n, const fgt_view *ids,
                            const fgt_view *padding);
/* Checks that `texts` has n texts. fgt_vocab_encode() makes this check first. name: name of the argument n in
 * error texts. */
fgt_status fgti_texts_check(fgti_error *err, const char *name, const char *const *texts, int64_t n);

/* ---- ids of the host ---- */

/* Checks that v has type I64 or I32 and the shape `shape`, in which -1 allows any size. */
fgt_status fgti_ids_check(fgti_error *err, const char *what, const fgt_view *v, int32_t rank,
                          const int64_t *shape);
void       fgti_ids_put(const fgt_view *v, int64_t at, int64_t value);
/* Writes row r of ids [n,T K], where K is the bag, and row r of padding if padding is given. `from` has
 * `count` ids in the form that an encoder writes. */
void fgti_ids_put_row(const fgt_view *ids, const fgt_view *padding, int64_t bag, int64_t r,
                      const int32_t *from, int64_t count);

#endif
