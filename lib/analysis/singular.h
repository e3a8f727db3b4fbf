/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SINGULAR_H
#define FGTI_SINGULAR_H

#include <stdint.h>

/* The singular values of a row-major matrix a [m,n] with m >= n >= 1, ascending, into s [n]. a is
 * overwritten; work has m + 3 n elements. Entries must be finite and of moderate size.
 *
 * Householder reflections from both sides leave two diagonals (Golub and Kahan 1965). Their singular values
 * are the positive eigenvalues of a tridiagonal matrix whose diagonal is 0, and are found by bisection with
 * its Sturm sequence (Demmel and Kahan 1990, section 4). Errors are about 1e-15 of the greatest value. The
 * eigenvalues of a'a would be simpler, but half the digits are lost there: the small values of a matrix that
 * is nearly of rank one would be noise, and there are many of them. */
void fgti_singular_values(int64_t m, int64_t n, double *a, double *work, double *s);

#endif
