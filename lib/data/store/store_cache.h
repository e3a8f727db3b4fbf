/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_STORE_CACHE_H
#define FGTI_STORE_CACHE_H

/* Keeps the most recently used blocks of a table file in memory. A slot holds the rows of one block in the
 * layout of windows, [rows,count]. */

#include "data/store/store.h"

typedef struct fgti_cache fgti_cache;

typedef struct fgti_cache_opts {
    int64_t        count;
    const int64_t *columns;      /* [count] */
    const double  *mean, *scale; /* [count]: a value v is given as (v - mean) / scale; NULL: v itself */
    int64_t        bytes;        /* most bytes for the cache; at least two slots are taken in any case */
    int64_t        beside;       /* bytes that the caller keeps for each row; they count as a part of
                                  * `bytes` */
} fgti_cache_opts;

/* Makes a cache. The store is borrowed. */
fgt_status fgti_cache_new(fgt_context *ctx, fgti_store *store, const fgti_cache_opts *opts, fgti_cache **out);
void       fgti_cache_done(fgti_cache **cache);
/* Copies rows begin .. begin+count-1 to out [count,columns]. FGT_E_IO; FGT_E_FORMAT: the file is damaged. */
fgt_status fgti_cache_get(fgti_cache *cache, int64_t begin, int64_t count, float *out);
/* Gives rows begin .. begin+count-1. If they are in one block, *rows points to them without a copy, until the
 * next call. Otherwise the rows are copied to `spare`. */
fgt_status fgti_cache_see(fgti_cache *cache, int64_t begin, int64_t count, float *spare, const float **rows);
/* Finds the slot, counted from 0, with the block of a row. A block that is not in memory is read. */
fgt_status fgti_cache_find(fgti_cache *cache, int64_t row, int64_t *slot);
int64_t    fgti_cache_slots(const fgti_cache *cache);

#endif
