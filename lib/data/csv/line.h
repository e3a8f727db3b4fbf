/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LINE_H
#define FGTI_LINE_H

#include "data/csv/record.h"

/* Reads the next record if it is a line without quotes inside the current block. *read: it was read; false:
 * nothing has changed. */
fgt_status fgti_csv_read_line(fgti_csv *csv, bool *read);

#endif
