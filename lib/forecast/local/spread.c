/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/local/spread.h"

#include <math.h>

#include "blas/cholesky.h"
#include "core/sort.h"
#include "forecast/local/local_weights.h"
#include "forecast/local/panel_season.h"
#include "forecast/local/rare.h"
#include "forecast/local/season.h"
#include "forecast/local/unseen.h"

enum {
    K        = FGTI_MEMBERS,
    TERMS    = 3,
    ORIGINS  = 3,
    ENOUGH   = 60,
    FEW      = 3,
    FEW_RUNS = 6, /* fewest runs that do not overlap; the errors of one run often have the same sign */
    SHORT    = 5  /* rows of a short series: its members all agree, so their distance is no measure */
};
#define PENALTY 5.
#define FURTHEST 3. /* limit of a term in standard deviations, so that nothing is extrapolated */
#define AGAIN    .1 /* factor on the deviation of log |E|, by which quantiles are widened */
#define USUAL    .5 /* prior deviation of log |E|; it counts as one run */
#define UNSURE   .8 /* factor like AGAIN, for the standard error of the deviation */

struct fgti_spread {
    const fgti_panel *panel;
    const double     *level;
    int64_t           levels;
    double            mean[2], deviation[2], b[TERMS]; /* numbers of the terms of the regression */
    double            blind;                           /* factor on units of series without a whole season */
    fgti_unseen       unseen;
    fgti_panel_season season; /* the season of the long series */
    double           *shape;  /* [h,levels]: quantiles of errors, in units */
};

/* The runs that a spread is estimated from. */
typedef struct sample {
    int64_t count;
    double *error; /* [count,h]: errors of the blend in units of the series, later of the regression */
    double *x;     /* [count,2]: log D, and the level */
    double *size;  /* [count]: log mean |E| */
    double *pool;  /* [count * neighbours] */
    double  wider; /* factor on the quantiles */
    bool    few;
} sample;

/* Returns the log of the mean distance of the members from their blend, relative to `unit`. f [K,h] */
static double spread_distance(const double *w, const double *f, const double *blend, int64_t h, double unit)
{
    double sum = 0;
    for (int k = 0; k < K; k++) {
        double d = 0;
        for (int64_t t = 0; t < h; t++) d += fabs(f[k * h + t] - blend[t]) / (double)h / unit;
        sum += w[k] * d;
    }
    return log(sum + 1e-3);
}

static double spread_level_of(const fgti_panel *p, int64_t series)
{
    return p->feature[series * FGTI_FEATURES + FGTI_FEATURE_LEVEL];
}

/* member [K,h] */
static void spread_add_run(const fgti_runs *runs, const fgti_own *own, int64_t kept, const double *weight,
                           double *member, sample *s)
{
    const int64_t h = runs->panel->h, series = runs->series[runs->kept[kept]];
    const float  *error = runs->error + kept * K * h;
    double       *e = s->error + s->count * h, size = 0, w[K];
    fgti_weights_without(own, series, runs->size + runs->kept[kept] * K, weight + series * K, w);
    for (int64_t t = 0; t < K * h; t++) member[t] = (double)error[t];
    for (int64_t t = 0; t < h; t++) {
        e[t] = 0;
        for (int k = 0; k < K; k++) e[t] += w[k] * member[k * h + t];
        size += fabs(e[t]) / (double)h;
    }
    s->x[2 * s->count]     = spread_distance(w, member, e, h, 1);
    s->x[2 * s->count + 1] = spread_level_of(runs->panel, series);
    s->size[s->count++]    = log(size + 1e-6);
}

/* ---- the unit of a run ---- */

static void spread_standardise(const sample *s, fgti_spread *out)
{
    for (int j = 0; j < 2; j++) {
        double square = 0;
        for (int64_t r = 0; r < s->count; r++) out->mean[j] += s->x[2 * r + j] / (double)s->count;
        for (int64_t r = 0; r < s->count; r++)
            square += pow(s->x[2 * r + j] - out->mean[j], 2) / (double)s->count;
        out->deviation[j] = sqrt(square) + 1e-6;
    }
}

