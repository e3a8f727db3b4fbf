/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_CLOCK_H
#define FGTI_TABLE_CLOCK_H

/* Clock times of the rows of a table. */

#include "data/table.h"

/* The clock time of a row. The next function gives the clock time n steps after a row. */
int64_t fgti_table_clock(const fgt_table *t, int64_t row);
int64_t fgti_table_clock_after(const fgt_table *t, int64_t row, const fgt_time_step *step, int64_t n);
/* The row to read in place of `row` in a window begin .. end-1. If the clock has changed since `row`, the row
 * is found by its clock time, counted back from the last row. Otherwise daily habits would be an hour off. */
int64_t fgti_table_row_by_clock(const fgt_table *t, int64_t begin, int64_t end, int64_t row);
/* Whether only one of two tables has times in UTC, so that their rows within a day cannot be compared. */
bool fgti_table_clocks_differ(const fgt_table *a, const fgt_table *b);
/* Whether the labels have offsets, or the zone of their clock is known. */
bool fgti_table_is_utc(const fgt_table *t);

#endif
