/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_BLOCK_SLOTS_H
#define FGTI_BLOCK_SLOTS_H

/* Tracks which blocks of a file are in memory: the most recently used ones. The caller owns the memory
 * itself. */

#include <stdbool.h>

#include "core/alloc.h"

/* Slots are in a ring, in the order of their last use, so that calls are fast with any number of slots. */
typedef struct fgti_block_slot {
    int64_t block;        /* -1: empty */
    int64_t older, newer; /* slots; the newest is before the oldest */
} fgti_block_slot;

typedef struct fgti_slots {
    int64_t    count, oldest;
    fgti_block_slot *slot;  /* [count] */
    int64_t   *place; /* [blocks]: the slot of each block, -1: not in memory */
} fgti_slots;

/* Call fgti_slots_done() even after an error. */
fgt_status fgti_slots_init(fgt_context *ctx, int64_t count, int64_t blocks, fgti_slots *s);
void       fgti_slots_done(fgt_context *ctx, fgti_slots *s);
/* Returns the slot of a block. *there false: the block is not in memory; the slot is the least recently used
 * one, and is now empty. After reading the block into it call fgti_slots_fill(). */
int64_t fgti_slots_take(fgti_slots *s, int64_t block, bool *there);
void    fgti_slots_fill(fgti_slots *s, int64_t slot, int64_t block);

#endif
