/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/shift.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/sort.h"
#include "forecast/local/season.h"

enum { BEFORE = 8, MOST = 24, PART = 4 };
#define BEYOND 2. /* factor on the largest distance seen before */
#define FAR    4. /* factor on the median distance of one row */

static double shift_median(const double *y, int64_t n) /* median of up to MOST values */
{
    double sorted[MOST];
    memcpy(sorted, y, (size_t)n * sizeof *y);
    return fgti_sort_median(sorted, n);
}

static double shift_least_of(const double *y, int64_t n)
{
    double least = y[0];
    for (int64_t t = 1; t < n; t++) least = fmin(least, y[t]);
    return least;
}

static bool is_flat(const double *y, int64_t n)
{
    int64_t t = 1;
    while (t < n && y[t] == y[0]) t++;
    return t >= n;
}

/* Computes r [n], the rows without their season, and raw [n], the rows with their season. Both are logarithms
 * if all values are above 0. */
static fgt_status shift_flatten(fgt_context *ctx, const double *y, int64_t n, int64_t period, double *r,
                                double *raw)
{
    const bool positive = shift_least_of(y, n) > 0;
    double    *season;
    for (int64_t t = 0; t < n; t++) r[t] = raw[t] = positive ? log(y[t]) : y[t];
    /* there are too few rows for a season, or the last rows are constant */
    if (period < 2 || n < 2 * period + 2 || (n > MOST && is_flat(y, n - MOST))) return FGT_OK;
    FGTI_TRY(FGTI_NEW(ctx, period + FGTI_SEASON_SCRATCH(period), "levels", &season));
    fgti_season_find(r, n, period, false, season + period, season);
    for (int64_t t = 0; t < n; t++) r[t] -= season[fgti_phase(t, n, period)];
    fgti_free(ctx, season);
    return FGT_OK;
}

/* Computes d [count]. d[k - 1] is D_k of row t and the k - 1 rows after it; its sign tells on which side of
 * the median the rows lie. */
static void find_distances(const double *r, int64_t t, int64_t count, double *d)
{
    const double middle = shift_median(r + t - BEFORE, BEFORE);
    for (int64_t k = 0; k < count; k++) {
        const double apart = r[t + k] - middle, least = k ? d[k - 1] : apart;
        d[k] = apart * least <= 0 ? 0 : fabs(apart) < fabs(least) ? apart : least;
    }
}

/* Computes three lists. most [MOST]: the largest earlier D_k for each k; last [MOST]: D_k of the last k rows;
 * one [n - BEFORE]: D_1 of each row. */
static void compare_distances(const double *r, int64_t n, double *most, double *last, double *one)
{
    double d[MOST];
    for (int64_t t = BEFORE; t < n; t++) {
        const int64_t count = n - t < MOST ? n - t : MOST;
        find_distances(r, t, count, d);
        one[t - BEFORE] = fabs(d[0]);
        for (int64_t k = 1; k <= count && t <= n - 2 * k; k++)
            most[k - 1] = fmax(most[k - 1], fabs(d[k - 1]));
        if (n - t <= MOST) last[n - t - 1] = fabs(d[n - t - 1]);
    }
}

/* Whether a growing season explains the last k rows. This is so if one season ago the rows, with their
 * season, were at least as far away on the same side. r: rows without the season; raw: rows with it. */
static bool is_season(const double *raw, const double *r, int64_t n, int64_t k, int64_t period)
{
    const int64_t t = n - k - period;
    double        now[MOST], then[MOST];
    if (period < 2 || t < BEFORE) return false;
    find_distances(r, n - k, k, now);
    find_distances(raw, t, k, then);
    return now[k - 1] * then[k - 1] > 0 && fabs(then[k - 1]) >= fabs(now[k - 1]);
}

/* Returns the median of the last k rows minus the median of the BEFORE rows before them. The median of
 * earlier such differences, which is due to a trend, is subtracted. */
static double shift_size_of(const double *r, int64_t n, int64_t k, double *scratch)
{
    const int64_t last = n - k - BEFORE;
    for (int64_t t = 0; t <= last; t++)
        scratch[t] = shift_median(r + t + BEFORE, k) - shift_median(r + t, BEFORE);
    const double now = scratch[last];
    return now - fgti_sort_median(scratch, last + 1);
}

/* Describes a shift. size: its size in units of r. This size is inexact, because the season was estimated
 * from rows that include the shift. If the rows before and after the shift are constant, the size is taken
 * from y instead. */
static fgti_shift shift_describe(const double *y, int64_t n, int64_t k, double size)
{
    const int64_t from  = n - k;
    const bool    exact = is_flat(y + from, k) && is_flat(y + from - BEFORE, BEFORE);
    const double  level = shift_median(y + from, k), least = shift_least_of(y, n);
    const double  before = exact ? y[from - 1] : least > 0 ? level / exp(size) : level - size;
    fgti_shift    s      = {.rows = k, .factor = 1, .size = level - before, .exact = exact};
    if (k < 2) return s;
    if (least <= 0 || shift_least_of(y, from) + s.size > 0)
        s.add = s.size;
    else s.factor = level / before;
    return s;
}

fgt_status fgti_shift_find(fgt_context *ctx, const double *y, int64_t n, int64_t period, fgti_shift *shift)
{
    double  most[MOST] = {0}, last[MOST] = {0}, *r, *raw;
    int64_t k = (n - BEFORE) / (PART + 1);
    *shift    = (fgti_shift){.factor = 1};
    if (k < 1) return FGT_OK;
    if (k > MOST) k = MOST;
    FGTI_TRY(FGTI_NEW(ctx, 3 * n, "levels", &r));
    raw                = r + 2 * n;
    const fgt_status s = shift_flatten(ctx, y, n, period, r, raw);
    if (s == FGT_OK) {
        compare_distances(r, n, most, last, r + n);
        const double usual = fgti_sort_median(r + n, n - BEFORE);
        while (k > 0 && (!(last[k - 1] > fmax(BEYOND * most[k - 1], FAR * usual)) ||
                         is_season(raw, r, n, k, period)))
            k--;
        if (k) *shift = shift_describe(y, n, k, shift_size_of(r, n, k, r + n));
    }
    fgti_free(ctx, r);
    return s;
}

void fgti_shift_move(const fgti_shift *s, double *y, int64_t n)
{
    for (int64_t t = 0; s->rows && t < n - s->rows; t++) y[t] = s->factor * y[t] + s->add;
}

int64_t fgti_shift_find_stuck(const double *y, int64_t n)
{
    enum { LEAST = 8, TIMES = 4 };
    int64_t run = 1, most = 0;
    for (int64_t t = 1; t < n; t++) {
        if (y[t] != y[t - 1]) {
            if (run > most) most = run;
            run = 0;
        }
        run++;
    }
    return run >= LEAST && run < n && run >= TIMES * most ? n - run : -1;
}
