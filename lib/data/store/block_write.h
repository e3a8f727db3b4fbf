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
    uint64_t         hash, bytes; /* of the index so far */
    fgti_block_index index;       /* of the blocks that are written, and of the rows of the next one */
    int64_t          row_room, chunk_room, moments_room;
    int64_t          room, filled; /* rows of the block that is being filled */
    void            *words;        /* [columns,room]: float or uint32_t */
    char            *text;         /* [used]: the bytes of the column of bytes */
    int64_t          used, text_room;
} fgti_block_writer;

/* room: most rows of a block. At most one column has bytes. The mark is borrowed. Call
 * fgti_block_writer_abandon() even after an error. */
fgt_status fgti_block_writer_begin(fgt_context *ctx, const char *path, const char *mark, const uint8_t *type,
                                   int64_t columns, int64_t room, fgti_block_writer *w);
/* Writes the rows that were filled in, at least one, as a block. */
fgt_status fgti_block_writer_flush(fgti_block_writer *w);
/* Writes the last block and the index, and gives the file its name. */
fgt_status fgti_block_writer_end(fgti_block_writer *w, const int64_t *number, int64_t numbers,
                                 const fgti_strings *const *names, int64_t lists);
/* Frees the writer. Unless the file is finished, an old file of this name is unchanged. */
void fgti_block_writer_abandon(fgti_block_writer *w);

/* Moments of n values. */
void fgti_chunk_measure(const float *value, int64_t n, fgti_chunk_moments *m);
/* Adds b's moments to a's. */
void fgti_chunk_merge(fgti_chunk_moments *a, const fgti_chunk_moments *b);
/* The hash of more bytes; it reads four bytes at a time. */
uint64_t fgti_block_hash(uint64_t hash, const void *bytes, int64_t size);

#endif
