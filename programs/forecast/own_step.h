/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_OWN_STEP_H
#define PROGRAMS_FORECAST_OWN_STEP_H

/* Series with a longer step than their file. */

#include "run.h"

/* Refuses series with a longer step than the file, because a model has one step. On error prints a message
 * and returns false. */
bool own_step_check(const run *r);
bool own_step_same(const fgt_time_step *a, const fgt_time_step *b);
/* Counts the missing values of the table, which takes time. */
fgt_table_info own_step_info(const fgt_table *table);
/* Makes a table for a series with a longer step than its file, such as months in a file of days. Such a
 * series has no two values in neighbouring rows, and at most a fifth of its times are missing. NULL for any
 * other series. */
fgt_table *own_step_find(const run *r, int64_t series);

#endif
