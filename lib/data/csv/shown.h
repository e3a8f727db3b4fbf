/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SHOWN_H
#define FGTI_SHOWN_H

/* Reads numbers as spreadsheets show them: 1,200.5 with groups of three digits, also with blanks or
 * apostrophes between the groups; 12 %, $5, 5 EUR; (5) and 5- for -5. With decimal_comma: 1.200,5. */

#include "data/csv/number.h"

#define FGTI_UNIT 8
/* Returns false if the text is not such a number. unit is the sign of percent or currency; "" if there is no
 * sign. */
bool fgti_shown_parse(locale_t c, const char *s, bool decimal_comma, double *value, char unit[FGTI_UNIT]);

#endif
