/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CORPUS_ROWS_H
#define FGTI_CORPUS_ROWS_H

/* Adds rows to a corpus in memory and numbers their classes. */

#include "text/corpus.h"
#include "text/utf8.h"

/* The first row of a class. */
typedef struct fgti_class_row {
    const char *path;   /* NULL: the row is in no file */
    int64_t     number; /* line in the file; without a file, number of the row. 0 with a path: there is no
                         * such row */
    int32_t     class_id;
} fgti_class_row;

/* Builds a corpus row by row. */
typedef struct fgti_text_rows {
    fgt_context       *ctx;
    fgt_corpus        *corpus;
    fgt_corpus_opts    opts;
    bool               fixed;   /* the classes were known before the first row */
    bool               numbers; /* classes are read as numbers, so 01 is the same as 1 */
    bool               open;    /* not decided yet; if all classes are numbers, they are read as numbers */
    fgti_block_writer *writer;  /* the writer that gets the rows; NULL: the corpus gets them */
    fgti_bytes         text, label;     /* of the current row */
    fgti_class_row     at;              /* the current row; the caller sets path and number */
    int64_t            whole;           /* number of classes seen that are whole numbers */
    int64_t            others, missing; /* classes that are no whole numbers; classes that mean "missing
                                         * value" */
    fgti_class_row     first_other, first_missing;
} fgti_text_rows;

/* The caller has checked opts. Call fgti_text_rows_done() even after an error. */
fgt_status fgti_text_rows_init(fgt_context *ctx, const fgt_corpus_opts *opts, fgti_text_rows *rows);
/* _begin() begins a row, _text() adds a piece to the row's text, and _end() ends the row with its class (NULL
 * with no_classes). Error texts do not say where the row is; the caller adds the place. */
void       fgti_text_rows_begin(fgti_text_rows *rows);
fgt_status fgti_text_rows_text(fgti_text_rows *rows, const char *s, int64_t size);
fgt_status fgti_text_rows_end(fgti_text_rows *rows, const char *label, int64_t size);
/* Numbers the classes in sorted order. order [classes] gets the numbers that the classes have in the rows so
 * far. Warns of classes that are probably a mistake. FGT_E_DATA: a text cannot be a class. */
fgt_status fgti_text_rows_sort(fgti_text_rows *rows, int32_t *order);
/* Sorts the classes. On success the caller owns *corpus. */
fgt_status fgti_text_rows_finish(fgti_text_rows *rows, fgt_corpus **corpus);
void       fgti_text_rows_done(fgti_text_rows *rows);

/* Reads and checks the options of fgt_corpus_load() and _create(). */
fgt_status fgti_corpus_opts_read(fgti_error *err, const fgt_corpus_opts *in, fgt_corpus_opts *out);

/* Whether the text can be a column's number. */
bool fgti_is_column_number(const char *s);
/* Whether a class is a whole number: it may have a sign, and its digits have a value below 2^31-1. */
bool fgti_class_is_number(const char *s);

/* Whether a file of this form has a text in each line. */
static inline bool fgti_form_has_lines(int32_t form)
{
    return form == FGT_CORPUS_FORM_LINES || form == FGT_CORPUS_FORM_LABELS;
}

static inline bool fgti_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

#endif
