/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CSV_H
#define FGTI_CSV_H

/* Reads a comma-separated file record by record. What the cells mean is up to the caller. */

#include <stdbool.h>

#include "core/alloc.h"
#include "data/csv/reader.h"
#include "data/csv/short_number.h"
#include "data/csv/utf16.h"
#include "data/strings/list.h"

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
    char         *own;   /* [used] */
    int64_t       used, own_room;
    int64_t       next_line;
    const char   *next, *end; /* bytes of the file still to be read */
    const char   *held, *held_end; /* and after them, where a comment's first bytes were read again */
    int64_t       blocks;          /* how many have been read */
    fgti_reader  *reader;
    fgti_utf16   *utf16;   /* NULL: the file is in UTF-8 */
    const char   *comment; /* records that begin with this are skipped; NULL: none are */
    char          delimiter;
    bool          stop[256]; /* bytes that end an unquoted cell */
    bool          no_quotes; /* quotes are characters as others */
    bool          bad_quote; /* what was refused is a quote */
} fgti_csv;

/* path is borrowed until fgti_csv_close(), which must be called even after an error here. delimiter 0: each
 * line is one cell, and quotes have no meaning. */
fgt_status fgti_csv_open(fgt_context *ctx, const char *path, char delimiter, fgti_csv *csv);
/* FGT_E_FORMAT: the file is a page of HTML, XML or JSON. To be called before a record is read. */
fgt_status fgti_csv_check_text(const fgti_csv *csv);
/* Why a comment cannot be one: it is empty, or has the end of a line. NULL: it can, or is NULL. */
const char *fgti_csv_comment_fault(const char *comment);
/* Skips lines at the beginning, and comments after them; from then on fgti_csv_next() skips comments, too. */
fgt_status fgti_csv_skip(fgti_csv *csv, int64_t lines, const char *comment);
/* Skips blank lines, and comments between them. */
fgt_status fgti_csv_skip_blank(fgti_csv *csv);
/* Skips the next line if it is such as sep=; which Excel reads, and writes. Returns the delimiter that it
 * says; 0: there is none. To be called before a record is read. */
char fgti_csv_take_separator(fgti_csv *csv);
/* Sets the delimiter to the one of these that the first line has most of outside of quotes, of several the
 * first. A first line such as sep=; says which it is, unless there is only one, and is skipped. To be
 * called before a record is read. */
void fgti_csv_detect(fgti_csv *csv, const char *delimiters);
/* One of these that the first two lines have equally often outside of quotes, of several the one that they
 * have most of; 0: none. Looks at the first block alone. */
char fgti_csv_find_delimiter(const fgti_csv *csv, const char *delimiters);
/* Whether a text of n bytes is a usual name of a column. */
typedef bool (*fgti_csv_named)(const char *text, size_t n);
/* How many lines seem to stand before the header, such as a title: the header is the first line with as many
 * cells as those after it, most of them filled, or a line of names before rows with numbers. Looks only at
 * the first block; 0: the first line is it. named NULL: no name is usual. */
int64_t fgti_csv_count_titles(const fgti_csv *csv, const char *delimiters, fgti_csv_named named);
/* One of the delimiters that cuts the lines after the first into as many cells as another one, *own, cuts the
 * first line, in which it does not stand; 0: there is none, and *own says nothing. Looks only at the first
 * block. */
char fgti_csv_find_rows_delimiter(const fgti_csv *csv, const char *delimiters, char *own);
/* Of the lines from the next one on. */
void fgti_csv_set_delimiter(fgti_csv *csv, char delimiter);
/* Reads the next record; *more is false at the end of the file. */
fgt_status fgti_csv_next(fgti_csv *csv, bool *more);
/* The same for the next record that is not a blank line. */
fgt_status fgti_csv_next_filled(fgti_csv *csv, bool *more);
void       fgti_csv_close(fgti_csv *csv);

/* Ends the cell with a NUL only now: most cells are numbers, and eight bytes that were written as seven and
 * one would be waited for when they are read together. */
static inline char *fgti_csv_cell(const fgti_csv *csv, int64_t i)
{
    char *text                = csv->text + csv->cells[i].begin;
    text[csv->cells[i].size] = 0;
    return text;
}

/* For csv.c and line.c: room for more cells. */
static inline fgt_status fgti_csv_grow_cells(fgti_csv *csv, int64_t more)
{
    if (csv->count + more <= csv->cells_room) return FGT_OK;
    return fgti_grow(csv->ctx, "cells of a line", sizeof *csv->cells, csv->count, csv->count + more,
                     2 * csv->count + 64, &csv->cells_room, (void **)&csv->cells);
}

/* Reads the next record if it is a line without quotes inside the current block; *read: it was, otherwise
 * nothing has happened. */
fgt_status fgti_csv_read_line(fgti_csv *csv, bool *read);

/* Stores an error text that begins with file and line, and returns s. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
fgt_status fgti_csv_fail(const fgti_csv *csv, fgt_status s, int64_t line, const char *format, ...);

#endif
