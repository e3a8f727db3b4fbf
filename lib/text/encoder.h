/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ENCODER_H
#define FGTI_ENCODER_H

/* Ids of one text. */

#include <fighter/text.h>

#include "text/tokens.h"

typedef struct fgti_encoder {
    fgt_context     *ctx; /* for memory and sentences; not always the vocabulary's */
    const fgt_vocab *vocab;
    fgti_tokens      tokens;
    fgti_bytes       clean; /* the text, with invalid UTF-8 replaced */
    int32_t         *ids;   /* [capacity,bag], of the last text: -id where it goes on with a token */
    int64_t          used, heads; /* ids of the last text, and tokens */
    int64_t          capacity;    /* tokens */
    int64_t          replaced; /* number of U+FFFD in all texts so far */
} fgti_encoder;

/* fgti_encoder_done() must be called even after an error. */
fgt_status fgti_encoder_init(fgt_context *ctx, const fgt_vocab *vocab, int64_t capacity, fgti_encoder *e);
/* Memory for texts of up to n bytes of valid UTF-8, beforehand; a few need more, see tokens.h. */
fgt_status fgti_encoder_reserve(fgti_encoder *e, int64_t n);
/* *count ids of a text, of at most e->capacity tokens. */
fgt_status fgti_encoder_read(fgti_encoder *e, const char *text, int64_t size, int64_t *count);
void       fgti_encoder_done(fgti_encoder *e);

/* fgt_vocab_encode() of texts one after another, with an encoder that stays; T is at most its capacity. */
fgt_status fgti_encoder_put(fgti_encoder *e, const char *const *texts, int64_t n, const fgt_view *ids,
                            const fgt_view *padding);
/* Whether these are n texts; what fgt_vocab_encode() asks first. */
fgt_status fgti_texts_check(fgti_error *err, const char *const *texts, int64_t n);

/* ---- ids of the host ---- */

/* Checks that v is of I64 or I32 and has this shape, where -1 stands for any size. */
fgt_status fgti_ids_check(fgti_error *err, const char *what, const fgt_view *v, int32_t rank,
                          const int64_t *shape);
void       fgti_ids_put(const fgt_view *v, int64_t at, int64_t value);
/* Writes row r of ids [n,T K], K being the bag, and of padding if there is one. `from` has `count` ids as an
 * encoder makes them. */
void fgti_ids_put_row(const fgt_view *ids, const fgt_view *padding, int64_t bag, int64_t r,
                      const int32_t *from, int64_t count);

#endif
