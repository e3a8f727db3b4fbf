/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CSV_H
#define FGTI_CSV_H

/* Reads a comma-separated file record by record. The caller interprets the cells. */

#include <stdbool.h>

#include "core/alloc.h"
#include "core/strings/list.h"
#include "data/csv/reader.h"
#include "data/csv/short_number.h"
#include "data/csv/utf16.h"

typedef struct fgti_cell {
    int64_t begin, size; /* in `text` */
    bool    quoted;
} fgti_cell;

typedef struct fgti_csv {
    fgt_context  *ctx;
    const char   *path;
    int64_t       line;  /* where the record begins, from 1 */
    int64_t       count; /* its cells */
    fgti_cell    *cells;
    int64_t       cells_room;
    char         *text;  /* of the record: in the block, or `own` */
    char         *own;   /* [used]: a record that is copied */
    int64_t       used, own_room;
    int64_t       next_line;
    const char   *next, *end; /* bytes of the file still to be read */
    const char   *held, *held_end; /* bytes after these, while the first bytes of a comment are read again */
    int64_t       blocks;          /* number of blocks read */
    fgti_reader  *reader;
    fgti_utf16   *utf16;   /* NULL: the file is in UTF-8 */
    const char   *comment; /* records that begin with this are skipped; NULL: no comments */
    char          delimiter;
    bool          stop[256]; /* bytes that end an unquoted cell */
    bool          no_quotes; /* quotes are ordinary characters */
    bool          bad_quote; /* the error was about a quote */
} fgti_csv;

/* path is borrowed until fgti_csv_close(), which must be called even after an error here. delimiter 0: each
 * line is one cell, and quotes have no meaning. */
fgt_status fgti_csv_open(fgt_context *ctx, const char *path, char delimiter, fgti_csv *csv);
/* FGT_E_FORMAT: the file is a page of HTML, XML or JSON. Call it before a record is read. */
fgt_status fgti_csv_check_text(const fgti_csv *csv);
/* Returns why a text cannot mark comments: it is empty, or has the end of a line. NULL: it can, or is
 * NULL. */
const char *fgti_csv_comment_fault(const char *comment);
/* Skips lines at the beginning, and comments after them; afterwards fgti_csv_next() also skips comments. */
fgt_status fgti_csv_skip(fgti_csv *csv, int64_t lines, const char *comment);
/* Skips blank lines, and comments between them. */
fgt_status fgti_csv_skip_blank(fgti_csv *csv);
/* Skips the next line if it has the form sep=; which Excel reads and writes. Returns its delimiter; 0: the
 * line is different. Call it before a record is read. */
char fgti_csv_take_separator(fgti_csv *csv);
/* Sets the delimiter to the one of these that is most frequent in the first line outside of quotes; on ties
 * the first one. If the first line has the form sep=; it is skipped, and sets the delimiter unless
 * `delimiters` has only one. Call it before a record is read. */
void fgti_csv_detect(fgti_csv *csv, const char *delimiters);
/* Finds the delimiter that is equally often in the first two lines outside of quotes; if there are several,
 * the most frequent one; 0: not found. Reads only the first block. */
char fgti_csv_find_delimiter(const fgti_csv *csv, const char *delimiters);
/* Whether a text of n bytes is a usual name of a column. */
typedef bool (*fgti_csv_named)(const char *text, size_t n);
/* Number of lines that seem to precede the header, such as a title. The header is the first line with as many
 * cells as the lines after it, most of them filled, or a line of names before rows with numbers. Reads only
 * the first block; 0: the first line is the header. named NULL: no name is usual. */
int64_t fgti_csv_count_titles(const fgti_csv *csv, const char *delimiters, fgti_csv_named named);
/* Finds a delimiter that cuts the lines after the first into as many cells as another one, *own, cuts the
 * first line, which does not contain the result; 0: not found, and *own has no meaning. Reads only the first
 * block. */
char fgti_csv_find_rows_delimiter(const fgti_csv *csv, const char *delimiters, char *own);
/* Sets the delimiter for the lines from the next one on. */
void fgti_csv_set_delimiter(fgti_csv *csv, char delimiter);
/* Reads the next record; *more is false at the end of the file. */
fgt_status fgti_csv_next(fgti_csv *csv, bool *more);
/* The same for the next record that is not a blank line. */
fgt_status fgti_csv_next_filled(fgti_csv *csv, bool *more);
void       fgti_csv_close(fgti_csv *csv);

/* Terminates the cell with a NUL only when it is read as a text: most cells are numbers, which are read eight
 * bytes at once, and such a read would stall after a write of one of these bytes. */
static inline char *fgti_csv_cell(const fgti_csv *csv, int64_t i)
{
    char *text                = csv->text + csv->cells[i].begin;
    text[csv->cells[i].size] = 0;
    return text;
}

/* For csv.c and line.c: makes room for more cells. */
static inline fgt_status fgti_csv_grow_cells(fgti_csv *csv, int64_t more)
{
    if (csv->count + more <= csv->cells_room) return FGT_OK;
    return fgti_grow(csv->ctx, "cells of a line", sizeof *csv->cells, csv->count, csv->count + more,
                     2 * csv->count + 64, &csv->cells_room, (void **)&csv->cells);
}

/* Reads the next record if it is a line without quotes inside the current block. *read is false if it is not;
 * then nothing has changed. */
fgt_status fgti_csv_read_line(fgti_csv *csv, bool *read);

/* Stores an error text that begins with file and line, and returns s. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
fgt_status fgti_csv_fail(const fgti_csv *csv, fgt_status s, int64_t line, const char *format, ...);

#endif
