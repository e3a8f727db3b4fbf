/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_COLUMNS_H
#define FGTI_TABLE_COLUMNS_H

#include "data/load/loader.h"

/* Keeps all cells of the header. */
fgt_status fgti_loader_header(fgti_loader *l);
/* Decides what the columns are, from the header and the first line of data, and names them. */
fgt_status fgti_loader_columns(fgti_loader *l);
/* Refuses two columns of one name. */
fgt_status fgti_loader_check_names(const fgti_loader *l);

#endif
