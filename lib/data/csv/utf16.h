/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_UTF16_H
#define FGTI_UTF16_H

/* Converts UTF-16 to UTF-8, block by block. */

#include <stdbool.h>

#include "core/alloc.h"

typedef struct fgti_utf16 {
    bool     big;      /* the more significant byte comes first */
    bool     half;     /* the last block ended after the first byte of a unit */
    uint8_t  byte;     /* the first byte of this unit */
    uint32_t high;     /* the first unit of a pair whose second unit has not come yet; 0: no open pair */
    char    *text;     /* UTF-8 of the block */
    int64_t  capacity; /* bytes that fit into `text` */
} fgti_utf16;

/* Decodes the next bytes; size 0: the text has ended. The result *begin .. *end is in u->text and valid until
 * the next call. *good is false if a half of a pair lacks its other half. */
fgt_status fgti_utf16_decode(fgt_context *ctx, fgti_utf16 *u, const char *bytes, size_t size,
                             const char **begin, const char **end, bool *good);
/* Frees the decoder and sets *u to NULL. *u may be NULL. */
void fgti_utf16_done(fgt_context *ctx, fgti_utf16 **u);

#endif
