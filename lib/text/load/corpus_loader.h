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
    int64_t        cells;        /* number of cells in the first line, and so in each line; 0: no line yet */
    fgti_strings   first;        /* the cells of the first line of a CSV file */
    int64_t        first_line;   /* the number of the first line */
    int64_t        class_column; /* column of the class; -1: there is no such column */
    int64_t       *text;         /* [text_count]: columns of the text */
    int64_t        text_count;
    int64_t        bad_rows, bad_line; /* number of rows with invalid UTF-8; line of the first such row */
    int64_t        titles; /* number of lines before the header or the first text that seem to be titles */
    const char    *mark;   /* comment mark with which the first line or a class begins; NULL: not found */
    int64_t        marked, marked_line; /* number of rows whose class begins with `mark`; line of the first
                                           such row */
    int64_t        swallowed;           /* line of the first text that contains a line like a row; 0: not
                                           found */
    fgti_bytes     labels;              /* labels of the current line */

    /* The following members are for several files, which are read one after another. */
    int64_t      files;   /* number of files read before this one */
    int32_t      form;    /* format of the first file */
    bool         header;  /* the first line of the first file names the columns */
    bool         guessed; /* `header` of the current file is only a guess */
    fgti_strings columns; /* the cells of the line that names the columns, or as many empty cells */
    fgt_status (*tell)(struct fgti_corpus_loader *l); /* called after each `every` rows; NULL: not called */
    int64_t every;
} fgti_corpus_loader;

#define FGTI_LABEL "__label__" /* marks a class at the start of a line "__label__CLASS TEXT" */

#define FGTI_CORPUS_HINT 160 /* bytes of a hint */

#endif
