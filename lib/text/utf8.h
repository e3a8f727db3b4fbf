/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_UTF8_H
#define FGTI_UTF8_H

/* UTF-8 that may be invalid. */

#include "core/alloc.h"

/* An array of bytes that grows. To use it again for the next text, set `used` to 0. */
typedef struct fgti_bytes {
    char   *s;
    int64_t used, capacity;
} fgti_bytes;

fgt_status fgti_bytes_add(fgt_context *ctx, fgti_bytes *b, const char *s, int64_t n);
void       fgti_bytes_done(fgt_context *ctx, fgti_bytes *b);

/* Size of the character at p in bytes; `left` >= 1 bytes can be read. If there is no valid character, *valid
 * becomes false, and the result is the number of bytes that one U+FFFD replaces. */
int64_t fgti_utf8_next(const char *p, int64_t left, bool *valid);

/* Whether s is valid UTF-8 without a NUL. */
bool fgti_utf8_is_text(const char *s, int64_t size);

/* Adds a text to b, with U+FFFD in place of invalid UTF-8; *replaced grows by the number of them. */
fgt_status fgti_utf8_add(fgt_context *ctx, fgti_bytes *b, const char *s, int64_t n, int64_t *replaced);

#endif
