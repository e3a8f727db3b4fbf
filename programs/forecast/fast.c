/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays and options of forecasts without training. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "fast.h"

#include "../common/program.h"
#include "../common/progress.h"

/* ---- levels ---- */

static void add_level(fast *f, double level)
{
    int64_t i = f->levels;
    for (int64_t k = 0; k < f->levels; k++)
        if (fabs(f->level[k] - level) < 1e-12) return;
    for (; i > 0 && f->level[i - 1] > level; i--) f->level[i] = f->level[i - 1];
    f->level[i] = level;
    f->levels++;
}

void fast_find_levels(fast *f)
{
    const options *o = f->r->o;
    for (int64_t i = 0; i < o->quantile_count; i++) add_level(f, o->quantiles[i]);
    for (int64_t i = 0; i < o->interval_count; i++) {
        add_level(f, (1 - o->interval[i]) / 2);
        add_level(f, (1 + o->interval[i]) / 2);
    }
    if (o->report && !o->interval_count) { /* because the pictures on the page show an interval */
        add_level(f, .1);
        add_level(f, .9);
    }
}

/* ---- the forecast ---- */

static fgt_status show(void *user, int64_t done, int64_t all)
{
    static int shown = -1;
    const int  now   = (int)(100 * done / all);
    (void)user;
    if (now != shown && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%3d %%%s", now, done < all ? "" : "\r\033[K");
    shown = now;
    return progress_interrupted() ? FGT_E_CANCELLED : FGT_OK;
}

bool fast_new_forecast(const fast *f, fast_forecast *g)
{
    const size_t cells = (size_t)(f->count * f->steps);
    g->mean            = malloc(cells * sizeof *g->mean);
    g->quantiles       = malloc(cells * (size_t)(f->levels + 1) * sizeof *g->quantiles);
    return (g->mean && g->quantiles) || complain("no memory");
}

void fast_free_forecast(fast_forecast *g)
{
    free(g->mean);
    free(g->quantiles);
}

fgt_local_opts fast_opts(const fast *f, const int64_t *seasons, const fast_forecast *g)
{
    return (fgt_local_opts){.size          = sizeof(fgt_local_opts),
                            .horizon       = f->steps,
                            .season        = seasons[0],
                            .long_season   = seasons[1],
                            .levels        = f->level,
                            .level_count   = f->levels,
                            .forecast      = g->mean,
                            .quantiles     = g->quantiles,
                            .keep_outliers = f->r->o->keep_outliers,
                            .progress      = show};
}
