/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CORPUS_H
#define FGTI_CORPUS_H

#include <fighter/text.h>

#include "core/strings/list.h"
#include "core/strings/words.h"
#include "text/text_store.h"
#include "text/utf8.h"

/* The rows of a corpus file that belong to a corpus. In each group of `every` rows one row, drawn at random,
 * is for validation. The last rows, if they are fewer than `every`, are for training. */
typedef struct fgti_part {
    int64_t  every; /* 0: all rows */
    uint64_t seed;
    bool     drawn; /* the corpus has the drawn rows; false: the other rows */
} fgti_part;

struct fgt_corpus {
    fgt_context *ctx;
    int64_t      rows, label_capacity;
    int32_t     *label;    /* [rows] */
    fgti_strings texts;    /* [rows] */
    fgti_words   classes;  /* names, and how many rows have each */
    fgti_strings columns;  /* names of the class column and of the text columns; empty: the file has none */
    int64_t      replaced; /* number of U+FFFD that replace invalid UTF-8 */
    bool         numbers;   /* classes are numbers, and are in the order of the numbers */
    bool         parsed;    /* classes were read as numbers: 01 is 1 */
    bool         unlabeled; /* texts have no classes; each label is -1 */

    fgti_text_store *store; /* the texts stay on disk; label and texts are empty. NULL: texts are in memory */
    fgti_part        part;  /* the rows of the store that this corpus has */
};

/* A corpus without rows, with the classes and columns of another one. */
fgt_status fgti_corpus_like(fgt_context *ctx, const fgt_corpus *from, fgt_corpus **out);
/* The same, with classes and columns from lists; columns may be empty. */
fgt_status fgti_corpus_of(fgt_context *ctx, const fgti_strings *classes, const fgti_strings *columns,
                          fgt_corpus **out);

/* ---- corpus_reader.c ---- */

/* The row of the file that is row i of the part; the file has `rows` rows. */
int64_t fgti_part_row(const fgti_part *part, int64_t rows, int64_t i);
int64_t fgti_part_count(const fgti_part *part, int64_t rows);
/* The number of consecutive rows of the part that lie within any `rows` consecutive rows of the file; at
 * least 1. */
int64_t fgti_part_inside(const fgti_part *part, int64_t rows);

/* The rows of a corpus, in memory or on disk. */
typedef struct fgti_corpus_reader {
    fgt_context      *ctx; /* for error sentences */
    const fgt_corpus *corpus;
    fgti_text_cache  *cache; /* NULL: the corpus is in memory */
} fgti_corpus_reader;

/* bytes: the most memory for blocks; 0: a few blocks, enough for rows in their order. The corpus is borrowed.
 * Call fgti_corpus_reader_close() even after an error. */
fgt_status fgti_corpus_reader_open(fgt_context *ctx, const fgt_corpus *corpus, int64_t bytes,
                                   fgti_corpus_reader *r);
/* Row 0 .. corpus->rows-1; the text is valid until the next call. */
fgt_status fgti_corpus_reader_get(fgti_corpus_reader *r, int64_t row, fgti_stored_text *out);
void       fgti_corpus_reader_close(fgti_corpus_reader *r);
/* The memory for blocks, in bytes, that the caller of fgt_corpus_open() allows; 0: the corpus is in
 * memory. */
int64_t fgti_corpus_get_resident(const fgt_corpus *corpus);
/* chunk: the number of neighbouring rows to read together. pool: the number of chunks that fit into `bytes`.
 * Both are 0 for a corpus in memory. */
void fgti_corpus_cut(const fgt_corpus *corpus, int64_t bytes, int64_t *chunk, int64_t *pool);

/* The first row of a class. */
typedef struct fgti_class_row {
    const char *path;   /* NULL: the row is in no file */
    int64_t     number; /* line in the file; without a file the row's number; 0 with a path: no such row */
    int32_t     class_id;
} fgti_class_row;

/* Builds a corpus row by row. */
typedef struct fgti_text_rows {
    fgt_context    *ctx;
    fgt_corpus     *corpus;
    fgt_corpus_opts opts;
    bool            fixed;       /* the classes were known before the first row */
    bool            numbers;     /* classes are read as numbers: 01 is 1 */
    bool            open;        /* not decided yet: if all classes are numbers, they are read as numbers */
    fgti_text_writer *writer;    /* the rows go here; NULL: into the corpus */
    fgti_bytes      text, label; /* of the current row */
    fgti_class_row  at;          /* the current row; the caller sets path and number */
    int64_t         whole;       /* number of classes that are whole numbers */
    int64_t         others, missing;        /* classes that are no whole numbers; that mean "missing value" */
    fgti_class_row  first_other, first_missing;
} fgti_text_rows;

/* opts must be checked already. Call fgti_text_rows_done() even after an error. */
fgt_status fgti_text_rows_init(fgt_context *ctx, const fgt_corpus_opts *opts, fgti_text_rows *rows);
/* _begin() begins a row, _text() adds a piece to its text, and _end() ends it with its class (NULL with
 * no_classes). Error sentences do not say where the row is; the caller adds the place. */
void       fgti_text_rows_begin(fgti_text_rows *rows);
fgt_status fgti_text_rows_text(fgti_text_rows *rows, const char *s, int64_t size);
fgt_status fgti_text_rows_end(fgti_text_rows *rows, const char *label, int64_t size);
/* Numbers the classes in their order. order [classes]: gets the number that the rows so far have for each
 * class. Warns of classes that are probably a mistake. FGT_E_DATA: a text cannot be a class. */
fgt_status fgti_text_rows_sort(fgti_text_rows *rows, int32_t *order);
/* Sorts the classes. On success the caller owns *corpus. */
fgt_status fgti_text_rows_finish(fgti_text_rows *rows, fgt_corpus **corpus);
void       fgti_text_rows_done(fgti_text_rows *rows);

/* Reads and checks the options of fgt_corpus_load() and _create(). */
fgt_status fgti_corpus_opts_read(fgti_error *err, const fgt_corpus_opts *in, fgt_corpus_opts *out);

/* Whether the text can be a column's number. */
bool fgti_is_column_number(const char *s);
/* Whether a class is a whole number: a sign or none, then digits with a value below 2^31-1. */
bool fgti_class_is_number(const char *s);

static inline bool fgti_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

#endif
