/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_COLUMNS_H
#define FGTI_TABLE_COLUMNS_H

#include "data/load/loader.h"

/* Keeps all cells of the current line, which is the header. */
fgt_status fgti_loader_header(fgti_loader *l);
/* Decides from the header and the first line of data what the columns are, and names them. */
fgt_status fgti_loader_columns(fgti_loader *l);
/* Refuses two columns with the same name. */
fgt_status fgti_loader_check_names(const fgti_loader *l);

#endif
