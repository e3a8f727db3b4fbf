/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SCANNER_H
#define FGTI_SCANNER_H

/* Functions that are shared by time_scan.c, which reads dates, time_period.c, which reads quarters and weeks,
 * and time_clock.c, which reads times of the day. */

#include "data/time/time_scan.h"

typedef struct fgti_scanner {
    const char           *text, *p;
    const fgti_time_rule *rule;
    fgti_fields          *f;
    bool                  foreign;   /* the name of the month is not an English one */
    bool                  late_year; /* the year follows the time of day: Mon Jan 2 13:00:00 2023 */
} fgti_scanner;

static inline bool fgti_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool fgti_is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

void fgti_scan_blanks(fgti_scanner *s);
/* Stores a part that reaches from `begin` to the position of the scanner. */
void fgti_scan_put(fgti_scanner *s, fgti_part part, const char *begin, int64_t value);
/* Takes n digits, which the caller has counted. */
void fgti_scan_digits(fgti_scanner *s, fgti_part part, size_t n);
/* Takes a number of least .. most digits. */
bool fgti_scan_number(fgti_scanner *s, fgti_part part, size_t least, size_t most);

/* Skips the characters allowed between a name and a number: blanks, a hyphen, a slash, a point, a comma, an
 * apostrophe, and de, del or of: 3 de marzo de 2012. */
void fgti_scan_loose(fgti_scanner *s);

/* Takes Q1, 1Q, T1, 1. Quartal, 1er trimestre, KW 2 and similar texts; false: nothing is taken. */
bool fgti_scan_period(fgti_scanner *s);
/* Takes h, h:mm, h:mm:ss, h:mm:ss.fff, hhmm, hhmmss, with am or pm; after - or _ also hh-mm-ss. */
bool fgti_scan_clock(fgti_scanner *s, char before);
/* Takes Z, +02:00, CET, [Europe/Berlin], (Central European Time), one after another, or nothing. */
bool fgti_scan_zone(fgti_scanner *s);

#endif
