/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_BLOCK_INDEX_H
#define FGTI_BLOCK_INDEX_H

/* Files of rows that stay on disk: tables (data/store/store.h) and texts (text/text_store.h). Their rows lie
 * in blocks, and each block has one chunk for each column. All numbers are little-endian.
 *
 *     mark      8 bytes: the kind of file, and a digit for the form of this kind
 *     blocks    for each column a chunk: one word of 4 bytes for each row of the block, which is a float32, a
 *               number, or the end of the row's bytes; in a column of bytes the bytes of all rows follow
 *     index     u64 columns, blocks, numbers, names
 *               u64 type of each column
 *               for each block: u64 rows, then for each column
 *                   u64 hash of the chunk
 *                   of float32: f64 mean, f64 square, u64 count, f32 least, f32 most
 *                   of bytes: u64 bytes of all rows
 *               i64 numbers, whose meaning depends on the kind of file
 *               names, of which the same is true: each u64 bytes, the bytes
 *     u64 index bytes, u64 hash of the index, the mark
 *
 * The index is at the end because the writer of a stream of rows does not know their number earlier. A file
 * that is cut off has no end mark. The file is read, not mapped, because another process may shorten it. A
 * chunk is compared with its hash when it is read. */

#include <stdbool.h>

#include "core/alloc.h"
#include "core/strings/list.h"

#define FGTI_MARK      8  /* bytes of a mark; the first block begins after it */
#define FGTI_INDEX_END 24 /* bytes that follow the index */

/* Contents of a column. */
enum { FGTI_CELLS_FLOATS, FGTI_CELLS_NUMBERS, FGTI_CELLS_BYTES, FGTI_CELL_TYPES };

/* Moments of the float32 values of a chunk, without the missing values. */
typedef struct fgti_chunk_moments {
    double  mean, square; /* square: sum of (x - mean)^2 */
    int64_t count;
    float   least, most; /* both 0 if there are no values */
} fgti_chunk_moments;

typedef struct fgti_chunk {
    uint64_t hash;
    int64_t  begin; /* bytes of all chunks before this one */
} fgti_chunk;

typedef struct fgti_block_index {
    int64_t             rows, columns, blocks;
    uint8_t            *type;    /* [columns] */
    int64_t            *row;     /* [blocks+1]: the first row of each block; the last element is `rows` */
    fgti_chunk         *chunk;   /* [blocks*columns+1]; the last chunk is empty and begins where all blocks
                                  * end */
    fgti_chunk_moments *moments; /* [blocks,columns]; zeros for columns that are not floats */
    int64_t            *number;  /* [numbers] */
    int64_t             numbers;
    fgti_strings        names;
} fgti_block_index;

static inline uint64_t fgti_get_u64(const unsigned char *p)
{
    uint64_t v = 0;
    for (int i = 7; i >= 0; i--) v = v << 8 | p[i];
    return v;
}

static inline uint32_t fgti_get_u32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline void fgti_put_u32(unsigned char *p, uint32_t v)
{
    for (int i = 0; i < 4; i++) p[i] = (unsigned char)(v >> (8 * i));
}

void fgti_block_index_done(fgt_context *ctx, fgti_block_index *index);

#endif
