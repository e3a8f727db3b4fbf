/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_SERIES_H
#define FGTI_TABLE_SERIES_H

#include "data/load/loader.h"

/* Finds series in a file that does not say that it has series (table_series.c). *panel: rows with the same
 * time, put together from parts, belong to several series, which a column names. */
fgt_status fgti_loader_find_panel(fgti_loader *l, bool *panel);
/* After the last row, or some thousands of rows. FGT_E_DATA: in a long file of one series and time, other
 * columns distinguish rows of the same time. */
fgt_status fgti_loader_check_series(fgti_loader *l);

#endif
