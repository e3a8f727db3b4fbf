/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TIME_SCAN_H
#define FGTI_TIME_SCAN_H

/* Finds the parts of a text that may be a time. */

#include "data/time/scan/scanner.h"

/* Reads a date, with or without a time of day, that is not only a number. FGTI_TIME_FOUND: f has its parts.
 * The day need not exist. */
fgti_time_found fgti_time_scan(const char *s, const fgti_time_rule *rule, fgti_fields *f);
/* Reads a text of 4, 6, 8, 10, 12 or 14 digits. The digits are the first parts of 2024 01 31 23 59 59. */
fgti_time_found fgti_time_scan_digits(const char *s, fgti_fields *f);

/* Reads a month and a year of 1900 to 2100 with a point between them, such as 01.2020. */
fgti_time_found fgti_time_scan_month(const char *s, fgti_fields *f);

/* Finds the first word of a text that names a month, and the languages in which it does; 0: not found. */
int fgti_time_find_month(const char *s, uint32_t *languages);
/* Whether a text is the name of a month. The next function: whether it is a time of day with minutes. */
bool fgti_time_is_month(const char *s);
bool fgti_time_is_clock(const char *s);
/* The order of day and month in a text such as 13/7/2016: DMY or MDY, or AUTO if both are possible. If points
 * separate the numbers, it is DMY. -1: the text does not have this form. */
int32_t fgti_time_order(const char *s);

/* Names of the months, from January on, and of the days of the week, from Monday on. */
extern const char *const fgti_month_names[12], *const fgti_weekday_names[7];

#endif
