/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/local_weights.h"

#include <math.h>
#include <string.h>

#include "core/sort.h"
#include "forecast/local/lean.h"

enum { K = FGTI_MEMBERS, ALL = FGTI_MEMBERS_OF_ALL, USUAL = FGTI_MEMBERS_IN_BLENDS, X = FGTI_FEATURES };
enum { STEPS = 30, STEPS_OF_A_SERIES = 4, STEPS_AT_MOST = 60, STEPS_OF_MANY = 120, PARTS = 32 };
#define RATE    .05
#define PENALTY 1.  /* on the squares of a except the constant's, divided by sqrt(number of series) */
#define POWER   2.  /* exponent of q */
#define START   7.  /* the initial a is -START times the part of log(error / usual error) beyond +-ALIKE */
#define ALIKE   .25 /* a log(error / usual error) from -ALIKE to ALIKE counts as 0 */
#define HEAD    4.  /* added to the logit of the maps of long series */

/* ---- the panel: a ---- */

/* The fit to the runs whose errors are kept. */
typedef struct fitting {
    const fgti_runs *runs;
    int64_t          begin, count; /* range of kept runs */
    double          *scale;        /* [count]: divisor of each run's errors */
    double          *part;         /* [PARTS,X,K]: gradients over parts of the runs */
    double          *sum;          /* [workers,h] */
    double           a[X * K], mean[X * K], square[X * K];
} fitting;

static void local_weights_softmax(double *w)
{
    double most = w[0], sum = 0;
    for (int k = 1; k < FGTI_MODEL; k++) most = fmax(most, w[k]);
    for (int k = 0; k < K; k++) sum += w[k] = fgti_member_blends(k) ? exp(w[k] - most) : 0;
    for (int k = 0; k < K; k++) w[k] /= sum;
}

/* Computes the logits. A member that cannot forecast the series gets the logit of weight 0. */
static void logits(const double *a, const fgti_runs *runs, int64_t series, double *w)
{
    const fgti_panel *p    = runs->panel;
    const double     *x    = p->feature + series * X;
    const double      head = runs->many ? HEAD : 0;
    for (int k = 0; k < K; k++)
        w[k] = k < ALL ? 0 : fgti_member_takes(k, p->rows[series].n) ? head : -INFINITY;
    for (int j = 0; j < X; j++)
        for (int k = 0; k < K; k++) w[k] += x[j] * a[j * K + k];
}

static int64_t local_weights_series_of(const fitting *f, int64_t r)
{
    return f->runs->series[f->runs->kept[f->begin + r]];
}

/* Adds the gradient of one run's mean error. */
static void add_gradient(const fitting *f, int64_t r, double *blend, double *gradient)
{
    const fgti_panel *p = f->runs->panel;
    const int64_t     h = p->h, kept = f->begin + r;
    const int64_t     series = local_weights_series_of(f, r);
    const double     *x = p->feature + series * X;
    const float      *e = f->runs->error + kept * K * h;
    double        w[K], g[K], mean = 0;
    if (!fgti_panel_shows(p, series)) return;
    logits(f->a, f->runs, series, w);
    local_weights_softmax(w);
    for (int64_t t = 0; t < h; t++) blend[t] = 0;
    for (int k = 0; k < K; k++)
        for (int64_t t = 0; t < h; t++) blend[t] += w[k] * (double)e[k * h + t];
    for (int64_t t = 0; t < h; t++)
        blend[t] = (double)((blend[t] > 0) - (blend[t] < 0)) / ((double)h * f->scale[r]);
    for (int k = 0; k < K; k++) {
        g[k] = 0;
        for (int64_t t = 0; t < h; t++) g[k] += blend[t] * (double)e[k * h + t];
        mean += w[k] * g[k];
    }
    for (int k = 0; k < K; k++) g[k] = w[k] * (g[k] - mean) / (double)f->count;
    for (int j = 0; j < X; j++)
        for (int k = 0; k < K; k++) gradient[j * K + k] += x[j] * g[k];
}

static void gradient_of_part(void *arg, int64_t part, int32_t worker)
{
    const fitting *f = arg;
    double        *g = f->part + part * X * K;
    memset(g, 0, X * K * sizeof *g);
    for (int64_t r = part * f->count / PARTS; r < (part + 1) * f->count / PARTS; r++)
        add_gradient(f, r, f->sum + worker * f->runs->panel->h, g);
}

/* One step of Adam (Kingma and Ba 2015), with a rate that falls to a tenth. */
static void step(fitting *f, int t, int steps, double penalty)
{
    const double rate = RATE * (1 - .9 * t / steps);
    for (int i = 0; i < X * K; i++) {
        double g = i < K ? 0 : penalty * f->a[i];
        for (int p = 0; p < PARTS; p++) g += f->part[p * X * K + i];
        f->mean[i]   = .9 * f->mean[i] + .1 * g;
        f->square[i] = .99 * f->square[i] + .01 * g * g;
        f->a[i] -= rate * f->mean[i] / (1 - pow(.9, t)) / (sqrt(f->square[i] / (1 - pow(.99, t))) + 1e-8);
    }
}

/* Finds the divisors of the errors, so that runs with large errors count less. The errors of a run are
 * divided by its mean error, or by the median of these mean errors if it is larger. spare [count] */
