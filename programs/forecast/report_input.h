/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_REPORT_INPUT_H
#define PROGRAMS_FORECAST_REPORT_INPUT_H

/* Reports on the rows that were read. */

#include "run.h"

/* Prints the rows that were removed, and the first one with other values; table NULL: a column has no
 * name. */
void report_repeats(const fgt_table *table, const fgt_table_info *t, FILE *out);
/* Prints how many missing values were filled in which columns; path: of the file, NULL: there is only one. */
void report_filled(const fgt_table *table, const char *path, FILE *out);
/* {"ot": 11, "load": 1} */
json_t *report_pack_fills(const run *r);
json_t *report_list_ignored(const run *r);
/* Prints the form and gaps of the rows, and changes that were made to them. */
void report_rows(const run *r, FILE *out);

#endif
