/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_GAPS_H
#define FGTI_GAPS_H

/* Series with missing values. */

#include <stdint.h>

/* Copies y, from its first known value to its end, to out [n]. A missing value (NaN) between two known values
 * is replaced by the straight line between them; after the last known value, by that value. Returns the
 * number of rows copied. */
int64_t fgti_gaps_fill(const double *y, int64_t n, double *out);

#endif
