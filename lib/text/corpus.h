/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CORPUS_H
#define FGTI_CORPUS_H

#include <fighter/text.h>

#include "data/list.h"
#include "data/words.h"
#include "text/utf8.h"

struct fgt_corpus {
    fgt_context *ctx;
    int64_t      rows, label_capacity;
    int32_t     *label;    /* [rows] */
    fgti_strings texts;    /* [rows] */
    fgti_words   classes;  /* names, and how many rows have each */
    int64_t      replaced; /* how many U+FFFD replace invalid UTF-8 */
    bool         numbers;   /* classes are FGT_CLASS_NUMBER */
    bool         unlabeled; /* texts have no classes; label is -1 */
};

/* Builds a corpus row by row. */
typedef struct fgti_rows {
    fgt_context    *ctx;
    fgt_corpus     *corpus;
    fgt_corpus_opts opts;
    bool            fixed;       /* the classes were known before the first row */
    bool            open;        /* classes are numbers if the first one is, otherwise names */
    fgti_bytes      text, label; /* of the current row */
} fgti_rows;

/* opts have been checked. fgti_rows_done() must be called even after an error. */
fgt_status fgti_rows_init(fgt_context *ctx, const fgt_corpus_opts *opts, fgti_rows *rows);
/* These begin a row, add pieces to its text, and end it with its class (NULL with no_classes). Error texts do
 * not say where the row is; the caller adds that. */
void       fgti_rows_begin(fgti_rows *rows);
fgt_status fgti_rows_text(fgti_rows *rows, const char *s, int64_t size);
fgt_status fgti_rows_end(fgti_rows *rows, const char *label, int64_t size);
/* Sorts the classes. On success the caller owns *corpus. */
fgt_status fgti_rows_finish(fgti_rows *rows, fgt_corpus **corpus);
void       fgti_rows_done(fgti_rows *rows);

/* Reads and checks the options of fgt_corpus_load() and _create(). */
fgt_status fgti_corpus_opts_read(fgti_error *err, const fgt_corpus_opts *in, fgt_corpus_opts *out);

/* Whether a class can be read as a number from 0 to 2^31-2. */
bool fgti_class_is_number(const char *s);

static inline bool fgti_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

#endif
