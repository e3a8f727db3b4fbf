/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CORPUS_LOAD_H
#define FGTI_CORPUS_LOAD_H

/* A corpus that is read from a file: corpus_form.c finds out how the file is written, corpus_shape.c which
 * columns it has, corpus_load.c reads the rows. */

#include "data/csv/csv.h"
#include "text/corpus.h"

typedef struct fgti_corpus_loader {
    fgti_text_rows    rows;
    fgti_csv     csv;
    int64_t      cells;        /* in the first line, and so in every line; 0: no line was read yet */
    fgti_strings first;        /* the cells of the first line of a CSV file */
    int64_t      first_line;   /* where it is */
    int64_t      class_column; /* -1: none */
    int64_t     *text;         /* [text_count]: columns of the text */
    int64_t      text_count;
    int64_t      bad_rows, bad_line; /* rows with invalid UTF-8: their number, the line of the first */
    int64_t      titles;   /* lines that seem to stand above the header, or the first text */
    const char  *mark;     /* of a comment, with which the first line or a class begins; NULL: with none */
    int64_t      marked, marked_line; /* rows whose class begins so: their number, the line of the first */
    int64_t      swallowed;          /* the line of the first text with a line in it that looks like a row */

    /* Where several files are read one after the other. */
    int64_t      files;   /* that were read before this one */
    int32_t      form;    /* this and the next are of the first file */
    bool         header;  /* its first line names the columns */
    bool         guessed; /* so it seems, in the file that is read */
    fgti_strings columns; /* the cells of that line, or as many empty ones */
    fgt_status (*tell)(struct fgti_corpus_loader *l); /* is called after each `every` rows; NULL: none */
    int64_t      every;
} fgti_corpus_loader;

/* Reads the rows of one file, and forgets the file. l->rows.opts are those of the host before. */
fgt_status fgti_corpus_loader_read(fgti_corpus_loader *l, const char *path);
/* Where l->rows have been done with. */
void fgti_corpus_loader_done(fgti_corpus_loader *l);

#define FGTI_LABEL "__label__" /* begins a line of a class and a text */

/* Skips what the host leaves out at the beginning. Then decides on form and delimiter by the first block of
 * the file, before a record is read, and by the whole file whether quotes between tabs are marks of cells.
 * FGT_E_FORMAT: it is no file of texts. */
fgt_status fgti_corpus_form(fgti_corpus_loader *l);
/* Whether columns of classes, or of texts, are usually called so. */
bool fgti_corpus_names_class(const char *cell);
bool fgti_corpus_names_text(const char *cell);
/* Whether the first line, which is in l->first, names the columns; second: another one follows, which the csv
 * has read. */
bool fgti_corpus_header(const fgti_corpus_loader *l, bool second);
/* Whether that is a guess, which nothing that the host says confirms. */
bool fgti_corpus_guesses(const fgti_corpus_loader *l);
/* Finds the columns of class and text by the first line; header: it names them. */
fgt_status fgti_corpus_columns(fgti_corpus_loader *l, bool header);
/* Keeps the names of these columns with the corpus. */
fgt_status fgti_corpus_name_columns(fgti_corpus_loader *l);

/* ---- corpus_hints.c ---- */

/* The mark of a comment with which the bytes before `end` begin; NULL: with none. */
const char *fgti_corpus_mark(const char *p, const char *end);
/* The option that helps where a line is no row: "; ...", or "". text: the beginning of the line. */
#define FGTI_CORPUS_HINT 160
const char *fgti_corpus_hint(const fgti_corpus_loader *l, int64_t line, const char *text,
                             char buf[FGTI_CORPUS_HINT]);
/* The current line has more or fewer cells than the first. */
fgt_status fgti_corpus_refuse_cells(const fgti_corpus_loader *l);
/* Says that the current line, the first after the header, seems to describe the columns. */
void fgti_corpus_warn_units(const fgti_corpus_loader *l);
/* Notes a class that begins as a comment does, and says at the end of a file that few do. */
void fgti_corpus_count_mark(fgti_corpus_loader *l);
void fgti_corpus_warn_marks(const fgti_corpus_loader *l, int64_t rows);

#endif
