/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CORPUS_H
#define FGTI_CORPUS_H

#include <fighter/text.h>

#include "data/list.h"
#include "text/utf8.h"
#include "text/words.h"

struct fgt_corpus {
    fgt_context *ctx;
    int64_t      rows, label_capacity;
    int32_t     *label;    /* [rows] */
    fgti_strings texts;    /* [rows] */
    fgti_words   classes;  /* names, and how many rows have each */
    int64_t      replaced; /* U+FFFD put in */
    bool         numbers;  /* classes are FGT_CLASS_NUMBER */
};

/* A corpus that grows row by row. */
typedef struct fgti_rows {
    fgt_context    *ctx;
    fgt_corpus     *corpus;
    fgt_corpus_opts opts;
    bool            fixed;       /* the classes are known before */
    fgti_bytes      text, label; /* of the row */
} fgti_rows;

/* opts are checked; `standard` is what FGT_CLASS_AUTO means. fgti_rows_done() is due even after an error. */
fgt_status fgti_rows_init(fgt_context *ctx, const fgt_corpus_opts *opts, fgt_class_kind standard,
                          fgti_rows *rows);
/* Begins a row, adds pieces to its text, ends it with its class. Sentences lack the place. */
void       fgti_rows_begin(fgti_rows *rows);
fgt_status fgti_rows_text(fgti_rows *rows, const char *s, int64_t size);
fgt_status fgti_rows_end(fgti_rows *rows, const char *label, int64_t size);
/* Orders the classes; *corpus is the caller's on success. */
fgt_status fgti_rows_finish(fgti_rows *rows, fgt_corpus **corpus);
void       fgti_rows_done(fgti_rows *rows);

/* Reads and checks the options of fgt_corpus_load() and _create(). */
fgt_status fgti_corpus_opts_read(fgti_error *err, const fgt_corpus_opts *in, fgt_corpus_opts *out);

static inline bool fgti_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

#endif
