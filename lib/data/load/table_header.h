/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_HEADER_H
#define FGTI_TABLE_HEADER_H

#include "data/load/loader.h"

/* Checks the line that was taken for the header, or for units. FGT_E_DATA: it is a row, because it is like
 * the current line or is the current line (table_header.c). */
fgt_status fgti_header_check(const fgti_loader *l);
fgt_status fgti_header_check_units(const fgti_loader *l);
/* Checks the header by the first line of data. FGT_E_DATA: names of columns are times, and the rows have no
 * times. Warns if names of columns are months or hours. */
fgt_status fgti_header_check_across(const fgti_loader *l);
/* Whether the current line repeats the header, as in a file that was joined from several files. */
bool fgti_header_repeats(const fgti_loader *l);
/* Whether the cells of the current line are the names of all columns, in another order. */
bool fgti_header_is_other(const fgti_loader *l);
void fgti_header_warn(const fgti_loader *l);

#endif
