/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SHIFT_H
#define FGTI_SHIFT_H

/* Series whose level shifted in the last rows. No origin has seen the new level, and the errors of earlier
 * origins do not change. */

#include <stdbool.h>

#include "core/context.h"

/* A shift. The last `rows` rows have another level; 0: there was no shift. A value y of the old level becomes
 * factor y + add. A single row may be an error, so a shift of one row changes no values. size: from the old
 * level to the new level. left_out: the row was left out, so forecasts are at the old level. exact: all rows
 * of either level are equal. */
typedef struct fgti_shift {
    int64_t rows;
    double  factor, add, size;
    bool    left_out, exact;
} fgti_shift;

/* Finds a shift of the level of y [n]. r is the series without its season, in logarithms if all values are
 * above 0. M_t is the median of r_{t-8} .. r_{t-1}. D_k(t) is the distance of k rows from this median:
 *
 *     D_k(t) = the least |r_i - M_t| of i = t .. t + k - 1, or 0 if they lie on both sides of M_t.
 *
 * The last k rows have another level if D_k(n - k) is more than twice any earlier D_k whose rows do not
 * overlap them, and more than 4 times the median D_1. There is an exception: one season ago as many rows,
 * with their season, may have been as far away on the same side as the last k rows are without it. Then the
 * season grows, and the level has not shifted. k is the largest number that fulfils this, up to 24 and up to
 * a quarter of the rows before.
 *
 * The size is the median of the last k rows minus M, minus the usual difference of both, which comes from a
 * trend. If a series is always above 0, and moving the earlier rows by the size would lead below 0, these
 * rows are multiplied instead. period: as in season.h. FGT_E_NOMEM. */
fgt_status fgti_shift_find(fgt_context *ctx, const double *y, int64_t n, int64_t period, fgti_shift *shift);

/* Moves the rows before the shift to the new level. */
void fgti_shift_move(const fgti_shift *shift, double *y, int64_t n);

/* Returns the value at the old level that corresponds to a value at the new level. */
static inline double fgti_shift_back(const fgti_shift *shift, double value)
{
    return (value - shift->add) / shift->factor;
}

/* Returns the first of the last rows if these rows are all equal, as from a sensor that is stuck. There must
 * be at least 8 such rows, and four times as many as in any earlier run of equal rows. -1: there is no such
 * run. y [n] may have NaN. */
int64_t fgti_shift_find_stuck(const double *y, int64_t n);

/* Returns the probability that the old level comes back: 1 / (k + 1) for k rows at the new level, as if both
 * levels had one more row. */
static inline double fgti_shift_odds(const fgti_shift *shift)
{
    const double rounding = 1e-9; /* .1 and 1 - .9 are one level */
    return shift->rows ? 1 / (double)(shift->rows + 1) - rounding : 0;
}

#endif
