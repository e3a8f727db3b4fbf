/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TEXT_STORE_H
#define FGTI_TEXT_STORE_H

/* The file of a corpus that stays on disk (fighter/experimental/corpus_file.h): a file of rows
 * (data/store/block_index.h) with the mark "fgcorps2". A block has at least one row, and as many as fit into
 * 256 KiB.
 *
 *     columns   the class of each row as a number, 2^32-1: without a class; its text as bytes, in UTF-8
 *     numbers   flags (1: classes are numbers, 2: texts have no classes), number of U+FFFD, classes; then for
 *               each class, in the order of the corpus, its number in the blocks, and its rows
 *     names     of the classes; then of the class column and of each text column, or none */

#include "core/strings/words.h"
#include "data/store/block_read.h"
#include "data/store/block_write.h"

/* ---- writing ---- */

/* Everything of a corpus but its rows. */
typedef struct fgti_text_head {
    int64_t             replaced;
    bool                numbers, unlabeled;
    const fgti_words   *classes; /* names, and number of rows of each */
    const fgti_strings *columns; /* of a corpus */
    const int32_t      *place;   /* [classes]: the class's number in the blocks; NULL: the same number */
} fgti_text_head;

/* Call fgti_block_writer_abandon() even after an error. */
fgt_status fgti_text_writer_begin(fgt_context *ctx, const char *path, fgti_block_writer *w);
/* Adds a text of valid UTF-8 without a NUL. FGT_E_SIZE: it has 2^32 bytes or more. */
fgt_status fgti_text_writer_add(fgti_block_writer *w, const char *s, int64_t size, int64_t label);
/* Writes the index and gives the file its name. */
fgt_status fgti_text_writer_end(fgti_block_writer *w, const fgti_text_head *head);

/* ---- reading ---- */

/* An open file. Several corpora can share it; `users` is their number. */
typedef struct fgti_text_store {
    fgti_block_file file;
    int64_t         users;
    int64_t         classes, replaced;
    bool            numbers, unlabeled;
    int32_t        *class_of; /* [classes]: the class of each number in the blocks */
} fgti_text_store;

/* Reads the index. classes gets the names and counts, columns the names. The caller frees both, even after an
 * error. FGT_E_IO; FGT_E_FORMAT: not such a file, cut off, or damaged. On error *out is NULL. */
fgt_status fgti_text_store_open(fgt_context *ctx, const char *path, int64_t resident, fgti_words *classes,
                                fgti_strings *columns, fgti_text_store **out);
/* Ends the use by one corpus; the end of the last use closes the file. */
void fgti_text_store_close(fgti_text_store **store);
bool fgti_text_store_is(const char *path);

#endif
