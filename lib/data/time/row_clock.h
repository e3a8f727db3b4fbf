/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ROW_CLOCK_H
#define FGTI_ROW_CLOCK_H

/* Offsets of clocks. They tell which hour in UTC a label means, and which label an hour gets. */

#include "data/time/time_axis.h"
#include "data/time/time_form.h"
#include "data/time/zone.h"

/* The clock of the rows of a table. */
typedef struct fgti_clock {
    fgti_zone zone;     /* the zone; its offset NULL: the zone is not known */
    int32_t  *offset;   /* [rows]: offset of each row, in minutes east of UTC; NULL: the times are local clock
                         * times */
    bool      by_clock; /* the times are local clock times, even if there are offsets */
    int64_t   round;    /* times are rounded to multiples of it, in milliseconds; 0: they are not */
} fgti_clock;

/* Checks that `round` divides a day. `what` is the struct of options. */
fgt_status fgti_clock_check_round(fgti_error *err, const char *what, int64_t round);
/* Rounds times [n] as the clock asks. The multiples are counted on the local clock. */
void fgti_clock_round(const fgti_clock *c, int64_t n, int64_t *time);
/* Finds the offsets of labels that were read as times, and rounds the times. The times then become UTC or, if
 * rows are days apart, clock times. of: the series of each row; NULL: there is one series. */
fgt_status fgti_clock_read(fgt_context *ctx, fgti_clock *c, const fgti_row_labels *labels,
                           const fgti_time_form *f, const int32_t *of, int64_t series,
                           const fgt_time_step *known, int64_t *time);
/* The offset at a time that comes after a row with the offset `last`. */
int32_t fgti_clock_offset(const fgti_clock *c, int64_t time, int32_t last);
/* Writes a time in this form. A form with an offset shows the offset at this time. */
int64_t fgti_clock_write(const fgti_clock *c, const fgti_time_form *form, int64_t time, int32_t offset,
                         char *text, int64_t capacity);
/* Puts the offsets of the rows into the order of an axis. */
fgt_status fgti_clock_place(fgt_context *ctx, fgti_clock *c, const fgti_axis *a);
fgt_status fgti_clock_copy(fgt_context *ctx, const fgti_clock *from, int64_t rows, fgti_clock *to);
void       fgti_clock_done(fgt_context *ctx, fgti_clock *c);

#endif
