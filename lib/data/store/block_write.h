/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_BLOCK_WRITE_H
#define FGTI_BLOCK_WRITE_H

/* Writes a file of rows block by block. */

#include "core/atomic_file.h"
#include "data/store/block_index.h"

typedef struct fgti_block_writer {
    fgt_context     *ctx;
    fgti_atomic      file;
    const char      *mark;
    uint64_t         hash, bytes; /* hash and number of bytes of the index so far */
    fgti_block_index index;       /* index of the blocks that are written; also counts the rows of the next
                                   * block */
    int64_t          row_room, chunk_room, moments_room;
    int64_t          room, filled; /* room: most rows of the block that is being filled; filled: its rows so
                                    * far */
    void            *words;        /* [columns,room]: float or uint32_t */
    char            *text;         /* [used]: the bytes of the rows in the column of bytes */
    int64_t          used, text_room;
} fgti_block_writer;

/* room: most rows of a block. At most one column may have bytes. `mark` is borrowed. Call
 * fgti_block_writer_abandon() even after an error. */
fgt_status fgti_block_writer_begin(fgt_context *ctx, const char *path, const char *mark, const uint8_t *type,
                                   int64_t columns, int64_t room, fgti_block_writer *w);
/* Writes the rows that were filled in as a block. There must be at least one row. */
fgt_status fgti_block_writer_flush(fgti_block_writer *w);
/* Writes the last block and the index. Then the file gets its name. */
fgt_status fgti_block_writer_end(fgti_block_writer *w, const int64_t *number, int64_t numbers,
                                 const fgti_strings *const *names, int64_t lists);
/* Frees the writer. If the file is not finished, an old file of this name stays unchanged. */
void fgti_block_writer_abandon(fgti_block_writer *w);

/* Moments of n values. */
void fgti_chunk_measure(const float *value, int64_t n, fgti_chunk_moments *m);
/* Adds the moments b to the moments a. */
void fgti_chunk_merge(fgti_chunk_moments *a, const fgti_chunk_moments *b);
/* The hash of further bytes, `hash` being the hash so far. The bytes are read four at a time. */
uint64_t fgti_block_hash(uint64_t hash, const void *bytes, int64_t size);

#endif
