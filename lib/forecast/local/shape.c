/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/shape.h"

#include <math.h>

#include "forecast/local/season.h"

enum { SHRINK = 6, LEAST = 3 /* fewest rows to which the season of other series is applied */ };

static bool is_long(int64_t n, int64_t period)
{
    return period > 1 && (n - 2) / 2 >= period;
}

static bool is_positive(const double *y, int64_t n)
{
    for (int64_t t = 0; t < n; t++)
        if (!(y[t] > 0)) return false;
    return true;
}

/* Adds the absolute changes of n rows to *all, and the changes without the season to *rest. season [m]:
 * logarithms. */
static void add_changes(const double *y, int64_t n, const double *season, int64_t period, double *rest,
                        double *all)
{
    for (int64_t t = 1; t < n; t++) {
        const double change = log(y[t] / y[t - 1]);
        *all += fabs(change);
        *rest += fabs(change - season[fgti_phase(t, n, period)] + season[fgti_phase(t - 1, n, period)]);
    }
}

/* Finds s->season, in logarithms. scratch [FGTI_SEASON_SCRATCH(m) + m] */
static void find(const fgti_rows *rows, int64_t count, int64_t m, double *scratch, fgti_shape *s)
{
    double *own = scratch + FGTI_SEASON_SCRATCH(m), known = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!is_long(rows[i].n, m) || !is_positive(rows[i].y, rows[i].n)) continue;
        fgti_season_find(rows[i].y, rows[i].n, m, true, scratch, own);
        for (int64_t p = 0; p < m; p++) s->season[p] += log(own[p]);
        known++;
    }
    for (int64_t p = 0; p < m && known > 0; p++) s->season[p] /= known;
    for (int64_t i = 0; i < count; i++)
        if (is_long(rows[i].n, m) && is_positive(rows[i].y, rows[i].n))
            add_changes(rows[i].y, rows[i].n, s->season, m, &s->rest, &s->all);
}

fgt_status fgti_shape_new(fgt_context *ctx, const fgti_rows *rows, int64_t count, int64_t period,
                          fgti_shape *shape)
{
    double *scratch;
    bool    any = false, all = true;
    *shape      = (fgti_shape){0};
    for (int64_t i = 0; i < count; i++) {
        any |= is_long(rows[i].n, period);
        all &= is_long(rows[i].n, period);
    }
    if (!any || all) return FGT_OK;
    FGTI_TRY(FGTI_NEW(ctx, period, "seasons", &shape->season));
    FGTI_TRY(FGTI_NEW(ctx, FGTI_SEASON_SCRATCH(period) + period, "seasons", &scratch));
    find(rows, count, period, scratch, shape);
    fgti_free(ctx, scratch);
    return FGT_OK;
}

void fgti_shape_done(fgt_context *ctx, fgti_shape *shape)
{
    fgti_free(ctx, shape->season);
}

double fgti_shape_share(const fgti_shape *shape, const double *y, int64_t n, int64_t period)
{
    double rest = 0, all = 0;
    if (!shape->season || !(shape->all > 0) || n < LEAST) return 0;
    if (is_long(n, period) || !is_positive(y, n)) return 0;
    add_changes(y, n, shape->season, period, &rest, &all);
    if (!(all > 0)) return 0;
    const double own = rest / all;
    const double q = ((double)(n - 1) * own + SHRINK * shape->rest / shape->all) / (double)(n - 1 + SHRINK);
    return fmax(1 - q * q, 0);
}

void fgti_shape_take(const fgti_shape *shape, fgti_past *p)
{
    const double share = fgti_shape_share(shape, p->y, p->n, p->period);
    if (!(share > 0)) return;
    for (int64_t i = 0; i < p->period; i++) {
        p->logs.season[i]   = share * shape->season[i];
        p->values.season[i] = exp(p->logs.season[i]);
    }
    for (int64_t t = 0; t < p->n; t++) {
        const int64_t phase = fgti_phase(t, p->n, p->period);
        p->values.rest[t]   = p->y[t] / p->values.season[phase];
        p->logs.rest[t]     = log(p->values.rest[t]);
    }
}
