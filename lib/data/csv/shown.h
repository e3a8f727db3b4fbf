/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SHOWN_H
#define FGTI_SHOWN_H

/* Reads numbers as spreadsheets show them: 1,200.5 with groups of three digits, which blanks or apostrophes
 * may also separate; 12 %, $5, 5 EUR; (5) and 5- for -5. With decimal_comma: 1.200,5. */

#include "data/csv/number.h"

#define FGTI_UNIT 8
/* Returns false if the text is not such a number. `unit` gets the sign of percent or the currency; "" if the
 * text has neither. */
bool fgti_shown_parse(locale_t c, const char *s, bool decimal_comma, double *value, char unit[FGTI_UNIT]);

#endif
