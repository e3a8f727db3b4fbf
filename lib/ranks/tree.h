/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TREE_H
#define FGTI_TREE_H

/* The binary tree along which shards are summed. There are 2^k shards. A node of level l is the sum of 2^l
 * consecutive shards; the first of them has a multiple of 2^l as its number. The node is computed as the sum
 * of its two halves. The pieces of a range of shards are the largest nodes inside the range. */

#include "core/vec/vec.h"

/* Most pieces of a range: at most two of each level. */
#define FGTI_PIECES_MAX 64

/* Finds the pieces of the shards first .. end-1, in order: piece[i] is the first shard of piece i. Returns
 * the number of pieces. */
int32_t fgti_tree_pieces(int64_t first, int64_t end, int64_t piece[FGTI_PIECES_MAX]);

/* A sum over the shards of a piece that begins with `shard`. */
typedef struct fgti_term {
    int64_t    shard;
    fgti_real *value;
} fgti_term;

/* Returns the sum of the terms, n elements each, along the tree over the shards first .. end-1. Terms are in
 * ascending order of shards, and at least one is given. A piece without a term is left out. The sum
 * overwrites the value of one of the terms. */
fgti_real *fgti_tree_sum(const fgti_vec *vec, const fgti_term *term, int64_t terms, int64_t first,
                         int64_t end, int64_t n);

#endif