static void find_scales(fitting *f, double *spare)
{
    for (int64_t r = 0; r < f->count; r++) {
        const float *size = f->runs->size + f->runs->kept[f->begin + r] * K;
        f->scale[r]       = 1e-9;
        for (int k = 0; k < USUAL; k++) f->scale[r] += (double)size[k] / USUAL;
    }
    memcpy(spare, f->scale, (size_t)f->count * sizeof *spare);
    fgti_sort_doubles(spare, f->count);
    for (int64_t r = 0; r < f->count; r++) f->scale[r] = fmax(f->scale[r], spare[f->count / 2]);
}

/* Sets the initial a. A member that is far better than usual begins with a larger weight, because 60 steps
 * would not reach this weight. */
static void local_weights_begin(fitting *f)
{
    enum { SHRINK = 2 }; /* number of runs with the usual error that are added to each member */
    double error[K] = {0}, usual = 0;
    for (int64_t r = 0; r < f->count; r++)
        for (int k = 0; k < K && fgti_panel_shows(f->runs->panel, local_weights_series_of(f, r)); k++)
            error[k] += (double)f->runs->size[f->runs->kept[f->begin + r] * K + k] / f->scale[r];
    for (int k = 0; k < USUAL; k++) usual += error[k] / USUAL;
    const double further = SHRINK * usual / (double)f->count + 1e-9;
    for (int k = 0; k < K; k++) {
        const double log_q = log((error[k] + further) / (usual + further));
        f->a[k]            = -START * (log_q - fmin(fmax(log_q, -ALIKE), ALIKE));
    }
}

static int local_weights_count_steps(const fgti_runs *runs, int64_t series)
{
    if (runs->many) return STEPS_OF_MANY;
    return series < (STEPS_AT_MOST - STEPS) / STEPS_OF_A_SERIES ? STEPS + STEPS_OF_A_SERIES * (int)series
                                                               : STEPS_AT_MOST;
}

static fgt_status local_weights_fit(fgt_context *ctx, fitting *f, int64_t first)
{
    const fgti_runs *runs   = f->runs;
    const int64_t    series = runs->kept_begin[first + 1] - runs->kept_begin[first];
    const int        steps  = local_weights_count_steps(runs, series);
    double          *spare  = NULL;
    fgt_status       s      = FGTI_NEW(ctx, f->count, "weights", &f->scale);
    if (s == FGT_OK) s = FGTI_NEW(ctx, f->count, "weights", &spare);
    if (s == FGT_OK) s = FGTI_NEW(ctx, PARTS * X * K, "weights", &f->part);
    if (s == FGT_OK) s = FGTI_NEW(ctx, ctx->exec.workers * runs->panel->h, "weights", &f->sum);
    if (s == FGT_OK) find_scales(f, spare);
    if (s == FGT_OK && f->count) local_weights_begin(f);
    for (int t = 1; s == FGT_OK && f->count && t <= steps; t++) {
        fgti_parallel(&ctx->exec, PARTS, gradient_of_part, f);
        step(f, t, steps, PENALTY / sqrt((double)series));
    }
    fgti_free(ctx, spare);
    fgti_free(ctx, f->scale);
    fgti_free(ctx, f->part);
    fgti_free(ctx, f->sum);
    return s;
}

/* ---- each series: q ---- */

/* Leaving out one run changes the logarithms of the weights by a few units. A larger change comes from a
 * member whose other errors are 0; changes are limited to MOST. */
void fgti_weights_without(const fgti_own *own, int64_t series, const float *size, const double *w,
                          double *out)
{
    enum { MOST = 20 };
    double all[K], rest[K], sum = 0;
    fgti_own_ratio(own, series, NULL, all);
    fgti_own_ratio(own, series, size, rest);
    for (int k = 0; k < K; k++)
        sum += out[k] = w[k] * exp(fmin(fmax(POWER * (all[k] - rest[k]), -MOST), MOST));
    for (int k = 0; k < K; k++) out[k] /= sum;
}

static void take_rates(const fgti_panel *p, double *weight)
{
    for (int64_t i = 0; i < p->count; i++)
        for (int k = 0; k < K && p->rare[i]; k++) weight[i * K + k] = k == FGTI_RATE;
}

fgt_status fgti_weights_find(fgt_context *ctx, const fgti_runs *runs, int64_t first, double *weight)
{
    const fgti_panel *p    = runs->panel;
    fitting          *f    = NULL;
    double            x[K], q[K];
    fgti_own          own = {0};
    for (int64_t i = 0; i < p->count * K; i++) weight[i] = i % K == FGTI_MODEL ? 0 : 1. / (K - 1);
    if (first >= runs->origins) {
        take_rates(p, weight);
        return FGT_OK;
    }
    fgt_status s = fgti_own_new(ctx, runs, first, &own);
    if (s == FGT_OK) s = FGTI_NEW(ctx, 1, "weights", &f);
    if (s == FGT_OK) {
        f->runs  = runs;
        f->begin = runs->kept_begin[first];
        f->count = runs->kept_begin[runs->origins] - f->begin;
        s        = local_weights_fit(ctx, f, first);
    }
    for (int64_t i = 0; s == FGT_OK && i < p->count; i++) {
        double *w = weight + i * K;
        fgti_own_ratio(&own, i, NULL, q);
        logits(f->a, runs, i, x);
        for (int k = 0; k < K; k++) w[k] = x[k] - POWER * q[k];
        local_weights_softmax(w);
    }
    if (s == FGT_OK) s = fgti_lean(ctx, runs, first, weight);
    if (s == FGT_OK) take_rates(p, weight);
    fgti_own_done(ctx, &own);
    fgti_free(ctx, f);
    return s;
}
