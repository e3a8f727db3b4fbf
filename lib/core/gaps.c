/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/gaps.h"

#include <math.h>

int64_t fgti_gaps_fill(const double *y, int64_t n, double *out)
{
    for (; n > 0 && isnan(*y); n--) y++;
    for (int64_t t = 0, last = 0; t < n; t++) {
        out[t] = isnan(y[t]) ? y[last] : y[t];
        if (isnan(y[t])) continue;
        for (int64_t k = last + 1; k < t; k++)
            out[k] = y[last] + (y[t] - y[last]) * (double)(k - last) / (double)(t - last);
        last = t;
    }
    return n;
}
