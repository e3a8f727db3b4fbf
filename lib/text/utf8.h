/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_UTF8_H
#define FGTI_UTF8_H

/* Reads UTF-8 that may be invalid. */

#include "core/alloc.h"

/* A growing array of bytes. Set `used` to 0 to use it for the next text. */
typedef struct fgti_bytes {
    char   *s;
    int64_t used, capacity;
} fgti_bytes;

fgt_status fgti_bytes_add(fgt_context *ctx, fgti_bytes *b, const char *s, int64_t n);
void       fgti_bytes_done(fgt_context *ctx, fgti_bytes *b);

/* Returns the number of bytes of the character at p; `left` >= 1 bytes can be read. If the bytes are no valid
 * character, *valid becomes false, and the result is the number of bytes that one U+FFFD replaces. */
int64_t fgti_utf8_next(const char *p, int64_t left, bool *valid);

/* Whether s is valid UTF-8 without a NUL. */
bool fgti_utf8_is_text(const char *s, int64_t size);

/* Adds a text to b. U+FFFD replaces invalid UTF-8; the number of replacements is added to *replaced. */
fgt_status fgti_utf8_add(fgt_context *ctx, fgti_bytes *b, const char *s, int64_t n, int64_t *replaced);

#endif
