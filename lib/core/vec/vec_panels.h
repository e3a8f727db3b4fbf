/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VEC_PANELS_H
#define FGTI_VEC_PANELS_H

/* Row kernels on blocks s [n][v] of a matrix kept in panels (blas/tile.h): v rows of the matrix, or v of its
 * columns, side by side in the lanes of the vector registers, so that a sum over n needs no shuffles and
 * every lane has the bits it would have alone. v is a multiple of 4. */

#include "core/tensor.h"

/* Whole registers: what rows of a matrix of lanes have room for where a kernel says so. */
#define FGTI_REGISTER 16

typedef struct fgti_vec_panels {
    /* s_jl = exp(s_jl - shift_l) factor_l with shift [v] the largest s and factor [v] one over the sum. A
     * lane of -inf alone becomes zeros (shift and factor 0); NaN or +inf make it NaN. */
    void (*softmax)(int64_t n, int64_t v, fgti_real *s, fgti_real *shift, fgti_real *factor);
    /* The same when n comes in parts: top [v] and sum [v] go from part to part (-inf and 0 before the first),
     * s becomes exp(s - top), and what was summed up before is to be multiplied by fix [v]. */
    void (*softmax_part)(int64_t n, int64_t v, fgti_real *s, fgti_real *top, fgti_real *sum, fgti_real *fix);
    /* After the last part: top and sum become shift and factor */
    void (*softmax_end)(int64_t v, fgti_real *top, fgti_real *sum);
    /* The softmax again, from those: s_jl = exp(s_jl - shift_l) factor_l, or of the row, _j */
    void (*exp_lanes)(int64_t n, int64_t v, const fgti_real *shift, const fgti_real *factor, fgti_real *s);
    void (*exp_rows)(int64_t n, int64_t v, int64_t ld, const fgti_real *shift, const fgti_real *factor,
                     fgti_real *s);
    /* s_jl *= f_l */
    void (*scale)(int64_t n, int64_t v, const fgti_real *f, fgti_real *s);
    /* The softmax's gradient, da = b da - a delta with delta the sum of b da over the row, b being a after
     * dropout. Lanes are columns; delta_j is given */
    void (*softmax_grad)(int64_t n, int64_t v, const fgti_real *a, const fgti_real *b, const fgti_real *delta,
                         fgti_real *da);
    /* Lanes are rows */
    void (*softmax_grad_lanes)(int64_t n, int64_t v, const fgti_real *a, const fgti_real *b, fgti_real *da);
    /* Whole rows, at distance ld */
    void (*softmax_grad_rows)(int64_t rows, int64_t n, int64_t ld, const fgti_real *a, const fgti_real *b,
                              fgti_real *da);

    /* c [rows][v] = alpha X Y' + beta c of U panels X [k][u] at distance ld and one V panel Y [k][v], rows
     * rounded up to 4, v a multiple of 16 */
    void (*product)(int64_t rows, int64_t v, int64_t k, fgti_real alpha, const fgti_real *x, int64_t u,
                    int64_t ld, const fgti_real *y, fgti_real beta, fgti_real *c);

    /* C [rows][n] = alpha X Y + beta C, Y having k rows; n is a multiple of FGTI_REGISTER. An element of X,
     * row r and step p, is x[r*rs + p*cs]: it goes to all lanes of a register, so any order is as good. beta
     * == 0 never reads C. */
    void (*multiply)(int64_t rows, int64_t n, int64_t k, fgti_real alpha, const fgti_real *x, int64_t rs,
                     int64_t cs, const fgti_real *y, int64_t ldy, fgti_real beta, fgti_real *c, int64_t ldc);
    /* Layer normalisation where lanes are rows: of n lanes of x [d][ld], in place; mean and rstd [n] */
    void (*norm)(int64_t d, int64_t n, int64_t ld, double eps, const fgti_real *w, const fgti_real *b,
                 fgti_real *x, fgti_real *mean, fgti_real *rstd);
    /* Rows of length n: y_r += b_r;  out_r += sum of x_r */
    void (*add_each)(int64_t rows, int64_t n, const fgti_real *b, fgti_real *y, int64_t ld);
    void (*sum_rows)(int64_t rows, int64_t n, const fgti_real *x, int64_t ld, fgti_real *out);

    /* Rows of length n, at distances of their own: out_r += x_r y_r;  y_r += x_r */
    void (*dot_rows)(int64_t rows, int64_t n, const fgti_real *x, int64_t ldx, const fgti_real *y,
                     int64_t ldy, fgti_real *out);
    void (*add_rows)(int64_t rows, int64_t n, const fgti_real *x, int64_t ldx, fgti_real *y, int64_t ldy);
} fgti_vec_panels;

#endif
