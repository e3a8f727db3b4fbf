/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors of forecasts without training, on known rows. */
#include <math.h>
#include <stdlib.h>

#include "certainty.h"
#include "fast_measure.h"
#include "scores.h"

#include "../common/program.h"

/* ---- planes ---- */

int64_t fast_find_level(const fast *f, double level)
{
    int64_t k = 0;
    while (fabs(f->level[k] - level) >= 1e-12) k++;
    return k;
}

/* Copies the quantiles of number `level` into a plane [steps,count]; level -1: the forecast itself. */
static void fill_plane(const fast *f, const fast_forecast *g, int64_t level, double *plane)
{
    for (int64_t i = 0; i < f->count; i++)
        for (int64_t t = 0; t < f->steps; t++) {
            const int64_t at = i * f->steps + t;
            const double  v  = level < 0 ? g->mean[at] : g->quantiles[at * f->levels + level];
            plane[t * f->count + i] = f->r->o->model.output.non_negative && v < 0 ? 0 : v;
        }
}

double *fast_planes(const fast *f, const fast_forecast *g, bool apart)
{
    const options *o = f->r->o;
    const int64_t  plane = f->steps * f->count, q = o->quantile_count, n = o->interval_count;
    double        *out   = malloc((size_t)((1 + q + 2 * n) * plane) * sizeof *out);
    if (!out) {
        complain("no memory");
        return NULL;
    }
    fill_plane(f, g, -1, out);
    for (int64_t i = 0; i < q; i++)
        fill_plane(f, g, fast_find_level(f, o->quantiles[i]), out + (1 + i) * plane);
    for (int64_t i = 0; i < 2 * n; i++) {
        const double  level = o->interval[i / 2];
        const int64_t at    = 1 + q + (apart ? i % 2 * n + i / 2 : i);
        fill_plane(f, g, fast_find_level(f, i % 2 ? (1 + level) / 2 : (1 - level) / 2), out + at * plane);
    }
    return out;
}

/* ---- sums ---- */

static double deviation(const double *y, int64_t n)
{
    double mean = 0, square = 0, count = 0;
    for (int64_t t = 0; t < n; t++) {
        if (isnan(y[t])) continue;
        const double e = y[t] - mean;
        mean += e / ++count;
        square += e * (y[t] - mean);
    }
    return count > 1 ? sqrt(square / count) : 0;
}

/* Errors of a forecast by the value one season before, on the first n rows. */
static fgt_forecast_metric season_metric(const double *y, int64_t n, int64_t season)
{
    fgt_forecast_metric m = {0};
    for (int64_t t = season; t < n; t++) {
        const double e = y[t - season] - y[t];
        if (isnan(e)) continue;
        m.count++;
        m.absolute += fabs(e);
        m.square += e * e;
    }
    return m;
}

/* Number of rows in a season of a group; 1: the group has no season. */
static int64_t season_of(const fast *f, int64_t group)
{
    return f->group[group].seasons[0] > 1 ? f->group[group].seasons[0] : 1;
}

bool fast_measure_begin(fast *f)
{
    run          *r = f->r;
    const int64_t m     = season_of(f, f->main.index);
    scores *const all[] = {&r->scores, &r->naive_scores, &r->seasonal_scores};
    r->val = r->linear = r->test = r->naive = r->seasonal = NO_ERRORS;
    r->season                                             = m > 1 ? m : 0;
    r->predict_us                                         = NAN;
    if (r->o->quantile_count)
        r->quantiles = calloc((size_t)(r->o->quantile_count * f->steps), sizeof *r->quantiles);
    if (r->o->quantile_count && !r->quantiles) return complain("no memory");
    for (int k = 0; k < (m > 1 ? 3 : 2); k++) {
        if (!scores_allocate(all[k], r, m)) return false;
        for (int64_t i = 0; i < f->count; i++) {
            const int64_t n     = f->rows[i] - f->steps;
            const double  scale = deviation(f->values[i], n);
            if (scale > 0) all[k]->scale[i] = scale;
            all[k]->naive[i] = season_metric(f->values[i], n, season_of(f, f->of[i]));
        }
    }
    return true;
}

/* ---- one origin ---- */

/* The naive forecast of row t: the value `season` rows before, or a multiple of that, so that the value is
 * known. NaN if there is no such row, or if series i has no forecast to compare it with. */
static double naive_of(const fast *f, const fast_forecast *g, int64_t i, int64_t t, int64_t season)
{
    const double *y = f->values[i] + f->rows[i] - g->back;
    return isnan(g->mean[i * f->steps]) || season > f->rows[i] - g->back ? NAN : y[t % season - season];
}

