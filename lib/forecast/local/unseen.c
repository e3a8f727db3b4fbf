/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/unseen.h"

#include <math.h>

enum { LEAST = 4, SHRINK = 6 };

static bool is_unseen(const fgti_panel *p, int64_t i)
{
    const int64_t n = p->rows[i].n;
    return p->period > 1 && n >= p->period && n - p->h < p->period + 2 && !p->rare[i];
}

static fgti_unseen read_rows(const fgti_panel *p, int64_t i)
{
    const double *y = p->rows[i].y, unit = p->unit.now[i];
    const int64_t m = p->period, most = p->h < m ? p->h : m;
    fgti_unseen   e = {0};
    for (int64_t t = m; t < p->rows[i].n; t++) {
        e.rows++;
        e.seasonal += fabs(y[t] - y[t - m]) / unit;
        for (int64_t k = 1; k <= most; k++) e.last += fabs(y[t] - y[t - k]) / (unit * (double)most);
    }
    return e;
}

fgti_unseen fgti_unseen_find(const fgti_panel *p)
{
    fgti_unseen all = {0};
    for (int64_t i = 0; i < p->count; i++) {
        if (!is_unseen(p, i)) continue;
        const fgti_unseen e = read_rows(p, i);
        all.rows += e.rows;
        all.seasonal += e.seasonal;
        all.last += e.last;
    }
    return all;
}

double fgti_unseen_share(const fgti_panel *p, const fgti_unseen *all, int64_t i, double *error)
{
    if (!is_unseen(p, i) || all->rows < LEAST || !(all->last > 0)) return 0;
    const fgti_unseen e   = read_rows(p, i);
    const double      own = e.last > 0 ? e.seasonal / e.last : 1;
    const double      q   = (e.rows * own + SHRINK * all->seasonal / all->last) / (e.rows + SHRINK);
    *error = (e.seasonal + SHRINK * all->seasonal / all->rows) / (e.rows + SHRINK);
    return fmax(1 - q * q, 0);
}

void fgti_unseen_season(const fgti_panel *p, double *weight)
{
    const fgti_unseen all = fgti_unseen_find(p);
    for (int64_t i = 0; i < p->count; i++) {
        double       error;
        const double share = fgti_unseen_share(p, &all, i, &error);
        for (int k = 0; k < FGTI_MEMBERS; k++) weight[i * FGTI_MEMBERS + k] *= 1 - share;
        weight[i * FGTI_MEMBERS + FGTI_SEASONAL_VALUE] += share;
    }
}
