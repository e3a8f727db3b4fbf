/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/panel.h"

#include <math.h>

#include "forecast/local/rare.h"

static double panel_mean(const double *y, int64_t from, int64_t to)
{
    double sum = 0;
    for (int64_t t = from; t < to; t++) sum += y[t];
    return sum / (double)(to - from);
}

static void panel_describe(const fgti_rows *r, int64_t period, double unit, double *x)
{
    const double *y = r->y;
    const int64_t n = r->n, recent = 3 * period > 8 ? 3 * period : 8, k = recent < n ? recent : n;
    const double  change = n > period ? fgti_mean_change(y, period, n, period) : unit;
    const double  trend  = n >= 2 * k ? panel_mean(y, n - k, n) - panel_mean(y, n - 2 * k, n - k)
                                      : (y[n - 1] - y[0]) / (double)n;
    x[0] = 1;
    x[1] = log(fgti_mean_size(y, n - k, n) / unit + 1e-3);
    x[2] = log(change / unit + 1e-3);
    x[3] = tanh(trend / unit / 5);
    x[4] = fabs(x[3]);
    x[5] = log((double)n);
}

/* Subtracts the mean over the panel from each feature, except from the constant. */
static void panel_standardise(double *feature, int64_t count)
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

static bool is_still(const fgti_rows *r)
{
    for (int64_t t = 1; t < r->n; t++)
        if (r->y[t] != r->y[0]) return false;
    return true;
}

fgt_status fgti_panel_new(fgt_context *ctx, const fgti_rows *rows, int64_t count, int64_t period,
                          int64_t longer, int64_t h, fgti_panel *panel)
{
    *panel = (fgti_panel){.rows = rows, .count = count, .h = h, .period = period, .longer = longer};
    FGTI_TRY(fgti_units_new(ctx, rows, count, period, &panel->unit));
    FGTI_TRY(FGTI_NEW(ctx, count * FGTI_FEATURES, "panel", &panel->feature));
    FGTI_TRY(FGTI_NEW(ctx, count, "panel", &panel->rare));
    FGTI_TRY(FGTI_NEW(ctx, count, "panel", &panel->still));
    for (int64_t i = 0; i < count; i++) {
        panel->still[i] = is_still(&rows[i]);
        panel->rare[i]  = fgti_rare_is(rows[i].y, rows[i].n, period < rows[i].n ? period : 1);
        panel_describe(&rows[i], period, panel->unit.now[i], panel->feature + i * FGTI_FEATURES);
    }
    panel_standardise(panel->feature, count);
    return FGT_OK;
}

double fgti_panel_unit(const fgti_panel *p, int64_t series, int64_t n)
{
    return fgti_units_at(&p->unit, p->rows, series, p->period, n);
}

void fgti_panel_done(fgt_context *ctx, fgti_panel *panel)
{
    fgti_units_done(ctx, &panel->unit);
    fgti_free(ctx, panel->rare);
    fgti_free(ctx, panel->still);
    fgti_free(ctx, panel->feature);
}
