/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_LOAD_H
#define FGTI_TABLE_LOAD_H

#include "data/load/loader.h"

/* Reads the rows of a file into a new table, l->t. With l->take, l->t keeps only the rows that l->take has
 * left there. Even after an error, call fgti_loader_close() and destroy l->t. */
fgt_status fgti_loader_open(fgti_loader *l, const char *path);
void       fgti_loader_close(fgti_loader *l);

#endif
