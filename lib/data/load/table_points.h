/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_POINTS_H
#define FGTI_TABLE_POINTS_H

#include "data/load/loader.h"

/* Points between thousands (table_points.c): checks each line from the first line of data on, and judges
 * after the last one. FGT_E_DATA: a column seems to have such points. */
void       fgti_points_begin(fgti_loader *l);
fgt_status fgti_points_look(fgti_loader *l);
fgt_status fgti_points_judge(fgti_loader *l);

#endif
