/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_AFFINE_H
#define FGTI_AFFINE_H

/* Products of rows with weights, forward and backward. R is the number of rows; D is the width of x, and H
 * the width of y. */

#include "nn/layer_run.h"

/* y = x W' + b        x [R,D], W [H,D], b [H] or NULL, y [R,ldy >= H] */
void fgti_affine(const fgti_run *run, int64_t rows, int64_t d, int64_t h, const fgti_real *x,
                 const fgti_real *w, const fgti_real *b, fgti_real *y, int64_t ldy);
/* dW += dy'x (NULL: not wanted), db += sum_r dy (NULL: not wanted), and dx = dy W, or with `add` dx += dy W
 * (NULL: not wanted). For a map of run->low_rank, the gradients of its two factors are computed instead of
 * dW */
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
