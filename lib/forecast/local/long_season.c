/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/long_season.h"

#include <math.h>

#include "core/sort.h"
#include "forecast/local/local_weights.h"

enum { K = FGTI_MEMBERS, LEAST = 2, MOST = 12, LONGEST = 336 };

typedef struct quiet {
    fgti_go_on go_on;
    void      *arg;
    int64_t    done;
} quiet;

static bool go_on_quietly(void *arg, int64_t done)
{
    const quiet *q = arg;
    (void)done;
    return q->go_on(q->arg, q->done);
}

static fgt_status long_season_find_median(fgt_context *ctx, const fgti_panel *p, int64_t *rows)
{
    double *n;
    FGTI_TRY(FGTI_NEW(ctx, p->count, "series", &n));
    for (int64_t i = 0; i < p->count; i++) n[i] = (double)p->rows[i].n;
    fgti_sort_doubles(n, p->count);
    *rows = (int64_t)n[p->count / 2];
    fgti_free(ctx, n);
    return FGT_OK;
}

/* Computes the mean error of the blend in the last rows, in the given units. */
static fgt_status long_season_judge(fgt_context *ctx, const fgti_runs *r, const double *units, double *error)
{
    const fgti_panel *p     = r->panel;
    const int64_t     h     = p->h, older = fgti_runs_earlier(r), first = older < r->origins ? older : 0;
    double           *weight;
    FGTI_TRY(FGTI_NEW(ctx, p->count * K, "weights", &weight));
    const fgt_status s = fgti_weights_find(ctx, r, first, weight);
    *error             = 0;
    for (int64_t kept = 0; s == FGT_OK && kept < r->kept_begin[first ? first : r->origins]; kept++) {
        const int64_t i = r->series[r->kept[kept]];
        for (int64_t t = 0; t < h; t++) {
            double e = 0;
            for (int k = 0; k < K; k++) e += weight[i * K + k] * (double)r->error[(kept * K + k) * h + t];
            *error += fabs(e) * r->unit[r->kept[kept]] / units[i];
        }
    }
    fgti_free(ctx, weight);
    return s;
}

static void long_season_exchange(fgti_panel *panel, fgti_runs *runs, fgti_panel *other, fgti_runs *others)
{
    const fgti_panel p = *panel;
    const fgti_runs  r = *runs;
    *panel             = *other;
    *runs              = *others;
    *other             = p;
    *others            = r;
    runs->panel        = panel;
    others->panel      = other;
}

fgt_status fgti_long_season_try(fgt_context *ctx, fgti_panel *panel, fgti_runs *runs, fgti_go_on go_on,
                                void *arg)
{
    const int64_t m      = panel->longer;
    quiet         q      = {go_on, arg, fgti_runs_count(runs)};
    fgti_panel    other  = {0};
    fgti_runs     others = {0};
    int64_t       rows   = 0;
    double        day = 0, week = 0;
    if (m <= panel->period || m > LONGEST || !runs->origins) return FGT_OK;
    FGTI_TRY(long_season_find_median(ctx, panel, &rows));
    if (rows < LEAST * m + 2 || rows > MOST * m) return FGT_OK;
    fgt_status s = fgti_panel_new(ctx, panel->rows, panel->count, m, 0, panel->h, &other);
    other.model  = panel->model;
    if (s == FGT_OK) s = fgti_runs_new(ctx, &other, go_on_quietly, &q, &others);
    if (s == FGT_OK) s = long_season_judge(ctx, runs, panel->unit.now, &day);
    if (s == FGT_OK && others.origins) s = long_season_judge(ctx, &others, panel->unit.now, &week);
    if (s == FGT_OK && others.origins && week < day) long_season_exchange(panel, runs, &other, &others);
    fgti_runs_done(ctx, &others);
    fgti_panel_done(ctx, &other);
    return s;
}
