/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TEXT_CACHE_H
#define FGTI_TEXT_CACHE_H

/* Blocks of a corpus file in memory. */

#include "text/text_store.h"

typedef struct fgti_stored_text {
    const char *s; /* not NUL-terminated */
    int64_t     size;
    int64_t     label; /* -1: without a class */
} fgti_stored_text;

typedef struct fgti_text_cache fgti_text_cache;

/* Returns the number of blocks that fit into `bytes`, where each row takes 8 bytes more than its text; at
 * least 2. */
int64_t fgti_text_store_slots(const fgti_text_store *store, int64_t bytes);
/* The store is borrowed. */
fgt_status fgti_text_cache_new(const fgti_text_store *store, int64_t slots, fgti_text_cache **out);
void       fgti_text_cache_done(fgti_text_cache **cache);
/* Reads a row of the file. *out is valid until the next call. FGT_E_IO; FGT_E_FORMAT: the file is damaged. */
fgt_status fgti_text_cache_get(fgti_text_cache *cache, int64_t row, fgti_stored_text *out);
/* Returns the largest n for which any n consecutive rows lie in `blocks` blocks; at least 1. */
int64_t fgti_text_store_rows_in(const fgti_text_store *store, int64_t blocks);

#endif
