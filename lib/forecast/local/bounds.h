/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_BOUNDS_H
#define FGTI_BOUNDS_H

/* Values that the forecasts of a series must not exceed. */

#include <stdint.h>

typedef struct fgti_bounds {
    double low, high; /* infinite without a bound */
} fgti_bounds;

/* low: 0 if no value is below 0. Otherwise, and for high: the smallest or largest value, if the series came
 * back to it: at least 3 times, in both halves of the series, with other values between, and in one of 50
 * rows or more, so that chance does not make a bound. Examples: percentages that reach 100, full stores,
 * humidity. A constant price never came back, and a growing series was not at its largest value in the first
 * half. y [n], n >= 1. */
fgti_bounds fgti_bounds_of(const double *y, int64_t n);

/* NaN stays NaN. */
double fgti_bounds_keep(const fgti_bounds *b, double value);

#endif
