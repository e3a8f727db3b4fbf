/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_SERIES_H
#define FGTI_TABLE_SERIES_H

#include "data/load/loader.h"

/* Finds series in a file whose options do not name series (table_series.c). *panel: the times are put
 * together from parts, and rows with the same time belong to several series, which a column names. */
fgt_status fgti_loader_find_panel(fgti_loader *l, bool *panel);
/* Called after the last row, or after some thousands of rows. FGT_E_DATA: in a long file, other columns
 * distinguish rows of the same series and time. */
fgt_status fgti_loader_check_series(fgti_loader *l);

#endif
