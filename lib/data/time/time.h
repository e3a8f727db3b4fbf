/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TIME_H
#define FGTI_TIME_H

/* time.c has days of the calendar and writes time stamps as text. time_read.c reads time stamps from text.
 * time_scan.c finds the parts of such a text. */

#include <fighter/time.h>

#include <stdbool.h>

enum { FGTI_TIME_FORMS = 5 }; /* number of enumerators of fgt_time_form */

#define FGTI_DAY INT64_C(86400000) /* milliseconds in a day */

/* A day of the calendar. month and day count from 1. */
typedef struct fgti_day {
    int64_t year;
    int32_t month, day;
} fgti_day;

/* Length of a month in days. */
int32_t fgti_month_length(int64_t year, int32_t month);
/* The number of a day: days since 1970-01-01. The next function gives the day of a number. The day must
 * exist, in the years 1 to 9999. */
int64_t  fgti_day_number(fgti_day day);
fgti_day fgti_day_of(int64_t number);
/* The day of the week of a day number: 1 is Monday, 7 is Sunday. */
int64_t fgti_weekday(int64_t number);
/* The day of a time stamp. *rest, unless rest is NULL: milliseconds since midnight. */
fgti_day fgti_day_of_time(int64_t time, int64_t *rest);
/* Whether the time is in the years 1 to 9999. */
bool fgti_time_in_range(int64_t time);
/* fgt_time_format() that returns the number of characters; -1: `text` is too small, or the time is not in the
 * years 1 to 9999. */
int64_t fgti_time_format(int64_t time, char *text, int64_t capacity);
/* Whether most countries with summer time change their clocks, in either direction, in this hour. */
bool fgti_time_is_change(int64_t clock);
/* Index of a time in the increasing times [n]; -1: not found. */
int64_t fgti_time_find(const int64_t *times, int64_t n, int64_t time);

typedef enum fgti_time_found {
    FGTI_TIME_FOUND,
    FGTI_TIME_TEXT,    /* the text is not a time stamp of this form */
    FGTI_TIME_RANGE,   /* the text has the form, but no such day or time of day exists: 2015-02-29, 25:00 */
    FGTI_TIME_UNCLEAR, /* with AUTO: the day or the month may come first */
    FGTI_TIME_CENTURY  /* with AUTO: the year has two digits, and the parts may be in any order */
} fgti_time_found;

/* Ways to read a text that is a number. */
typedef enum fgti_time_number {
    FGTI_READ_ALONE,  /* without regard to other texts: a date of 8, 12 or 14 digits, or Unix time */
    FGTI_READ_UNIX,   /* Unix time, from 1973 on */
    FGTI_READ_DIGITS, /* a year and the parts after it: 2024, 202401, 20240131, 2024013123 ... */
    FGTI_READ_SERIAL, /* days since 1899-12-30, as spreadsheets count */
    FGTI_READ_MONTHS  /* a month, a point and a year: 01.2020 */
} fgti_time_number;

/* How the texts of a column are read. */
typedef struct fgti_time_rule {
    int32_t          form;   /* an fgt_time_form */
    bool             given;  /* the caller has chosen the form; then a year may have two digits */
    bool             searched; /* all labels of the column have been searched for the order of day and
                                * month */
    uint8_t          language; /* language of the names of months (month_names.h); 0: not known */
    fgti_time_number number;   /* used with AUTO and ISO; FGTI_READ_MONTHS also with DMY and MDY */
} fgti_time_rule;

/* Parts of a time. Each piece of a text gives one part. */
typedef enum fgti_part {
    FGTI_PART_YEAR,
    FGTI_PART_QUARTER,
    FGTI_PART_MONTH,
    FGTI_PART_WEEK,
    FGTI_PART_DAY,
    FGTI_PART_DAY_OF_WEEK,
    FGTI_PART_DAY_OF_YEAR,
    FGTI_PART_WEEKDAY, /* the name of the day */
    FGTI_PART_HOUR,
    FGTI_PART_MINUTE,
    FGTI_PART_SECOND,
    FGTI_PART_FRACTION,
    FGTI_PART_HALF,
    FGTI_PART_OFFSET,
    FGTI_PART_UNIX,
    FGTI_PART_SERIAL,
    FGTI_PARTS
} fgti_part;

typedef struct fgti_piece {
    uint8_t part, begin, size; /* part: an fgti_part; begin, size: place of the piece in the text, in bytes */
} fgti_piece;

enum { FGTI_PIECES = 12 };

/* The time that a text means, and the pieces of the text that are its parts. */
typedef struct fgti_stamp {
    int64_t    time;       /* milliseconds since 1970; in UTC if the text has an offset, otherwise by the
                            * local clock */
    int32_t    offset;     /* offset of the clock, in minutes east of UTC */
    bool       has_offset; /* the text has an offset: Z, UTC, +02:00 */
    bool       usual;      /* the text has the form 2024-01-31, perhaps followed by 23:59 or 23:59:59 */
    int32_t    pieces;     /* number of pieces; 0: not known */
    fgti_piece piece[FGTI_PIECES]; /* [pieces], from left to right */
    fgti_piece zone; /* the name of a zone that gives no offset, such as Europe/Berlin; size 0: none */
} fgti_stamp;

static inline bool fgti_stamp_has(const fgti_stamp *s, fgti_part part)
{
    int32_t i = 0;
    while (i < s->pieces && s->piece[i].part != part) i++;
    return i < s->pieces;
}

/* Whether a text means the same time everywhere: it has an offset or is Unix time. */
static inline bool fgti_stamp_is_utc(const fgti_stamp *s)
{
    return s->has_offset || (s->pieces == 1 && s->piece[0].part == FGTI_PART_UNIX);
}

#endif
