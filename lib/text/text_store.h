/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TEXT_STORE_H
#define FGTI_TEXT_STORE_H

/* The file of a corpus that stays on disk (fighter/corpus_file.h), a data/store/block_file.h:
 *
 *     mark      "fgcorps1"
 *     blocks    rows in their order, as many as fit into a quarter of a MiB, and one at least; of n rows
 *               u32 class of each row, 2^32-1: none
 *               u32 end of each row's text, in bytes from the first text
 *               the texts, in UTF-8
 *     index     u64 rows, classes, blocks, flags (1: classes are numbers, 2: there are none, 4: columns have
 *               names), U+FFFD
 *               for each class, in the order of corpora: u64 number in the blocks, u64 rows, name
 *               with flag 4: u64 columns, and the name of each: of the class, and then of the text
 *               for each block: u64 hash, bytes, rows
 *
 * Blocks are checked when they are read. */

#include "data/store/block_file.h"
#include "data/strings/words.h"

/* ---- text_store_write.c ---- */

/* Entry of a block in the index. */
typedef struct fgti_text_block {
    uint64_t hash;
    int64_t  begin; /* bytes before it */
    int64_t  row;   /* its first row */
} fgti_text_block;

/* The index without its blocks. */
typedef struct fgti_text_head {
    int64_t             replaced;
    bool                numbers, unlabeled;
    const fgti_words   *classes; /* names and counts */
    const fgti_strings *columns; /* of a corpus */
    const int32_t      *place;   /* [classes]: number in the blocks; NULL: the same */
} fgti_text_head;

typedef struct fgti_text_writer {
    fgt_context      *ctx;
    fgti_block_writer out;
    int64_t           rows, written;   /* rows so far, and bytes of blocks */
    int64_t           count, capacity; /* blocks that are written */
    fgti_text_block  *block;
    int64_t           filled, filled_capacity; /* rows of the block that is not yet written */
    unsigned char    *head;                    /* [filled,2,4]: their classes and ends */
    int64_t           used, used_capacity;
    char             *texts; /* [used] */
    unsigned char    *bytes; /* the block as the file has it */
    int64_t           bytes_capacity;
} fgti_text_writer;

/* Call fgti_text_writer_abandon() even after an error; w->ctx is to be set before. */
fgt_status fgti_text_writer_begin(fgt_context *ctx, const char *path, fgti_text_writer *w);
/* A text that is valid UTF-8 without a NUL. FGT_E_SIZE: one of 2^32 bytes. */
fgt_status fgti_text_writer_add(fgti_text_writer *w, const char *s, int64_t size, int64_t label);
/* The file gets its name. */
fgt_status fgti_text_writer_end(fgti_text_writer *w, const fgti_text_head *head);
/* The name keeps what it had, unless the end was reached. */
void fgti_text_writer_abandon(fgti_text_writer *w);

/* ---- text_store_read.c ---- */

/* An open file. Corpora share it: each has a user's share. */
typedef struct fgti_text_store {
    fgt_context     *ctx;
    int64_t          users;
    fgti_block_file  file;
    int64_t          resident;
    int64_t          rows, classes, blocks, replaced;
    bool             numbers, unlabeled, named; /* named: its columns have names */
    fgti_text_block *block;     /* [blocks+1] */
    int32_t         *class_of;  /* [classes]: of the numbers in blocks */
    int64_t          longest;   /* bytes of a block */
    int64_t          most_rows; /* of a block */
} fgti_text_store;

/* Reads the index; classes gets names and counts, columns their names. FGT_E_IO; FGT_E_FORMAT: no such file,
 * cut off, damaged. On error *out is NULL, and both are to be done with. */
fgt_status fgti_text_store_open(fgt_context *ctx, const char *path, int64_t resident, fgti_words *classes,
                                fgti_strings *columns, fgti_text_store **out);
/* Gives up one share; the last one closes the file. */
void fgti_text_store_close(fgti_text_store **store);
bool fgti_text_store_is(const char *path);

/* ---- text_cache.c ---- */

typedef struct fgti_stored_text {
    const char *s; /* followed by anything */
    int64_t     size;
    int64_t     label; /* -1: none */
} fgti_stored_text;

/* Blocks in memory, those that were used last. */
typedef struct fgti_text_cache fgti_text_cache;

/* Blocks that fit into so many bytes, with a number of 8 bytes for each row; two at least. */
int64_t fgti_text_store_slots(const fgti_text_store *store, int64_t bytes);
/* The store is borrowed. */
fgt_status fgti_text_cache_new(const fgti_text_store *store, int64_t slots, fgti_text_cache **out);
void       fgti_text_cache_done(fgti_text_cache **cache);
/* A row of the file, valid until the next call. FGT_E_IO, FGT_E_FORMAT damaged. */
fgt_status fgti_text_cache_get(fgti_text_cache *cache, int64_t row, fgti_stored_text *out);
/* The most rows of which any so many in a row lie in `blocks` blocks, 1 at least. */
int64_t fgti_text_store_rows_in(const fgti_text_store *store, int64_t blocks);

/* ---- both ---- */

#define FGTI_TEXT_MARK "fgcorps1"
enum { FGTI_TEXT_NUMBERS = 1, FGTI_TEXT_UNLABELED = 2, FGTI_TEXT_COLUMNS = 4 };

/* The hash of a block's bytes, four at a time. */
uint64_t fgti_text_hash(const unsigned char *bytes, int64_t size);

#endif
