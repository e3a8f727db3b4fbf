/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_NUMBER_H
#define FGTI_NUMBER_H

/* Converts texts to numbers, in the same way in every locale. */

#include <locale.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

#include <stdbool.h>

#include "core/status.h"

typedef enum fgti_number {
    FGTI_NUMBER,
    FGTI_NUMBER_MISSING,  /* empty, nan, na, n/a, null in any case */
    FGTI_NUMBER_INFINITE, /* inf, infinity, or beyond the range of double */
    FGTI_NUMBER_TEXT
} fgti_number;

/* s ends with a NUL at s[size] and has no blanks around it; c is the locale "C". *value is set to the nearest
 * double if the result is FGTI_NUMBER, otherwise it is untouched. */
fgti_number fgti_number_parse(locale_t c, const char *s, int64_t size, double *value);

/* Whether a text that is FGTI_NUMBER_TEXT marks a missing value among numbers: None, #N/A, a dash, an error
 * of a spreadsheet ... As a value of a category it may have another meaning. */
bool fgti_number_is_gap(const char *s);

/* Whether a text is the error of a formula in a spreadsheet, in any language: #DIV/0!, #WERT!, #NAME?,
 * Err:502. */
bool fgti_number_is_error(const char *s);

#endif
