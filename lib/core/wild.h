/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_WILD_H
#define FGTI_WILD_H

/* Single values that lie far from all that their series shows. */

#include <fighter/base.h>

/* Wild rows of y [n] become what the rows beside them, and the same rows a season away, lead to expect,
 * within the range of the others; their number is returned, and row has them, rising. raw [n]: the same
 * with NaN in the rows that were filled, which are never wild and say nothing of the rows beside them.
 * With r_t the distance of y_t from the median of the 6 rows around it, q_t its distance from the median
 * of the same phase in the 2 seasons before and after, and d_t the less of both, row t may be wild where
 *     d_t > 20 u, with u the most of the median of d, half its mean, and a fifth of the median of r or, where
 *     that is 0, the median of y,
 *     r < d_t / 3 in the rows beside it: a level that shifts, and growth, reach more than one row,
 *     no row about a season, two seasons or a long season away lies within d_t / 2 of y_t, or is a peak on
 *     the same side, more than 20 u and a third as far from its 6 rows: such spikes recur, and grow,
 *     and, of the last row, d_t > 30 u, and no earlier row is d_t / 2 from the row before it: there a level
 *     may begin.
 * In a series of up to 500 rows one or two such rows are wild. Among more rows large distances come by
 * chance, and more such rows are no accident: of these the ones are wild whose d_t are 100 times all
 * others, or 10 times if they are one or two; at most FGT_LEFT_OUT, and one in 50 rows.
 * Before these, in series of 8 rows and more, up to one row in 10, or two, are wild where they are further
 * from the median of y than 10 times all others (100 times in more than 500 rows), 100 times all but the
 * farthest tenth, and either
 *     100 times that median, unless two or more in the first or last rows differ: a new unit or level,
 *     or 10 times that median, where none is the first or last row, no two are side by side, and they do not
 *     come at the same place of most seasons.
 * After each step what is left is looked at again in the same way, as a very wild value hides others; half of
 * the values stay at least.
 * Otherwise a row without the same phase in another season is never wild, nor is any of a series of which a
 * fifth is 0, such as rare counts. scratch [3 n]. */
int fgti_wild_leave_out(const double *raw, double *y, int64_t n, int64_t period, int64_t longer,
                        double *scratch, int64_t row[FGT_LEFT_OUT]);

#endif
