/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_FORM_H
#define FGTI_TABLE_FORM_H

#include "data/load/loader.h"

/* Decides whether the file is long, and sets label, id, value and keys. If the file is wide, id is -1 and
 * there are no keys. */
fgt_status fgti_loader_form(fgti_loader *l);
/* FGT_E_DATA: the cell should name a series but is empty. */
fgt_status fgti_loader_refuse_nameless(const fgti_loader *l, int64_t cell, int64_t line);
/* Stores the name of the current row's series. */
fgt_status fgti_loader_add_series(fgti_loader *l);

#endif
