/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LINES_H
#define FGTI_LINES_H

/* The lines of a file from which the rows of a table were read, and how error texts call these rows. */

#include "core/strings/list.h"

/* Rows on consecutive lines. A file without blank lines and without line breaks in quotes has one run. */
typedef struct fgti_line_run {
    int64_t row, line; /* of its first row; line 0: these rows have no lines */
} fgti_line_run;

typedef struct fgti_lines {
    fgti_line_run *run;
    int64_t        count, capacity; /* of runs */
    int64_t        rows;
} fgti_lines;

/* Adds the next row; line 0: it was not in the file. */
fgt_status fgti_lines_add(fgt_context *ctx, fgti_lines *lines, int64_t line);
/* The line of a row, 1 for the first line of the file; 0: the row has no line. */
int64_t fgti_lines_get(const fgti_lines *lines, int64_t row);
/* Puts rows in the order from[], of `rows` rows; -1: an added row. */
fgt_status fgti_lines_place(fgt_context *ctx, fgti_lines *lines, const int64_t *from, int64_t rows);
void       fgti_lines_done(fgt_context *ctx, fgti_lines *lines);

/* "line 7 (2016-07-01)", or "row 5 (2016-07-01)", counted from 0, if the row has no line. lines NULL: no row
 * has one; label NULL: the row has no label. */
#define FGTI_ROW_TEXT (FGTI_SHOW + 32)
const char *fgti_row_text(const fgti_lines *lines, int64_t row, const char *label, char buf[FGTI_ROW_TEXT]);

/* Labels of rows, and how errors name them. */
typedef struct fgti_row_labels {
    const char         *what;  /* the file and the column, or the table */
    const fgti_strings *texts; /* NULL: the rows have no labels */
    const fgti_lines   *lines; /* NULL: the rows do not come from a file */
    bool                zoned; /* the offsets of clocks are known */
} fgti_row_labels;

/* Describes a row by line and label, as "line 7 (2016-07-01)"; without a label by line and time. */
const char *fgti_labelled_row(const fgti_row_labels *labels, int64_t row, int64_t time,
                              char buf[FGTI_ROW_TEXT]);

#endif
