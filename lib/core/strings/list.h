/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LIST_H
#define FGTI_LIST_H

/* Arrays that grow, and lists of strings. */

#include "core/alloc.h"

/* Grows *array, which has `used` elements of `size` bytes, until its *capacity is at least `need` elements.
 * If it must grow, it grows to at least `want` elements. On error everything is as before. */
fgt_status fgti_grow(fgt_context *ctx, const char *what, size_t size, int64_t used, int64_t need,
                     int64_t want, int64_t *capacity, void **array);
/* fgti_grow() without setting the new part to 0. */
fgt_status fgti_grow_dirty(fgt_context *ctx, const char *what, size_t size, int64_t used, int64_t need,
                           int64_t want, int64_t *capacity, void **array);

typedef struct fgti_strings {
    int64_t  count, capacity;
    int64_t *begin; /* [capacity]: where a string begins in bytes */
    int64_t  used, bytes_capacity;
    char    *bytes; /* each string with its NUL */
} fgti_strings;

fgt_status fgti_strings_add(fgt_context *ctx, fgti_strings *list, const char *s, int64_t size);
/* Adds all strings of another list. */
fgt_status fgti_strings_append(fgt_context *ctx, fgti_strings *list, const fgti_strings *more);
/* Adds the number i. */
fgt_status  fgti_strings_add_number(fgt_context *ctx, fgti_strings *list, int64_t i);
const char *fgti_strings_get(const fgti_strings *list, int64_t i);
/* Size of string i in bytes, without the NUL. */
int64_t fgti_strings_size(const fgti_strings *list, int64_t i);
void    fgti_strings_done(fgt_context *ctx, fgti_strings *list);
/* Finds the first string, from number `first` on, that occurs twice; -1: none. */
fgt_status fgti_strings_find_double(fgt_context *ctx, const fgti_strings *list, int64_t first,
                                    int64_t *found);

/* Shortens the user's text to one line that fits into an error text. */
#define FGTI_SHOW 48
const char *fgti_show(const char *s, char buf[FGTI_SHOW]);

/* Returns the string, shortened as by fgti_show(). Columns of one category have names such as "promo=flyer".
 * If another string of the list begins with "promo=", the result is "promo". */
const char *fgti_strings_show(const fgti_strings *list, int64_t first, int64_t i, char buf[FGTI_SHOW]);
/* Writes the strings from number `first` on as "a, b, c". Columns of one category are written once. The text
 * is cut off at the end of the buffer. */
const char *fgti_strings_list(const fgti_strings *list, int64_t first, char *buf, size_t size);

#endif
