/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FFT_H
#define FGTI_FFT_H

/* Fourier transforms of complex sequences whose length is a power of two:
 *     forward   X_f = sum_t x_t exp(-2 pi i f t/n)          inverse   x_t = sum_f X_f exp(+2 pi i f t/n)
 * The inverse does not divide by n. Plans stand in memory of the caller and never change once made, so any
 * number of workers may use the same plans at once; a transform allocates nothing.
 *
 * Two real sequences make one complex transform: with z = a + i b and its transform Z,
 *     A_f = (Z_f + conj Z_{n-f})/2,   B_f = (Z_f - conj Z_{n-f})/(2 i).
 *
 * The transforms are those of kissfft, in float. Without it, and in the double build, no plan has a size, and
 * nothing else here may be called. */

#include "core/tensor.h"

typedef struct fgti_complex {
    fgti_real re, im;
} fgti_complex;

/* The least power of two that is at least `length` and 2. */
int64_t fgti_fft_size(int64_t length);
/* Bytes of the plans for all sizes 2, 4 .. n; 0 when there is no FFT, or n is too long for one in float. */
int64_t fgti_fft_plan_bytes(int64_t n);
/* Makes these plans in `plans`, which is aligned as memory of fgti_alloc(). */
void fgti_fft_plan(int64_t n, void *plans);

/* One transform of a size that is planned. `out` is another array than `in`. */
void fgti_fft_forward(const void *plans, int64_t n, const fgti_complex *in, fgti_complex *out);
void fgti_fft_inverse(const void *plans, int64_t n, const fgti_complex *in, fgti_complex *out);

/* conj X_{n-f}, with X_n = X_0 */
static inline fgti_complex fgti_fft_mirrored(int64_t n, const fgti_complex *x, int64_t f)
{
    const fgti_complex m = x[(n - f) & (n - 1)];
    return (fgti_complex){m.re, -m.im};
}

/* a b, conj(a) b, a + b, a - b */
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
