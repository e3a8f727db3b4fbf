/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_WILD_H
#define FGTI_WILD_H

/* Single values that lie far from all that their series shows. */

#include <stdint.h>

enum { FGTI_WILD_MOST = 2 }; /* of a series; more are no accident, and stay */

/* Finds wild rows of y [n], without gaps, and returns their number. With r_t the distance of y_t from the
 * median of the 6 rows around it, q_t its distance from the median of the same phase in the 2 seasons before
 * and after, and d_t the less of both, row t is wild where
 *     d_t > 20 u, with u the most of the median of d, half its mean, and a fifth of the median of r,
 *     r_(t-1) and r_(t+1) < d_t / 3: a level that shifts, and growth, reach more than one row,
 *     no row about a season, two seasons or a long season away lies within d_t / 2 of y_t: such spikes recur,
 *     and, of the last row, d_t > 30 u, and no earlier row is d_t / 2 from the row before it: there a level
 *     may begin.
 * A row without the same phase in another season is never wild, nor is any of a series of which a fifth
 * is 0, such as rare counts. scratch [2 n]. */
int fgti_wild_find(const double *y, int64_t n, int64_t period, int64_t longer, double *scratch,
                   int64_t row[FGTI_WILD_MOST]);

/* The value for a wild row t that the rows beside it, and the same rows a season away, lead to expect, within
 * the range of the others. */
double fgti_wild_expect(const double *y, int64_t n, int64_t period, int64_t t);

#endif
