/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_STORE_CACHE_H
#define FGTI_STORE_CACHE_H

/* The most recently used blocks of a table file in memory. A slot holds the rows of a block in the layout of
 * windows, [rows,count]. */

#include "data/store/store.h"

typedef struct fgti_cache fgti_cache;

typedef struct fgti_cache_opts {
    int64_t        count;
    const int64_t *columns;      /* [count] */
    const double  *mean, *scale; /* [count]: rows are (v - mean) / scale; NULL: v */
    int64_t        bytes;        /* most memory; two slots are always taken */
    int64_t        beside;       /* bytes for each row that the caller keeps, included in `bytes` */
} fgti_cache_opts;

/* The store is borrowed. */
fgt_status fgti_cache_new(fgt_context *ctx, fgti_store *store, const fgti_cache_opts *opts, fgti_cache **out);
void       fgti_cache_done(fgti_cache **cache);
/* Rows begin .. begin+count-1, [count,columns]. FGT_E_IO, FGT_E_FORMAT damaged. */
fgt_status fgti_cache_get(fgti_cache *cache, int64_t begin, int64_t count, float *out);
/* Gives rows begin .. begin+count-1 without a copy if they are in one block: *rows is valid until the next
 * call. Otherwise the rows are copied to spare. */
fgt_status fgti_cache_see(fgti_cache *cache, int64_t begin, int64_t count, float *spare, const float **rows);
/* The number of the slot with the block of a row, from 0. If the block is not in memory, it is read. */
fgt_status fgti_cache_find(fgti_cache *cache, int64_t row, int64_t *slot);
int64_t    fgti_cache_slots(const fgti_cache *cache);

#endif
