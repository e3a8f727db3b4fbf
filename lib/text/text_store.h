/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TEXT_STORE_H
#define FGTI_TEXT_STORE_H

/* The file of a corpus that stays on disk (fighter/experimental/corpus_file.h). It is a file of rows
 * (data/store/block_index.h) with the mark "fgcorps2". A block has at least one row, and as many rows as fit
 * into 256 KiB.
 *
 *     columns   the class of each row as a number, 2^32-1: without a class; the text of each row as bytes, in
 *               UTF-8
 *     numbers   flags (1: classes are numbers, 2: texts have no classes), number of U+FFFD, number of
 *               classes; then for each class, in the order of the corpus: its number in the blocks, and
 *               its rows
 *     names     names of the classes; then names of the class column and of each text column, if the corpus
 *               has these names */

#include "core/strings/words.h"
#include "data/store/block_read.h"
#include "data/store/block_write.h"

/* ---- writing ---- */

/* All that a corpus file has besides the rows. */
typedef struct fgti_text_head {
    int64_t             replaced;
    bool                numbers, unlabeled;
    const fgti_words   *classes; /* names, and number of rows of each */
    const fgti_strings *columns; /* names of the columns of a corpus */
    const int32_t      *place;   /* [classes]: numbers of the classes in the blocks; NULL: the same numbers */
} fgti_text_head;

/* Call fgti_block_writer_abandon() even after an error. */
fgt_status fgti_text_writer_begin(fgt_context *ctx, const char *path, fgti_block_writer *w);
/* Adds a text of valid UTF-8 without a NUL. FGT_E_SIZE: it has 2^32 bytes or more. */
fgt_status fgti_text_writer_add(fgti_block_writer *w, const char *s, int64_t size, int64_t label);
/* Writes the index and renames the file to its final name. */
fgt_status fgti_text_writer_end(fgti_block_writer *w, const fgti_text_head *head);

/* ---- reading ---- */

/* An open file. Several corpora can share it; `users` is their number. */
typedef struct fgti_text_store {
    fgti_block_file file;
    int64_t         users;
    int64_t         classes, replaced;
    bool            numbers, unlabeled;
    int32_t        *class_of; /* [classes]: for each number in the blocks, the class in the corpus */
} fgti_text_store;

/* Reads the index. classes gets the names and counts of the classes, and columns the names of the columns.
 * The caller frees both, even after an error. FGT_E_IO; FGT_E_FORMAT: no such file, cut off, or damaged. On
 * error *out is NULL. */
fgt_status fgti_text_store_open(fgt_context *ctx, const char *path, int64_t resident, fgti_words *classes,
                                fgti_strings *columns, fgti_text_store **out);
/* Ends the use of the file by one corpus. When the last corpus ends its use, the file is closed. */
void fgti_text_store_close(fgti_text_store **store);
bool fgti_text_store_is(const char *path);

#endif
