/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_LABELS_H
#define FGTI_TABLE_LABELS_H

#include "data/load/loader.h"

/* Finds, from the first line of data, the cell that has the row labels; -1: the rows have no labels. */
int64_t fgti_loader_find_label(fgti_loader *l);
/* Finds the cell of a column that is called year and has a year in the first line of data; -1: no such
 * column. */
int64_t fgti_loader_find_year(const fgti_loader *l);
/* Whether a cell has a month such as 01.2012, which may be the row's label. */
bool fgti_loader_is_point_month(const fgti_loader *l, int64_t cell);
/* Finds the cells that may form the times together: Year and Month, Date and Time. Months such as 201201,
 * which are not times on their own, are found here too. */
void fgti_loader_find_parts(fgti_loader *l);
/* Adds the label of the current line; with `empty`, adds an empty label. */
fgt_status fgti_loader_add_label(fgti_loader *l, bool empty);
/* Decides whether the parts are the times. If they are, they are not columns of numbers. Called after the
 * last row, or after some thousands of rows. */
fgt_status fgti_loader_settle_labels(fgti_loader *l);

#endif
