/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_BLOCK_CACHE_H
#define FGTI_BLOCK_CACHE_H

/* Keeps the most recently used blocks of a file in memory. Each block has the layout that its reader
 * wants. */

#include "data/store/block_slots.h"

/* Reads a block of the file into the memory of a slot. */
typedef fgt_status (*fgti_block_load)(void *user, int64_t block, void *to);

typedef struct fgti_block_cache {
    fgt_context    *ctx;
    fgti_block_load load;
    void           *user; /* borrowed */
    fgti_slots      slots;
    int64_t         size;   /* size of a slot, in words of 4 bytes */
    uint32_t       *memory; /* [slots,size] */
} fgti_block_cache;

/* Makes an empty cache. Call fgti_block_cache_done() even after an error. */
fgt_status fgti_block_cache_init(fgt_context *ctx, int64_t slots, int64_t blocks, int64_t size,
                                 fgti_block_load load, void *user, fgti_block_cache *c);
void       fgti_block_cache_done(fgti_block_cache *c);
/* Finds a block. A block that is not in memory is read. *at is valid until the next call. */
fgt_status fgti_block_cache_find(fgti_block_cache *c, int64_t block, int64_t *slot, void **at);

#endif
