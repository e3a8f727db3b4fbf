/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_BLOCK_FILE_H
#define FGTI_BLOCK_FILE_H

/* Files of blocks that stay on disk: tables (data/store/store.h) and texts (text/text_store.h). All numbers
 * are little-endian.
 *
 *     mark            8 bytes: the kind of file
 *     blocks          contents depend on the kind
 *     index           u64 numbers, and names: each u64 bytes, the bytes
 *     u64 index bytes, u64 hash of the index, the mark
 *
 * The index is at the end because the writer of a stream of rows does not know their number earlier. A file
 * that is cut off has no end mark. The file is read, not mapped, because another process may shorten it. */

#include <stdbool.h>
#include <string.h>

#include "core/alloc.h"
#include "core/atomic_file.h"

#define FGTI_MARK 8 /* bytes of a mark; the first block begins here */

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

/* ---- writing ---- */

typedef struct fgti_block_writer {
    fgti_atomic file; /* blocks are written to it */
    const char *mark;
    uint64_t    hash, bytes; /* of the index so far */
} fgti_block_writer;

/* The mark is borrowed. Call fgti_block_writer_abandon() even after an error. */
fgt_status fgti_block_writer_begin(fgt_context *ctx, const char *path, const char *mark,
                                   fgti_block_writer *w);
/* Add to the index, after the last block. */
fgt_status fgti_index_add(fgti_block_writer *w, uint64_t v);
fgt_status fgti_index_add_name(fgti_block_writer *w, const char *name, int64_t size);
/* Finishes the file and gives it its name. */
fgt_status fgti_block_writer_end(fgti_block_writer *w);
/* Gives up. Unless the file is finished, an old file of this name is unchanged. */
void fgti_block_writer_abandon(fgti_block_writer *w);

/* ---- reading ---- */

typedef struct fgti_block_file {
    fgt_context   *ctx;
    char          *path;
    int            fd;
    int64_t        data;        /* bytes of all blocks */
    uint64_t       hash;        /* of the index, which contains hashes of all data */
    unsigned char *index;       /* valid until fgti_block_file_forget() */
    int64_t        index_bytes;
} fgti_block_file;

/* kind: for errors, such as "table file". The index is read and compared with its hash. Call
 * fgti_block_file_close() even after an error. FGT_E_IO; FGT_E_FORMAT: not such a file, cut off, damaged. */
fgt_status fgti_block_file_open(fgt_context *ctx, const char *path, const char *mark, const char *kind,
                                fgti_block_file *f);
void       fgti_block_file_forget(fgti_block_file *f);
void       fgti_block_file_close(fgti_block_file *f);
/* FGT_E_FORMAT if the file has become shorter. */
fgt_status fgti_block_file_read(const fgti_block_file *f, int64_t offset, int64_t bytes, void *out);
/* Fails with "path: damaged: what". */
fgt_status fgti_block_file_damaged(const fgti_block_file *f, const char *what);
/* Whether the bytes at `path` begin with the mark. */
bool fgti_block_file_is(const char *path, const char *mark);

/* The rest of an index that is being read. */
typedef struct fgti_index {
    const unsigned char *next, *end;
} fgti_index;

/* Returns false if the index ends earlier. */
static inline bool fgti_index_get(fgti_index *x, uint64_t *v)
{
    if (x->end - x->next < 8) return false;
    *v = fgti_get_u64(x->next);
    x->next += 8;
    return true;
}

/* A name has no NUL. */
static inline bool fgti_index_get_name(fgti_index *x, const char **name, int64_t *size)
{
    uint64_t n;
    if (!fgti_index_get(x, &n) || n > (uint64_t)(x->end - x->next) || memchr(x->next, 0, (size_t)n))
        return false;
    *name = (const char *)x->next;
    *size = (int64_t)n;
    x->next += n;
    return true;
}

#endif
