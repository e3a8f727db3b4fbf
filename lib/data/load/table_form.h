/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_FORM_H
#define FGTI_TABLE_FORM_H

#include "data/load/loader.h"

/* Decides whether the file is long: sets label, id, value and keys; id -1 and no keys if it is wide. */
fgt_status fgti_loader_form(fgti_loader *l);
/* FGT_E_DATA: the cell has no name of a series. */
fgt_status fgti_loader_refuse_nameless(const fgti_loader *l, int64_t cell, int64_t line);
/* Stores the series of the current row. */
fgt_status fgti_loader_add_series(fgti_loader *l);

#endif
