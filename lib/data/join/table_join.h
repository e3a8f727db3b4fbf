/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_JOIN_H
#define FGTI_TABLE_JOIN_H

#include "data/table.h"

/* Joins tables of files, in the order of their times or side by side; table 0 becomes the result. paths
 * [count] are for error texts. */
fgt_status fgti_table_combine(fgt_context *ctx, fgt_table **tables, const char *const *paths, int64_t count,
                              const fgt_csv_opts *opts);

#endif
