/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_LOAD_H
#define FGTI_TABLE_LOAD_H

/* A table that is read from a file: table_columns.c finds the columns, table_load.c reads the rows. */

#include "core/context.h"
#include "data/csv.h"
#include "data/number.h"
#include "data/table.h"

typedef struct fgti_loader {
    fgt_context *ctx;
    fgt_csv_opts opts;
    fgti_csv     csv;
    locale_t     locale; /* "C" */
    fgt_table   *t;
    int64_t      cells;  /* in the first line, and so in every line; 0: no line was read yet */
    fgti_strings header; /* [cells], or none */
    int64_t      label;  /* the cell of the row labels; -1: there is none */
    int64_t     *column; /* [cells]: the column of the table; -1: not read */
} fgti_loader;

/* Keeps all cells of the header. */
fgt_status fgti_loader_header(fgti_loader *l);
/* Decides what the columns are, from the header and the first line of data, and names them. */
fgt_status fgti_loader_columns(fgti_loader *l);
/* The number in a cell of the current line. */
fgti_number fgti_loader_number(fgti_loader *l, int64_t cell, double *value);

#endif
