/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_COLUMNS_H
#define FGTI_TABLE_COLUMNS_H

#include "data/load/loader.h"

/* Name of a cell in the header; "": none. */
const char *fgti_loader_header_name(const fgti_loader *l, int64_t cell);
/* Whether opts name this column, among the columns or the categories. */
bool fgti_loader_is_listed(const fgti_loader *l, const char *name);
/* Keeps all cells of the header. */
fgt_status fgti_loader_header(fgti_loader *l);
/* Makes the set of the cells' names from fgti_loader_name(). */
/* The cell of the column with this name. */
fgt_status fgti_loader_find(const fgti_loader *l, const char *name, int64_t *cell);
/* Decides what the columns are, from the header and the first line of data, and names them. */
fgt_status fgti_loader_columns(fgti_loader *l);
/* Refuses two columns of one name. */
fgt_status fgti_loader_check_names(const fgti_loader *l);
/* The name of a column of the file. The name of a column without one is a number, written to buf: its number
 * in the table or, before columns are chosen, to find times, series and values, its number in the file. */
const char *fgti_loader_name(const fgti_loader *l, int64_t cell, char buf[24]);
/* The number in a cell of the current line. */
fgti_number fgti_loader_number(fgti_loader *l, int64_t cell, double *value);

#endif
