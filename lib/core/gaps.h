/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_GAPS_H
#define FGTI_GAPS_H

/* Series as they come, with values that are missing. */

#include <stdint.h>

/* The rows from the first value on, of which `out` [n] gets copies; values that are missing (NaN) become
 * straight lines between their neighbours, and the last value at the end. Returns their number. */
int64_t fgti_gaps_fill(const double *y, int64_t n, double *out);

#endif
