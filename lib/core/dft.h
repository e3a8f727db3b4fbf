/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_DFT_H
#define FGTI_DFT_H

/* Fourier transforms of sequences of any length n, FGTI_DFT_LANES sequences side by side: row t of an array
 * [n,LANES] holds element t of each sequence. Real and imaginary parts are separate arrays:
 *     X_f = sum_t x_t exp(-2 pi i f t/n),   f = 0 .. n-1
 * For the transform with exp(+2 pi i f t/n) exchange the real and imaginary parts, in `in` and in `out`.
 *
 * The transforms of fft.h are only for powers of two, in float, and need kissfft. The transforms of this file
 * are in every build. Their number of operations grows with n times the sum of n's prime factors. The
 * functions allocate nothing. */

#include "core/fft.h"

enum { FGTI_DFT_LANES = 16 };

typedef struct fgti_planes {
    fgti_real *re, *im; /* [n,LANES] each */
} fgti_planes;

/* Fills turn [n] with exp(-2 pi i k/n). */
void fgti_dft_plan(int64_t n, fgti_complex *turn);
/* Computes FGTI_DFT_LANES transforms. `spare` has room for [n,LANES] in both parts. The arrays do not
 * overlap. */
void fgti_dft_run(int64_t n, const fgti_complex *turn, fgti_planes in, fgti_planes out, fgti_planes spare);

#endif
