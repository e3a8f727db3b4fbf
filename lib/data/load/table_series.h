/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_SERIES_H
#define FGTI_TABLE_SERIES_H

#include "data/load/loader.h"

/* Series in a file that does not say so (table_series.c). Whether rows whose parts give the same time belong
 * to several series, which a column names. */
fgt_status fgti_loader_find_panel(fgti_loader *l, bool *panel);
/* After the last row, or some thousands. FGT_E_DATA: other columns tell apart rows of one time, in a long
 * file of one series and time. */
fgt_status fgti_loader_check_series(fgti_loader *l);

#endif
