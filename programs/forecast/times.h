/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_TIMES_H
#define PROGRAMS_FORECAST_TIMES_H

/* Times of rows, and the places of rows in a file. */

#include <stdbool.h>

#include <fighter/table.h>

#define TIME_MAX 64
/* fgt_time_add(), or `time` itself if there is no sum. */
int64_t time_add(int64_t time, const fgt_time_step *step, int64_t n);
/* The time of a row; false: there is no such row, or the rows have no times. */
bool time_of_row(const fgt_table *table, int64_t row, int64_t *time);
/* Describes the position of a row: "in line 7 (2016-07-01)", "at 2016-07-01" if it is not in a line of the
 * file, or "in row 5, counted from 0". */
#define PLACE_MAX 512
const char *row_place(const fgt_table *table, int64_t row, char out[PLACE_MAX]);
/* Writes "1 h" or "15 min"; false: not known. */
bool time_step(const fgt_table *table, char out[TIME_MAX]);

/* The format of times after the last row: as in the file, or plain, as fgt_time_format() writes them. */
typedef struct time_style {
    const fgt_table *table, *axis; /* axis: the table that has the rows */
    bool             plain;
} time_style;

/* A time in the format of the table's file, a day as 2012-02-01; plain if the format cannot express it. */
void       time_text(const fgt_table *table, int64_t time, char out[TIME_MAX]);
time_style time_style_find(const fgt_table *table, const fgt_table *axis);
/* Whether the time k rows after row `last` (k from 1), if it is known, can be written as in the file. */
bool time_style_fits(const time_style *s, int64_t last, int64_t k);
/* Writes this time; false: it is not known. */
bool time_after(const time_style *s, int64_t last, int64_t k, char out[TIME_MAX]);
/* The time of a row as in the table; without times its number, from 1, written to `text`. */
const char *row_label(const fgt_table *table, int64_t row, char text[TIME_MAX]);
/* row_label() for a row of `axis`, in the format of `table`. */
const char *row_label_of(const fgt_table *table, const fgt_table *axis, int64_t row, char text[TIME_MAX]);

#endif
