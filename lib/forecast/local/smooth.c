/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/smooth.h"

#include <math.h>

/* The members of a grid are computed side by side, so that the compiler can vectorise. */
enum { GRID = 54 };

typedef struct grid {
    int    count;
    double alpha[GRID], slope[GRID], phi[GRID]; /* slope: alpha times beta */
} grid;

static grid levels(void)
{
    static const double alphas[] = {.02, .05, .1, .15, .2, .3, .4, .5, .6, .7, .8, .9, .97};
    grid                g        = {.count = sizeof alphas / sizeof *alphas};
    for (int i = 0; i < g.count; i++) g.alpha[i] = alphas[i];
    return g;
}

static grid slopes(void)
{
    static const double alphas[] = {.1, .2, .35, .5, .7, .9};
    static const double betas[] = {.05, .15, .4}, phis[] = {.8, .9, .97};
    grid                g        = {.count = GRID};
    for (int i = 0; i < GRID; i++) {
        g.alpha[i] = alphas[i / 9];
        g.slope[i] = g.alpha[i] * betas[i / 3 % 3];
        g.phi[i]   = phis[i % 3];
    }
    return g;
}

/* Runs all members of the grid over the rows and returns the best member. level and slope get the last level
 * and slope of each member. */
static int smooth_run(const grid *g, const double *y, int64_t n, double d, double *level, double *slope)
{
    double error[GRID] = {0};
    int    best        = 0;
    for (int i = 0; i < g->count; i++) {
        level[i] = y[0];
        slope[i] = 0;
    }
    for (int64_t t = 1; t < n; t++) {
        for (int i = 0; i < g->count; i++) {
            const double next = level[i] + g->phi[i] * slope[i] + d, e = y[t] - next;
            error[i] += e * e;
            level[i] = next + g->alpha[i] * e;
            slope[i] = g->phi[i] * slope[i] + g->slope[i] * e;
        }
    }
    for (int i = 1; i < g->count; i++)
        if (error[i] < error[best]) best = i;
    return best;
}

/* Returns the slope s of the least-squares line. *share becomes max(0, 1 - v / s^2), where v is the variance
 * of s; with fewer than 5 rows it becomes 0. */
static double line(const double *y, int64_t n, double *share)
{
    const double middle = (double)(n - 1) / 2;
    double       mean = 0, xy = 0, xx = 0, square = 0;
    *share = 0;
    if (n < 5) return 0;
    for (int64_t t = 0; t < n; t++) {
        const double x = (double)t - middle;
        xy += x * y[t];
        xx += x * x;
        mean += y[t] / (double)n;
    }
    const double slope = xy / xx;
    for (int64_t t = 0; t < n; t++) {
        const double e = y[t] - mean - slope * ((double)t - middle);
        square += e * e;
    }
    if (slope != 0) *share = fmax(0, 1 - square / (double)(n - 4) / xx / (slope * slope));
    return slope;
}

static double slope_of(const double *y, int64_t n, fgti_trend trend)
{
    double       share;
    const double slope = line(y, n, &share);
    if (trend == FGTI_TREND_THETA) return share * slope / 2;
    return trend == FGTI_TREND_ENDS && n > 1 ? share * (y[n - 1] - y[0]) / (double)(n - 1) : 0;
}

void fgti_smooth(const double *y, int64_t n, fgti_trend trend, int64_t h, double *f)
{
    const grid   g = trend == FGTI_TREND_DAMPED ? slopes() : levels();
    double       level[GRID], slope[GRID], sum = 0, power = 1;
    const double d    = slope_of(y, n, trend);
    const int    best = smooth_run(&g, y, n, d, level, slope);
    for (int64_t k = 0; k < h; k++) {
        power *= g.phi[best];
        sum += power;
        f[k] = level[best] + (double)(k + 1) * d + sum * slope[best];
    }
}

void fgti_smooth_blocks(const double *y, int64_t n, int64_t size, fgti_trend trend, int64_t h,
                        double *scratch, double *f)
{
    const int64_t count = n / size, more = (h + size - 1) / size + 1;
    for (int64_t b = 0; b < count; b++) {
        double sum = 0;
        for (int64_t i = 0; i < size; i++) sum += y[n - (count - b) * size + i];
        scratch[b] = sum / (double)size;
    }
    fgti_smooth(scratch, count, trend, more, scratch + count);
    for (int64_t k = 0; k < h; k++) { /* position of row k in blocks; whole numbers are middles of blocks */
        const double  at = ((double)k + .5) / (double)size - .5 + (double)count;
        const int64_t b  = (int64_t)floor(at);
        f[k]             = scratch[b] + (at - (double)b) * (scratch[b + 1] - scratch[b]);
    }
}
