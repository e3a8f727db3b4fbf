/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/units.h"

#include <math.h>

#include "core/sort.h"

enum { LEAST = 4 }; /* rows of a block */
#define SHRINK .3 /* prior weight of the other series, as a sum of squares of log L */
#define LOWEST .02 /* limit of the ratio L_n / L; below it, the rows are the start of a series */

double fgti_mean_size(const double *y, int64_t from, int64_t to)
{
    double sum = 0;
    for (int64_t t = from; t < to; t++) sum += fabs(y[t]);
    return to > from ? sum / (double)(to - from) : 0;
}

double fgti_mean_change(const double *y, int64_t from, int64_t n, int64_t step)
{
    double sum = 0;
    if (from < step) from = step;
    for (int64_t t = from; t < n; t++) sum += fabs(y[t] - y[t - step]);
    return n > from ? sum / (double)(n - from) : 0;
}

static double unit_of_rows(const fgti_rows *r, int64_t period)
{
    const int64_t last = 5 * (period > 12 ? period : 12);
    double        most = 0;
    for (int64_t t = 0; t < r->n; t++) most = fmax(most, fabs(r->y[t]));
    return fmax(fgti_mean_change(r->y, r->n - last + 1, r->n, 1), 1e-9 * (1 + most));
}

/* Shrinks the units of series with fewer than 4 changes, because these units are uncertain. They are shrunk
 * towards the usual ratio of unit to level in the other series. share [count] */
static void shrink_units(const fgti_rows *rows, int64_t count, double *share, fgti_units *u)
{
    enum { MORE = 2, ENOUGH = 5 };
    int64_t known = 0;
    for (int64_t i = 0; i < count; i++) {
        const double level = fgti_mean_size(rows[i].y, 0, rows[i].n);
        if (rows[i].n >= ENOUGH && level > 0) share[known++] = u->now[i] / level;
    }
    fgti_sort_doubles(share, known);
    u->usual = known > 0;
    for (int64_t i = 0; known && i < count; i++) {
        const fgti_rows *r       = &rows[i];
        const double     changes = (double)(r->n - 1), level = fgti_mean_size(r->y, 0, r->n);
        const double     usual   = share[known / 2] * level;
        if (r->n < ENOUGH && usual > 0) u->now[i] = (changes * u->now[i] + MORE * usual) / (changes + MORE);
    }
}

/* ---- growth ---- */

static int64_t span_of(int64_t period)
{
    return period > LEAST ? period : LEAST;
}

static double units_level_of(const double *y, int64_t n, int64_t period)
{
    const int64_t span = span_of(period);
    return fgti_mean_size(y, n > span ? n - span : 0, n);
}

typedef struct slope {
    double xx, xy;
} slope;

/* Fits a regression of log A on log L, over blocks from the end of the series. */
static slope find_slope(const fgti_rows *r, int64_t period)
{
    const int64_t span = span_of(period);
    double        count = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int64_t t = 0; t < r->n; t++)
        if (!(r->y[t] > 0)) return (slope){0};
    for (int64_t end = r->n; end > span; end -= span) {
        const double level  = fgti_mean_size(r->y, end - span, end);
        const double change = fgti_mean_change(r->y, end - span, end, 1);
        if (!(level > 0) || !(change > 0)) continue;
        count++;
        x += log(level);
        y += log(change);
        xx += log(level) * log(level);
        xy += log(level) * log(change);
    }
    if (count < 2) return (slope){0};
    return (slope){fmax(xx - x * x / count, 0), xy - x * y / count};
}

static void find_powers(const fgti_rows *rows, int64_t count, int64_t period, fgti_units *u)
{
    slope all = {0};
    for (int64_t i = 0; i < count; i++) {
        const slope s = find_slope(&rows[i], period);
        all.xx += s.xx;
        all.xy += s.xy;
    }
    const double usual = fmin(fmax(all.xy / (all.xx + SHRINK), 0), 1);
    for (int64_t i = 0; i < count; i++) {
        const slope s = find_slope(&rows[i], period);
        u->power[i]   = s.xx > 0 ? fmin(fmax((s.xy + SHRINK * usual) / (s.xx + SHRINK), 0), 1) : 0;
    }
}

double fgti_units_at(const fgti_units *units, const fgti_rows *rows, int64_t series, int64_t period,
                     int64_t n)
{
    const fgti_rows *r = &rows[series];
    const double     now = units_level_of(r->y, r->n, period), p = units->power[series];
    if (p == 0 || now == 0) return units->now[series];
    return units->now[series] * pow(fmax(units_level_of(r->y, n, period) / now, LOWEST), p);
}

/* ---- all of it ---- */

fgt_status fgti_units_new(fgt_context *ctx, const fgti_rows *rows, int64_t count, int64_t period,
                          fgti_units *units)
{
    FGTI_TRY(FGTI_NEW(ctx, count, "panel", &units->now));
    FGTI_TRY(FGTI_NEW(ctx, count, "panel", &units->power));
    for (int64_t i = 0; i < count; i++) units->now[i] = unit_of_rows(&rows[i], period);
    shrink_units(rows, count, units->power, units);
    find_powers(rows, count, period, units);
    return FGT_OK;
}

void fgti_units_done(fgt_context *ctx, fgti_units *units)
{
    fgti_free(ctx, units->now);
    fgti_free(ctx, units->power);
}
