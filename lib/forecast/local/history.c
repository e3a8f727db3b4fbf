/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/history.h"

#include <math.h>
#include <string.h>

#include "forecast/local/season.h"

enum { SCRATCH = 8 }; /* doubles for each row of the largest forecaster (lags.c) */

int64_t fgti_history_room(int64_t n, int64_t period, int64_t h)
{
    return 2 * (n + period) + SCRATCH * (n + h + period) + FGTI_SEASON_SCRATCH(period);
}

static void history_flatten(const fgti_history *p, const double *y, fgti_flat *flat)
{
    fgti_season_find(y, p->n, p->period, flat->ratio, p->scratch, flat->season);
    for (int64_t t = 0; t < p->n; t++) {
        const double s = flat->season[fgti_phase(t, p->n, p->period)];
        flat->rest[t]  = flat->ratio ? y[t] / s : y[t] - s;
    }
}

void fgti_history_init(const double *y, int64_t n, int64_t period, int64_t longer, double *room,
                       fgti_history *p)
{
    *p = (fgti_history){.y = y, .n = n, .period = period, .longer = longer, .least = y[0], .most = y[0]};
    for (int64_t t = 1; t < n; t++) {
        p->least = fmin(p->least, y[t]);
        p->most  = fmax(p->most, y[t]);
    }
    const bool positive = p->least > 0;
    p->values           = (fgti_flat){positive, false, room, room + n};
    p->scratch          = room + 2 * (n + period);
    history_flatten(p, y, &p->values);
    if (!positive) return;
    p->logs   = (fgti_flat){false, true, room + n + period, room + 2 * n + period};
    double *l = p->scratch + FGTI_SEASON_SCRATCH(period);
    for (int64_t t = 0; t < n; t++) l[t] = log(y[t]);
    history_flatten(p, l, &p->logs);
}

void fgti_history_restore(const fgti_history *p, const fgti_flat *flat, int64_t h, double *f)
{
    for (int64_t k = 0; k < h; k++) {
        const double s = flat->season[k % p->period];
        f[k]           = flat->ratio ? f[k] * s : f[k] + s;
        if (flat->log) f[k] = exp(f[k]);
    }
}
