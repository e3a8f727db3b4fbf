/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_AFFINE_H
#define FGTI_AFFINE_H

/* Products of rows with weights, forward and backward. R is the number of rows, D the width of x, H of y. */

#include "nn/layer.h"

/* One product over all workers: fgti_multiply(run, fgti_gemm_nt(...)). */
static inline void fgti_multiply(const fgti_run *run, fgti_gemm g)
{
    fgti_gemm_parallel(run->blas, run->exec, &g);
}

/* Weights with more elements are large. With fewer elements our own loops are faster, where they are in use,
 * in F32. */
static inline bool fgti_is_bf16(const fgti_run *run, int64_t d, int64_t h)
{
    return run->bf16 && d * h > FGTI_OWN_WEIGHT;
}
/* A product of rows and a weight [D,H], or of the gradients of such a map, in bf16 if this run asks for
 * it. */
static inline void fgti_multiply_map(const fgti_run *run, int64_t d, int64_t h, fgti_gemm g)
{
    g.bf16 = fgti_is_bf16(run, d, h);
    g.vec  = run->vec;
    fgti_gemm_parallel(run->blas, run->exec, &g);
}

/* y = x W' + b        x [R,D], W [H,D], b [H] or NULL, y [R,ldy >= H] */
void fgti_affine(const fgti_run *run, int64_t rows, int64_t d, int64_t h, const fgti_real *x,
                 const fgti_real *w, const fgti_real *b, fgti_real *y, int64_t ldy);
/* dW += dy'x */
void fgti_affine_weight_grad(const fgti_run *run, int64_t rows, int64_t d, int64_t h, const fgti_real *x,
                             const fgti_real *dy, int64_t lddy, fgti_real *dw);
/* dW += dy'x (NULL: not wanted; for a map of run->low_rank the gradients of its factors are computed
 * instead), db += sum_r dy (NULL: not wanted),  dx = dy W, or with `add` dx += dy W (NULL: not wanted) */
void fgti_affine_grad(const fgti_run *run, int64_t rows, int64_t d, int64_t h, const fgti_real *x,
                      const fgti_real *w, const fgti_real *dy, int64_t lddy, fgti_real *dw, fgti_real *db,
                      fgti_real *dx, bool add);

/* y = x W for weights stored [D,H], without a bias. */
void fgti_affine_in_out(const fgti_run *run, int64_t rows, int64_t d, int64_t h, const fgti_real *x,
                        const fgti_real *w, fgti_real *y);
/* dW += x'dy,  dx = dy W', or with `add` dx += dy W' (NULL: not wanted) */
void fgti_affine_in_out_grad(const fgti_run *run, int64_t rows, int64_t d, int64_t h, const fgti_real *x,
                             const fgti_real *w, const fgti_real *dy, fgti_real *dw, fgti_real *dx, bool add);

#endif
