/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FFT_H
#define FGTI_FFT_H

/* Fourier transforms of complex sequences whose length is a power of two:
 *     forward   X_f = sum_t x_t exp(-2 pi i f t/n)          inverse   x_t = sum_f X_f exp(+2 pi i f t/n)
 * The inverse does not divide by n. Plans are in the caller's memory and do not change after they are made,
 * so several workers may use the same plans at once. A transform allocates nothing.
 *
 * Two real sequences make one complex transform: with z = a + i b and its transform Z,
 *     A_f = (Z_f + conj Z_{n-f})/2,   B_f = (Z_f - conj Z_{n-f})/(2 i).
 *
 * kissfft computes the transforms, in float. In a build without it, and in the double build, no size has a
 * plan, and the other functions may not be called. */

#include "core/tensor.h"

typedef struct fgti_complex {
    fgti_real re, im;
} fgti_complex;

/* The least power of two that is at least `length` and 2. */
int64_t fgti_fft_size(int64_t length);
/* Bytes of the plans for all sizes 2, 4 .. n; 0: there is no FFT, or n is too long for an FFT in float. */
int64_t fgti_fft_plan_bytes(int64_t n);
/* Makes the plans for all sizes 2, 4 .. n in `plans`, which is aligned as memory of fgti_alloc(). */
void fgti_fft_plan(int64_t n, void *plans);

/* Computes a transform of a size that has a plan. `in` and `out` are different arrays. */
void fgti_fft_forward(const void *plans, int64_t n, const fgti_complex *in, fgti_complex *out);
void fgti_fft_inverse(const void *plans, int64_t n, const fgti_complex *in, fgti_complex *out);

/* Returns conj X_{n-f}, with X_n = X_0. */
static inline fgti_complex fgti_fft_mirrored(int64_t n, const fgti_complex *x, int64_t f)
{
    const fgti_complex m = x[(n - f) & (n - 1)];
    return (fgti_complex){m.re, -m.im};
}

/* The products a b and conj(a) b, the sum a + b and the difference a - b. */
static inline fgti_complex fgti_complex_mul(fgti_complex a, fgti_complex b)
{
    return (fgti_complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static inline fgti_complex fgti_complex_mul_conj(fgti_complex a, fgti_complex b)
{
    return (fgti_complex){a.re * b.re + a.im * b.im, a.re * b.im - a.im * b.re};
}
static inline fgti_complex fgti_complex_add(fgti_complex a, fgti_complex b)
{
    return (fgti_complex){a.re + b.re, a.im + b.im};
}
static inline fgti_complex fgti_complex_sub(fgti_complex a, fgti_complex b)
{
    return (fgti_complex){a.re - b.re, a.im - b.im};
}

#endif
