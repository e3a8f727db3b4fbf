/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_REPEATS_H
#define FGTI_TABLE_REPEATS_H

/* Rows with the same time as another row. */

#include "data/table.h"
#include "data/time/time_axis.h"

/* Whether so many rows with the time of another row cannot be mistakes: something else distinguishes the
 * rows. */
bool fgti_repeats_many(int64_t repeats, int64_t rows);
/* Counts a row that is dropped for a row with the same time, if their values [columns] differ. */
void fgti_conflict_add(fgt_table_info *info, int64_t row, int64_t time, const double *kept,
                       const double *dropped, int64_t columns);
/* Drops rows with the time of a later row, as far as `repair` allows, and counts them. */
fgt_status fgti_table_settle_repeats(const fgt_table *t, fgti_axis *a, int32_t repair, fgt_table_info *info);

#endif
