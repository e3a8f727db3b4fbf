/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/unseen.h"

#include <math.h>

enum { LEAST = 4, SHRINK = 6 };

typedef struct evidence {
    double rows, seasonal, last; /* how many t, S and L in units of the series */
} evidence;

static bool is_unseen(const fgti_panel *p, int64_t i)
{
    const int64_t n = p->rows[i].n;
    return n >= p->period && n - p->h < p->period && !p->rare[i];
}

static evidence read_rows(const fgti_panel *p, int64_t i)
{
    const double *y = p->rows[i].y, unit = p->unit.now[i];
    const int64_t m = p->period, most = p->h < m ? p->h : m;
    evidence      e = {0};
    for (int64_t t = m; t < p->rows[i].n; t++) {
        e.rows++;
        e.seasonal += fabs(y[t] - y[t - m]) / unit;
        for (int64_t k = 1; k <= most; k++) e.last += fabs(y[t] - y[t - k]) / (unit * (double)most);
    }
    return e;
}

void fgti_unseen_season(const fgti_panel *panel, double *weight)
{
    const fgti_panel *p   = panel;
    evidence          all = {0};
    for (int64_t i = 0; i < p->count && p->period > 1; i++) {
        if (!is_unseen(p, i)) continue;
        const evidence e = read_rows(p, i);
        all.rows += e.rows;
        all.seasonal += e.seasonal;
        all.last += e.last;
    }
    if (all.rows < LEAST || !(all.last > 0)) return;
    for (int64_t i = 0; i < p->count; i++) {
        if (!is_unseen(p, i)) continue;
        const evidence e     = read_rows(p, i);
        const double   own   = e.last > 0 ? e.seasonal / e.last : 1;
        const double   q     = (e.rows * own + SHRINK * all.seasonal / all.last) / (e.rows + SHRINK);
        const double   share = fmax(1 - q * q, 0);
        for (int k = 0; k < FGTI_MEMBERS; k++) weight[i * FGTI_MEMBERS + k] *= 1 - share;
        weight[i * FGTI_MEMBERS + FGTI_SEASONAL_VALUE] += share;
    }
}
