/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_WORDS_H
#define FGTI_WORDS_H

/* A set of strings, numbered in the order in which they were added, with a count for each. */

#include "core/keyed_hash.h"
#include "core/strings/list.h"

typedef struct fgti_words {
    fgti_strings  texts;
    int64_t      *count; /* [texts.count] */
    int64_t       count_capacity;
    int32_t      *slot;  /* [slots]: 1 + number of a string; 0: empty. Open addressing, at most half full */
    int64_t       slots; /* a power of two */
    fgti_hash_key key;   /* secret key of the hashes, drawn when the first slots are made */
} fgti_words;

/* Adds a string unless the set has it. *number becomes its number. The caller updates count[*number]. A set
 * has at most 2^30 strings. */
fgt_status fgti_words_add(fgt_context *ctx, fgti_words *words, const char *s, int64_t size, int64_t *number);
/* The number of a string; -1: the set does not have it. */
int64_t fgti_words_find(const fgti_words *words, const char *s, int64_t size);
/* Adds to a list those strings of `more` that the list does not have yet. */
fgt_status fgti_strings_add_new(fgt_context *ctx, fgti_strings *list, const fgti_strings *more);
/* Removes the strings that were added last, so that `count` strings are left. */
void fgti_words_cut(fgti_words *words, int64_t count);
void fgti_words_done(fgt_context *ctx, fgti_words *words);

#endif
