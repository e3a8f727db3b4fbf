/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_STORE_CACHE_H
#define FGTI_STORE_CACHE_H

/* Blocks of a table file in memory, those that were used last. A slot holds the rows of a block as windows
 * want them, [rows,count]. */

#include "data/store/store.h"

typedef struct fgti_cache fgti_cache;

typedef struct fgti_cache_opts {
    int64_t        count;
    const int64_t *columns;      /* [count] */
    const double  *mean, *scale; /* [count]: rows are (v - mean) / scale; NULL: v as it is */
    int64_t        bytes;        /* that it may take; it has two slots at least */
    int64_t        beside;       /* bytes for each row that the caller keeps, which are a part of those */
} fgti_cache_opts;

/* The store is borrowed. */
fgt_status fgti_cache_new(fgt_context *ctx, fgti_store *store, const fgti_cache_opts *opts, fgti_cache **out);
void       fgti_cache_done(fgti_cache **cache);
/* Rows begin .. begin+count-1, [count,columns]. FGT_E_IO, FGT_E_FORMAT damaged. */
fgt_status fgti_cache_get(fgti_cache *cache, int64_t begin, int64_t count, float *out);
/* The same without a copy, where the rows are in one block: *rows is valid until the next call. Others are
 * copied to spare. */
fgt_status fgti_cache_see(fgti_cache *cache, int64_t begin, int64_t count, float *spare, const float **rows);
/* Which slot has the block of a row, from 0: the block is read if it is in none. */
fgt_status fgti_cache_find(fgti_cache *cache, int64_t row, int64_t *slot);
int64_t    fgti_cache_slots(const fgti_cache *cache);

#endif
