/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VEC_H
#define FGTI_VEC_H

/* Kernels for elements and rows. Their sources (vec*.c) are plain C and are built once for each instruction
 * set; a table of functions is chosen at run time. All kernels run on the calling thread; callers split rows
 * or columns over the workers. Unless stated otherwise, an output may be the same array as an input of the
 * same length. */

#include <stdbool.h>

#include "core/rng.h"
#include "core/tensor.h"
#include "core/vec/vec_panels.h"
#include "core/vec/vec_scan.h"
#include "core/vec/vec_update.h"

/* The activations, with the numbers of fgt_act (nn.h). The default of fgt_act is left out, because it is
 * replaced before a pass. */
typedef enum fgti_act {
    FGTI_ACT_NONE = 1,
    FGTI_ACT_RELU,
    FGTI_ACT_GELU,
    FGTI_ACT_GELU_TANH,
    FGTI_ACT_TANH,
    FGTI_ACT_SIGMOID,
    FGTI_ACT_SILU,
    FGTI_ACT_ELU,
    FGTI_ACT_SOFTPLUS
} fgti_act;

/* One time step of `rows` sequences in a recurrent cell of width h. In each array a row is one or several
 * vectors of width h; `a` has one such vector, a slot, for each gate. Rows are at the distance `ld..` of the
 * array.
 *
 * Forward reads b, the states before the step, and in `a` the sums x W' + h U'. It writes the states after
 * the step, in arrays that may be the arrays of the states before it, and leaves in `a` the gates that
 * backward reads. Backward reads the states and dy, overwrites `a` with da, and turns dh and dc after the
 * step into dh and dc before the step.
 *
 * With v > 0 (only forward) all arrays except b are panels of v sequences (blas/tile.h), [multiple of h][v],
 * and the contents of `a` after the step are undefined. */
typedef struct fgti_step {
    int64_t          rows, h;
    fgti_real       *a;           /* slots. rnn: one; lstm: i f g o; gru: r z n (only x W') q (h U' of n) */
    const fgti_real *b;           /* biases of all slots, in one row */
    const fgti_real *h_in, *c_in; /* states before the step; c: lstm only */
    fgti_real       *h_out, *c_out;
    const fgti_real *dy;
    fgti_real       *dh, *dc;
    int64_t          lda, ldh_in, ldc_in, ldh_out, ldc_out, lddy;
    bool             relu; /* rnn: the activation is relu instead of tanh */
    int64_t          v;    /* width of the panels; 0: arrays have rows */
} fgti_step;

typedef enum fgti_cell_kind { FGTI_CELL_RNN, FGTI_CELL_GRU, FGTI_CELL_LSTM, FGTI_CELLS } fgti_cell_kind;

/* The functions of one kind of cell. backward() of gru scales dh, and the caller adds the part of the
 * gradient that passes through U. backward() of rnn and lstm does not change dh, and the caller overwrites dh
 * with this part. */
typedef struct fgti_cell_steps {
    void (*forward)(const fgti_step *s);
    void (*backward)(const fgti_step *s);
} fgti_cell_steps;

/* The sums of fgti_vec.combine, for j < n and m < count:
 *     y[m ldy + j] += sign sum_{r < rows} s[m next + r stride] x[r ld + j]
 * Rows are added one after another, in the same order for every count. */
typedef struct fgti_combination {
    int64_t       rows, n;
    double        sign; /* 1 or -1 */
    const double *s;
    int64_t       stride;
    const double *x;
    int64_t       ld;
    int64_t       count, next, ldy;
} fgti_combination;

/* Number of combinations for which each row is read only once. */
#define FGTI_COMBINED 4

