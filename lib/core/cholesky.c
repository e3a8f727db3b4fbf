/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/cholesky.h"

#include <math.h>

/* y -= s x: the inner loop of all that follows, over neighbours in memory. */
static void subtract(double *restrict y, const double *restrict x, double s, int64_t n)
{
    for (int64_t i = 0; i < n; i++) y[i] -= s * x[i];
}

static void divide(double *y, double s, int64_t n)
{
    for (int64_t i = 0; i < n; i++) y[i] /= s;
}

bool fgti_cholesky(double *a, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        double *row = a + k * n;
        if (!(row[k] > 0) || isinf(row[k])) return false;
        divide(row + k, sqrt(row[k]), n - k);
        for (int64_t i = k + 1; i < n; i++) subtract(a + i * n + i, row + i, row[i], n - i);
    }
    return true;
}

void fgti_cholesky_solve(const double *r, int64_t n, double *b, int64_t k)
{
    for (int64_t i = 0; i < n; i++) { /* R'Y = B */
        divide(b + i * k, r[i * n + i], k);
        for (int64_t j = i + 1; j < n; j++) subtract(b + j * k, b + i * k, r[i * n + j], k);
    }
    for (int64_t i = n - 1; i >= 0; i--) { /* R X = Y */
        for (int64_t j = i + 1; j < n; j++) subtract(b + i * k, b + j * k, r[i * n + j], k);
        divide(b + i * k, r[i * n + i], k);
    }
}
