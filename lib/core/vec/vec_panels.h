/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VEC_PANELS_H
#define FGTI_VEC_PANELS_H

/* Row kernels on blocks s [n][v] of a matrix in panels (blas/tile.h): v rows of the matrix, or v columns, are
 * side by side in the lanes of the vector registers. So a sum over n needs no shuffles, and the bits of a
 * lane do not depend on the other lanes. v is a multiple of 4. */

#include "core/tensor.h"

/* Lanes of a whole register. For some kernels, rows of a matrix of lanes must have memory for whole
 * registers. */
#define FGTI_REGISTER 16

typedef struct fgti_vec_panels {
    /* s_jl = exp(s_jl - shift_l) factor_l for row j and lane l, where shift [v] is the largest s and factor
     * [v] is 1 / sum. A lane with only -inf becomes zeros (shift and factor 0); a lane with NaN or +inf
     * becomes NaN. */
    void (*softmax)(int64_t n, int64_t v, fgti_real *s, fgti_real *shift, fgti_real *factor);
    /* The softmax of rows that come in parts. s becomes exp(s - top), where top [v] is the largest s so far.
     * The caller passes top and sum [v] from part to part; they are -inf and 0 before the first part. The
     * caller multiplies its own sums over the earlier parts by fix [v]. */
    void (*softmax_part)(int64_t n, int64_t v, fgti_real *s, fgti_real *top, fgti_real *sum, fgti_real *fix);
    /* Turns top and sum into shift and factor, after the last part */
    void (*softmax_end)(int64_t v, fgti_real *top, fgti_real *sum);
    /* Compute the softmax again from shift and factor. Each lane l has its own (exp_lanes: shift_l,
     * factor_l), or each row j has its own (exp_rows: shift_j, factor_j) */
    void (*exp_lanes)(int64_t n, int64_t v, const fgti_real *shift, const fgti_real *factor, fgti_real *s);
    void (*exp_rows)(int64_t n, int64_t v, int64_t ld, const fgti_real *shift, const fgti_real *factor,
                     fgti_real *s);
    /* s_jl *= f_l */
    void (*scale)(int64_t n, int64_t v, const fgti_real *f, fgti_real *s);
    /* The gradient of the softmax, da = b da - a delta. a is the softmax, b is a after dropout, and delta is
     * the sum of b da over a row of the matrix. Here lanes are columns of the matrix, and delta_j is given */
    void (*softmax_grad)(int64_t n, int64_t v, const fgti_real *a, const fgti_real *b, const fgti_real *delta,
                         fgti_real *da);
    /* The gradient of the softmax where lanes are rows of the matrix */
    void (*softmax_grad_lanes)(int64_t n, int64_t v, const fgti_real *a, const fgti_real *b, fgti_real *da);
    /* The gradient of the softmax for a matrix that is not in panels, with rows at distance ld */
    void (*softmax_grad_rows)(int64_t rows, int64_t n, int64_t ld, const fgti_real *a, const fgti_real *b,
                              fgti_real *da);

    /* c [rows][v] = alpha X Y' + beta c. X is in U panels [k][u] at distance ld, and Y is one V panel [k][v].
     * rows is rounded up to a multiple of 4, and v is a multiple of 16 */
    void (*product)(int64_t rows, int64_t v, int64_t k, fgti_real alpha, const fgti_real *x, int64_t u,
                    int64_t ld, const fgti_real *y, fgti_real beta, fgti_real *c);

    /* C [rows][n] = alpha X Y + beta C, where Y has k rows; n is a multiple of FGTI_REGISTER. Element (r,p)
     * of X is x[r*rs + p*cs]. Each such element is copied to all lanes of a register, so X may have any
     * strides. If beta is 0, C is not read. */
    void (*multiply)(int64_t rows, int64_t n, int64_t k, fgti_real alpha, const fgti_real *x, int64_t rs,
                     int64_t cs, const fgti_real *y, int64_t ldy, fgti_real beta, fgti_real *c, int64_t ldc);
    /* Layer normalisation of n lanes of x [d][ld], in place: each lane is a row of the matrix. mean and rstd
     * are [n] */
    void (*norm)(int64_t d, int64_t n, int64_t ld, double eps, const fgti_real *w, const fgti_real *b,
                 fgti_real *x, fgti_real *mean, fgti_real *rstd);
    /* For rows of length n, add_each: y_r += b_r; sum_rows: out_r += sum of x_r */
    void (*add_each)(int64_t rows, int64_t n, const fgti_real *b, fgti_real *y, int64_t ld);
    void (*sum_rows)(int64_t rows, int64_t n, const fgti_real *x, int64_t ld, fgti_real *out);

    /* For rows of length n, each array with its own distance, dot_rows: out_r += x_r y_r; add_rows: y_r +=
     * x_r */
    void (*dot_rows)(int64_t rows, int64_t n, const fgti_real *x, int64_t ldx, const fgti_real *y,
                     int64_t ldy, fgti_real *out);
    void (*add_rows)(int64_t rows, int64_t n, const fgti_real *x, int64_t ldx, fgti_real *y, int64_t ldy);
} fgti_vec_panels;

#endif