/* Fits a ridge regression of size on x, and stores the coefficients in *out. */
static void regress(const fgti_vec *vec, const sample *s, fgti_spread *out)
{
    double a[TERMS * TERMS] = {0};
    spread_standardise(s, out);
    for (int64_t r = 0; r < s->count; r++) {
        const double x[TERMS] = {1, (s->x[2 * r] - out->mean[0]) / out->deviation[0],
                                 (s->x[2 * r + 1] - out->mean[1]) / out->deviation[1]};
        for (int i = 0; i < TERMS; i++) {
            for (int j = i; j < TERMS; j++) a[i * TERMS + j] += x[i] * x[j];
            out->b[i] += x[i] * s->size[r];
        }
    }
    for (int i = 1; i < TERMS; i++) a[i * TERMS + i] += PENALTY;
    if (fgti_cholesky(vec, a, TERMS)) fgti_cholesky_solve(vec, a, TERMS, out->b, 1);
}

static double spread_unit_of(const fgti_spread *s, double distance, double level)
{
    const double x[2] = {distance, level};
    double       sum  = s->b[0];
    for (int j = 0; j < 2; j++)
        sum += s->b[j + 1] * fmin(fmax((x[j] - s->mean[j]) / s->deviation[j], -FURTHEST), FURTHEST);
    return exp(sum);
}

/* Returns the factor on the quantiles. apart: rows between origins divided by the rows of a run. */
static double find_wider(const fgti_spread *spread, const sample *s, double apart)
{
    const double count = (double)s->count;
    double       square = USUAL * USUAL;
    for (int64_t r = 0; r < s->count; r++)
        square += pow(s->size[r] - log(spread_unit_of(spread, s->x[2 * r], s->x[2 * r + 1])), 2);
    return 1 + sqrt(square / (count + 1)) * (AGAIN + UNSURE / sqrt(count * fmin(apart, 1)));
}

/* Finds the factor for series shorter than a season. Such a series does not show the season, and its errors
 * are as large as the season. A series of at least two seasons has the mean distance of its values from their
 * mean over one season. The factor is the median of these distances divided by the usual error. */
static fgt_status find_blind(fgt_context *ctx, fgti_spread *s)
{
    const fgti_panel *p = s->panel;
    double           *swing;
    int64_t           known = 0;
    s->blind = 1;
    if (p->period < 2) return FGT_OK;
    FGTI_TRY(FGTI_NEW(ctx, p->count, "intervals", &swing));
    for (int64_t i = 0; i < p->count; i++) {
        const double *y    = p->rows[i].y + p->rows[i].n - p->period;
        double        mean = 0, sum = 0;
        if (p->rows[i].n < 2 * p->period) continue;
        for (int64_t t = 0; t < p->period; t++) mean += y[t] / (double)p->period;
        for (int64_t t = 0; t < p->period; t++) sum += fabs(y[t] - mean) / (double)p->period;
        swing[known++] = sum / p->unit.now[i];
    }
    fgti_sort_doubles(swing, known);
    if (known) s->blind = fmax(1, swing[known / 2] / exp(s->b[0]));
    fgti_free(ctx, swing);
    return FGT_OK;
}

/* Returns the factor on the unit of a series. A series of one to two seasons gets the square root of the
 * factor, because only copies of rows can follow its season. The part of the season that other series show
 * (fgti_panel_season) is not widened. */
static double widen(const fgti_spread *s, const fgti_rows *r)
{
    const int64_t m      = s->panel->period;
    const double  unseen = pow(1 - fgti_panel_season_share(&s->season, r->y, r->n, m), .25);
    return r->n < m ? pow(s->blind, unseen) : r->n < 2 * m + 2 ? pow(s->blind, unseen / 2) : 1;
}

/* ---- the shape, in units ---- */

/* Interpolates linearly between neighbours of a sorted list. */
static double spread_quantile(const double *sorted, int64_t n, double level)
{
    const double  at = level * (double)(n - 1);
    const int64_t i  = (int64_t)at < n - 1 ? (int64_t)at : n - 1, j = i + 1 < n ? i + 1 : i;
    return sorted[i] + (at - (double)i) * (sorted[j] - sorted[i]);
}

/* Quantiles [levels] of the errors of step t and its neighbours, relative to their median. */
static void find_shape(const sample *s, int64_t h, int64_t t, int64_t neighbours, const double *level,
                       int64_t levels, double *out)
{
    const int64_t half = neighbours / 2, from = t > half ? t - half : 0, to = t + half < h ? t + half : h - 1;
    int64_t       n    = 0;
    for (int64_t r = 0; r < s->count; r++)
        for (int64_t i = from; i <= to; i++) {
            s->pool[n++] = -s->error[r * h + i];
            if (s->few) s->pool[n++] = s->error[r * h + i];
        }
    fgti_sort_doubles(s->pool, n);
    const double median = spread_quantile(s->pool, n, .5);
    for (int64_t i = 0; i < levels; i++) out[i] = s->wider * (spread_quantile(s->pool, n, level[i]) - median);
}

