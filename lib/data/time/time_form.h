/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TIME_FORM_H
#define FGTI_TIME_FORM_H

/* The form in which the times of a column are written. */

#include "data/time/month_names.h"
#include "data/time/time.h"

#define FGTI_FORM_TEXT 64

typedef struct fgti_time_form {
    fgti_time_rule rule;                 /* how they are read */
    char           text[FGTI_FORM_TEXT]; /* the one with the most parts; "": as fgt_time_format() */
    fgti_stamp     stamp;                /* its parts */
    uint32_t       narrow;               /* bits 1 << part: below 10 some have one digit */
    bool           padded;               /* a day below 10 has a blank before it */
    bool           long_month;           /* names of months are not shortened */
    char month[12][FGTI_MONTH_TEXT];     /* as seen: names that are not English, or the numbers of quarters by
                                            their first month, as 1er; "": none */
    bool short_month;                    /* some of these are shortened */
    bool           short_serial;         /* some have fewer decimals than others */
} fgti_time_form;

/* Extends the form by another text, which was read as this stamp. */
void fgti_time_form_add(fgti_time_form *f, const char *text, const fgti_stamp *stamp);
/* Writes a time as a text that is read as this time again; returns its length. -1: the form cannot express
 * it, or capacity is too small. */
int64_t fgti_time_form_write(const fgti_time_form *f, int64_t time, char *text, int64_t capacity);
/* Gives its texts this offset from now on, unless they name a zone, such as Z. */
void fgti_time_form_set_offset(fgti_time_form *f, int32_t offset);
/* The same; false: the form cannot express it, so it is written by fgt_time_format(). */
bool fgti_time_form_show(const fgti_time_form *f, int64_t time, char text[FGTI_FORM_TEXT]);

#endif
