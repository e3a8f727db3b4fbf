/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/model_share.h"

#include <math.h>
#include <string.h>

#include "core/sort.h"
#include "forecast/linear/gain.h"
#include "forecast/local/local_weights.h"

enum { K = FGTI_MEMBERS };
#define SHRINK 1. /* in units of two usual errors of the model */

/* Of one series. Blocks are runs that are half a forecast apart, so that only neighbours overlap. */
typedef struct gains {
    int64_t blocks;
    double  gain[FGTI_ORIGINS_BESIDE], square[FGTI_ORIGINS_BESIDE], error[FGTI_ORIGINS_BESIDE];
    double  share;
    bool    absent; /* the model has no part */
} gains;

static void add_run(const fgti_runs *r, int64_t kept, const double *w, gains *g)
{
    const int64_t h = r->panel->h, b = g->blocks++;
    const float  *e = r->error + kept * K * h;
    for (int64_t t = 0; t < h; t++) {
        double blend = 0;
        for (int k = 0; k < K; k++) blend += w[k] * (double)e[k * h + t];
        const double own = (double)e[FGTI_MODEL * h + t], d = blend - own;
        g->gain[b] -= own * d;
        g->square[b] += d * d;
        g->error[b] += own * own;
    }
}

/* Blocks with large errors count less: each is divided by its error and the median one. */
static double share_of(gains *g)
{
    double spare[FGTI_ORIGINS_BESIDE], sum = 0, square = 0;
    memcpy(spare, g->error, sizeof spare);
    fgti_sort_doubles(spare, g->blocks);
    const double usual = spare[g->blocks / 2] + 1e-12;
    for (int64_t b = 0; b < g->blocks; b++) {
        g->gain[b] /= g->error[b] + usual;
        sum += g->gain[b];
        square += g->square[b] / (g->error[b] + usual);
    }
    if (!(sum > 0)) return 0;
    const double share = fmin(sum / (square + SHRINK), 1);
    return share / (1 + exp(-fgti_odds_of_gain(g->gain, spare, g->blocks)));
}

static void share_out(double *w, double share)
{
    for (int k = 0; k < K; k++) w[k] *= share;
    w[FGTI_MODEL] = 1 - share;
}

/* The gains of each series at origins before `mid`, whose rows the weights `older` [count,K] do not know. */
static void add_runs(const fgti_runs *r, int64_t first, int64_t mid, const double *older, gains *all)
{
    const int64_t h = r->panel->h, apart = (h + 2 * r->step - 1) / (2 * r->step);
    for (int64_t j = first; j + fgti_runs_earlier(r) <= mid; j += apart)
        for (int64_t kept = r->kept_begin[j]; kept < r->kept_begin[j + 1]; kept++) {
            const int64_t run = r->kept[kept], i = r->series[run];
            if (!isnan(r->model[run * h])) add_run(r, kept, older + i * K, &all[i]);
        }
}

/* A model has no part where it has no forecast, and in rare counts, whose forecast is their rate. */
static void find_absent(const fgti_runs *r, const double *last, gains *all)
{
    const fgti_panel *p = r->panel;
    for (int64_t i = 0; i < p->count; i++) all[i].absent = p->rare[i] || (last && isnan(last[i * p->h]));
    for (int64_t run = r->begin[0]; !last && r->origins && run < r->begin[1]; run++)
        all[r->series[run]].absent |= isnan(r->model[run * p->h]);
}

static void share_all(gains *all, const fgti_panel *p, double *weight)
{
    double mean = 0, known = 0;
    for (int64_t i = 0; i < p->count; i++) {
        if (!all[i].blocks) continue;
        all[i].share = share_of(&all[i]);
        mean += all[i].share;
        known++;
    }
    for (int64_t i = 0; i < p->count; i++) {
        const double share = all[i].blocks ? all[i].share : known > 0 ? mean / known : 0;
        share_out(weight + i * K, all[i].absent ? 1 : share);
    }
}

fgt_status fgti_model_share(fgt_context *ctx, const fgti_runs *runs, int64_t first, const double *last,
                            double *weight)
{
    const fgti_panel *p   = runs->panel;
    const int64_t     mid = first + (runs->origins - first) / 2;
    gains            *all = NULL;
    double           *older = NULL;
    if (!p->model) return FGT_OK;
    fgt_status s = FGTI_NEW(ctx, p->count, "weights", &all);
    if (s == FGT_OK) s = FGTI_NEW(ctx, p->count * K, "weights", &older);
    if (s == FGT_OK) s = fgti_weights_find(ctx, runs, mid, older);
    if (s == FGT_OK) {
        add_runs(runs, first, mid, older, all);
        find_absent(runs, last, all);
        share_all(all, p, weight);
    }
    fgti_free(ctx, older);
    fgti_free(ctx, all);
    return s;
}
