/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_POINTS_H
#define FGTI_TABLE_POINTS_H

#include "data/load/loader.h"

/* Detects points that separate thousands (table_points.c). Each line is checked, from the first line of data
 * on; after the last line the columns are judged. FGT_E_DATA: a column seems to have such points. */
void       fgti_points_begin(fgti_loader *l);
fgt_status fgti_points_look(fgti_loader *l);
fgt_status fgti_points_judge(fgti_loader *l);
/* The current cell has a point although `decimal_comma` is set. If later values of the column, to which the
 * file is read on, show what such a point means, replaces the hint of an error by the option that helps. */
void fgti_points_hint(fgti_loader *l, int64_t cell, char hint[FGTI_HINT]);

#endif
