/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TIME_SCAN_H
#define FGTI_TIME_SCAN_H

/* Finds the parts of a text that is a time. */

#include "data/time/scan/scanner.h"

/* Reads a date, with or without a time of day, that is not only a number. FGTI_TIME_FOUND: its parts, which
 * may be a day that does not exist. */
fgti_time_found fgti_time_scan(const char *s, const fgti_time_rule *rule, fgti_fields *f);
/* Reads a text of only 4, 6, 8, 10, 12 or 14 digits as the first parts of 2024 01 31 23 59 59. */
fgti_time_found fgti_time_scan_digits(const char *s, fgti_fields *f);

/* Reads a month and a year of 1900 to 2100 with a point between them, such as 01.2020. */
fgti_time_found fgti_time_scan_month(const char *s, fgti_fields *f);

/* The first word of a text that names a month, and its languages; 0: not found. */
int fgti_time_find_month(const char *s, uint32_t *languages);
/* True for the name of a month; for a time of the day with minutes. */
bool fgti_time_is_month(const char *s);
bool fgti_time_is_clock(const char *s);
/* Order of the first two numbers of a text such as 13/7/2016: DMY, MDY, or AUTO if both are possible. With
 * points it is DMY. -1: the text does not have this form. */
int32_t fgti_time_order(const char *s);

/* Names of months and of days of the week, from 1 for January and Monday. */
extern const char *const fgti_month_names[12], *const fgti_weekday_names[7];

#endif
