/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_BOUNDS_H
#define FGTI_BOUNDS_H

/* What values of a series cannot leave. */

#include <stdint.h>

typedef struct fgti_bounds {
    double low, high; /* infinite without a bound */
} fgti_bounds;

/* low: 0 where no value is below 0. Else, and for high: the least or the most value, where the series came
 * back to it, so that chance does not make it a bound: at least 3 times, in both halves of the series, with
 * other values between, and in one of 50 rows or more. Such are percentages that reach 100, full stores,
 * humidity. A price that stays where it is never came back, and growth was there in no first half.
 * y [n], n >= 1. */
fgti_bounds fgti_bounds_of(const double *y, int64_t n);

/* NaN stays NaN. */
double fgti_bounds_keep(const fgti_bounds *b, double value);

#endif
