/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/smooth.h"

#include <math.h>

/* Members of a grid run side by side, so that the compiler can use vectors. */
enum { GRID = 54 };

typedef struct grid {
    int    count;
    double alpha[GRID], slope[GRID], phi[GRID]; /* slope: alpha beta */
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

/* Sets level and slope of each member to those after the last row, and returns the best member. */
static int run(const grid *g, const double *y, int64_t n, double d, double *level, double *slope)
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

/* The slope of the line of least squares. */
static double line(const double *y, int64_t n)
{
    const double middle = (double)(n - 1) / 2;
    double       xy = 0, xx = 0;
    if (n < 3) return 0;
    for (int64_t t = 0; t < n; t++) {
        xy += ((double)t - middle) * y[t];
        xx += ((double)t - middle) * ((double)t - middle);
    }
    return xy / xx;
}

void fgti_smooth(const double *y, int64_t n, fgti_trend trend, int64_t h, double *f)
{
    const grid g = trend == FGTI_TREND_DAMPED ? slopes() : levels();
    double     level[GRID], slope[GRID], d = 0, sum = 0, power = 1;
    if (trend == FGTI_TREND_THETA) d = line(y, n) / 2;
    if (trend == FGTI_TREND_ENDS && n > 1) d = (y[n - 1] - y[0]) / (double)(n - 1);
    const int best = run(&g, y, n, d, level, slope);
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
    for (int64_t k = 0; k < h; k++) { /* its place in units of blocks, whose middles are whole numbers */
        const double  at = ((double)k + .5) / (double)size - .5 + (double)count;
        const int64_t b  = (int64_t)floor(at);
        f[k]             = scratch[b] + (at - (double)b) * (scratch[b + 1] - scratch[b]);
    }
}
