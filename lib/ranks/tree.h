/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TREE_H
#define FGTI_TREE_H

/* The binary tree along which shards are summed. There are 2^k shards. A node of level l is the sum of the
 * 2^l shards from a multiple of 2^l on; it is the sum of its two halves. The pieces of a range of shards are
 * the largest nodes inside it. */

#include "core/vec/vec.h"

/* Pieces of a range: at most two of each level. */
#define FGTI_PIECES_MAX 64

/* The pieces of shards first .. end-1, in order: piece[i] is the first shard of piece i. Returns the number
 * of pieces. */
int32_t fgti_tree_pieces(int64_t first, int64_t end, int64_t piece[FGTI_PIECES_MAX]);

/* A sum over the shards of a piece that begins with `shard`. */
typedef struct fgti_term {
    int64_t    shard;
    fgti_real *value;
} fgti_term;

/* The sum of the terms, n elements each, in ascending order of shards, along the tree over shards first ..
 * end-1; a piece without a term is left out. The sum overwrites one of the values and is returned. There is
 * at least one term. */
fgti_real *fgti_tree_sum(const fgti_vec *vec, const fgti_term *term, int64_t terms, int64_t first,
                         int64_t end, int64_t n);

#endif
