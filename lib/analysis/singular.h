/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SINGULAR_H
#define FGTI_SINGULAR_H

#include <stdint.h>

/* Returns the singular values of a row-major matrix a [rows,columns] in ascending order. There are
 * min(rows,columns) of them. They are in `work`, which has fgti_singular_work() elements. Entries of a must
 * be finite.
 *
 * Householder reflections from both sides reduce a to two diagonals (Golub and Kahan 1965). The singular
 * values of this form are the positive eigenvalues of a tridiagonal matrix whose diagonal is 0. Bisection
 * with the Sturm sequence of this matrix finds them (Demmel and Kahan 1990, section 4). Errors are about
 * 1e-15 of the largest value. The eigenvalues of a'a would be simpler to find, but half the digits are lost
 * there. A matrix that is nearly of rank one has many small values, and they would be noise. */
const double *fgti_singular_values(int64_t rows, int64_t columns, const double *a, double *work);
int64_t       fgti_singular_work(int64_t rows, int64_t columns);

#endif
