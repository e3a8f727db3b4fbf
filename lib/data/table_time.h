/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_TIME_H
#define FGTI_TABLE_TIME_H

/* The times of a table's rows, and values that repairs fill in. */

#include <math.h>

#include "data/table.h"
#include "data/time/time_axis.h"

/* The time n steps after a row of a table in memory, or before it with n < 0. */
int64_t fgti_table_time_after(const fgt_table *t, int64_t row, const fgt_time_step *step, int64_t n);
/* Gives the rows their times, which it takes over, and repairs them; `what` is for error texts. On error the
 * table is as before. */
fgt_status fgti_table_take_times(fgt_table *t, const char *what, int64_t *times, int32_t repair,
                                 const fgt_time_step *known);
/* Fills missing values by an fgt_table_missing, when the rows are in order. */
fgt_status fgti_table_fill(fgt_table *t, int32_t missing, const char *what);
/* Fills a cell that has no value from the row before it, and counts it. */
fgt_status fgti_table_fill_cell(fgt_table *t, int32_t missing, int64_t row, int64_t column);
/* Counts filled values of a column. */
fgt_status fgti_table_add_fills(fgt_table *t, int64_t column, fgti_fills more);
/* Replacement of a missing value; `before`: the value of the row before it. */
static inline double fgti_missing_value(int32_t missing, double before)
{
    return missing == FGT_TABLE_MISSING_ZERO ? 0 : missing == FGT_TABLE_MISSING_FORWARD_FILL ? before : NAN;
}
/* FGT_E_DATA: the first row has no value in a column whose missing values must be filled. */
fgt_status fgti_table_refuse_first(fgti_error *err, const char *what, int64_t line, const char *column);
/* fgt_table_format_time() with the number of characters; below 1: an error. */
int64_t fgti_table_write_time(const fgt_table *table, int64_t time, char *text, int64_t capacity);
/* The label of a row of this time, in the form of the table's labels. */
void fgti_table_write_label(const fgt_table *t, int64_t time, int32_t offset, char text[FGTI_FORM_TEXT]);
/* The labels of an axis's rows: the table's, or the time if the axis has an additional row. */
fgt_status fgti_table_place_labels(const fgt_table *t, const fgti_axis *a, fgti_strings *dates);

#endif
