/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_HINTS_H
#define FGTI_TABLE_HINTS_H

#include "data/load/loader.h"

/* FGT_E_FORMAT: the current line has more or fewer cells than the first. */
fgt_status fgti_loader_refuse_cells(fgti_loader *l);
/* FGT_E_FORMAT: a line is blank, and the current one follows it. */
fgt_status fgti_loader_refuse_blank(fgti_loader *l, int64_t line);
/* FGT_E_FORMAT: the delimiter does not cut the first line, but another one would. */
fgt_status fgti_loader_check_delimiter(const fgti_loader *l);
/* Rows have another delimiter than the header: reads on with it, and warns. */
void fgti_loader_change_delimiter(fgti_loader *l);
/* FGT_E_DATA: no column has numbers. */
fgt_status fgti_loader_refuse_all(const fgti_loader *l);
/* Options that leave out a line that is not a row; "" if none is known. */
const char *fgti_loader_hint_line(const fgti_loader *l, int64_t line, const char *text, char buf[FGTI_HINT]);
/* Options that leave out a footer if the table ends before the current line, after which the file is read on;
 * "" if rows follow. */
const char *fgti_loader_hint_end(fgti_loader *l, char buf[FGTI_HINT]);
/* Options that read a text as a number in another notation; "" if none does. */
const char *fgti_loader_hint_notation(const fgti_loader *l, const char *text, char buf[FGTI_HINT]);
/* The option for a text that may mean a missing value; "" if it has digits. */
const char *fgti_loader_hint_missing(const char *text, char buf[FGTI_HINT]);

#endif
