/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SCANNER_H
#define FGTI_SCANNER_H

/* Functions that are shared by time_scan.c, which reads dates, time_period.c, which reads quarters and weeks,
 * and time_clock.c, which reads times of the day. */

#include "data/time/time.h"

/* The parts of a text that is a time, and their positions in it. */
typedef struct fgti_fields {
    int64_t  value[FGTI_PARTS]; /* months and weekdays from 1, a fraction in milliseconds, half: 0 am, 1 pm */
    uint32_t known;             /* bits 1 << part */
    int32_t  offset;            /* in minutes, if FGTI_PART_OFFSET is known */
    int32_t  pieces;
    fgti_piece piece[FGTI_PIECES];
    fgti_piece zone; /* the name of a zone that gives no offset; size 0: none */
} fgti_fields;

static inline bool fgti_fields_have(const fgti_fields *f, fgti_part part)
{
    return f->known >> part & 1;
}

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

/* Whether two texts begin with the same n bytes; the case of ASCII letters is ignored, in every locale. */
bool fgti_same_word(const char *a, const char *b, size_t n);
/* Counts the digits at the beginning of a text. */
size_t fgti_count_digits(const char *s);

#endif