typedef struct fgti_vec {
    const char *name; /* "baseline" (SSE2, NEON: what the compiler's target has), "avx2", "avx512" */

    /* y = f(x);  dx = dy f'(x), computed from the input x. A NaN gives NaN, an infinite x gives the limit,
     * and relu'(0) = 0. In float the error is below 3e-7. It is a relative error, or an absolute error where
     * f or f' is a difference that cancels (tests/core/test_vec.c). */
    void (*act)(fgti_act kind, int64_t n, const fgti_real *x, fgti_real *y);
    void (*act_grad)(fgti_act kind, int64_t n, const fgti_real *x, const fgti_real *dy, fgti_real *dx);

    /* y = a sigmoid(b);  da = dy sigmoid(b), db = dy a sigmoid'(b). A row of u is [a b], and a row of du is
     * [da db]; each half is n long */
    void (*glu)(int64_t rows, int64_t n, const fgti_real *u, fgti_real *y);
    void (*glu_grad)(int64_t rows, int64_t n, const fgti_real *u, const fgti_real *dy, fgti_real *du);

    /* y = (x - mean) rstd w + b for each of `rows` contiguous rows of length d. mean and rstd are outputs
     * [rows]; the variance is the biased one. b may be NULL (0), also in norm_again. */
    void (*norm)(int64_t rows, int64_t d, double eps, const fgti_real *x, const fgti_real *w,
                 const fgti_real *b, fgti_real *y, fgti_real *mean, fgti_real *rstd);
    /* computes only rstd */
    void (*norm_scale)(int64_t rows, int64_t d, double eps, const fgti_real *x, fgti_real *rstd);
    /* computes y again from the mean and rstd of `norm`, with rows at distance ldy */
    void (*norm_again)(int64_t rows, int64_t d, const fgti_real *x, const fgti_real *w, const fgti_real *b,
                       const fgti_real *mean, const fgti_real *rstd, fgti_real *y, int64_t ldy);
    /* computes dx from dy */
    void (*norm_grad)(int64_t rows, int64_t d, const fgti_real *x, const fgti_real *w, const fgti_real *mean,
                      const fgti_real *rstd, const fgti_real *dy, fgti_real *dx);
    /* dw += sum_r dy (x - mean) rstd, db (NULL: not wanted) += sum_r dy, for columns begin .. end-1 */
    void (*norm_grad_param)(int64_t rows, int64_t d, int64_t begin, int64_t end, const fgti_real *x,
                            const fgti_real *mean, const fgti_real *rstd, const fgti_real *dy, fgti_real *dw,
                            fgti_real *db);

    /* y[r][j] += b[j];  out[j] += sum_r x[r][j]. Rows are at distance ld */
    void (*bias)(int64_t rows, int64_t n, int64_t ld, const fgti_real *b, fgti_real *y);
    void (*colsum)(int64_t rows, int64_t n, int64_t ld, const fgti_real *x, fgti_real *out);

    /* y += a x;  y = a y;  y += x z;  sum of squares (in double, fixed order) */
    void (*axpy)(int64_t n, fgti_real a, const fgti_real *x, fgti_real *y);
    void (*scale)(int64_t n, fgti_real a, fgti_real *y);
    /* y = a x + b */
    void (*scale_add)(int64_t n, fgti_real a, const fgti_real *x, const fgti_real *b, fgti_real *y);
    void (*muladd)(int64_t n, const fgti_real *x, const fgti_real *z, fgti_real *y);
    double (*sumsq)(int64_t n, const fgti_real *x);

    /* y_i = x_i / (1-p), or 0 with probability p. Element i uses word first + i of the stream, so backward
     * calls this function again, with dy as x. first is a multiple of 4. */
    void (*dropout)(fgti_rng rng, double p, uint64_t first, int64_t n, const fgti_real *x, fgti_real *y);

    /* A row times panels [k][v] (blas/kernel.h), for j < 16 blocks:
     *     y[j] = alpha sum_p x[p sx] b[j/v][p][j%v] + beta y[j]
     * v is 16 or 32, and blocks is at most FGTI_ROW_BLOCKS. If beta is 0, y is not read. Every sum is one
     * chain over p, as in the microkernels. */
#define FGTI_ROW_BLOCKS 8
    void (*row)(int64_t k, int64_t v, int64_t blocks, fgti_real alpha, const fgti_real *x, int64_t sx,
                const fgti_real *b, fgti_real beta, fgti_real *y);

    /* dst[j][i] = src[i][j], src [rows,cols] with distance lds, dst [cols,rows] with distance ldd */
    void (*transpose)(int64_t rows, int64_t cols, const fgti_real *src, int64_t lds, fgti_real *dst,
                      int64_t ldd);

    /* converts bf16 (core/half.h) to floats */
    void (*expand)(int64_t n, const uint16_t *from, fgti_real *to);
    /* y_i = x_i rounded to bf16 */
    void (*round)(int64_t n, const fgti_real *x, fgti_real *y);
    /* packs rows [k][width] at distance ld, two by two. to[p][width] has the bf16 of row 2p in its upper
     * half. Its lower half has the bf16 of row 2p + 1, or 0 if there is no such row. */
    void (*pair)(int64_t k, int64_t width, const fgti_real *x, int64_t ld, uint32_t *to);

    void (*combine)(const fgti_combination *c, double *y);

    const fgti_vec_panels *panels;
    const fgti_cell_steps *cells; /* [FGTI_CELLS] */
    const fgti_scans      *scans;
    const fgti_updates    *updates;
} fgti_vec;

/* Returns the best table that this processor can run. `limit`, for tests, is the name of the best table that
 * may be chosen; NULL: no limit. A function gives the same results in two tables, except for rounding (fma),
 * because sums have the same order. */
const fgti_vec *fgti_vec_get(const char *limit);

/* Asks the processor to load x [n] into its second cache. */
static inline void fgti_fetch(int64_t n, const fgti_real *x)
{
#if defined(__GNUC__)
    for (int64_t i = 0; i < n; i += 64 / (int64_t)sizeof *x) __builtin_prefetch(x + i, 0, 2);
    __asm__ volatile(""); /* GCC 12 drops calls of functions that only prefetch */
#else
    (void)n;
    (void)x;
#endif
}

#endif
