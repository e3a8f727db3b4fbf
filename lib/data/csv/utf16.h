/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_UTF16_H
#define FGTI_UTF16_H

/* Converts UTF-16 to UTF-8, block by block. */

#include <stdbool.h>

#include "core/alloc.h"

typedef struct fgti_utf16 {
    bool     big;      /* the more significant byte comes first */
    bool     half;     /* the last block ended after the first byte of a unit */
    uint8_t  byte;     /* that byte */
    uint32_t high;     /* the first unit of a pair whose second one is missing yet; 0: no open pair */
    char    *text;     /* of the block */
    int64_t  capacity; /* bytes */
} fgti_utf16;

/* Decodes the next bytes; size 0: the text has ended. *begin .. *end are in u->text until the next call.
 * *good is false if half of a pair has no other half. */
fgt_status fgti_utf16_decode(fgt_context *ctx, fgti_utf16 *u, const char *bytes, size_t size,
                             const char **begin, const char **end, bool *good);
/* Takes the handle's address, nulls it, accepts NULL. */
void fgti_utf16_done(fgt_context *ctx, fgti_utf16 **u);

#endif
