/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/lean.h"

#include <math.h>

#include "forecast/local/simple.h"

enum { K = FGTI_MEMBERS, USUAL = FGTI_MEMBERS_IN_BLENDS };
enum { BY_HAND = 4, PARTS = 2, TRIED = BY_HAND * PARTS, LEAST = 25 };
#define SURE  2.  /* number of standard errors by which d is lowered */
#define WORTH .03 /* most that d is lowered by, in units of errors */
#define OWN   .25 /* limit for the d of one series, above which the series keeps its blend */
#define FAR   2.  /* last rows at this many mean distances from the mean are at another level */

static const int by_hand[BY_HAND] = {FGTI_LAST_VALUE, FGTI_SEASONAL_VALUE, FGTI_DRIFT, FGTI_MEAN};

/* For each mixture, adds the difference between its error and the error of the blend in one run, in units of
 * the run's errors. blend [h] is memory. */
static void lean_add_run(const fgti_runs *runs, int64_t kept, const double *weight, double *blend,
                         double *further)
{
    const int64_t h = runs->panel->h;
    const float  *e = runs->error + kept * K * h;
    double        unit = 1e-9;
    for (int64_t t = 0; t < h; t++) {
        blend[t] = 0;
        for (int k = 0; k < K; k++) blend[t] += weight[k] * (double)e[k * h + t];
        for (int k = 0; k < USUAL; k++) unit += fabs((double)e[k * h + t]) / USUAL;
        unit += fabs(blend[t]);
    }
    for (int i = 0; i < TRIED; i++) {
        const double l = (i % PARTS + 1.) / PARTS;
        const float *g = e + by_hand[i / PARTS] * h;
        for (int64_t t = 0; t < h; t++)
            further[i] += (fabs((1 - l) * blend[t] + l * (double)g[t]) - fabs(blend[t])) / unit;
    }
}

/* Returns the d of one mixture (lean.h), minus SURE standard errors. If these reach WORTH, or if only one
 * series counts, returns d - WORTH for l = 1, and d for l = 1/2. Returns 0 if no series counts. seen [count]:
 * number of runs of each series. */
static double lean_find_least(const fgti_panel *p, const double *further, const double *seen, int tried)
{
    double n = 0, sum = 0, square = 0;
    for (int64_t i = 0; i < p->count; i++) {
        if (!(seen[i] > 0) || !fgti_panel_shows(p, i)) continue;
        const double d = further[i * TRIED + tried] / seen[i];
        n++;
        sum += d;
        square += d * d;
    }
    if (!(n > 0)) return 0;
    const double mean = sum / n, error = sqrt(fmax(square / n - mean * mean, 0) / (n - 1));
    if (n > 1 && SURE * error < WORTH) return mean - SURE * error;
    return tried % PARTS == PARTS - 1 ? mean - WORTH : mean;
}

/* Returns the number of runs from which the comparison is made. Overlapping runs of a series count less than
 * 1 each. */
static double lean_count_seen(const fgti_runs *runs, const double *seen)
{
    const fgti_panel *p     = runs->panel;
    const double      apart = fmin((double)runs->step / (double)p->h, 1);
    double            count = 0;
    for (int64_t i = 0; i < p->count; i++)
        if (seen[i] > 0 && fgti_panel_shows(p, i)) count += 1 + (seen[i] - 1) * apart;
    return count;
}

/* Whether the last rows are at a level that no run has seen. */
static bool has_left_mean(const fgti_rows *r)
{
    enum { LAST = 3 };
    double mean, apart = 0, last = 0;
    fgti_mean(r->y, r->n, 1, &mean);
    for (int64_t t = 0; t < r->n; t++) apart += fabs(r->y[t] - mean) / (double)r->n;
    for (int64_t t = r->n > LAST ? r->n - LAST : 0; t < r->n; t++) last += (r->y[t] - mean) / LAST;
    return fabs(last) > FAR * apart;
}

/* Whether a series takes the mixture. `further` and `seen` are the values of this series. */
static bool follows(const fgti_panel *p, int64_t series, double further, double seen, int tried)
{
    if (seen > 0 && further > OWN * seen) return false;
    return by_hand[tried / PARTS] != FGTI_MEAN || !has_left_mean(&p->rows[series]);
}

static void lean(const fgti_panel *p, const double *further, const double *seen, double *weight, int tried)
{
    const double l = (tried % PARTS + 1.) / PARTS;
    for (int64_t i = 0; i < p->count; i++) {
        if (!follows(p, i, further[i * TRIED + tried], seen[i], tried)) continue;
        for (int k = 0; k < K; k++) weight[i * K + k] *= 1 - l;
        weight[i * K + by_hand[tried / PARTS]] += l;
    }
}

static void lean_choose(const fgti_runs *runs, int64_t first, double *further, double *seen, double *blend,
                        double *weight)
{
    const fgti_panel *p    = runs->panel;
    int               best = -1;
    double            least = 0;
    for (int64_t r = runs->kept_begin[first]; r < runs->kept_begin[runs->origins]; r++) {
        const int64_t i = runs->series[runs->kept[r]];
        lean_add_run(runs, r, weight + i * K, blend, further + i * TRIED);
        seen[i]++;
    }
    if (lean_count_seen(runs, seen) < LEAST) return;
    for (int i = 0; i < TRIED; i++) {
        const double d = lean_find_least(p, further, seen, i);
        if (d >= least || (by_hand[i / PARTS] == FGTI_SEASONAL_VALUE && p->period < 2)) continue;
        least = d;
        best  = i;
    }
    if (best >= 0) lean(p, further, seen, weight, best);
}

fgt_status fgti_lean(fgt_context *ctx, const fgti_runs *runs, int64_t first, double *weight)
{
    const int64_t count   = runs->panel->count;
    double       *further = NULL, *seen = NULL, *blend = NULL;
    fgt_status s = FGTI_NEW(ctx, count * TRIED, "weights", &further);
    if (s == FGT_OK) s = FGTI_NEW(ctx, count, "weights", &seen);
    if (s == FGT_OK) s = FGTI_NEW(ctx, runs->panel->h, "weights", &blend);
    if (s == FGT_OK) lean_choose(runs, first, further, seen, blend, weight);
    fgti_free(ctx, further);
    fgti_free(ctx, seen);
    fgti_free(ctx, blend);
    return s;
}
