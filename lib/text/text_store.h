/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TEXT_STORE_H
#define FGTI_TEXT_STORE_H

/* The file of a corpus that stays on disk (fighter/experimental/corpus_file.h). Its form is
 * data/store/block_file.h:
 *
 *     mark      "fgcorps1"
 *     blocks    rows in their order; each block has at least one row, and as many as fit into 256 KiB:
 *               u32 class of each row, 2^32-1: without a class
 *               u32 end of each row's text, in bytes from the first text
 *               the texts, in UTF-8
 *     index     u64 rows, classes, blocks, flags (1: classes are numbers, 2: texts have no classes, 4:
 *               columns have names), number of U+FFFD
 *               for each class, in the order of the corpus: u64 number in the blocks, u64 rows, name
 *               with flag 4: u64 columns, then the name of the class column and of each text column
 *               for each block: u64 hash, bytes, rows
 *
 * A block is checked when it is read. */

#include "core/strings/words.h"
#include "data/store/block_file.h"

/* ---- text_store_write.c ---- */

/* A block's entry in the index. */
typedef struct fgti_text_block {
    uint64_t hash;
    int64_t  begin; /* number of bytes before it */
    int64_t  row;   /* its first row */
} fgti_text_block;

/* The index without its blocks. */
typedef struct fgti_text_head {
    int64_t             replaced;
    bool                numbers, unlabeled;
    const fgti_words   *classes; /* names, and number of rows of each */
    const fgti_strings *columns; /* of a corpus */
    const int32_t      *place;   /* [classes]: the class's number in the blocks; NULL: the same number */
} fgti_text_head;

typedef struct fgti_text_writer {
    fgt_context      *ctx;
    fgti_block_writer out;
    int64_t           rows, written;   /* rows so far; bytes of the written blocks */
    int64_t           count, capacity; /* number of written blocks; room in `block` */
    fgti_text_block  *block;
    int64_t           filled, filled_capacity; /* rows of the block that is being filled; room in `head` */
    unsigned char    *head;                    /* [filled,2,4]: class and end of each row */
    int64_t           used, used_capacity;
    char             *texts; /* [used] */
    unsigned char    *bytes; /* the block as it is in the file */
    int64_t           bytes_capacity;
} fgti_text_writer;

/* Set w->ctx before. Call fgti_text_writer_abandon() even after an error. */
fgt_status fgti_text_writer_begin(fgt_context *ctx, const char *path, fgti_text_writer *w);
/* Adds a text of valid UTF-8 without a NUL. FGT_E_SIZE: it has 2^32 bytes or more. */
fgt_status fgti_text_writer_add(fgti_text_writer *w, const char *s, int64_t size, int64_t label);
/* Writes the index and gives the file its name. */
fgt_status fgti_text_writer_end(fgti_text_writer *w, const fgti_text_head *head);
/* Frees the writer. Without fgti_text_writer_end() the name keeps its old file. */
void fgti_text_writer_abandon(fgti_text_writer *w);

/* ---- text_store_read.c ---- */

/* An open file. Several corpora can share it; `users` is their number. */
typedef struct fgti_text_store {
    fgt_context     *ctx;
    int64_t          users;
    fgti_block_file  file;
    int64_t          resident;
    int64_t          rows, classes, blocks, replaced;
    bool             numbers, unlabeled, named; /* named: the columns have names */
    fgti_text_block *block;     /* [blocks+1] */
    int32_t         *class_of;  /* [classes]: the class of each number in the blocks */
    int64_t          longest;   /* bytes of the longest block */
    int64_t          most_rows; /* most rows of a block */
} fgti_text_store;

/* Reads the index. classes gets the names and counts, columns the names. The caller frees both, even after an
 * error. FGT_E_IO; FGT_E_FORMAT: not such a file, cut off, or damaged. On error *out is NULL. */
fgt_status fgti_text_store_open(fgt_context *ctx, const char *path, int64_t resident, fgti_words *classes,
                                fgti_strings *columns, fgti_text_store **out);
/* Ends one use; the last one closes the file. */
void fgti_text_store_close(fgti_text_store **store);
bool fgti_text_store_is(const char *path);

/* ---- text_cache.c ---- */

typedef struct fgti_stored_text {
    const char *s; /* not NUL-terminated */
    int64_t     size;
    int64_t     label; /* -1: without a class */
} fgti_stored_text;

/* The blocks that were used last, in memory. */
typedef struct fgti_text_cache fgti_text_cache;

/* The number of blocks that fit into `bytes`, at 8 more bytes for each row; at least 2. */
int64_t fgti_text_store_slots(const fgti_text_store *store, int64_t bytes);
/* The store is borrowed. */
fgt_status fgti_text_cache_new(const fgti_text_store *store, int64_t slots, fgti_text_cache **out);
void       fgti_text_cache_done(fgti_text_cache **cache);
/* Reads a row of the file. It is valid until the next call. FGT_E_IO; FGT_E_FORMAT: damaged. */
fgt_status fgti_text_cache_get(fgti_text_cache *cache, int64_t row, fgti_stored_text *out);
/* The largest n for which any n consecutive rows lie in `blocks` blocks; at least 1. */
int64_t fgti_text_store_rows_in(const fgti_text_store *store, int64_t blocks);

/* ---- both ---- */

#define FGTI_TEXT_MARK "fgcorps1"
enum { FGTI_TEXT_NUMBERS = 1, FGTI_TEXT_UNLABELED = 2, FGTI_TEXT_COLUMNS = 4 };

/* The hash of a block's bytes; it reads four bytes at a time. */
uint64_t fgti_text_hash(const unsigned char *bytes, int64_t size);

#endif
