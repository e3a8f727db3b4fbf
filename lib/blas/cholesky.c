/* SPDX-License-Identifier: BSD-3-Clause */
#include "blas/cholesky.h"

#include <math.h>

static void divide(double *y, double s, int64_t n)
{
    for (int64_t i = 0; i < n; i++) y[i] /= s;
}

/* Row k of R: what is left of row k of A after the rows above, over the square root of its first element. */
bool fgti_cholesky(const fgti_vec *vec, double *a, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        double                *row   = a + k * n;
        const fgti_combination above = {
            .rows = k, .n = n - k, .sign = -1, .s = a + k, .stride = n, .x = a + k, .ld = n};
        vec->combine(&above, row + k);
        if (!(row[k] > 0) || isinf(row[k])) return false;
        divide(row + k, sqrt(row[k]), n - k);
    }
    return true;
}

void fgti_cholesky_solve(const fgti_vec *vec, const double *r, int64_t n, double *b, int64_t k)
{
    for (int64_t i = 0; i < n; i++) { /* R'Y = B */
        const fgti_combination above = {
            .rows = i, .n = k, .sign = -1, .s = r + i, .stride = n, .x = b, .ld = k};
        vec->combine(&above, b + i * k);
        divide(b + i * k, r[i * n + i], k);
    }
    for (int64_t i = n - 1; i >= 0; i--) { /* R X = Y */
        const fgti_combination below = {.rows   = n - 1 - i,
                                        .n      = k,
                                        .sign   = -1,
                                        .s      = r + i * n + i + 1,
                                        .stride = 1,
                                        .x      = b + (i + 1) * k,
                                        .ld     = k};
        vec->combine(&below, b + i * k);
        divide(b + i * k, r[i * n + i], k);
    }
}
