/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_FAST_OUTLIERS_H
#define PROGRAMS_FORECAST_FAST_OUTLIERS_H

/* Warns of isolated values in forecasts without training. */

#include "fast.h"

/* Call it after the forecast, before errors are measured: names the values that the library left out, and
 * also removes them from the series. */
void fast_leave_out(const fast *f);
/* Names series whose zeros at the beginning are not used. */
void fast_warn_of_zeros(const fast *f);
/* Number of rows of a series from `row` on, with `row` as in shifted and stuck. */
int64_t fast_count_rows(const fast *f, int64_t series, int64_t row);
/* Describes the series for which from[i] is not -1, and the number of rows from there on. */
json_t *fast_describe_rows(const fast *f, const int64_t *from);
/* Names series whose last rows have a new level, or are constant. */
void fast_warn_of_last_rows(const fast *f);
/* Warns if other columns have numbers such as -9999. */
bool fast_warn_of_markers(const fast *f);
/* Names values that lie far from the rows around them, and that the library did not leave out. On error
 * prints a message and returns false. */
bool fast_warn_of_outliers(const fast *f);

#endif