/* Returns the value z such that a standard normal variable is below z with this probability. */
static double normal_quantile(double level)
{
    double low = -40, high = 40;
    for (int i = 0; i < 60; i++) {
        const double z = (low + high) / 2;
        if (erfc(-z / sqrt(2)) / 2 < level) low = z;
        else high = z;
    }
    return low;
}

static void assume_shape(fgti_spread *s, const double *level)
{
    const double deviation = sqrt(acos(-1) / 2); /* of a normal variable with mean absolute value 1 */
    for (int64_t i = 0; i < s->levels; i++) {
        const double z = normal_quantile(level[i]) * deviation;
        for (int64_t t = 0; t < s->panel->h; t++) s->shape[t * s->levels + i] = z * sqrt((double)(t + 1));
    }
}

/* ---- all of it ---- */

static fgt_status spread_sample_new(fgt_context *ctx, int64_t count, int64_t h, sample *s)
{
    FGTI_TRY(FGTI_NEW(ctx, count * h, "intervals", &s->error));
    FGTI_TRY(FGTI_NEW(ctx, 2 * count, "intervals", &s->x));
    FGTI_TRY(FGTI_NEW(ctx, count, "intervals", &s->size));
    return FGTI_NEW(ctx, count * 2 * (h < ENOUGH + 1 ? h : ENOUGH + 1), "intervals", &s->pool);
}

static void spread_sample_done(fgt_context *ctx, sample *s)
{
    fgti_free(ctx, s->error);
    fgti_free(ctx, s->x);
    fgti_free(ctx, s->size);
    fgti_free(ctx, s->pool);
}

/* The runs from which the sizes of errors are estimated. */
typedef struct choice {
    const fgti_runs  *runs;
    const fgti_shift *shift; /* [count]: shifts; a run with rows in a shift is left out. NULL: no shifts */
} choice;

static bool shows(const choice *c, int64_t origin, int64_t kept)
{
    const fgti_runs *runs = c->runs;
    const int64_t    run = runs->kept[kept], i = runs->series[run];
    return fgti_panel_shows(runs->panel, i) && !(runs->model && isnan(runs->model[run * runs->panel->h])) &&
           !(c->shift && origin * runs->step < c->shift[i].rows);
}

/* Whether origins first .. end - 1 have a run from which the sizes are estimated. */
static bool any_shows(const choice *c, int64_t first, int64_t end)
{
    for (int64_t j = first; j < end; j++)
        for (int64_t i = c->runs->kept_begin[j]; i < c->runs->kept_begin[j + 1]; i++)
            if (shows(c, j, i)) return true;
    return false;
}

/* Whether so many series shifted at once that the shifts would dominate all quantiles. A few shifts are
 * chance, and the quantiles include them. */
static bool spread_are_many(const fgti_shift *shift, int64_t count)
{
    enum { SHARE = 10 };
    int64_t found = 0;
    for (int64_t i = 0; shift && i < count; i++) found += shift[i].rows > 0;
    return SHARE * found >= count;
}

/* Returns the end of the origins that count. These are the three latest origins from `first` on, which are
 * most like the present. If there are few series, all origins count. */
static int64_t spread_find_end(const choice *c, int64_t first)
{
    const fgti_runs *runs = c->runs;
    const bool       few = runs->panel->count <= FEW || runs->origins - first <= ORIGINS || runs->many;
    return few || !any_shows(c, first, first + ORIGINS) ? runs->origins : first + ORIGINS;
}

