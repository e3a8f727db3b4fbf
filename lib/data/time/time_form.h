/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TIME_FORM_H
#define FGTI_TIME_FORM_H

/* The form of the times of a column. */

#include "data/time/scan/month_names.h"
#include "data/time/time.h"

#define FGTI_FORM_TEXT 64

/* The clock that labels of times follow. */
typedef enum fgti_label_clock {
    FGTI_CLOCK_UNKNOWN,
    FGTI_CLOCK_LOCAL, /* time on a clock whose offset is not known */
    FGTI_CLOCK_UTC    /* labels have offsets, or are Unix time */
} fgti_label_clock;

typedef struct fgti_time_form {
    fgti_time_rule rule;                 /* how the texts are read */
    char           text[FGTI_FORM_TEXT]; /* the text with the most parts; "": as fgti_time_format() */
    fgti_stamp     stamp;                /* its parts */
    uint32_t       narrow;               /* bits 1 << part: some numbers below 10 have one digit */
    bool           padded;               /* a day below 10 has a blank before it */
    bool           long_month;           /* month names are written in full */
    char month[12][FGTI_MONTH_TEXT];     /* as seen: month names that are not English, or the numbers of
                                          * quarters (by their first month), as 1er; "": not seen */
    bool short_month;                    /* some of these names are shortened */
    bool           short_serial;         /* some serial numbers have fewer decimals than others */
    fgti_label_clock clock;              /* of the first label */
    int64_t          mixed;              /* number + 1 of the first label with another clock; 0: none */
    char             zone[FGTI_FORM_TEXT]; /* the first name of a zone that gives no offset; "": none */
    int64_t          moved;                /* number + 1 of the first label with another such name; 0: none */
} fgti_time_form;

/* Extends the form by another text, which was read as this stamp. */
void fgti_time_form_add(fgti_time_form *f, const char *text, const fgti_stamp *stamp);
/* Writes a time as a text that is read as the same time again; returns its length. -1: the form cannot
 * express it, or capacity is too small. */
int64_t fgti_time_form_write(const fgti_time_form *f, int64_t time, char *text, int64_t capacity);
/* Sets the offset of the texts that are written from now on, unless they name a zone, such as Z. */
void fgti_time_form_set_offset(fgti_time_form *f, int32_t offset);
/* fgti_time_form_write() for a text to be shown: a time that the form cannot express is written by
 * fgti_time_format(), and the result is false. */
bool fgti_time_form_show(const fgti_time_form *f, int64_t time, char text[FGTI_FORM_TEXT]);

#endif
