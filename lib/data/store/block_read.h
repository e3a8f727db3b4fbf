/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_BLOCK_READ_H
#define FGTI_BLOCK_READ_H

/* Reads files of rows. */

#include "data/store/block_index.h"

typedef struct fgti_block_file {
    fgt_context     *ctx;
    char            *path;
    int              fd;
    uint64_t         hash; /* of the index, which contains hashes of all data */
    fgti_block_index index;
    int64_t          longest;   /* bytes of the longest block */
    int64_t          most_rows; /* most rows of a block */
    int64_t          resident;  /* bytes of rows that the caller allows in memory */
} fgti_block_file;

/* kind: for errors, such as "table file". Reads the index and checks that it is consistent and fits the file.
 * Call fgti_block_file_close() even after an error. FGT_E_IO; FGT_E_FORMAT: not such a file, cut off,
 * damaged. */
fgt_status fgti_block_file_open(fgt_context *ctx, const char *path, const char *mark, const char *kind,
                                fgti_block_file *f);
void       fgti_block_file_close(fgti_block_file *f);
/* Whether the bytes at `path` begin with the mark. */
bool fgti_block_file_is(const char *path, const char *mark);
/* Fails with "path: damaged: what". */
fgt_status fgti_block_file_damaged(const fgti_block_file *f, const char *what);
/* Fails because rows of a block are not what was written; column: its name, NULL: all columns. */
fgt_status fgti_block_file_refuse(const fgti_block_file *f, int64_t block, const char *column);
/* Bytes of a chunk. */
static inline int64_t fgti_block_file_bytes(const fgti_block_file *f, int64_t block, int64_t column)
{
    const fgti_chunk *c = &f->index.chunk[block * f->index.columns + column];
    return c[1].begin - c->begin;
}
static inline int64_t fgti_block_file_rows(const fgti_block_file *f, int64_t block)
{
    return f->index.row[block + 1] - f->index.row[block];
}
/* Reads a chunk, its words in the byte order of this machine. *good: the chunk is what was written, by its
 * hash; floats fit their moments, and the ends of bytes rise to the number of bytes. FGT_E_IO; FGT_E_FORMAT
 * if the file has become shorter. */
fgt_status fgti_block_file_read(const fgti_block_file *f, int64_t block, int64_t column, void *out,
                                bool *good);

#endif
