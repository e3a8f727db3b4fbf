/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RECORD_H
#define FGTI_RECORD_H

/* A record of a CSV file, and the reader's place in the file. */

#include <stdbool.h>

#include "core/alloc.h"
#include "core/strings/list.h"
#include "data/csv/reader.h"
#include "data/csv/short_number.h"
#include "data/csv/utf16.h"

typedef struct fgti_record_cell {
    int64_t begin, size; /* place of the cell in `text` */
    bool    quoted;
} fgti_record_cell;

typedef struct fgti_csv {
    fgt_context      *ctx;
    const char       *path;
    int64_t           line;  /* line of the file where the record begins, from 1 */
    int64_t           count; /* number of cells */
    fgti_record_cell *cells;
    int64_t           cells_room;
    char             *text; /* bytes of the record: in the block, or in `own` */
    char             *own;  /* [used]: the bytes of a record that had to be copied */
    int64_t           used, own_room;
    int64_t           next_line;
    const char       *next, *end;      /* bytes of the file still to be read */
    const char       *held, *held_end; /* bytes to read after `next`, while bytes of `comment` are read
                                        * again */
    int64_t           blocks;          /* number of blocks read */
    fgti_reader      *reader;
    fgti_utf16       *utf16;   /* NULL: the file is in UTF-8 */
    const char       *comment; /* records that begin with this text are skipped; NULL: no comments */
    char              delimiter;
    bool              stop[256]; /* bytes that end an unquoted cell */
    bool              no_quotes; /* quotes are ordinary characters */
    bool              bad_quote; /* the last error was about a quote */
} fgti_csv;

/* Returns the text of a cell, and only then ends it with a NUL. Most cells are numbers, which are read eight
 * bytes at once. A write of one of these bytes shortly before would make such a read stall. */
static inline char *fgti_csv_cell(const fgti_csv *csv, int64_t i)
{
    char *text               = csv->text + csv->cells[i].begin;
    text[csv->cells[i].size] = 0;
    return text;
}

/* Makes room for more cells. */
static inline fgt_status fgti_csv_grow_cells(fgti_csv *csv, int64_t more)
{
    if (csv->count + more <= csv->cells_room) return FGT_OK;
    return fgti_grow(csv->ctx, "cells of a line", sizeof *csv->cells, csv->count, csv->count + more,
                     2 * csv->count + 64, &csv->cells_room, (void **)&csv->cells);
}

#endif
