/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_FAST_SERIES_H
#define PROGRAMS_FORECAST_FAST_SERIES_H

/* The series of forecasts without training. */

#include "columns.h"
#include "fast.h"

/* Finds the targets that have values. Call fast_series_done() even after an error. */
bool fast_find_series(fast *f, const column_roles *c);
void fast_series_done(fast *f);
/* Warns of properties of the series that limit the forecast. On error prints a message and returns false. */
bool fast_warn(const fast *f);
/* Checks that values are not negative if --non-negative is given, except values that are left out. On error
 * prints a message and returns false. */
bool fast_check_negative(const fast *f);
/* Describes the position of row k of a series, as row_place() does. */
const char *fast_place(const fast *f, int64_t series, int64_t k, char out[PLACE_MAX]);

#endif
