/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/model_share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sort.h"
#include "forecast/linear/gain.h"
#include "forecast/local/local_weights.h"

enum { K = FGTI_MEMBERS };
#define SHRINK       1.   /* added to the sum of squares, whose unit is two usual errors of the model */
#define NOT_LEFT_OUT (-2) /* number far from all origins, so that all of them count */

/* The gains of one series in its blocks. A block is a run. Origins of blocks are half a forecast apart, so
 * that only neighbouring blocks overlap. */
typedef struct gains {
    int64_t blocks;
    double  gain[FGTI_ORIGINS_BESIDE], square[FGTI_ORIGINS_BESIDE], error[FGTI_ORIGINS_BESIDE];
    int16_t origin[FGTI_ORIGINS_BESIDE];
    double  share;
    bool    absent; /* the model's weight is 0 */
} gains;

/* A function that is called for each run that judges the model, with the weights of the run's series. */
typedef struct visitor {
    void (*take)(const void *arg, int64_t origin, int64_t kept, const double *w, gains *g);
    const void *arg;
} visitor;

static void model_share_add_run(const void *arg, int64_t origin, int64_t kept, const double *w, gains *g)
{
    const fgti_runs *r = arg;
    const int64_t    h = r->panel->h, b = g->blocks++;
    const float     *e = r->error + kept * K * h;
    g->origin[b]       = (int16_t)origin;
    for (int64_t t = 0; t < h; t++) {
        double blend = 0;
        for (int k = 0; k < K; k++) blend += w[k] * (double)e[k * h + t];
        const double own = (double)e[FGTI_MODEL * h + t], d = blend - own;
        g->gain[b] -= own * d;
        g->square[b] += d * d;
        g->error[b] += own * own;
    }
}

/* Returns the share of the blend. Blocks with large errors count less: the sums of a block are divided by its
 * error plus the median error. Blocks fewer than `apart` origins away from `without` do not count. */
static double model_share_of(const gains *g, int64_t without, int64_t apart)
{
    double  gain[FGTI_ORIGINS_BESIDE], square[FGTI_ORIGINS_BESIDE], error[FGTI_ORIGINS_BESIDE];
    double  spare[FGTI_ORIGINS_BESIDE], sum = 0, all = 0;
    int64_t n = 0;
    for (int64_t b = 0; b < g->blocks; b++) {
        if (llabs(g->origin[b] - without) < apart) continue;
        gain[n]    = g->gain[b];
        square[n]  = g->square[b];
        error[n++] = g->error[b];
    }
    if (!n) return 0;
    memcpy(spare, error, (size_t)n * sizeof *spare);
    fgti_sort_doubles(spare, n);
    const double usual = spare[n / 2] + 1e-12;
    for (int64_t b = 0; b < n; b++) {
        gain[b] /= error[b] + usual;
        sum += gain[b];
        all += square[b] / (error[b] + usual);
    }
    if (!(sum > 0)) return 0;
    return fmin(sum / (all + SHRINK), 1) / (1 + exp(-fgti_odds_of_gain(gain, spare, n)));
}

static void share_out(double *w, double share)
{
    for (int k = 0; k < K; k++) w[k] *= share;
    w[FGTI_MODEL] = 1 - share;
}

/* Visits runs from origins before `mid`. The weights `older` [count,K] were learned without the rows of these
 * runs. */
static void visit_runs(const fgti_runs *r, int64_t first, int64_t mid, const double *older, gains *all,
                       const visitor *v)
{
    const int64_t h = r->panel->h, apart = (h + 2 * r->step - 1) / (2 * r->step);
    for (int64_t j = first; j + fgti_runs_earlier(r) <= mid; j += apart)
        for (int64_t kept = r->kept_begin[j]; kept < r->kept_begin[j + 1]; kept++) {
            const int64_t run = r->kept[kept], i = r->series[run];
            if (!isnan(r->model[run * h])) v->take(v->arg, j, kept, older + i * K, &all[i]);
        }
}

/* Marks the series in which the model's weight is 0: the model has no forecast, or the series is a rare
 * count, which is forecast by its rate. */
static void model_share_find_absent(const fgti_runs *r, const double *last, gains *all)
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
        all[i].share = model_share_of(&all[i], NOT_LEFT_OUT, 1);
        mean += all[i].share;
        known++;
    }
    for (int64_t i = 0; i < p->count; i++) {
        const double share = all[i].blocks ? all[i].share : known > 0 ? mean / known : 0;
        share_out(weight + i * K, all[i].absent ? 1 : share);
    }
}

/* ---- blends that are reported to the host ---- */

typedef struct telling {
    const fgti_runs   *runs;
    const fgti_judged *judged;
    double            *forecast; /* [3,h]: the model, the others, and the blend */
    fgt_status        *status;   /* status of the last call of take() */
} telling;

/* Reports one run. Its share is found without runs that forecast the same rows. */
static void model_share_tell(const void *arg, int64_t origin, int64_t kept, const double *w, gains *g)
{
    const telling    *tell = arg;
    const fgti_runs  *r    = tell->runs;
    const fgti_panel *p    = r->panel;
    const int64_t     h = p->h, run = r->kept[kept], i = r->series[run], back = h + origin * r->step;
    const double     *truth = p->rows[i].y + p->rows[i].n - back, *model = r->model + run * h;
    const float      *e = r->error + kept * K * h;
    const double      share = g->absent ? 1 : model_share_of(g, origin, fgti_runs_earlier(r));
    double           *own = tell->forecast, *others = own + h, *blend = others + h;
    for (int64_t t = 0; t < h; t++) {
        double error = 0;
        for (int k = 0; k < K; k++) error += w[k] * (double)e[k * h + t];
        own[t]    = model[t];
        others[t] = truth[t] + error * r->unit[run];
        blend[t]  = share * others[t] + (1 - share) * model[t];
    }
    if (*tell->status == FGT_OK) *tell->status = tell->judged->take(tell->judged->arg, i, back, own);
}

static fgt_status tell_all(fgt_context *ctx, const fgti_runs *r, int64_t first, int64_t mid,
                           const double *older, gains *all, const fgti_judged *judged)
{
    fgt_status    s = FGT_OK;
    telling       t = {r, judged, NULL, &s};
    const visitor v = {model_share_tell, &t};
    FGTI_TRY(FGTI_NEW(ctx, 3 * r->panel->h, "forecasts", &t.forecast));
    visit_runs(r, first, mid, older, all, &v);
    fgti_free(ctx, t.forecast);
    return s;
}

fgt_status fgti_model_share(fgt_context *ctx, const fgti_runs *runs, int64_t first, const double *last,
                            double *weight, const fgti_judged *judged)
{
    const fgti_panel *p   = runs->panel;
    const int64_t     mid = first + (runs->origins - first) / 2;
    const visitor     add   = {model_share_add_run, runs};
    gains            *all = NULL;
    double           *older = NULL;
    if (!p->model) return FGT_OK;
    fgt_status s = FGTI_NEW(ctx, p->count, "weights", &all);
    if (s == FGT_OK) s = FGTI_NEW(ctx, p->count * K, "weights", &older);
    if (s == FGT_OK) s = fgti_weights_find(ctx, runs, mid, older);
    if (s == FGT_OK) {
        visit_runs(runs, first, mid, older, all, &add);
        model_share_find_absent(runs, last, all);
        share_all(all, p, weight);
        if (judged) s = tell_all(ctx, runs, first, mid, older, all, judged);
    }
    fgti_free(ctx, older);
    fgti_free(ctx, all);
    return s;
}
