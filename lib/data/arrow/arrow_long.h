/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ARROW_LONG_H
#define FGTI_ARROW_LONG_H

#include "data/arrow/arrow_column.h"
#include "data/table.h"

/* Replaces a table of rows in long form by the table that has a column for each series. The rows have their
 * values first (if opts->value is set), then covariates, and names[0] is the name of the column of times.
 * `series` has the names of the series; missing [rows] and times [rows] are about the rows. On error the
 * caller destroys *rows, which may be NULL. */
fgt_status fgti_arrow_pivot(const fgti_arrow_column *series, const bool *missing, const int64_t *times,
                            const fgt_arrow_opts *opts, fgt_table **rows);

#endif
