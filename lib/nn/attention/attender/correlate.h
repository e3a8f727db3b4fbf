/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CORRELATE_H
#define FGTI_CORRELATE_H

/* The correlation of two sequences on a circle of L tokens, summed over all features:
 *     r_d = sum_j q_{(j+d) mod L} k_j',   d = 0 .. L-1,  j < S <= L
 * There are two algorithms, whose results differ by rounding: products of matrices (2 L S D flop), and
 * Fourier transforms (L log L for each feature). */

#include "blas/blas.h"
#include "core/vec/vec.h"

typedef struct fgti_correlate {
    int64_t          time, keys, width; /* L, S, D */
    const fgti_real *q, *k;             /* [L,D] and [S,D], rows at distances ldq and ldk */
    int64_t          ldq, ldk;
    fgti_real       *r; /* [L] */
    fgti_real       *arena;
    const fgti_blas *blas;
    const fgti_vec  *vec;
    void            *scratch; /* for fgti_gemm_run() */
    const void      *plans;   /* from fgti_fft_plan() */
} fgti_correlate;

#endif
