/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/linear/linear_forms.h"

#include <math.h>
#include <string.h>

#include "core/context.h"

/* Penalty of the ridge regressions. On ETTh1 and ETTh2 the errors with penalties of 1e-3 and 1e-1 differ by a
 * thousandth, because the mean over several lengths regularises, too. */
#define PENALTY 1e-2
/* PER_HORIZON: a form that is 13 % worse than the best one in tests of 30 horizons has the weight 1/e of the
 * best one. The longer the tests, the more reliable are their errors. MOST_HORIZONS: more horizons do not
 * count, because horizons are not independent. The values 3, 6 and 12 were compared on the last sixth of the
 * rows before the test. They differ by at most 0.4 % on ETTh1 and ETTm1. On Weather 3 has the lowest errors,
 * and 12 has up to 1.6 % more. On ETTh2 3 is the best for 96 rows ahead, and 12 for 192. Weights that
 * minimise the error of the mean itself overfit the tests: on ETTh1 they were 1 % better in the tests, and 2
 * % worse on later rows. */
#define PER_HORIZON   4
#define MOST_HORIZONS 75

/* Errors below this share of a series' mean square count as equal. */
#define NOTHING 1e-9

/* Windows are halved until they are shorter than this. */
#define SHORTEST 40

/* ---- list of forms ---- */

/* L, L/2, L/4, ... */
static int64_t find_lengths(int64_t lags, int64_t length[FGTI_LENGTHS])
{
    int64_t count = 0;
    for (int64_t l = lags; l > 0 && (count < 2 || (l >= SHORTEST && count < FGTI_LENGTHS)); l /= 2)
        length[count++] = l;
    return count;
}

static void forms_add_pair(fgti_forms *f, fgti_linear_choice choice)
{
    for (int last = 0; last < 2; last++) {
        choice.last                = last;
        f->form[f->count++].choice = choice;
    }
}

/* Lists the forms. Maps between periods have few weights, so such a map for each series would be little
 * better than one for all series. */
static void list(fgti_forms *f, int64_t period, bool each)
{
    int64_t       length[FGTI_LENGTHS];
    const int64_t lengths = find_lengths(f->lags, length);
    for (int64_t i = 0; i < lengths; i++)
        forms_add_pair(f, (fgti_linear_choice){.lags = length[i], .each = each, .penalty = PENALTY});
    if (each) return;
    forms_add_pair(f, (fgti_linear_choice){.lags = 1, .penalty = INFINITY});
    if (!period) return;
    for (int64_t i = 0; i < lengths && length[i] > period; i++)
        forms_add_pair(f, (fgti_linear_choice){.lags = length[i], .period = period, .penalty = INFINITY});
    if (f->lags >= period)
        forms_add_pair(f, (fgti_linear_choice){.lags = period, .period = period, .penalty = INFINITY});
}

static fgt_status forms_allocate(fgt_context *ctx, fgti_forms *f)
{
    for (int64_t i = 0; i < f->count; i++) {
        FGTI_TRY(FGTI_NEW(ctx, f->form[i].choice.lags * f->steps, "regression", &f->form[i].weight));
        FGTI_TRY(FGTI_NEW(ctx, f->steps, "regression", &f->form[i].bias));
    }
    return FGT_OK;
}

fgt_status fgti_forms_new(fgt_context *ctx, int64_t lags, int64_t steps, int64_t period, bool each,
                          fgti_forms *f)
{
    *f = (fgti_forms){.lags = lags, .steps = steps};
    list(f, period, each);
    return forms_allocate(ctx, f);
}

fgt_status fgti_forms_new_rows(fgt_context *ctx, int64_t rows, int64_t wide, int64_t steps, fgti_forms *f)
{
    *f = (fgti_forms){.lags = rows * wide, .steps = steps};
    for (; rows > 0; rows /= 4)
        f->form[f->count++].choice = (fgti_linear_choice){.lags = rows * wide, .penalty = PENALTY};
    return forms_allocate(ctx, f);
}

void fgti_forms_done(fgt_context *ctx, fgti_forms *f)
{
    for (int64_t i = 0; i < f->count; i++) {
        fgti_free(ctx, f->form[i].weight);
        fgti_free(ctx, f->form[i].bias);
    }
    *f = (fgti_forms){0};
}

/* ---- solving ---- */

void fgti_forms_solve(fgti_forms *f, const fgti_moments *m, fgti_ridge *scratch)
{
    const size_t step = (size_t)f->steps * sizeof(double);
    for (int64_t i = 0; i < f->count; i++) {
        fgti_form    *form = &f->form[i];
        const int64_t l    = form->choice.lags;
        form->solved       = m->count > 0 && fgti_ridge_solve(scratch, m, &form->choice);
        if (!form->solved) continue;
        memcpy(form->weight, scratch->weight + (f->lags - l) * f->steps, (size_t)l * step);
        memcpy(form->bias, scratch->bias, step);
    }
}

