/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_NUMBERS_H
#define PROGRAMS_NUMBERS_H

/* Numbers as text. */

/* Formats as "%.*g" in the C locale, with as few digits as are read back as v: 15 to 17 for a double, 6 to 9
 * for a float. */
#define NUMBER_TEXT 32
const char *number_text(double v, char text[NUMBER_TEXT]);
const char *number_text_float(float v, char text[NUMBER_TEXT]);

#endif
