/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_MARKERS_H
#define PROGRAMS_FORECAST_MARKERS_H

/* Numbers such as -9999 that stand for missing values. */

#include "run.h"

/* Sets has [columns]: columns with a number such as -9999, if one column has it in more rows than can be left
 * out. On error prints a message and returns false. */
bool markers_find(const run *r, const char *path, const fgt_table *table, bool *has);
/* Warns if a column has numbers such as -9999 far from its other values; for a table on disk only in rows
 * from `first` on. said [columns]: columns to skip, NULL: no columns. On error prints a message and returns
 * false. */
bool markers_warn(const run *r, const char *path, const fgt_table *table, int64_t first, const bool *said);

#endif
