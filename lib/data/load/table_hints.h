/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TABLE_HINTS_H
#define FGTI_TABLE_HINTS_H

#include "data/load/loader.h"

/* FGT_E_FORMAT: the current line has more or fewer cells than the first line. */
fgt_status fgti_loader_refuse_cells(fgti_loader *l);
/* FGT_E_FORMAT: a blank line is followed by the current line. */
fgt_status fgti_loader_refuse_blank(fgti_loader *l, int64_t line);
/* FGT_E_FORMAT: the delimiter does not cut the first line, but another delimiter would. */
fgt_status fgti_loader_check_delimiter(const fgti_loader *l);
/* Called if the rows have another delimiter than the header. Reads on with the rows' delimiter, and warns. */
void fgti_loader_change_delimiter(fgti_loader *l);
/* FGT_E_DATA: no column has numbers. */
fgt_status fgti_loader_refuse_all(const fgti_loader *l);
/* Writes the options that leave out a line that is not a row; "" if no option does. */
const char *fgti_loader_hint_line(const fgti_loader *l, int64_t line, const char *text, char buf[FGTI_HINT]);
/* Writes the options that leave out a footer, if no rows follow the current line; "" if rows follow. To find
 * this out, the rest of the file is read. */
const char *fgti_loader_hint_end(fgti_loader *l, char buf[FGTI_HINT]);
/* Writes the options with which a text is a number in another notation; "" if no option helps. */
const char *fgti_loader_hint_notation(const fgti_loader *l, const char *text, char buf[FGTI_HINT]);
/* Writes the option for a text that may mean a missing value; "" if the text has digits. */
const char *fgti_loader_hint_missing(const char *text, char buf[FGTI_HINT]);

#endif
