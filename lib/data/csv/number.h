/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_NUMBER_H
#define FGTI_NUMBER_H

/* Converts texts to numbers. The locale of the host has no influence. */

#include <locale.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

#include <stdbool.h>

#include "core/status.h"

typedef enum fgti_number {
    FGTI_NUMBER,
    FGTI_NUMBER_MISSING,  /* empty, nan, na, n/a, null in any case */
    FGTI_NUMBER_INFINITE, /* inf, infinity, or a number beyond the range of double */
    FGTI_NUMBER_TEXT
} fgti_number;

/* `s` has no blanks around it and ends with a NUL at s[size]. `c` is the locale "C". *value is set to the
 * nearest double if the result is FGTI_NUMBER, otherwise it does not change. */
fgti_number fgti_number_parse(locale_t c, const char *s, int64_t size, double *value);

/* For a text that gives FGTI_NUMBER_TEXT: whether it marks a missing value in a column of numbers, such as
 * None, #N/A, a dash, or an error of a spreadsheet. In a category the same text may be a value. */
bool fgti_number_is_gap(const char *s);

/* Whether a text is the error of a formula in a spreadsheet, in any language: #DIV/0!, #WERT!, #NAME?,
 * Err:502. */
bool fgti_number_is_error(const char *s);

#endif
