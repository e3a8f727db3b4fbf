/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_LONG_H
#define FGTI_TABLE_LONG_H

#include "data/join/long_rows.h"

/* Makes the table that has a column for each series. */
fgt_status fgti_long_pivot(const fgti_long *l, const fgt_csv_opts *opts, fgt_table **out);

#endif
