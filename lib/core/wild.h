/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_WILD_H
#define FGTI_WILD_H

/* Finds single values that are far from all other values of their series. */

#include <fighter/base.h>

/* Replaces the wild rows of y [n], by the rules in docs/wild.md. The new values are those to expect from the
 * neighbours of a row and from the same phase of other seasons. Returns the number of wild rows, and writes
 * their numbers to row, in ascending order. raw [n]: the same series, with NaN in the rows that y has filled.
 * period, longer: rows of a season and of a long season; 0 or 1: there is no such season. scratch: [3 n]. */
int fgti_wild_leave_out(const double *raw, double *y, int64_t n, int64_t period, int64_t longer,
                        double *scratch, int64_t row[FGT_LEFT_OUT]);

#endif
