/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_JOIN_H
#define FGTI_TABLE_JOIN_H

#include "data/table.h"

/* Joins the tables of files: one after another in time, or side by side. Table 0 becomes the result. paths
 * [count] are for error texts. */
fgt_status fgti_table_combine(fgt_context *ctx, fgt_table **tables, const char *const *paths, int64_t count,
                              const fgt_csv_opts *opts);

#endif
