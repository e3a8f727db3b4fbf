/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/bounds.h"

#include <math.h>
#include <stdbool.h>

static bool comes_back(const double *y, int64_t n, double value)
{
    enum { TIMES = 3, RARE = 50 };
    int64_t rows = 0, times = 0, first = -1, last = 0;
    for (int64_t t = 0; t < n; t++) {
        if (y[t] != value) continue;
        times += t == 0 || y[t - 1] != value;
        if (first < 0) first = t;
        last = t;
        rows++;
    }
    return times >= TIMES && RARE * rows >= n && 2 * first < n && 2 * last >= n;
}

fgti_bounds fgti_bounds_of(const double *y, int64_t n)
{
    double least = y[0], most = y[0];
    for (int64_t t = 1; t < n; t++) {
        least = fmin(least, y[t]);
        most  = fmax(most, y[t]);
    }
    return (fgti_bounds){.low  = least >= 0 ? 0 : comes_back(y, n, least) ? least : -INFINITY,
                         .high = comes_back(y, n, most) ? most : INFINITY};
}

double fgti_bounds_keep(const fgti_bounds *b, double value)
{
    return value < b->low ? b->low : value > b->high ? b->high : value;
}
