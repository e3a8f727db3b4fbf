/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_FAST_OUTLIERS_H
#define PROGRAMS_FORECAST_FAST_OUTLIERS_H

/* Warns of isolated values in forecasts without training. */

#include "fast.h"

/* Warns of the values that the library left out, and removes them from the series too. Call it after the
 * forecast, and before errors are measured. */
void fast_leave_out(const fast *f);
/* Warns of series whose zeros at the beginning are not used. */
void fast_warn_of_zeros(const fast *f);
/* Number of rows of a series from `row` on. `row` counts as in shifted and stuck of struct fast. */
int64_t fast_count_rows(const fast *f, int64_t series, int64_t row);
/* Lists as JSON the series for which from[i] is not -1, and the number of their rows from row from[i] on. */
json_t *fast_describe_rows(const fast *f, const int64_t *from);
/* Warns of series whose last rows have a new level, or are constant. */
void fast_warn_of_last_rows(const fast *f);
/* Warns if other columns have numbers such as -9999. */
bool fast_warn_of_markers(const fast *f);
/* Warns of values that lie far from the rows around them, and that the library did not leave out. On error
 * prints a message and returns false. */
bool fast_warn_of_outliers(const fast *f);

#endif
