/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_GAPS_H
#define FGTI_GAPS_H

/* Series with missing values. */

#include <stdint.h>

/* Copies the rows from the first value on to out [n]. A missing value (NaN) is replaced by the straight line
 * between its neighbours; at the end by the last value. Returns the number of rows copied. */
int64_t fgti_gaps_fill(const double *y, int64_t n, double *out);

#endif
