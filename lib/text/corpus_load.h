/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CORPUS_LOAD_H
#define FGTI_CORPUS_LOAD_H

/* Reads a corpus from a file. corpus_form.c finds the format of the file, corpus_shape.c finds its columns,
 * and corpus_load.c reads the rows. */

#include "data/csv/csv.h"
#include "text/corpus.h"

typedef struct fgti_corpus_loader {
    fgti_text_rows    rows;
    fgti_csv     csv;
    int64_t      cells;        /* cells in the first line, and so in each line; 0: no line was read yet */
    fgti_strings first;        /* the cells of the first line of a CSV file */
    int64_t      first_line;   /* the number of that line */
    int64_t      class_column; /* -1: none */
    int64_t     *text;         /* [text_count]: columns of the text */
    int64_t      text_count;
    int64_t      bad_rows, bad_line; /* rows with invalid UTF-8: their number, and the first one's line */
    int64_t      titles;   /* number of lines that seem to be titles before the header or the first text */
    const char  *mark;     /* comment mark at the start of the first line or of a class; NULL: not found */
    int64_t      marked, marked_line; /* rows whose class begins with it: their number, the first one's
                                         line */
    int64_t      swallowed;          /* line of the first text that contains a line like a row; 0: not
                                        found */

    /* For several files, read one after another. */
    int64_t      files;   /* number of files read before this one */
    int32_t      form;    /* format of the first file */
    bool         header;  /* the first line of the first file names the columns */
    bool         guessed; /* the current file seems to have such a line, by a guess */
    fgti_strings columns; /* the cells of that line; without one as many empty cells */
    fgt_status (*tell)(struct fgti_corpus_loader *l); /* called after each `every` rows; NULL: not called */
    int64_t      every;
} fgti_corpus_loader;

/* Reads the rows of one file, then forgets the file. Before the call l->rows.opts are the host's options. */
fgt_status fgti_corpus_loader_read(fgti_corpus_loader *l, const char *path);
/* Frees what the loader has, and its rows (fgti_text_rows_done). */
void fgti_corpus_loader_done(fgti_corpus_loader *l);

#define FGTI_LABEL "__label__" /* marks a class at the start of a line "__label__CLASS TEXT" */

/* Skips the lines at the beginning that the host leaves out. Then finds the format and the delimiter from the
 * first block of the file, before a record is read. Whether quotes between tabs enclose cells is decided from
 * the whole file. FGT_E_FORMAT: this is no file of texts. */
fgt_status fgti_corpus_form(fgti_corpus_loader *l);
/* Whether this is a usual name of a column of classes, or of a column of texts. */
bool fgti_corpus_names_class(const char *cell);
bool fgti_corpus_names_text(const char *cell);
/* Whether the first line (l->first) names the columns. second: the csv has also read the next line. */
bool fgti_corpus_header(const fgti_corpus_loader *l, bool second);
/* Whether fgti_corpus_header() guesses, because no option of the host decides. */
bool fgti_corpus_guesses(const fgti_corpus_loader *l);
/* Finds the columns of class and text from the first line. header: the line names the columns. */
fgt_status fgti_corpus_columns(fgti_corpus_loader *l, bool header);
/* Keeps the names of these columns with the corpus. */
fgt_status fgti_corpus_name_columns(fgti_corpus_loader *l);

/* ---- corpus_hints.c ---- */

/* The comment mark at the start of the bytes before `end`; NULL: there is no mark. */
const char *fgti_corpus_mark(const char *p, const char *end);
/* A hint at the option that helps with a line that is no row: "; ...", or "". text: the start of the line. */
#define FGTI_CORPUS_HINT 160
const char *fgti_corpus_hint(const fgti_corpus_loader *l, int64_t line, const char *text,
                             char buf[FGTI_CORPUS_HINT]);
/* Sets the error: the current line has more or fewer cells than the first line. */
fgt_status fgti_corpus_refuse_cells(const fgti_corpus_loader *l);
/* Warns that the current line, the first after the header, seems to describe the columns. */
void fgti_corpus_warn_units(const fgti_corpus_loader *l);
/* The first counts a class that begins with a comment mark. The second warns, at the end of a file, if few
 * classes begin with one. */
void fgti_corpus_count_mark(fgti_corpus_loader *l);
void fgti_corpus_warn_marks(const fgti_corpus_loader *l, int64_t rows);

#endif
