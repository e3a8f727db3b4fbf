/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_AFFINE_NARROW_H
#define FGTI_AFFINE_NARROW_H

/* Gradients of an affine map that is narrow or that has a small weight. A narrow map has few features on one
 * side, such as the first and the last map in a model of a few series. As a large product it would be slow,
 * because most of a microkernel's tile would be padding. A large product with a small weight would spend a
 * fifth of the time on packing operands, which our own loops read unpacked. */

#include "nn/layer_run.h"

/* Whether a map from d to h features has few outputs or a small weight, so that fgti_affine_narrow_inputs()
 * computes dx. False if the context allows only BLIS's products. */
bool fgti_affine_narrow_or_small(const fgti_run *run, int64_t d, int64_t h);

/* dW += dy'x for any map */
void fgti_affine_weight_grad(const fgti_run *run, int64_t rows, int64_t d, int64_t h, const fgti_real *x,
                             const fgti_real *dy, int64_t lddy, fgti_real *dw);
/* fgti_affine_grad() for small weights, without dx; db may be NULL. */
void fgti_affine_small_weights(const fgti_run *run, int64_t rows, int64_t d, int64_t h, const fgti_real *x,
                               const fgti_real *dy, int64_t lddy, fgti_real *dw, fgti_real *db);
/* dx = dy W, or with `add` dx += dy W */
void fgti_affine_narrow_inputs(const fgti_run *run, int64_t rows, int64_t d, int64_t h, const fgti_real *w,
                               const fgti_real *dy, int64_t lddy, fgti_real *dx, bool add);

#endif
