/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_TIME_H
#define FGTI_TABLE_TIME_H

/* The times of a table's rows, and the values that repairs fill in. */

#include <math.h>

#include "data/table.h"
#include "data/time/time_axis.h"

/* The time n steps after a row of a table in memory; n < 0: before the row. */
int64_t fgti_table_time_after(const fgt_table *t, int64_t row, const fgt_time_step *step, int64_t n);
/* Gives the rows their times and repairs them. Takes over `times`. `what` is for error texts. On error the
 * table is as before. */
fgt_status fgti_table_take_times(fgt_table *t, const char *what, int64_t *times, int32_t repair,
                                 const fgt_time_step *known);
/* Fills missing values. missing: an fgt_table_missing. The rows must be in order. */
fgt_status fgti_table_fill(fgt_table *t, int32_t missing, const char *what);
/* Fills a cell that has no value from the previous row, and counts it. */
fgt_status fgti_table_fill_cell(fgt_table *t, int32_t missing, int64_t row, int64_t column);
/* Counts filled values of a column. */
fgt_status fgti_table_add_fills(fgt_table *t, int64_t column, fgti_fills more);
/* The value that replaces a missing value. before: the value in the previous row. */
static inline double fgti_missing_value(int32_t missing, double before)
{
    return missing == FGT_TABLE_MISSING_ZERO ? 0 : missing == FGT_TABLE_MISSING_FORWARD_FILL ? before : NAN;
}
/* FGT_E_DATA: the missing values of a column must be filled, but its first row has no value. */
fgt_status fgti_table_refuse_first(fgti_error *err, const char *what, int64_t line, const char *column);
/* fgt_table_format_time() that returns the number of characters; below 1: an error. */
int64_t fgti_table_write_time(const fgt_table *table, int64_t time, char *text, int64_t capacity);
/* Writes the label of a row at this time, in the form of the table's labels. */
void fgti_table_write_label(const fgt_table *t, int64_t time, int32_t offset, char text[FGTI_FORM_TEXT]);
/* Makes the labels for the rows of an axis. A row of the table keeps its label; a row that the axis has added
 * gets its time. */
fgt_status fgti_table_place_labels(const fgt_table *t, const fgti_axis *a, fgti_strings *dates);

#endif
