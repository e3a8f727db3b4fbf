/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/lags.h"

#include <math.h>
#include <string.h>

#include "blas/cholesky.h"

enum { LAGS = 6, TERMS = LAGS + 1, ROWS = 1500 };

typedef struct normal { /* normal equations: the upper triangle of a [terms,terms], and b [terms] */
    int    terms;
    double a[TERMS * TERMS], b[TERMS];
} normal;

static int lags_choose(int64_t n, int64_t period, bool seasonal, int64_t *lag)
{
    int count = 0;
    for (int j = 1; j <= 3; j++) lag[count++] = j;
    if (!seasonal) return count;
    lag[count++] = period;
    lag[count++] = period + 1;
    if (4 * period < n) lag[count++] = 2 * period;
    return count;
}

/* Writes the terms of z_t: its lags and the constant 1. */
static void terms_of(const double *z, int64_t t, const int64_t *lag, int lags, double *x)
{
    for (int j = 0; j < lags; j++) x[j] = z[t - lag[j]];
    x[lags] = 1;
}

static void lags_add(normal *e, const double *x, double z)
{
    for (int i = 0; i < e->terms; i++) {
        for (int j = i; j < e->terms; j++) e->a[i * e->terms + j] += x[i] * x[j];
        e->b[i] += x[i] * z;
    }
}

/* Fits a ridge regression. The penalty grows with the mean square of z, but only slowly with the number of
 * rows. So a fit to few rows is small. */
static bool lags_fit(const fgti_vec *vec, const double *z, int64_t n, const int64_t *lag, normal *e)
{
    const int     lags = e->terms - 1;
    const int64_t top  = lag[lags - 1];
    double        x[TERMS], square = 0;
    const int64_t from = n - top > ROWS ? n - ROWS : top;
    if (n - top < lags + 4) return false;
    for (int64_t t = from; t < n; t++) {
        terms_of(z, t, lag, lags, x);
        lags_add(e, x, z[t]);
        square += z[t] * z[t];
    }
    const double rows = (double)(n - from), mean = square / rows;
    for (int j = 0; j < lags; j++) e->a[j * e->terms + j] += 2 * mean * (1 + .1 * sqrt(rows));
    e->a[lags * e->terms + lags] += 5 + .1 * rows;
    if (!(mean > 0) || !fgti_cholesky(vec, e->a, e->terms)) return false;
    fgti_cholesky_solve(vec, e->a, e->terms, e->b, 1);
    return true;
}

bool fgti_lags(const fgti_vec *vec, const double *y, int64_t n, int64_t period, int64_t h, double *scratch,
               double *f)
{
    const bool    seasonal = period > 1 && n >= 3 * period + 4;
    const int64_t d = seasonal ? period : 1, count = n - d;
    double       *z = scratch, *all = scratch + n + h, x[TERMS];
    int64_t       lag[LAGS];
    normal        e = {.terms = lags_choose(n, period, seasonal, lag) + 1};
    for (int64_t t = 0; t < count; t++) z[t] = y[t + d] - y[t];
    if (!lags_fit(vec, z, count, lag, &e)) return false;
    memcpy(all, y, (size_t)n * sizeof *y);
    for (int64_t k = 0; k < h; k++) {
        double next = 0;
        terms_of(z, count + k, lag, e.terms - 1, x);
        for (int j = 0; j < e.terms; j++) next += e.b[j] * x[j];
        z[count + k] = next;
        all[n + k]   = all[n + k - d] + next;
        f[k]         = all[n + k];
    }
    return true;
}
