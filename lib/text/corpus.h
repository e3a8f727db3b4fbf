/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CORPUS_H
#define FGTI_CORPUS_H

#include <fighter/text.h>

#include "data/strings/list.h"
#include "data/strings/words.h"
#include "text/text_store.h"
#include "text/utf8.h"

/* Which rows of a corpus file are those of a corpus. Of each `every` rows one, drawn at random, is for
 * validation; the last rows, fewer than `every`, are not drawn from. */
typedef struct fgti_part {
    int64_t  every; /* 0: all rows */
    uint64_t seed;
    bool     drawn; /* it has the rows that are drawn, otherwise the others */
} fgti_part;

struct fgt_corpus {
    fgt_context *ctx;
    int64_t      rows, label_capacity;
    int32_t     *label;    /* [rows] */
    fgti_strings texts;    /* [rows] */
    fgti_words   classes;  /* names, and how many rows have each */
    fgti_strings columns;  /* names of those of the class and the text; none: the file did not name them */
    int64_t      replaced; /* how many U+FFFD replace invalid UTF-8 */
    bool         numbers;   /* classes are numbers, and are ordered by them */
    bool         parsed;    /* and were read as such: 01 is 1 */
    bool         unlabeled; /* texts have no classes; label is -1 */

    fgti_text_store *store; /* the texts stay on disk, label and texts are empty; NULL: they are in memory */
    fgti_part        part;  /* of the store */
};

/* A corpus without rows, with the classes and columns of another one. */
fgt_status fgti_corpus_like(fgt_context *ctx, const fgt_corpus *from, fgt_corpus **out);
/* The same of lists; columns may be empty. */
fgt_status fgti_corpus_of(fgt_context *ctx, const fgti_strings *classes, const fgti_strings *columns,
                          fgt_corpus **out);

/* ---- corpus_reader.c ---- */

/* The row of a file of `rows` rows that is row i of a part. */
int64_t fgti_part_row(const fgti_part *part, int64_t rows, int64_t i);
int64_t fgti_part_count(const fgti_part *part, int64_t rows);
/* So many neighbours of a part lie in any `rows` rows of the file, 1 at least. */
int64_t fgti_part_inside(const fgti_part *part, int64_t rows);

/* The rows of a corpus, in memory or on disk. */
typedef struct fgti_corpus_reader {
    fgt_context      *ctx; /* for sentences */
    const fgt_corpus *corpus;
    fgti_text_cache  *cache; /* NULL: in memory */
} fgti_corpus_reader;

/* bytes: of blocks in memory, at the most; 0: few, for rows in their order. The corpus is borrowed.
 * Call fgti_corpus_reader_close() even after an error. */
fgt_status fgti_corpus_reader_open(fgt_context *ctx, const fgt_corpus *corpus, int64_t bytes,
                                   fgti_corpus_reader *r);
/* Row 0 .. corpus->rows-1; the text is valid until the next call. */
fgt_status fgti_corpus_reader_get(fgti_corpus_reader *r, int64_t row, fgti_stored_text *out);
void       fgti_corpus_reader_close(fgti_corpus_reader *r);
/* Bytes that the caller of fgt_corpus_open() wants to spend; 0: in memory. */
int64_t fgti_corpus_get_resident(const fgt_corpus *corpus);
/* How many neighbours are best read together, and how many times as many fit into `bytes`. */
void fgti_corpus_cut(const fgt_corpus *corpus, int64_t bytes, int64_t *chunk, int64_t *pool);

/* The first row of a class. */
typedef struct fgti_class_row {
    const char *path;   /* NULL: of no file */
    int64_t     number; /* its line, or its number where there is no file; 0 with a path: there is none */
    int32_t     class_id;
} fgti_class_row;

/* Builds a corpus row by row. */
typedef struct fgti_text_rows {
    fgt_context    *ctx;
    fgt_corpus     *corpus;
    fgt_corpus_opts opts;
    bool            fixed;       /* the classes were known before the first row */
    bool            numbers;     /* classes are read as numbers: 01 is 1 */
    bool            open;        /* classes are numbers if all are, otherwise names */
    fgti_text_writer *writer;    /* where rows go; NULL: into the corpus */
    fgti_bytes      text, label; /* of the current row */
    fgti_class_row  at;          /* the current row; the caller says where it is */
    int64_t         whole;       /* classes that are whole numbers */
    int64_t         others, missing;        /* that are not, and that stand for a missing value */
    fgti_class_row  first_other, first_missing;
} fgti_text_rows;

/* opts have been checked. fgti_text_rows_done() must be called even after an error. */
fgt_status fgti_text_rows_init(fgt_context *ctx, const fgt_corpus_opts *opts, fgti_text_rows *rows);
/* These begin a row, add pieces to its text, and end it with its class (NULL with no_classes). Error texts do
 * not say where the row is; the caller adds that. */
void       fgti_text_rows_begin(fgti_text_rows *rows);
fgt_status fgti_text_rows_text(fgti_text_rows *rows, const char *s, int64_t size);
fgt_status fgti_text_rows_end(fgti_text_rows *rows, const char *label, int64_t size);
/* Numbers the classes in their order. order [classes]: what the rows so far call them. FGT_E_DATA: a class
 * cannot be one; other classes that the user may not have meant are warned of. */
fgt_status fgti_text_rows_sort(fgti_text_rows *rows, int32_t *order);
/* Sorts the classes. On success the caller owns *corpus. */
fgt_status fgti_text_rows_finish(fgti_text_rows *rows, fgt_corpus **corpus);
void       fgti_text_rows_done(fgti_text_rows *rows);

/* Reads and checks the options of fgt_corpus_load() and _create(). */
fgt_status fgti_corpus_opts_read(fgti_error *err, const fgt_corpus_opts *in, fgt_corpus_opts *out);

/* Whether a column can be meant by its number. */
bool fgti_is_column_number(const char *s);
/* Whether a class can be read as a whole number: digits after a sign, and less than 2^31-1 without it. */
bool fgti_class_is_number(const char *s);

static inline bool fgti_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

#endif
