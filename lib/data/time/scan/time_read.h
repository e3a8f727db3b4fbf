/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TIME_READ_H
#define FGTI_TIME_READ_H

/* Reads a text as a time stamp. */

#include "data/time/time.h"

/* Reads a text by a rule. *stamp is changed only if a time was found. */
fgti_time_found fgti_time_read_by(const char *s, const fgti_time_rule *rule, fgti_stamp *stamp);
/* Reads a text for which there is no rule of a column. form: an fgt_time_form. */
fgti_time_found fgti_time_read(const char *s, int32_t form, fgti_stamp *stamp);
/* Whether a text is a number: digits, perhaps with a sign and decimals. */
bool fgti_time_is_number(const char *s);
/* Whether a text is a month and a year of 1900 to 2100, as 01.2020. It may also be a number. */
bool fgti_time_is_point_month(const char *s);

#endif
