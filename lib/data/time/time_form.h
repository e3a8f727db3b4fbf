/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TIME_FORM_H
#define FGTI_TIME_FORM_H

/* How the times of a column are written. */

#include "data/time/scan/month_names.h"
#include "data/time/time.h"

#define FGTI_FORM_TEXT 64

/* The clock that labels of times follow. */
typedef enum fgti_label_clock {
    FGTI_CLOCK_UNKNOWN,
    FGTI_CLOCK_LOCAL, /* time on a clock whose offset is not known */
    FGTI_CLOCK_UTC    /* labels have offsets, or are Unix time */
} fgti_label_clock;

/* How a column writes an offset, such as CET, Z or +02:00. */
typedef struct fgti_offset_text {
    char    text[8]; /* "": unused */
    int32_t minutes; /* east of UTC */
} fgti_offset_text;

enum { FGTI_OFFSET_TEXTS = 4 };

typedef struct fgti_time_form {
    fgti_time_rule rule;                 /* how the texts are read */
    char           text[FGTI_FORM_TEXT]; /* a text of the column with the most parts; "": times are written as
                                          * by fgt_time_format() */
    fgti_stamp     stamp;                /* the parts of `text` */
    uint32_t       narrow;               /* bits 1 << part: some numbers below 10 are written with one
                                          * digit */
    bool           padded;               /* days below 10 are written after a blank */
    bool           long_month;           /* month names are written in full */
    char           month[12][FGTI_MONTH_TEXT]; /* names as seen: of months that are not English, or numbers of
                                                * quarters such as 1er, by the first month of the quarter; "":
                                                * not seen */
    bool           short_month;                /* some names of months are shortened */
    bool           short_serial;         /* some serial numbers have fewer decimals than others */
    fgti_offset_text offset[FGTI_OFFSET_TEXTS]; /* the first text of each offset */
    fgti_label_clock clock;                     /* of the first label */
    int64_t          mixed;                /* number + 1 of the first label with another clock; 0: none */
    char             zone[FGTI_FORM_TEXT]; /* the first name of a zone that gives no offset; "": none */
    int64_t          moved;                /* number + 1 of the first label with another such name; 0: none */
} fgti_time_form;

/* Extends the form by another text. The text was read as this stamp. */
void fgti_time_form_add(fgti_time_form *f, const char *text, const fgti_stamp *stamp);
/* Adds the texts of offsets of another form. */
void fgti_time_form_add_offsets(fgti_time_form *f, const fgti_time_form *other);
/* Writes a time as a text that is read as the same time. Returns the length; -1: the form cannot express the
 * time, or `capacity` is too small. */
int64_t fgti_time_form_write(const fgti_time_form *f, int64_t time, char *text, int64_t capacity);
/* Sets the offset of all texts that are written from now on. Names such as CET are replaced by the column's
 * text of the new offset; if it has none, they stay. */
void fgti_time_form_set_offset(fgti_time_form *f, int32_t offset);
/* fgti_time_form_write() for a text that is only shown. If the form cannot express the time,
 * fgt_time_format() writes it, and the result is false. */
bool fgti_time_form_show(const fgti_time_form *f, int64_t time, char text[FGTI_FORM_TEXT]);

#endif
