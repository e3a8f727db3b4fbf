/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CORPUS_LOADER_H
#define FGTI_CORPUS_LOADER_H

/* Reads a corpus from a file. corpus_form.c finds the format of the file, corpus_shape.c finds its columns,
 * and corpus_load.c reads the rows. */

#include "data/csv/csv.h"
#include "text/corpus.h"
#include "text/corpus_rows.h"

typedef struct fgti_corpus_loader {
    fgti_text_rows rows;
    fgti_csv       csv;
    int64_t        cells;        /* cells in the first line, and so in each line; 0: no line was read yet */
    fgti_strings   first;        /* the cells of the first line of a CSV file */
    int64_t        first_line;   /* the number of that line */
    int64_t        class_column; /* -1: none */
    int64_t       *text;         /* [text_count]: columns of the text */
    int64_t        text_count;
    int64_t        bad_rows, bad_line; /* rows with invalid UTF-8: their number, and the first one's line */
    int64_t        titles; /* number of lines that seem to be titles before the header or the first text */
    const char    *mark;   /* comment mark at the start of the first line or of a class; NULL: not found */
    int64_t        marked, marked_line; /* rows whose class begins with `mark`: their number, and the line of
                                         the first */
    int64_t        swallowed;           /* line of the first text that contains a line like a row; 0: not
                                        found */

    /* For several files, read one after another. */
    int64_t      files;   /* number of files read before this one */
    int32_t      form;    /* format of the first file */
    bool         header;  /* the first line of the first file names the columns */
    bool         guessed; /* the current file seems to have such a line, by a guess */
    fgti_strings columns; /* the cells of such a line; without it as many empty cells */
    fgt_status (*tell)(struct fgti_corpus_loader *l); /* called after each `every` rows; NULL: not called */
    int64_t every;
} fgti_corpus_loader;

#define FGTI_LABEL "__label__" /* marks a class at the start of a line "__label__CLASS TEXT" */

#define FGTI_CORPUS_HINT 160 /* bytes of a hint */

#endif
