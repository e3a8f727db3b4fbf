/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_DFT_H
#define FGTI_DFT_H

/* Fourier transforms of sequences of any length n, FGTI_DFT_LANES of them side by side: row t of an array
 * [n,LANES] holds element t of each. Real and imaginary parts are arrays of their own:
 *     X_f = sum_t x_t exp(-2 pi i f t/n),   f = 0 .. n-1
 * With real and imaginary parts exchanged, in `in` as in `out`, it is the transform with exp(+2 pi i f t/n).
 *
 * The transforms of fft.h are of powers of two, in float, and need kissfft; these are there in every build.
 * The steps grow with n times the sum of its prime factors. Nothing allocates. */

#include "core/fft.h"

enum { FGTI_DFT_LANES = 16 };

typedef struct fgti_planes {
    fgti_real *re, *im; /* [n,LANES] each */
} fgti_planes;

/* turn [n]: exp(-2 pi i k/n) */
void fgti_dft_plan(int64_t n, fgti_complex *turn);
/* spare [n,LANES] in both parts; no two arrays overlap. */
void fgti_dft_run(int64_t n, const fgti_complex *turn, fgti_planes in, fgti_planes out, fgti_planes spare);

#endif
