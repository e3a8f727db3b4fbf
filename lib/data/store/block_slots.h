/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_BLOCK_SLOTS_H
#define FGTI_BLOCK_SLOTS_H

/* Keeps track of which blocks of a file are in memory: the most recently used ones. The memory itself belongs
 * to the caller. */

#include <stdbool.h>

#include "core/alloc.h"

/* A slot. The slots form a ring in the order of their last use, so calls are fast with any number of
 * slots. */
typedef struct fgti_block_slot {
    int64_t block;        /* number of the block; -1: the slot is empty */
    int64_t older, newer; /* numbers of slots in the ring; the newest slot comes before the oldest */
} fgti_block_slot;

typedef struct fgti_slots {
    int64_t    count, oldest;
    fgti_block_slot *slot;  /* [count] */
    int64_t         *place; /* [blocks]: the slot of each block; -1: the block is not in memory */
} fgti_slots;

/* Makes empty slots. Call fgti_slots_done() even after an error. */
fgt_status fgti_slots_init(fgt_context *ctx, int64_t count, int64_t blocks, fgti_slots *s);
void       fgti_slots_done(fgt_context *ctx, fgti_slots *s);
/* Returns the slot of a block. *there: the block is in memory. Otherwise the slot is the least recently used
 * one, which is now empty. Read the block into it, then call fgti_slots_fill(). */
int64_t fgti_slots_take(fgti_slots *s, int64_t block, bool *there);
void    fgti_slots_fill(fgti_slots *s, int64_t slot, int64_t block);

#endif
