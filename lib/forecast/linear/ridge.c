/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/linear/ridge.h"

#include <math.h>
#include <string.h>

#include "blas/cholesky.h"
#include "core/context.h"
#include "core/size.h"

fgt_status fgti_ridge_new(fgt_context *ctx, int64_t lags, int64_t steps, fgti_ridge *r)
{
    *r = (fgti_ridge){.vec = ctx->vec, .lags = lags, .steps = steps};
    FGTI_TRY(fgti_moments_new(ctx, lags + steps, &r->above)); /* the largest size of all */
    FGTI_TRY(FGTI_NEW(ctx, lags * steps, "regression", &r->weight));
    FGTI_TRY(FGTI_NEW(ctx, steps, "regression", &r->bias));
    FGTI_TRY(FGTI_NEW(ctx, lags * lags, "regression", &r->matrix));
    return FGTI_NEW(ctx, lags, "regression", &r->days);
}

void fgti_ridge_done(fgt_context *ctx, fgti_ridge *r)
{
    fgti_moments_done(ctx, &r->above);
    fgti_free(ctx, r->weight);
    fgti_free(ctx, r->bias);
    fgti_free(ctx, r->matrix);
    fgti_free(ctx, r->days);
    *r = (fgti_ridge){0};
}

/* ---- whole periods ---- */

/* Penalty that keeps the equations solvable if periods repeat exactly. */
#define PERIOD_PENALTY 1e-3

/* Solves y[kP + p] = sum_d w[d,k] x[dP + p] for the weights w[.,k], which are the same for all phases p. x
 * are the D periods of P rows at the end of the window, and y is the forecast. */
static bool solve_period(fgti_ridge *r, const fgti_moments *m, const fgti_linear_choice *c, int64_t k)
{
    const int64_t period = c->period, days = c->lags / period, first = r->lags - days * period;
    const int64_t phases = fgti_least(period, r->steps - k * period);
    double       *a = r->matrix, *w = r->days, trace = 0;
    for (int64_t d = 0; d < days; d++) {
        for (int64_t e = 0; e <= days; e++) {
            const int64_t to = e < days ? first + e * period : r->lags + k * period;
            double        s  = 0;
            for (int64_t p = 0; p < phases; p++) s += m->product[(first + d * period + p) * m->size + to + p];
            *(e < days ? &a[d * days + e] : &w[d]) = s;
        }
        trace += a[d * days + d];
    }
    for (int64_t d = 0; d < days; d++) a[d * days + d] += PERIOD_PENALTY * trace / (double)days;
    if (!fgti_cholesky(r->vec, a, days)) return false;
    fgti_cholesky_solve(r->vec, a, days, w, 1);
    for (int64_t d = 0; d < days; d++)
        for (int64_t p = 0; p < phases; p++)
            r->weight[(first + d * period + p) * r->steps + k * period + p] = w[d];
    return true;
}

static bool solve_periods(fgti_ridge *r, const fgti_moments *m, const fgti_linear_choice *c)
{
    for (int64_t k = 0; k * c->period < r->steps; k++)
        if (!solve_period(r, m, c, k)) return false;
    return true;
}

/* ---- all rows ---- */

/* The moment of elements i and j; centred: minus the product of their means. */
static double moment(const fgti_moments *m, bool centred, int64_t i, int64_t j)
{
    return m->product[i * m->size + j] - (centred ? m->sum[i] * m->sum[j] / m->count : 0);
}

/* Solves W = (G + c I)^-1 G_xy. G are the moments of the inputs, and G_xy their moments with the targets. */
static bool solve_rows(fgti_ridge *r, const fgti_moments *m, const fgti_linear_choice *c)
{
    const int64_t l = c->lags, h = r->steps, first = r->lags - l;
    const bool    centred = !c->last;
    double       *weight = r->weight + first * h, trace = 0;
    for (int64_t i = 0; i < l; i++) {
        for (int64_t k = 0; k < h; k++) weight[i * h + k] = moment(m, centred, first + i, r->lags + k);
        for (int64_t j = i; j < l; j++) r->matrix[i * l + j] = moment(m, centred, first + i, first + j);
        trace += r->matrix[i * l + i];
    }
    for (int64_t i = 0; i < l; i++) r->matrix[i * l + i] += c->penalty * trace / (double)l;
    if (!fgti_cholesky(r->vec, r->matrix, l)) return false;
    fgti_cholesky_solve(r->vec, r->matrix, l, weight, h);
    return true;
}

/* ---- either ---- */

/* Finds the bias b = mean y - W' mean x. */
static void find_bias(fgti_ridge *r, const fgti_moments *m)
{
    const int64_t          l = r->lags, h = r->steps;
    const fgti_combination inputs = {
        .rows = l, .n = h, .sign = -1, .s = m->sum, .stride = 1, .x = r->weight, .ld = h, .count = 1};
    for (int64_t k = 0; k < h; k++) r->bias[k] = m->sum[l + k];
    r->vec->combine(&inputs, r->bias);
    for (int64_t k = 0; k < h; k++) r->bias[k] /= m->count;
}

/* If the last value is subtracted from inputs and targets, the weights of a step sum to 1. So the last row
 * gets the weight that is missing to 1. */
static void give_rest_to_last(fgti_ridge *r)
{
    const int64_t h = r->steps;
    double       *w = r->weight + (r->lags - 1) * h;
    for (int64_t k = 0; k < h; k++) w[k] = 1;
    for (int64_t i = 0; i + 1 < r->lags; i++)
        for (int64_t k = 0; k < h; k++) w[k] -= r->weight[i * h + k];
}

bool fgti_ridge_solve(fgti_ridge *r, const fgti_moments *m, const fgti_linear_choice *choice)
{
    const fgti_moments *use = m;
    memset(r->weight, 0, (size_t)(r->lags * r->steps) * sizeof *r->weight);
    memset(r->bias, 0, (size_t)r->steps * sizeof *r->bias);
    if (choice->last) {
        fgti_moments_take_off(m, r->lags - 1, &r->above);
        use = &r->above;
    }
    if (isfinite(choice->penalty) && !solve_rows(r, use, choice)) return false;
    if (isinf(choice->penalty) && choice->period && !solve_periods(r, use, choice)) return false;
    if (choice->last)
        give_rest_to_last(r);
    else
        find_bias(r, use);
    return true;
}

void fgti_ridge_write(const fgti_ridge *r, double *weight, double *bias)
{
    for (int64_t k = 0; k < r->steps; k++) {
        for (int64_t i = 0; i < r->lags; i++) weight[k * r->lags + i] = r->weight[i * r->steps + k];
        bias[k] = r->bias[k];
    }
}
