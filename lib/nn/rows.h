/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ROWS_H
#define FGTI_ROWS_H

/* Operations of layers on rows [R,N] other than products: biases, column sums, LayerNorm, and the end of a
 * block. The workers share the work; no sum is split between two workers. */

#include <fighter/nn.h>

#include "nn/layer_run.h"

/* y[r] += b for every row r; ld is the distance between rows. */
void fgti_bias(const fgti_run *run, int64_t rows, int64_t n, int64_t ld, const fgti_real *b, fgti_real *y);
/* The gradient of the bias: db += sum_r dy[r]. */
void fgti_column_sum(const fgti_run *run, int64_t rows, int64_t n, int64_t ld, const fgti_real *dy,
                     fgti_real *db);

/* LayerNorm of rows: y = (x - mean) rstd w + b, with rstd = 1/sqrt(var + eps). The caller keeps mean and rstd
 * [R] for the gradient. */
void fgti_norm(const fgti_run *run, int64_t rows, int64_t d, double eps, const fgti_real *x,
               const fgti_real *w, const fgti_real *b, fgti_real *y, fgti_real *mean, fgti_real *rstd);
/* The gradients of fgti_norm(). With n = (x - mean) rstd and g = dy w:
 *     dw += sum_r dy n,  db += sum_r dy,  dx = rstd (g - mean(g) - n mean(g n))
 * Each of dw, db and dx may be NULL: it is not wanted. dx may be the array dy. */
void fgti_norm_grad(const fgti_run *run, int64_t rows, int64_t d, const fgti_real *x, const fgti_real *w,
                    const fgti_real *mean, const fgti_real *rstd, const fgti_real *dy, fgti_real *dw,
                    fgti_real *db, fgti_real *dx);

/* y = a sigmoid(b), where a row of u is [a b], each n long; fgti_glu_grad() computes du from dy. */
void fgti_glu(const fgti_run *run, int64_t rows, int64_t n, const fgti_real *u, fgti_real *y);
void fgti_glu_grad(const fgti_run *run, int64_t rows, int64_t n, const fgti_real *u, const fgti_real *dy,
                   fgti_real *du);

/* Options have an fgt_act, the kernels an fgti_act. Both have the same numbers, but fgti_act has no 0, which
 * is the default. */
enum { FGTI_ACT_COUNT = 10 }; /* number of enumerators of fgt_act */
_Static_assert((int)FGT_ACT_SOFTPLUS == FGTI_ACT_COUNT - 1 &&
                   (int)FGTI_ACT_SOFTPLUS == (int)FGT_ACT_SOFTPLUS && (int)FGTI_ACT_NONE == (int)FGT_ACT_NONE,
               "count of enumerators");

/* The end of a block, for n elements: y = [x +] skip(dropout(act(u))). x, the residual, is optional. */
typedef struct fgti_tail {
    fgti_act act;
    double   dropout; /* 0 outside training */
    fgti_rng rng;
    double   skip; /* stochastic depth: the probability p that a sample becomes 0; the other samples are
                    * divided by 1 - p */
    fgti_rng skip_rng;
    int64_t  sample; /* elements of a sample; dropout counts its random numbers by them */
} fgti_tail;
/* Whether the tail may drop elements. If so, dy is not the gradient of act(u). */
static inline bool fgti_tail_drops(const fgti_tail *t)
{
    return t->dropout > 0 || t->skip > 0;
}
/* Computes y. residual: x; NULL: no x is added. u is not changed. */
void fgti_tail_forward(const fgti_run *run, const fgti_tail *t, int64_t n, const fgti_real *u,
                       const fgti_real *residual, fgti_real *y);
/* du = skip(dropout(dy)) act'(u); the gradient of x is dy itself. */
void fgti_tail_backward(const fgti_run *run, const fgti_tail *t, int64_t n, const fgti_real *u,
                        const fgti_real *dy, fgti_real *du);

/* Forward and backward on this thread, for the n elements at u, residual, y, dy and du. `first` is the number
 * of the first element, a multiple of 4. Dropout draws the random number of an element by the element's
 * number. */
void fgti_tail_part(const fgti_vec *vec, const fgti_tail *t, int64_t first, int64_t n, const fgti_real *u,
                    const fgti_real *residual, fgti_real *y);
void fgti_tail_grad_part(const fgti_vec *vec, const fgti_tail *t, int64_t first, int64_t n,
                         const fgti_real *u, const fgti_real *dy, fgti_real *du);
/* du = skip(dropout(dy)) */
void fgti_tail_drop_part(const fgti_vec *vec, const fgti_tail *t, int64_t first, int64_t n,
                         const fgti_real *dy, fgti_real *du);

/* y = x, y += x */
void fgti_copy(const fgti_run *run, int64_t n, const fgti_real *x, fgti_real *y);
void fgti_add(const fgti_run *run, int64_t n, const fgti_real *x, fgti_real *y);

#endif
