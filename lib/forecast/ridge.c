/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/ridge.h"

#include <math.h>
#include <string.h>

#include "core/cholesky.h"
#include "core/context.h"

fgt_status fgti_ridge_new(fgt_context *ctx, int64_t lags, int64_t steps, fgti_ridge *r)
{
    *r = (fgti_ridge){.lags = lags, .steps = steps};
    FGTI_TRY(fgti_moments_new(ctx, lags + steps, &r->above)); /* the largest of all: no product overflows */
    FGTI_TRY(FGTI_NEW(ctx, lags * steps, "regression", &r->weight));
    FGTI_TRY(FGTI_NEW(ctx, steps, "regression", &r->bias));
    FGTI_TRY(FGTI_NEW(ctx, lags * steps, "regression", &r->prior));
    FGTI_TRY(FGTI_NEW(ctx, lags * lags, "regression", &r->matrix));
    return FGTI_NEW(ctx, lags + steps, "regression", &r->row);
}

void fgti_ridge_done(fgt_context *ctx, fgti_ridge *r)
{
    fgti_moments_done(ctx, &r->above);
    fgti_free(ctx, r->weight);
    fgti_free(ctx, r->bias);
    fgti_free(ctx, r->prior);
    fgti_free(ctx, r->matrix);
    fgti_free(ctx, r->row);
    *r = (fgti_ridge){0};
}

/* out += s x */
static void add(double *restrict out, const double *restrict x, double s, int64_t n)
{
    for (int64_t i = 0; i < n; i++) out[i] += s * x[i];
}

/* ---- whole periods ---- */

/* y[kP + p] = sum_d w[d,k] x[dP + p], the same for all phases p: the weights w[.,k], from D periods of P rows
 * that end the window. */
static bool solve_period(fgti_ridge *r, const fgti_moments *m, int64_t period, int64_t k)
{
    const int64_t days = r->lags / period, first = r->lags - days * period, size = m->size;
    const int64_t phases = r->steps - k * period < period ? r->steps - k * period : period;
    double       *a = r->matrix, *w = r->row, trace = 0;
    for (int64_t d = 0; d < days; d++) {
        for (int64_t e = 0; e <= days; e++) {
            const int64_t to = e < days ? first + e * period : r->lags + k * period;
            double        s  = 0;
            for (int64_t p = 0; p < phases; p++) s += m->product[(first + d * period + p) * size + to + p];
            *(e < days ? &a[d * days + e] : &w[d]) = s;
        }
        trace += a[d * days + d];
    }
    for (int64_t d = 0; d < days; d++) a[d * days + d] += 1e-3 * trace / (double)days;
    if (!fgti_cholesky(a, days)) return false;
    fgti_cholesky_solve(a, days, w, 1);
    for (int64_t d = 0; d < days; d++)
        for (int64_t p = 0; p < phases; p++)
            r->prior[(first + d * period + p) * r->steps + k * period + p] = w[d];
    return true;
}

static bool find_prior(fgti_ridge *r, const fgti_moments *m, int64_t period)
{
    memset(r->prior, 0, (size_t)(r->lags * r->steps) * sizeof *r->prior);
    for (int64_t k = 0; period && k * period < r->steps; k++)
        if (!solve_period(r, m, period, k)) return false;
    return true;
}

/* ---- all rows ---- */

/* The co-moment of elements i and j; `centred`: less that of their means. */
static double moment(const fgti_moments *m, bool centred, int64_t i, int64_t j)
{
    return m->product[i * m->size + j] - (centred ? m->sum[i] * m->sum[j] / m->count : 0);
}

/* W = prior + (G + c I)^-1 (G_xy - G prior), G the centred moments of the inputs. */
static bool solve_rows(fgti_ridge *r, const fgti_moments *m, bool centred, double penalty, bool has_prior)
{
    const int64_t l = r->lags, h = r->steps;
    double        trace = 0;
    for (int64_t i = 0; i < l; i++) {
        double *right = r->weight + i * h;
        for (int64_t k = 0; k < h; k++) right[k] = moment(m, centred, i, l + k);
        for (int64_t j = 0; j < l; j++) {
            r->matrix[i * l + j] = moment(m, centred, i, j);
            if (has_prior) add(right, r->prior + j * h, -r->matrix[i * l + j], h);
        }
        trace += r->matrix[i * l + i];
    }
    for (int64_t i = 0; i < l; i++) r->matrix[i * l + i] += penalty * trace / (double)l;
    if (!fgti_cholesky(r->matrix, l)) return false;
    fgti_cholesky_solve(r->matrix, l, r->weight, h);
    if (has_prior) add(r->weight, r->prior, 1, l * h);
    return true;
}

/* b = mean y - W' mean x */
static void find_bias(fgti_ridge *r, const fgti_moments *m, bool centred)
{
    const int64_t l = r->lags, h = r->steps;
    for (int64_t k = 0; k < h; k++) r->bias[k] = centred ? m->sum[l + k] / m->count : 0;
    for (int64_t i = 0; centred && i < l; i++) add(r->bias, r->weight + i * h, -m->sum[i] / m->count, h);
}

static const fgti_moments *moments_of(fgti_ridge *r, const fgti_moments *m, bool last)
{
    if (!last) return m;
    fgti_moments_take_off(m, r->lags - 1, &r->above);
    return &r->above;
}

bool fgti_ridge_solve(fgti_ridge *r, const fgti_moments *m, const fgti_linear_choice *choice)
{
    const fgti_moments *use = moments_of(r, m, choice->last);
    if (!find_prior(r, use, choice->period)) return false;
    if (isinf(choice->penalty))
        memcpy(r->weight, r->prior, (size_t)(r->lags * r->steps) * sizeof *r->weight);
    else if (!solve_rows(r, use, !choice->last, choice->penalty, choice->period != 0))
        return false;
    find_bias(r, use, !choice->last);
    return true;
}

/* sum (y - W'x - b)^2 = yy - 2 W'xy + W'xx W - 2 b (y - W'x) + n b^2, all but W and b being sums */
double fgti_ridge_error(fgti_ridge *r, const fgti_moments *m, bool last)
{
    const fgti_moments *use = moments_of(r, m, last);
    const int64_t       l = r->lags, h = r->steps, size = use->size;
    double              sum = 0;
    for (int64_t k = 0; k < h; k++) {
        const double b = r->bias[k];
        sum += use->product[(l + k) * size + l + k] - 2 * b * use->sum[l + k] + use->count * b * b;
    }
    for (int64_t i = 0; i < l; i++) {
        const double *g = use->product + i * size, *w = r->weight + i * h;
        for (int64_t k = 0; k < h; k++) r->row[k] = 2 * (r->bias[k] * use->sum[i] - g[l + k]);
        for (int64_t j = 0; j < l; j++) add(r->row, r->weight + j * h, g[j], h);
        for (int64_t k = 0; k < h; k++) sum += w[k] * r->row[k];
    }
    return sum;
}

void fgti_ridge_write(const fgti_ridge *r, bool last, double *weight, double *bias)
{
    const int64_t l = r->lags, h = r->steps;
    for (int64_t k = 0; k < h; k++) {
        double *w = weight + k * l, rest = 1;
        for (int64_t i = 0; i < l; i++) w[i] = r->weight[i * h + k];
        for (int64_t i = 0; i + 1 < l; i++) rest -= w[i];
        if (last) w[l - 1] = rest; /* the last value, of which the inputs were taken off */
        bias[k] = r->bias[k];
    }
}
