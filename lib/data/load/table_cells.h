/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_CELLS_H
#define FGTI_TABLE_CELLS_H

#include "data/load/loader.h"

/* After the last row: if missing values are refused, a column without a value is left out, unless the options
 * name it. */
fgt_status fgti_loader_judge_empty(fgti_loader *l, int64_t cell);
/* Leaves out columns without a name that number the rows, before the column of times. */
void fgti_loader_leave_index(fgti_loader *l);
/* FGT_E_DATA: a column that is left out, because it begins with a text, has numbers in other rows. */
fgt_status fgti_loader_check_ignored(const fgti_loader *l, const fgti_source *source);
/* Reads the cells of the current line, row t->rows of the table. */
fgt_status fgti_loader_cells(fgti_loader *l, double *row);
/* Makes *value missing, or fails because missing values are not allowed; text: the text of the cell. */
fgt_status fgti_loader_missing(fgti_loader *l, int64_t cell, int64_t line, const char *text, double *value);
/* After the last row: columns of texts become categories, or are left out. */
fgt_status fgti_loader_finish(fgti_loader *l);

#endif