static fgt_status spread_find(fgt_context *ctx, const choice *c, int64_t first, const double *weight,
                              const double *level, fgti_spread *out)
{
    const fgti_runs *runs = c->runs;
    const int64_t    h = out->panel->h, end = spread_find_end(c, first);
    const int64_t    all = runs->kept_begin[end] - runs->kept_begin[first];
    sample        s    = {0};
    double       *member = NULL;
    fgti_own      own    = {0};
    fgt_status    status = FGTI_NEW(ctx, K * h, "intervals", &member);
    if (status == FGT_OK) status = fgti_own_new(ctx, runs, first, &own);
    if (status == FGT_OK) status = spread_sample_new(ctx, all, h, &s);
    if (status == FGT_OK) {
        for (int64_t j = first; j < end; j++)
            for (int64_t i = runs->kept_begin[j]; i < runs->kept_begin[j + 1]; i++)
                if (shows(c, j, i)) spread_add_run(runs, &own, i, weight, member, &s);
        regress(ctx->vec, &s, out);
        s.few   = (double)s.count * fmin((double)runs->step / (double)h, 1) < FEW_RUNS;
        s.wider = find_wider(out, &s, (double)runs->step / (double)h);
        for (int64_t i = 0; i < s.count * h; i++)
            s.error[i] /= spread_unit_of(out, s.x[i / h * 2], s.x[i / h * 2 + 1]);
        const int64_t wanted = (ENOUGH + s.count - 1) / s.count, near = wanted < h ? wanted : h;
        for (int64_t t = 0; t < h; t++)
            find_shape(&s, h, t, near, level, out->levels, out->shape + t * out->levels);
    }
    spread_sample_done(ctx, &s);
    fgti_own_done(ctx, &own);
    fgti_free(ctx, member);
    return status;
}

fgt_status fgti_spread_new(fgt_context *ctx, const fgti_runs *runs, int64_t first, const fgti_shift *shift,
                           const double *weight, const double *level, int64_t levels, fgti_spread **out)
{
    const fgti_panel *p = runs->panel;
    choice            c = {runs, shift};
    FGTI_TRY(FGTI_NEW(ctx, 1, "intervals", out));
    **out        = (fgti_spread){.panel = p, .level = level, .levels = levels, .deviation = {1, 1},
                                 .unseen = fgti_unseen_find(p)};
    fgt_status s = FGTI_NEW(ctx, p->h * levels, "intervals", &(*out)->shape);
    if (!spread_are_many(shift, p->count) || !any_shows(&c, first, runs->origins)) c.shift = NULL;
    const bool seen = any_shows(&c, first, runs->origins);
    if (s == FGT_OK && seen) s = spread_find(ctx, &c, first, weight, level, *out);
    if (s == FGT_OK && !seen) assume_shape(*out, level);
    if (s == FGT_OK) s = find_blind(ctx, *out);
    if (s == FGT_OK) s = fgti_panel_season_new(ctx, p->rows, p->count, p->period, &(*out)->season);
    if (s != FGT_OK) fgti_spread_free(ctx, out);
    return s;
}

void fgti_spread_free(fgt_context *ctx, fgti_spread **spread)
{
    if (!*spread) return;
    fgti_panel_season_done(ctx, &(*spread)->season);
    fgti_free(ctx, (*spread)->shape);
    fgti_free(ctx, *spread);
    *spread = NULL;
}

static void rare_quantiles(const fgti_spread *s, const fgti_rows *r, double *q)
{
    fgti_rare_quantiles(r->y, r->n, s->level, s->levels, q);
    for (int64_t i = s->levels; i < s->panel->h * s->levels; i++) q[i] = q[i - s->levels];
}

void fgti_spread_quantiles(const fgti_spread *spread, int64_t series, const double *w, const double *members,
                           const double *f, double *q)
{
    const fgti_panel *p     = spread->panel;
    const double      told  = spread_distance(w, members, f, p->h, p->unit.now[series]);
    const double      apart = p->rows[series].n < SHORT ? fmax(told, spread->mean[0]) : told;
    const double      size  = spread_unit_of(spread, apart, spread_level_of(p, series));
    double            error = 0;
    const double      share = fgti_unseen_share(p, &spread->unseen, series, &error);
    const double      usual = size * widen(spread, &p->rows[series]);
    const double      unit  = p->unit.now[series] * (share * error + (1 - share) * usual);
    const fgti_rows  *r     = &p->rows[series];
    const bool        known = p->unit.usual || r->n > 1, still = p->still[series] && r->n >= SHORT;
    if (p->rare[series]) {
        rare_quantiles(spread, r, q);
        return;
    }
    for (int64_t t = 0; t < p->h; t++) {
        const bool closed = fgti_season_closed(r->y, r->n, p->period, t % p->period);
        for (int64_t i = t * spread->levels; i < (t + 1) * spread->levels; i++) {
            q[i] = closed || still ? f[t] : f[t] + unit * spread->shape[i];
            if (!known) q[i] = NAN;
        }
    }
}
