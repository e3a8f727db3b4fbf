/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_BOUNDS_H
#define FGTI_BOUNDS_H

/* Values that the forecasts of a series must not exceed. */

#include <stdint.h>

typedef struct fgti_bounds {
    double low, high; /* infinite without a bound */
} fgti_bounds;

/* Finds the bounds of y [n], n >= 1. low is 0 if no value is below 0. Otherwise low is the smallest value and
 * high the largest one, if the series came back to that value. So that chance does not make a bound, the
 * value must occur at least 3 times, in both halves of the series, with other values between, and in one of
 * 50 rows or more. Examples are percentages that reach 100, full stores, and humidity. A constant price never
 * came back, and a growing series was not at its largest value in the first half. */
fgti_bounds fgti_bounds_of(const double *y, int64_t n);

/* Limits a value by the bounds. NaN stays NaN. */
double fgti_bounds_keep(const fgti_bounds *b, double value);

#endif
