/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_UTF8_H
#define FGTI_UTF8_H

/* UTF-8 as it comes from outside. */

#include "core/alloc.h"

/* Bytes that grow. To be used again for the next text, set used to 0. */
typedef struct fgti_bytes {
    char   *s;
    int64_t used, capacity;
} fgti_bytes;

fgt_status fgti_bytes_add(fgt_context *ctx, fgti_bytes *b, const char *s, int64_t n);
void       fgti_bytes_done(fgt_context *ctx, fgti_bytes *b);

/* Bytes of the character at p, of which left >= 1 can be read. *valid is false where there is none: then
 * these are the bytes that one U+FFFD takes the place of. */
int64_t fgti_utf8_next(const char *p, int64_t left, bool *valid);

/* Adds the text to b, U+FFFD in place of what is no UTF-8; *replaced grows by their number. */
fgt_status fgti_utf8_add(fgt_context *ctx, fgti_bytes *b, const char *s, int64_t n, int64_t *replaced);

#endif
