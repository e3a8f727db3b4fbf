/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/season.h"

#include <math.h>
#include <string.h>

#define LEAST_RATIO .01

/* Sums over the rows of each phase. */
typedef struct phases {
    double *count, *sum, *square; /* [m] */
} phases;

/* Sums, for each phase, the differences from (or ratios to) the mean of the period around each row. The mean
 * is a running sum; with an even period the rows at both ends count half. */
static void season_collect(const double *y, int64_t n, int64_t m, bool ratio, const phases *p)
{
    const int64_t half = m / 2;
    double        sum  = 0;
    memset(p->count, 0, (size_t)(3 * m) * sizeof *p->count);
    for (int64_t t = 0; t < m; t++) sum += y[t];
    for (int64_t t = half; t + half < n; t++) {
        double mean = sum / (double)m;
        if (m % 2 == 0) mean += (y[t + half] - y[t - half]) / (double)(2 * m);
        const int64_t phase = fgti_phase(t, n, m);
        const double  r     = ratio ? y[t] / mean : y[t] - mean;
        p->count[phase]++;
        p->sum[phase] += r;
        p->square[phase] += r * r;
        const int64_t next = t - half + m;
        if (next < n) sum += y[next] - y[t - half];
    }
}

/* Returns W of season.h, the share by which the season is shrunk. season [m]: s_p, whose mean is `mean`. */
static double shrinkage(const phases *p, int64_t m, const double *season, double mean)
{
    double within = 0, between = 0, rows = 0;
    for (int64_t i = 0; i < m; i++) {
        within += p->square[i] - p->sum[i] * p->sum[i] / p->count[i];
        between += (season[i] - mean) * (season[i] - mean) / (double)(m - 1);
        rows += p->count[i];
    }
    if (!(between > 0) || rows <= (double)m) return 1;
    const double v      = fmax(within, 0) / (rows - (double)m) / (rows / (double)m);
    const double factor = m > 3 ? (double)(m - 3) / (double)(m - 1) : 1;
    return fmin(1, factor * v / between);
}

void fgti_season_find(const double *y, int64_t n, int64_t period, bool ratio, double *scratch, double *season)
{
    const int64_t m    = period;
    const phases  p    = {scratch, scratch + m, scratch + 2 * m};
    double        mean = 0;
    for (int64_t i = 0; i < m; i++) season[i] = ratio;
    if (m < 2 || n < 2 * m + 2) return;
    season_collect(y, n, m, ratio, &p);
    for (int64_t i = 0; i < m; i++) {
        season[i] = p.sum[i] / p.count[i];
        mean += season[i] / (double)m;
    }
    const double w = shrinkage(&p, m, season, mean);
    for (int64_t i = 0; i < m; i++) {
        season[i] = (1 - w) * (ratio ? season[i] / mean : season[i] - mean);
        if (ratio) season[i] = fmax(w + season[i], LEAST_RATIO);
    }
}

bool fgti_season_closed(const double *y, int64_t n, int64_t period, int64_t phase)
{
    enum { SEASONS = 8, RARE = 20 };
    const int64_t rows = SEASONS * period;
    int64_t       alike = 0;
    if (period < 2 || n < rows) return false;
    const double value = y[n - period + phase];
    for (int64_t s = 2; s <= SEASONS; s++)
        if (y[n - s * period + phase] != value) return false;
    for (int64_t t = n - rows; t < n; t++) alike += y[t] == value;
    return RARE * (alike - SEASONS) <= rows - SEASONS;
}
