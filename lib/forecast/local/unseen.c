/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/unseen.h"

#include <math.h>

enum { LEAST = 4, SHRINK = 6, WEEK = 7 };

/* The seasons m and d of a series. m is 0 if the series has no unseen season. */
typedef struct pair {
    int64_t m, d;
} pair;

static pair find_pair(const fgti_panel *p, int64_t i)
{
    const int64_t n = p->rows[i].n, longer = p->longer;
    if (p->period < 2 || n < p->period || p->rare[i]) return (pair){0};
    if (n - p->h < p->period + 2 || n < 2 * p->period) return (pair){p->period, 1};
    if (longer <= p->period || longer > WEEK * p->period) return (pair){0};
    return n >= 2 * longer && n < 3 * longer ? (pair){longer, p->period} : (pair){0};
}

static fgti_unseen unseen_read_rows(const fgti_panel *p, int64_t i, pair s)
{
    const double *y = p->rows[i].y, unit = p->unit.now[i];
    const int64_t seen = p->h < s.m ? p->h : s.m, most = (seen + s.d - 1) / s.d;
    fgti_unseen   e = {0};
    for (int64_t t = s.m; t < p->rows[i].n; t++) {
        e.rows++;
        e.seasonal += fabs(y[t] - y[t - s.m]) / unit;
        for (int64_t k = 1; k <= most && k * s.d <= t; k++)
            e.last += fabs(y[t] - y[t - k * s.d]) / (unit * (double)most);
    }
    return e;
}

fgti_unseen fgti_unseen_find(const fgti_panel *p)
{
    fgti_unseen all = {0};
    for (int64_t i = 0; i < p->count; i++) {
        const pair s = find_pair(p, i);
        if (s.d != 1) continue;
        const fgti_unseen e = unseen_read_rows(p, i, s);
        all.rows += e.rows;
        all.seasonal += e.seasonal;
        all.last += e.last;
    }
    return all;
}

double fgti_unseen_share(const fgti_panel *p, const fgti_unseen *all, int64_t i, double *error)
{
    const pair s = find_pair(p, i);
    if (!s.m) return 0;
    const fgti_unseen  e     = unseen_read_rows(p, i, s);
    const fgti_unseen *usual = s.d == 1 ? all : &e; /* if d is a season, the series' own rows are enough */
    if (usual->rows < LEAST || !(usual->last > 0)) return 0;
    const double own = e.last > 0 ? e.seasonal / e.last : 1;
    const double q   = (e.rows * own + SHRINK * usual->seasonal / usual->last) / (e.rows + SHRINK);
    *error = (e.seasonal + SHRINK * usual->seasonal / usual->rows) / (e.rows + SHRINK);
    return fmax(1 - q * q, 0);
}

void fgti_unseen_season(const fgti_panel *p, double *weight)
{
    const fgti_unseen all = fgti_unseen_find(p);
    for (int64_t i = 0; i < p->count; i++) {
        double       error;
        const double share  = fgti_unseen_share(p, &all, i, &error);
        const int    member = find_pair(p, i).d == 1 ? FGTI_SEASONAL_VALUE : FGTI_LONG_PHASE_MEANS;
        for (int k = 0; k < FGTI_MEMBERS; k++) weight[i * FGTI_MEMBERS + k] *= 1 - share;
        weight[i * FGTI_MEMBERS + member] += share;
    }
}
