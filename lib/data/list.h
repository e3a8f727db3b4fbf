/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LIST_H
#define FGTI_LIST_H

/* Arrays that grow, and lists of strings in one. */

#include "core/alloc.h"

/* Makes room for `need` elements of `size` bytes in *array, which has room for *room and holds `used`.
 * When it has to grow it gets `want` at once, if that is more. On error everything is as before. */
fgt_status fgti_grow(fgt_context *ctx, const char *what, size_t size, int64_t used, int64_t need,
                     int64_t want, int64_t *room, void **array);

typedef struct fgti_texts {
    int64_t  count, room;
    int64_t *begin; /* [room]: where a string begins in bytes */
    int64_t  used, bytes_room;
    char    *bytes; /* each string with its NUL */
} fgti_texts;

fgt_status  fgti_texts_add(fgt_context *ctx, fgti_texts *texts, const char *s, int64_t size);
/* Adds the number i. */
fgt_status  fgti_texts_add_number(fgt_context *ctx, fgti_texts *texts, int64_t i);
const char *fgti_texts_get(const fgti_texts *texts, int64_t i);
/* Its bytes, the NUL not counted. */
int64_t     fgti_texts_size(const fgti_texts *texts, int64_t i);
void        fgti_texts_done(fgt_context *ctx, fgti_texts *texts);
/* The first string that stands there twice, from number `first` on; -1 if none does. */
fgt_status  fgti_texts_find_double(fgt_context *ctx, const fgti_texts *texts, int64_t first, int64_t *found);

/* A piece of the user's text fit for a message: short, on one line. */
#define FGTI_SHOW 48
const char *fgti_show(const char *s, char buf[FGTI_SHOW]);

#endif
