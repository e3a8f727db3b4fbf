/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LINES_H
#define FGTI_LINES_H

/* The lines of a file from which the rows of a table were read, and the text by which errors name a row. */

#include "core/strings/list.h"

/* Rows on consecutive lines. A file has one run if it has no blank lines and no line breaks in quotes. */
typedef struct fgti_line_run {
    int64_t row, line; /* number and line of the run's first row; line 0: the rows of this run have no
                        * lines */
} fgti_line_run;

typedef struct fgti_lines {
    fgti_line_run *run;
    int64_t        count, capacity; /* count: number of runs; capacity: runs that fit */
    int64_t        rows;
} fgti_lines;

/* Adds the next row. line 0: the row was not in the file. */
fgt_status fgti_lines_add(fgt_context *ctx, fgti_lines *lines, int64_t line);
/* The line of a row, 1 for the first line of the file; 0: the row has no line. */
int64_t fgti_lines_get(const fgti_lines *lines, int64_t row);
/* Orders the lines as the rows are ordered: new row i is the old row from[i]; from[i] = -1: an added row.
 * `rows` is the number of new rows. */
fgt_status fgti_lines_place(fgt_context *ctx, fgti_lines *lines, const int64_t *from, int64_t rows);
void       fgti_lines_done(fgt_context *ctx, fgti_lines *lines);

/* Describes a row by its line, "line 7 (2016-07-01)". A row without a line has its number, counted from 0:
 * "row 5 (2016-07-01)". lines NULL: no row has a line. label NULL: the row has no label. */
#define FGTI_ROW_TEXT (FGTI_SHOW + 32)
const char *fgti_row_text(const fgti_lines *lines, int64_t row, const char *label, char buf[FGTI_ROW_TEXT]);

/* The labels of rows, and how error texts name the rows. */
typedef struct fgti_row_labels {
    const char         *what;  /* the file and the column, or the table, in error texts */
    const fgti_strings *texts; /* NULL: the rows have no labels */
    const fgti_lines   *lines; /* NULL: the rows do not come from a file */
    bool                zoned; /* the offsets of the clocks are known */
    int64_t             round; /* the times were rounded to multiples of it; 0: they were not */
} fgti_row_labels;

/* Describes a row by its line and its label, as "line 7 (2016-07-01)". A row without a label is described by
 * its line and its time. */
const char *fgti_labelled_row(const fgti_row_labels *labels, int64_t row, int64_t time,
                              char buf[FGTI_ROW_TEXT]);

#endif
