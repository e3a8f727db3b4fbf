/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/simple.h"

#include <string.h>

#include "core/sort.h"

enum { SEASONS = 10 };

void fgti_last_value(const double *y, int64_t n, int64_t h, double *f)
{
    for (int64_t k = 0; k < h; k++) f[k] = y[n - 1];
}

void fgti_drift(const double *y, int64_t n, int64_t h, double *f)
{
    const double slope = n > 1 ? (y[n - 1] - y[0]) / (double)(n - 1) : 0;
    for (int64_t k = 0; k < h; k++) f[k] = y[n - 1] + (double)(k + 1) * slope;
}

void fgti_mean(const double *y, int64_t n, int64_t h, double *f)
{
    double mean = 0;
    for (int64_t t = 0; t < n; t++) mean += y[t] / (double)n;
    for (int64_t k = 0; k < h; k++) f[k] = mean;
}

bool fgti_seasonal_value(const double *y, int64_t n, int64_t period, int64_t h, double *f)
{
    if (n < period) return false;
    for (int64_t k = 0; k < h; k++) f[k] = y[n - period + k % period];
    return true;
}

bool fgti_phase_means(const double *y, int64_t n, int64_t period, int64_t h, double *f)
{
    const int64_t seasons = n / period < SEASONS ? n / period : SEASONS;
    if (seasons < 1) return false;
    for (int64_t k = 0; k < h; k++) {
        f[k] = 0;
        for (int64_t s = 1; s <= seasons; s++) f[k] += y[n - s * period + k % period] / (double)seasons;
    }
    return true;
}

void fgti_recent_median(const double *y, int64_t n, int64_t rows, int64_t h, double *scratch, double *f)
{
    const int64_t count = rows < n ? rows : n;
    memcpy(scratch, y + n - count, (size_t)count * sizeof *y);
    const double median = fgti_sort_median(scratch, count);
    for (int64_t k = 0; k < h; k++) f[k] = median;
}
