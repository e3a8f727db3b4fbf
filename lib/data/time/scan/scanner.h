/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SCANNER_H
#define FGTI_SCANNER_H

/* Functions that several files share: time_scan.c reads dates, time_period.c reads quarters and weeks, and
 * time_clock.c reads times of day. */

#include "data/time/time.h"

/* The parts of a time that a text contains, and where they are in the text. */
typedef struct fgti_fields {
    int64_t  value[FGTI_PARTS]; /* months and weekdays count from 1; the fraction is in milliseconds; half: 0
                                 * is am, 1 is pm */
    uint32_t known;             /* the parts that were found, as bits 1 << part */
    int32_t  offset;            /* minutes; valid if FGTI_PART_OFFSET is known */
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
    bool                  foreign;   /* the name of the month is not English */
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
/* Stores a part. Its text reaches from `begin` to the scanner's position. */
void fgti_scan_put(fgti_scanner *s, fgti_part part, const char *begin, int64_t value);
/* Reads n digits as a part. The caller has checked that there are n digits. */
void fgti_scan_digits(fgti_scanner *s, fgti_part part, size_t n);
/* Reads a number of `least` to `most` digits as a part. */
bool fgti_scan_number(fgti_scanner *s, fgti_part part, size_t least, size_t most);

/* Skips what may be between a name and a number: blanks, a hyphen, a slash, a point, a comma, an apostrophe,
 * and the words de, del or of, as in 3 de marzo de 2012. */
void fgti_scan_loose(fgti_scanner *s);

/* Whether two texts begin with the same n bytes. Capital and small ASCII letters are equal, in every
 * locale. */
bool fgti_same_word(const char *a, const char *b, size_t n);
/* Counts the digits at the beginning of a text. */
size_t fgti_count_digits(const char *s);

#endif
