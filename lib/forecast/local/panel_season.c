/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/panel_season.h"

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

/* Adds the absolute changes of n rows to *all. Adds the absolute changes that remain without the season to
 * *rest. season [m]: logarithms. */
static void add_changes(const double *y, int64_t n, const double *season, int64_t period, double *rest,
                        double *all)
{
    for (int64_t t = 1; t < n; t++) {
        const double change = log(y[t] / y[t - 1]);
        *all += fabs(change);
        *rest += fabs(change - season[fgti_phase(t, n, period)] + season[fgti_phase(t - 1, n, period)]);
    }
}

/* Finds s->factor, in logarithms. scratch [FGTI_SEASON_SCRATCH(m) + m] */
static void panel_season_find(const fgti_rows *rows, int64_t count, int64_t m, double *scratch,
                              fgti_panel_season *s)
{
    double *own = scratch + FGTI_SEASON_SCRATCH(m), known = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!is_long(rows[i].n, m) || !is_positive(rows[i].y, rows[i].n)) continue;
        fgti_season_find(rows[i].y, rows[i].n, m, true, scratch, own);
        for (int64_t p = 0; p < m; p++) s->factor[p] += log(own[p]);
        known++;
    }
    for (int64_t p = 0; p < m && known > 0; p++) s->factor[p] /= known;
    for (int64_t i = 0; i < count; i++)
        if (is_long(rows[i].n, m) && is_positive(rows[i].y, rows[i].n))
            add_changes(rows[i].y, rows[i].n, s->factor, m, &s->rest, &s->all);
}

fgt_status fgti_panel_season_new(fgt_context *ctx, const fgti_rows *rows, int64_t count, int64_t period,
                                 fgti_panel_season *season)
{
    double *scratch;
    bool    any = false, all = true;
    *season = (fgti_panel_season){0};
    for (int64_t i = 0; i < count; i++) {
        any |= is_long(rows[i].n, period);
        all &= is_long(rows[i].n, period);
    }
    if (!any || all) return FGT_OK;
    FGTI_TRY(FGTI_NEW(ctx, period, "seasons", &season->factor));
    FGTI_TRY(FGTI_NEW(ctx, FGTI_SEASON_SCRATCH(period) + period, "seasons", &scratch));
    panel_season_find(rows, count, period, scratch, season);
    fgti_free(ctx, scratch);
    return FGT_OK;
}

void fgti_panel_season_done(fgt_context *ctx, fgti_panel_season *season)
{
    fgti_free(ctx, season->factor);
}

double fgti_panel_season_share(const fgti_panel_season *season, const double *y, int64_t n, int64_t period)
{
    double rest = 0, all = 0;
    if (!season->factor || !(season->all > 0) || n < LEAST) return 0;
    if (is_long(n, period) || !is_positive(y, n)) return 0;
    add_changes(y, n, season->factor, period, &rest, &all);
    if (!(all > 0)) return 0;
    const double own = rest / all;
    const double q = ((double)(n - 1) * own + SHRINK * season->rest / season->all) / (double)(n - 1 + SHRINK);
    return fmax(1 - q * q, 0);
}

void fgti_panel_season_apply(const fgti_panel_season *season, fgti_history *p)
{
    const double share = fgti_panel_season_share(season, p->y, p->n, p->period);
    if (!(share > 0)) return;
    for (int64_t i = 0; i < p->period; i++) {
        p->logs.season[i]   = share * season->factor[i];
        p->values.season[i] = exp(p->logs.season[i]);
    }
    for (int64_t t = 0; t < p->n; t++) {
        const int64_t phase = fgti_phase(t, p->n, p->period);
        p->values.rest[t]   = p->y[t] / p->values.season[phase];
        p->logs.rest[t]     = log(p->values.rest[t]);
    }
}
