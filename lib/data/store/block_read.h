/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_BLOCK_READ_H
#define FGTI_BLOCK_READ_H

/* Reads files of rows. */

#include "data/store/block_index.h"

typedef struct fgti_block_file {
    fgt_context     *ctx;
    char            *path;
    int              fd;
    uint64_t         hash; /* hash of the index; the index contains the hashes of all data */
    fgti_block_index index;
    int64_t          longest;   /* bytes of the longest block */
    int64_t          most_rows; /* most rows that a block has */
    int64_t          resident;  /* bytes of rows that the caller allows the file to keep in memory */
} fgti_block_file;

/* Reads the index, and checks that it is consistent and fits the file. kind: the kind of file for error
 * texts, such as "table file". Call fgti_block_file_close() even after an error. FGT_E_IO; FGT_E_FORMAT:
 * another kind of file, or cut off, or damaged. */
fgt_status fgti_block_file_open(fgt_context *ctx, const char *path, const char *mark, const char *kind,
                                fgti_block_file *f);
void       fgti_block_file_close(fgti_block_file *f);
/* Whether the file at `path` begins with the mark. */
bool fgti_block_file_is(const char *path, const char *mark);
/* Fails with "path: damaged: WHAT". */
fgt_status fgti_block_file_damaged(const fgti_block_file *f, const char *what);
/* Fails because the rows of a block differ from those written. column: the column's name; NULL: all
 * columns. */
fgt_status fgti_block_file_refuse(const fgti_block_file *f, int64_t block, const char *column);
/* Number of bytes of a chunk. */
static inline int64_t fgti_block_file_bytes(const fgti_block_file *f, int64_t block, int64_t column)
{
    const fgti_chunk *c = &f->index.chunk[block * f->index.columns + column];
    return c[1].begin - c->begin;
}
static inline int64_t fgti_block_file_rows(const fgti_block_file *f, int64_t block)
{
    return f->index.row[block + 1] - f->index.row[block];
}
/* Reads a chunk. Its words get the byte order of this machine. *good: the hash shows that the chunk is as it
 * was written, the floats fit their moments, and the ends of bytes rise up to the number of bytes. FGT_E_IO;
 * FGT_E_FORMAT if the file has become shorter. */
fgt_status fgti_block_file_read(const fgti_block_file *f, int64_t block, int64_t column, void *out,
                                bool *good);

#endif
