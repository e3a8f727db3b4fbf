/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_WORDS_H
#define FGTI_WORDS_H

/* A set of strings, numbered in the order in which they came, with a count of each. */

#include "data/list.h"

typedef struct fgti_words {
    fgti_texts texts;
    int64_t   *count; /* [texts.count] */
    int64_t    count_room;
    int32_t   *slot;  /* [slots]: number + 1, 0: empty; open addressing, at most half full */
    int64_t    slots; /* a power of two */
} fgti_words;

/* Adds a string unless it is there; *number is its own. The counts are the caller's affair. At most 2^30. */
fgt_status fgti_words_add(fgt_context *ctx, fgti_words *words, const char *s, int64_t size, int64_t *number);
/* Its number; -1: it is not there. */
int64_t fgti_words_find(const fgti_words *words, const char *s, int64_t size);
void    fgti_words_done(fgt_context *ctx, fgti_words *words);

/* Sorts numbers; before(arg, a, b) says that a stands before b and is a total order. Ours, because qsort()
 * of glibc allocates. */
void fgti_sort(int64_t n, int32_t *order, bool (*before)(const void *arg, int32_t a, int32_t b),
               const void *arg);

#endif
