/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_CELLS_H
#define FGTI_TABLE_CELLS_H

#include "data/load/loader.h"

/* Call it after the last row. If missing values are refused, a column without any value is left out, unless
 * the options name it. */
fgt_status fgti_loader_judge_empty(fgti_loader *l, int64_t cell);
/* Leaves out columns without a name that number the rows. Such columns are before the column of times. */
void fgti_loader_leave_index(fgti_loader *l);
/* Checks a column that is left out because it begins with a text. FGT_E_DATA: other rows of it have
 * numbers. */
fgt_status fgti_loader_check_ignored(const fgti_loader *l, const fgti_source *source);
/* Reads the cells of the current line into `row`, which becomes row t->rows of the table. */
fgt_status fgti_loader_cells(fgti_loader *l, double *row);
/* Sets *value to missing, or fails if missing values are not allowed. text: the text of the cell. */
fgt_status fgti_loader_missing(fgti_loader *l, int64_t cell, int64_t line, const char *text, double *value);
/* Call it after the last row. Columns of texts become categories or are left out. */
fgt_status fgti_loader_finish(fgti_loader *l);

#endif
