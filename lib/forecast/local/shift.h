/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SHIFT_H
#define FGTI_SHIFT_H

/* Series whose level shifted in the last rows: no origin has seen the new one. Errors of earlier origins stay
 * as they are. */

#include <stdbool.h>

#include "core/context.h"

/* The last `rows` rows have another level; 0: they have not. Values y of the old one belong there as
 * factor y + add; of a single row it is not known whether it stands alone, so values stay as they are.
 * size: from the old level to the new one; left_out: the row is, so forecasts are at the old level; exact:
 * all rows of either level are equal. */
typedef struct fgti_shift {
    int64_t rows;
    double  factor, add, size;
    bool    left_out, exact;
} fgti_shift;

/* With r the series y [n] without its season, in logarithms where it is above 0, M_t the median of
 * r_{t-8} .. r_{t-1}, and
 *     D_k(t) = the least |r_i - M_t| of i = t .. t + k - 1, or 0 where they lie on both sides of M_t,
 * the last k rows have another level where D_k(n - k) is more than twice any earlier D_k, whose rows do not
 * overlap these, and more than 4 times the median D_1. It is the season that grows, not the level, where a
 * season ago as many rows with their season were as far on that side as the last k are without. k is the
 * largest such, up to 24 and a quarter of the rows before. The size is the median of the last k rows less M,
 * less the usual difference of both, which a trend has. Where it leads a series that is always above 0 below
 * it, rows before are multiplied, not moved.
 * period: as in season.h. FGT_E_NOMEM. */
fgt_status fgti_shift_find(fgt_context *ctx, const double *y, int64_t n, int64_t period, fgti_shift *shift);

/* Rows before the shift move to the new level. */
void fgti_shift_move(const fgti_shift *shift, double *y, int64_t n);

/* A value of the new level as it would be at the old one. */
static inline double fgti_shift_back(const fgti_shift *shift, double value)
{
    return (value - shift->add) / shift->factor;
}

/* The first of the last rows that are all equal, if they are 8 or more, and four times as many as any rows
 * before: a sensor that is stuck. -1: they are not. y [n] may have NaN. */
int64_t fgti_shift_find_stuck(const double *y, int64_t n);

/* How likely the old level comes back: 1 / (k + 1), which counts both as one row more. */
static inline double fgti_shift_odds(const fgti_shift *shift)
{
    const double rounding = 1e-9; /* .1 and 1 - .9 are one level */
    return shift->rows ? 1 / (double)(shift->rows + 1) - rounding : 0;
}

#endif
