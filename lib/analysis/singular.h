/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SINGULAR_H
#define FGTI_SINGULAR_H

#include <stdint.h>

/* The singular values of a row-major matrix a [rows,columns], min(rows,columns) of them, ascending. They
 * lie in work, which has fgti_singular_work() elements. Entries must be finite.
 *
 * Householder reflections from both sides leave two diagonals (Golub and Kahan 1965). Their singular values
 * are the positive eigenvalues of a tridiagonal matrix whose diagonal is 0, and are found by bisection with
 * its Sturm sequence (Demmel and Kahan 1990, section 4). Errors are about 1e-15 of the greatest value. The
 * eigenvalues of a'a would be simpler, but half the digits are lost there: the small values of a matrix that
 * is nearly of rank one would be noise, and there are many of them. */
const double *fgti_singular_values(int64_t rows, int64_t columns, const double *a, double *work);
int64_t       fgti_singular_work(int64_t rows, int64_t columns);

#endif
