/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/affine.h"

#include "nn/affine_narrow.h"
#include "nn/low_rank.h"
#include "nn/rows.h"

/* y = x W' + b */
void fgti_affine(const fgti_run *run, int64_t rows, int64_t d, int64_t h, const fgti_real *x,
                 const fgti_real *w, const fgti_real *b, fgti_real *y, int64_t ldy)
{
    fgti_gemm g = fgti_gemm_nt(rows, h, d, x, d, w, d, 0, y, ldy);
    fgti_gemm_set_bias(&g, run->vec, h, b);
    fgti_multiply_map(run, d, h, g);
}

/* dW += dy'x,  db += sum_r dy,  dx (+)= dy W */
void fgti_affine_grad(const fgti_run *run, int64_t rows, int64_t d, int64_t h, const fgti_real *x,
                      const fgti_real *w, const fgti_real *dy, int64_t lddy, fgti_real *dw, fgti_real *db,
                      fgti_real *dx, bool add)
{
    const fgti_low_rank *trained = fgti_low_rank_find(run, dw);
    const bool           small   = fgti_gemm_is_small(run->blas, d, h) && dw && !trained;
    if (trained)
        fgti_low_rank_grad(run, trained, rows, h, x, dy, lddy, dw);
    else if (small)
        fgti_affine_small_weights(run, rows, d, h, x, dy, lddy, dw, db);
    else if (dw)
        fgti_affine_weight_grad(run, rows, d, h, x, dy, lddy, dw);
    if (db && !small) fgti_column_sum(run, rows, h, lddy, dy, db);
    if (!dx) return;
    if (fgti_affine_narrow_or_small(run, d, h))
        fgti_affine_narrow_inputs(run, rows, d, h, w, dy, lddy, dx, add);
    else
        fgti_multiply_map(run, d, h, fgti_gemm_nn(rows, d, h, dy, lddy, w, d, add, dx, d));
}

/* y = x W */
void fgti_affine_in_out(const fgti_run *run, int64_t rows, int64_t d, int64_t h, const fgti_real *x,
                        const fgti_real *w, fgti_real *y)
{
    fgti_multiply_map(run, d, h, fgti_gemm_nn(rows, h, d, x, d, w, h, 0, y, h));
}

/* dW += x'dy,  dx (+)= dy W' */
void fgti_affine_in_out_grad(const fgti_run *run, int64_t rows, int64_t d, int64_t h, const fgti_real *x,
                             const fgti_real *w, const fgti_real *dy, fgti_real *dw, fgti_real *dx, bool add)
{
    fgti_multiply_map(run, d, h, fgti_gemm_tn(d, h, rows, x, d, dy, h, 1, dw, h));
    if (dx) fgti_multiply_map(run, d, h, fgti_gemm_nt(rows, d, h, dy, h, w, h, add, dx, d));
}