void fgti_form_add(const fgti_forms *f, int64_t i, double share, double *weight, double *bias)
{
    const fgti_form *form = &f->form[i];
    const int64_t    l = form->choice.lags, h = f->steps, first = f->lags - l;
    for (int64_t k = 0; k < h; k++) {
        for (int64_t j = 0; j < l; j++) weight[k * f->lags + first + j] += share * form->weight[j * h + k];
        bias[k] += share * form->bias[k];
    }
}

/* ---- errors ---- */

/* Sums from which the squared residuals of a form are computed; e is the residual of a window. */
typedef struct residual {
    double *inputs; /* [l,H]: -sum x e', where x are the rows that the form reads */
    double *sum;    /* [H]: -sum e */
    double  target; /* -sum y'e */
} residual;

static void find_residual(const fgti_forms *f, const fgti_form *form, const fgti_moments *m,
                          const fgti_vec *vec, residual *r)
{
    const int64_t    l = form->choice.lags, h = f->steps, first = f->lags - l, size = m->size;
    fgti_combination map = {.rows   = l,
                            .n      = h,
                            .sign   = 1,
                            .s      = m->sum + first,
                            .stride = 1,
                            .x      = form->weight,
                            .ld     = h,
                            .count  = 1,
                            .next   = size,
                            .ldy    = h};
    for (int64_t k = 0; k < h; k++) r->sum[k] = m->count * form->bias[k] - m->sum[f->lags + k];
    vec->combine(&map, r->sum);
    for (int64_t i = 0; i < l; i++) {
        const double *g = m->product + (first + i) * size;
        for (int64_t k = 0; k < h; k++)
            r->inputs[i * h + k] = m->sum[first + i] * form->bias[k] - g[f->lags + k];
    }
    map.s     = m->product + first * size + first;
    map.count = l;
    vec->combine(&map, r->inputs);
    r->target = 0;
    for (int64_t k = 0; k < h; k++) {
        const double *g = m->product + (f->lags + k) * size;
        r->target += m->sum[f->lags + k] * form->bias[k] - g[f->lags + k];
        for (int64_t j = 0; j < l; j++) r->target += g[first + j] * form->weight[j * h + k];
    }
}

/* Products that are summed side by side: a single sum would wait for each addition. */
enum { TOGETHER = 16 };

/* Computes sum e'e = sum (y - W'x - b)'e. */
static double forms_square_of(const fgti_forms *f, const fgti_form *form, const residual *r)
{
    const int64_t l = form->choice.lags, h = f->steps;
    double        sum = -r->target, part[TOGETHER] = {0};
    int64_t       i = 0;
    for (int64_t k = 0; k < h; k++) sum += form->bias[k] * r->sum[k];
    for (; i + TOGETHER <= l * h; i += TOGETHER)
        for (int64_t j = 0; j < TOGETHER; j++) part[j] += form->weight[i + j] * r->inputs[i + j];
    for (; i < l * h; i++) sum += form->weight[i] * r->inputs[i];
    for (int64_t j = 0; j < TOGETHER; j++) sum += part[j];
    return sum;
}

void fgti_forms_test(const fgti_forms *f, const fgti_moments *m, fgti_ridge *scratch, double *error)
{
    residual r = {.inputs = scratch->weight, .sum = scratch->bias};
    for (int64_t i = 0; i < f->count; i++) {
        if (f->form[i].solved) find_residual(f, &f->form[i], m, scratch->vec, &r);
        error[i] = f->form[i].solved ? forms_square_of(f, &f->form[i], &r) : INFINITY;
    }
}

/* ---- mean of the forms ---- */

static double squares(const fgti_moments *m, int64_t inputs)
{
    double sum = 0;
    for (int64_t i = inputs; i < m->size; i++) sum += m->product[i * m->size + i];
    return sum;
}

bool fgti_forms_weigh(const fgti_moments *test, int64_t inputs, const double *error, int64_t count, double n,
                      double *weight)
{
    const double cold  = fmin(n, MOST_HORIZONS) / PER_HORIZON;
    double       least = INFINITY, sum = 0;
    for (int64_t i = 0; i < count; i++) least = fmin(least, error[i]);
    if (isinf(least)) return false;
    least = fmax(least, NOTHING * squares(test, inputs) + 1e-300);
    for (int64_t i = 0; i < count; i++)
        sum += weight[i] *= exp(-fmax(error[i] / least - 1, 0) * cold);
    for (int64_t i = 0; i < count; i++) weight[i] /= sum;
    return true;
}
