/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CSV_H
#define FGTI_CSV_H

/* Reads a comma-separated file record by record. What the cells mean is up to the caller. */

#include <stdbool.h>

#include "core/alloc.h"
#include "data/csv/reader.h"

typedef struct fgti_cell {
    int64_t begin, size; /* in `text`; followed by a NUL */
    bool    quoted;
} fgti_cell;

typedef struct fgti_csv {
    fgt_context  *ctx;
    const char   *path;
    int64_t       line;  /* where the record begins, from 1 */
    int64_t       count; /* its cells */
    fgti_cell    *cells;
    int64_t       cells_room;
    char         *text; /* [used], of the record */
    int64_t       used, text_room;
    int64_t       next_line;
    const char   *next, *end; /* bytes of the file still to be read */
    fgti_reader  *reader;
    char          delimiter;
    bool          stop[256]; /* bytes that end an unquoted cell */
    bool          no_quotes; /* quotes are characters as others */
} fgti_csv;

/* path is borrowed until fgti_csv_close(), which must be called even after an error here. delimiter 0: each
 * line is one cell, and quotes have no meaning. */
fgt_status fgti_csv_open(fgt_context *ctx, const char *path, char delimiter, fgti_csv *csv);
/* Sets the delimiter to the one of these that the first line has most of outside of quotes, of several the
 * first. To be called before a record is read. */
void fgti_csv_detect(fgti_csv *csv, const char *delimiters);
/* Reads the next record; *more is false at the end of the file. */
fgt_status fgti_csv_next(fgti_csv *csv, bool *more);
/* The same for the next record that is not a blank line. */
fgt_status fgti_csv_next_filled(fgti_csv *csv, bool *more);
void       fgti_csv_close(fgti_csv *csv);

static inline const char *fgti_csv_cell(const fgti_csv *csv, int64_t i)
{
    return csv->text + csv->cells[i].begin;
}

/* Stores an error text that begins with file and line, and returns s. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
fgt_status fgti_csv_fail(const fgti_csv *csv, fgt_status s, int64_t line, const char *format, ...);

#endif