static void add_quantiles(const fast *f, const double *planes, const double *truth)
{
    const int64_t cells = f->steps * f->count;
    for (int64_t q = 0; q < f->r->o->quantile_count; q++)
        for (int64_t k = 0; k < cells; k++) {
            const double         level = f->r->o->quantiles[q], v = planes[q * cells + k];
            const double         e = (truth[k] - v) / f->r->scores.scale[k % f->count];
            fgt_quantile_metric *m = &f->r->quantiles[q * f->steps + k / f->count];
            if (isnan(e)) continue;
            m->count++;
            m->below += e <= 0;
            m->loss += e > 0 ? level * e : (level - 1) * e;
        }
}

/* Adds the errors of all planes of a forecast. rows NULL: the forecast is a baseline, which has only one
 * plane. */
static bool add(const fast *f, scores *sums, const double *planes, const double *truth,
                const series_rows *rows, FILE *out, errors *e)
{
    const int64_t h = f->steps, c = f->count, plane = h * c, n = rows ? f->r->o->interval_count : 0;
    const int64_t q   = rows ? f->r->o->quantile_count : 0;
    scores        one = *sums;
    one.cell          = calloc((size_t)plane, sizeof *one.cell);
    if (!one.cell) return complain("no memory");
    fgt_forecast_window w = {.size     = sizeof w,
                             .forecast = *FGT_VIEW_OF(FGT_DTYPE_F64, (void *)planes, h, c),
                             .truth    = *FGT_VIEW_OF(FGT_DTYPE_F64, (void *)truth, h, c)};
    if (q) w.quantiles = *FGT_VIEW_OF(FGT_DTYPE_F64, (void *)(planes + plane), q, h, c);
    if (n) w.low = *FGT_VIEW_OF(FGT_DTYPE_F64, (void *)(planes + (1 + q) * plane), n, h, c);
    if (n) w.high = *FGT_VIEW_OF(FGT_DTYPE_F64, (void *)(planes + (1 + q + n) * plane), n, h, c);
    const bool good = scores_add(&one, f->r, &w, rows, out);
    if (good) *e = scores_errors(&one, 0, h);
    if (good) scores_sum(sums, &one);
    free(one.cell);
    return good;
}

/* Adds the errors of a baseline, which repeats the last value or the last season. It is not compared where
 * the forecast has no value. */
static bool add_baseline(const fast *f, const fast_forecast *g, bool seasonal, scores *sums,
                         const double *truth, errors *e)
{
    const int64_t cells = f->steps * f->count;
    double       *v     = malloc((size_t)(2 * cells) * sizeof *v);
    if (!v) return complain("no memory");
    for (int64_t k = 0; k < cells; k++) {
        const int64_t i = k % f->count;
        v[k]         = naive_of(f, g, i, k / f->count, seasonal ? season_of(f, f->of[i]) : 1);
        v[cells + k] = isnan(v[k]) ? NAN : truth[k];
    }
    const bool good = add(f, sums, v, v + cells, NULL, NULL, e);
    free(v);
    return good;
}

bool fast_measure_add(fast *f, const fast_forecast *g, FILE *out, origin *one)
{
    run          *r      = f->r;
    const int64_t cells  = f->steps * f->count;
    double       *planes = fast_planes(f, g, true), *truth = malloc((size_t)cells * sizeof *truth);
    int64_t      *row    = malloc((size_t)f->count * sizeof *row);
    bool          good   = planes && ((truth && row) || complain("no memory"));
    f->measured          = 0;
    for (int64_t i = 0; good && i < f->count; i++) {
        const bool known = !isnan(g->mean[i * f->steps]);
        row[i]           = known ? f->end[i] - g->back : -1;
        f->measured += known;
        for (int64_t t = 0; t < f->steps; t++)
            truth[t * f->count + i] = known ? f->values[i][f->rows[i] - g->back + t] : NAN;
    }
    one->series = f->measured;
    one->model = one->naive = one->seasonal = NO_ERRORS;
    const series_rows rows = {f->axis, row};
    good = good && add(f, &r->scores, planes, truth, &rows, out, &one->model);
    if (good) add_quantiles(f, planes + cells, truth);
    good = good && add_baseline(f, g, false, &r->naive_scores, truth, &one->naive);
    if (good && r->season)
        good = add_baseline(f, g, true, &r->seasonal_scores, truth, &one->seasonal);
    free(planes);
    free(truth);
    free(row);
    return good;
}

bool fast_measure_end(fast *f)
{
    run *r  = f->r;
    r->test = scores_errors(&r->scores, 0, f->steps);
    r->naive = scores_errors(&r->naive_scores, 0, f->steps);
    if (r->season) r->seasonal = scores_errors(&r->seasonal_scores, 0, f->steps);
    return certainty_conclude(r, &r->scores);
}
