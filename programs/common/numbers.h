/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_NUMBERS_H
#define PROGRAMS_NUMBERS_H

/* Numbers as text. */

/* Writes v as "%.*g" does in the C locale, with the fewest digits that are read back as v. A double needs 15
 * to 17 digits, a float 6 to 9. */
#define NUMBER_TEXT 32
const char *number_text(double v, char text[NUMBER_TEXT]);
const char *number_text_float(float v, char text[NUMBER_TEXT]);

#endif
