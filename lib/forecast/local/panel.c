/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/panel.h"

#include <math.h>

#include "core/sort.h"
#include "forecast/local/rare.h"

static double mean_size(const double *y, int64_t from, int64_t to)
{
    double sum = 0;
    for (int64_t t = from; t < to; t++) sum += fabs(y[t]);
    return to > from ? sum / (double)(to - from) : 0;
}

static double mean_change(const double *y, int64_t from, int64_t n, int64_t step)
{
    double sum = 0;
    if (from < step) from = step;
    for (int64_t t = from; t < n; t++) sum += fabs(y[t] - y[t - step]);
    return n > from ? sum / (double)(n - from) : 0;
}

static double mean(const double *y, int64_t from, int64_t to)
{
    double sum = 0;
    for (int64_t t = from; t < to; t++) sum += y[t];
    return sum / (double)(to - from);
}

static double unit_of(const fgti_rows *r, int64_t period)
{
    const int64_t last = 5 * (period > 12 ? period : 12);
    double        most = 0;
    for (int64_t t = 0; t < r->n; t++) most = fmax(most, fabs(r->y[t]));
    return fmax(mean_change(r->y, r->n - last + 1, r->n, 1), 1e-9 * (1 + most));
}

static void describe(const fgti_rows *r, int64_t period, double unit, double *x)
{
    const double *y = r->y;
    const int64_t n = r->n, recent = 3 * period > 8 ? 3 * period : 8, k = recent < n ? recent : n;
    const double  change = n > period ? mean_change(y, period, n, period) : unit;
    const double  trend  = n >= 2 * k ? mean(y, n - k, n) - mean(y, n - 2 * k, n - k)
                                      : (y[n - 1] - y[0]) / (double)n;
    x[0] = 1;
    x[1] = log(mean_size(y, n - k, n) / unit + 1e-3);
    x[2] = log(change / unit + 1e-3);
    x[3] = tanh(trend / unit / 5);
    x[4] = fabs(x[3]);
    x[5] = log((double)n);
}

/* Features but the constant become deviations from their mean over the panel. */
static void standardise(double *feature, int64_t count)
{
    for (int j = 1; j < FGTI_FEATURES; j++) {
        double sum = 0, square = 0;
        for (int64_t i = 0; i < count; i++) sum += feature[i * FGTI_FEATURES + j] / (double)count;
        for (int64_t i = 0; i < count; i++) {
            double *x = feature + i * FGTI_FEATURES + j;
            *x -= sum;
            square += *x * *x / (double)count;
        }
        for (int64_t i = 0; i < count; i++) feature[i * FGTI_FEATURES + j] /= sqrt(square) + 1e-6;
    }
}

/* Fewer than 4 changes say little. The series with more say what is usual. */
static fgt_status shrink_units(fgt_context *ctx, fgti_panel *p)
{
    enum { MORE = 2, ENOUGH = 5 };
    double *share;
    int64_t known = 0;
    FGTI_TRY(FGTI_NEW(ctx, p->count, "panel", &share));
    for (int64_t i = 0; i < p->count; i++) {
        const double level = mean_size(p->rows[i].y, 0, p->rows[i].n);
        if (p->rows[i].n >= ENOUGH && level > 0) share[known++] = p->unit[i] / level;
    }
    fgti_sort_doubles(share, known);
    p->usual = known > 0;
    for (int64_t i = 0; known && i < p->count; i++) {
        const fgti_rows *r       = &p->rows[i];
        const double     changes = (double)(r->n - 1), usual = share[known / 2] * mean_size(r->y, 0, r->n);
        if (r->n < ENOUGH && usual > 0) p->unit[i] = (changes * p->unit[i] + MORE * usual) / (changes + MORE);
    }
    fgti_free(ctx, share);
    return FGT_OK;
}

fgt_status fgti_panel_new(fgt_context *ctx, const fgti_rows *rows, int64_t count, int64_t period,
                          int64_t longer, int64_t h, fgti_panel *panel)
{
    *panel = (fgti_panel){.rows = rows, .count = count, .h = h, .period = period, .longer = longer};
    FGTI_TRY(FGTI_NEW(ctx, count, "panel", &panel->unit));
    FGTI_TRY(FGTI_NEW(ctx, count * FGTI_FEATURES, "panel", &panel->feature));
    FGTI_TRY(FGTI_NEW(ctx, count, "panel", &panel->rare));
    for (int64_t i = 0; i < count; i++) {
        panel->unit[i] = unit_of(&rows[i], period);
        panel->rare[i] = fgti_rare_is(rows[i].y, rows[i].n, period < rows[i].n ? period : 1);
    }
    FGTI_TRY(shrink_units(ctx, panel));
    for (int64_t i = 0; i < count; i++) {
        describe(&rows[i], period, panel->unit[i], panel->feature + i * FGTI_FEATURES);
    }
    standardise(panel->feature, count);
    return FGT_OK;
}

void fgti_panel_done(fgt_context *ctx, fgti_panel *panel)
{
    fgti_free(ctx, panel->unit);
    fgti_free(ctx, panel->rare);
    fgti_free(ctx, panel->feature);
}
