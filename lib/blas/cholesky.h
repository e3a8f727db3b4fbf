/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CHOLESKY_H
#define FGTI_CHOLESKY_H

/* Solves linear equations with a positive definite matrix, in double. Matrices are dense and row-major. */

#include <stdbool.h>

#include "core/vec/vec.h"

/* Factors A = R'R: reads the upper triangle of a [n,n] and writes R over it. The lower triangle is
 * overwritten. False: A is not positive definite; the contents of a are undefined. */
bool fgti_cholesky(const fgti_vec *vec, double *a, int64_t n);
/* Solves A X = B with r from fgti_cholesky(); b [n,k] becomes X. */
void fgti_cholesky_solve(const fgti_vec *vec, const double *r, int64_t n, double *b, int64_t k);

#endif
