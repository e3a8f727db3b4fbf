/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/graph/learned.h"

#include <math.h>

#include "nn/affine.h"

void fgti_learned_place(fgti_learned *a, fgti_real *keep, int64_t *at)
{
    a->kept = fgti_kept_take(keep, at);
    a->p    = fgti_take(keep, at, fgti_mul(a->walks, fgti_mul(a->n, a->n)));
}

/* Computes the scores S = E_1 E_2' for walk 0, or S' for walk 1. */
static void scores(const fgti_learned *a, int32_t walk, fgti_real *s)
{
    fgti_multiply(a->run, fgti_gemm_nt(a->n, a->n, a->r, a->e[walk], a->r, a->e[1 - walk], a->r, 0, s, a->n));
}

typedef struct rows {
    int64_t          n;
    fgti_real       *s; /* the scores */
    const fgti_real *p;
    fgti_real       *dp;
} rows;

/* s = softmax(relu(s)) of row i. A NaN in the scores stays NaN, so that the loss shows it. */
static void learned_softmax_row(void *arg, int64_t i, int32_t worker)
{
    const rows *j = arg;
    fgti_real  *s = j->s + i * j->n, top = 0;
    double      sum = 0;
    (void)worker;
    for (int64_t k = 0; k < j->n; k++) {
        if (s[k] < 0) s[k] = 0;
        if (s[k] > top) top = s[k];
    }
    for (int64_t k = 0; k < j->n; k++) {
        s[k] = (fgti_real)exp((double)(s[k] - top));
        sum += (double)s[k];
    }
    for (int64_t k = 0; k < j->n; k++) s[k] = (fgti_real)((double)s[k] / sum);
}

/* dS_ik = P_ik (dP_ik - sum_j dP_ij P_ij) if S_ik > 0, otherwise 0. dS overwrites dP */
static void softmax_row_grad(void *arg, int64_t i, int32_t worker)
{
    const rows      *j = arg;
    const fgti_real *p = j->p + i * j->n, *s = j->s + i * j->n;
    fgti_real       *dp  = j->dp + i * j->n;
    double           sum = 0;
    (void)worker;
    for (int64_t k = 0; k < j->n; k++) sum += (double)dp[k] * (double)p[k];
    for (int64_t k = 0; k < j->n; k++)
        dp[k] = s[k] > 0 ? (fgti_real)((double)p[k] * ((double)dp[k] - sum)) : 0;
}

void fgti_learned_update(const fgti_learned *a)
{
    if (!fgti_kept_is_stale(&a->kept, a->run)) return;
    for (int32_t walk = 0; walk < a->walks; walk++) {
        rows j = {.n = a->n, .s = a->p + walk * a->n * a->n};
        scores(a, walk, j.s);
        fgti_parallel(a->run->exec, a->n, learned_softmax_row, &j);
    }
    fgti_kept_set_fresh(&a->kept, a->run);
}

/* With S = X Y', where X and Y are E_1 and E_2, or for walk 1 E_2 and E_1:  dX += dS Y, dY += dS'X */
void fgti_learned_grad(const fgti_learned *a, int32_t walk, fgti_real *dp, fgti_real *s,
                       fgti_real *const de[2])
{
    const int64_t    n = a->n, r = a->r;
    const fgti_real *x = a->e[walk], *y = a->e[1 - walk];
    rows             j = {.n = n, .s = s, .p = a->p + walk * n * n, .dp = dp};
    scores(a, walk, s);
    fgti_parallel(a->run->exec, n, softmax_row_grad, &j);
    fgti_multiply(a->run, fgti_gemm_nn(n, r, n, dp, n, y, r, 1, de[walk], r));
    fgti_multiply(a->run, fgti_gemm_tn(n, r, n, dp, n, x, r, 1, de[1 - walk], r));
}
