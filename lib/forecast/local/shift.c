/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/shift.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/sort.h"
#include "forecast/local/season.h"

enum { BEFORE = 8, MOST = 24, PART = 4 };
#define BEYOND 2. /* times the most that was seen */
#define FAR    4. /* usual distances of one row */

/* Sorts y. */
static double sort_to_median(double *y, int64_t n)
{
    fgti_sort_doubles(y, n);
    return (y[(n - 1) / 2] + y[n / 2]) / 2;
}

static double median(const double *y, int64_t n) /* of up to MOST */
{
    double sorted[MOST];
    memcpy(sorted, y, (size_t)n * sizeof *y);
    return sort_to_median(sorted, n);
}

static double least_of(const double *y, int64_t n)
{
    double least = y[0];
    for (int64_t t = 1; t < n; t++) least = fmin(least, y[t]);
    return least;
}

/* r, raw [n]: without and with the season */
static fgt_status flatten(fgt_context *ctx, const double *y, int64_t n, int64_t period, double *r,
                          double *raw)
{
    const bool positive = least_of(y, n) > 0;
    double    *season;
    for (int64_t t = 0; t < n; t++) r[t] = raw[t] = positive ? log(y[t]) : y[t];
    if (period < 2 || n < 2 * period + 2) return FGT_OK; /* there is no season */
    FGTI_TRY(FGTI_NEW(ctx, period + FGTI_SEASON_SCRATCH(period), "levels", &season));
    fgti_season_find(r, n, period, false, season + period, season);
    for (int64_t t = 0; t < n; t++) r[t] -= season[fgti_phase(t, n, period)];
    fgti_free(ctx, season);
    return FGT_OK;
}

/* most [MOST]: of earlier D_k; last [MOST]: D_k of the last k rows; one [n - BEFORE]: D_1. */
static void find_distances(const double *r, int64_t n, double *most, double *last, double *one)
{
    for (int64_t t = BEFORE; t < n; t++) {
        double       least  = INFINITY;
        const double middle = median(r + t - BEFORE, BEFORE);
        const bool   above  = r[t] > middle;
        one[t - BEFORE]     = fabs(r[t] - middle);
        for (int64_t k = 1; k <= MOST && t + k <= n; k++) {
            const double d = r[t + k - 1] - middle;
            least          = (d > 0) == above ? fmin(least, fabs(d)) : 0;
            if (t + k == n) last[k - 1] = least;
            else if (t <= n - 2 * k) most[k - 1] = fmax(most[k - 1], least);
        }
    }
}

/* The least distance of k rows of y, from row t on, from the median of those before, with its sign; 0: they
 * lie on both sides. */
static double distance_at(const double *y, int64_t t, int64_t k)
{
    const double middle = median(y + t - BEFORE, BEFORE);
    double       least  = y[t] - middle;
    for (int64_t i = t + 1; i < t + k; i++) {
        const double d = y[i] - middle;
        if (d * least <= 0) return 0;
        if (fabs(d) < fabs(least)) least = d;
    }
    return least;
}

/* Whether the rows of a season ago were as far on that side as the last k are beyond their season: then it is
 * the season that grows. r: without the season; raw: with it. */
static bool is_season(const double *raw, const double *r, int64_t n, int64_t k, int64_t period)
{
    const int64_t t = n - k - period;
    if (period < 2 || t < BEFORE) return false;
    const double now = distance_at(r, n - k, k), then = distance_at(raw, t, k);
    return now * then > 0 && fabs(then) >= fabs(now);
}

/* The median of the last k rows beside the rows before them; earlier ones say what a trend makes of it. */
static double size_of(const double *r, int64_t n, int64_t k, double *scratch)
{
    const int64_t last = n - k - BEFORE;
    for (int64_t t = 0; t <= last; t++) scratch[t] = median(r + t + BEFORE, k) - median(r + t, BEFORE);
    const double now = scratch[last];
    return now - sort_to_median(scratch, last + 1);
}

/* size: in units of r. */
static fgti_shift describe(const double *y, int64_t n, int64_t k, double size)
{
    const double level = median(y + n - k, k), least = least_of(y, n);
    fgti_shift   s     = {.rows = k, .factor = 1, .size = least > 0 ? level - level / exp(size) : size};
    if (k < 2) return s;
    if (least <= 0 || least_of(y, n - k) + s.size > 0) s.add = s.size;
    else s.factor = exp(size);
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
    const fgt_status s = flatten(ctx, y, n, period, r, raw);
    if (s == FGT_OK) {
        find_distances(r, n, most, last, r + n);
        const double usual = sort_to_median(r + n, n - BEFORE);
        while (k > 0 && (!(last[k - 1] > fmax(BEYOND * most[k - 1], FAR * usual)) ||
                         is_season(raw, r, n, k, period)))
            k--;
        if (k) *shift = describe(y, n, k, size_of(r, n, k, r + n));
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
