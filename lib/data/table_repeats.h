/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_REPEATS_H
#define FGTI_TABLE_REPEATS_H

/* Rows that have the same time as another row. */

#include "data/table.h"
#include "data/time/time_axis.h"

/* Whether so many rows repeat a time that they cannot be mistakes. Then something other than the time
 * distinguishes the rows. */
bool fgti_repeats_many(int64_t repeats, int64_t rows);
/* Counts a dropped row whose values [columns] differ from the row that is kept for the same time. */
void fgti_conflict_add(fgt_table_info *info, int64_t row, int64_t time, const double *kept,
                       const double *dropped, int64_t columns);
/* Drops each row that has the time of a later row, if `repair` allows it, and counts the dropped rows. */
fgt_status fgti_table_settle_repeats(const fgt_table *t, fgti_axis *a, int32_t repair, fgt_table_info *info);

#endif
