/* SPDX-License-Identifier: BSD-3-Clause */
/* The Fourier transforms of scan.h. Built as vec.c is; sequences are the vector's lanes, so that no step
 * moves a number from one lane to another.
 *
 * A block of m places goes to four of m/4 (radix 4, decimation in frequency), each with the transform of
 * every fourth frequency, and so on; the way back undoes the steps in the other order. So nothing is ever
 * sorted: a product of two spectra does not mind the order. With w = exp(-2 pi i/m), for k < m/4, places a
 * quarter apart:
 *   y0 = (a + c) + (b + d),              y1 = ((a - c) - i(b - d)) w^k,
 *   y2 = ((a + c) - (b + d)) w^{2k},     y3 = ((a - c) + i(b - d)) w^{3k} */
#include "core/scan.h"

#include "core/vec_build.h"

/* All lanes of a real or an imaginary part; FGTI_SCAN floats are an AVX register. */
typedef fgti_real lanes __attribute__((vector_size(FGTI_SCAN * sizeof(fgti_real)), may_alias));

typedef struct __attribute__((may_alias)) cplx {
    lanes re, im;
} cplx;

INLINE cplx plus(cplx a, cplx b)
{
    return (cplx){a.re + b.re, a.im + b.im};
}

INLINE cplx minus(cplx a, cplx b)
{
    return (cplx){a.re - b.re, a.im - b.im};
}

/* a + i b, a - i b */
INLINE cplx plus_i(cplx a, cplx b)
{
    return (cplx){a.re - b.im, a.im + b.re};
}

INLINE cplx minus_i(cplx a, cplx b)
{
    return (cplx){a.re + b.im, a.im - b.re};
}

/* By one factor for all lanes, and by its conjugate. */
INLINE cplx turned(cplx a, const fgti_real *w)
{
    return (cplx){a.re * w[0] - a.im * w[1], a.re * w[1] + a.im * w[0]};
}

INLINE cplx turned_back(cplx a, const fgti_real *w)
{
    return (cplx){a.re * w[0] + a.im * w[1], a.im * w[0] - a.re * w[1]};
}

static void quarter(int64_t m, const fgti_real *w, cplx *v)
{
    const int64_t q = m / 4;
    for (int64_t k = 0; k < q; k++, w += 6) {
        const cplx a = v[k], b = v[k + q], c = v[k + 2 * q], d = v[k + 3 * q];
        const cplx s = plus(a, c), t = minus(a, c), u = plus(b, d), r = minus(b, d);
        v[k]         = plus(s, u);
        v[k + q]     = turned(minus_i(t, r), w);
        v[k + 2 * q] = turned(minus(s, u), w + 2);
        v[k + 3 * q] = turned(plus_i(t, r), w + 4);
    }
}

/* Four times the inverse. */
static void join(int64_t m, const fgti_real *w, cplx *v)
{
    const int64_t q = m / 4;
    for (int64_t k = 0; k < q; k++, w += 6) {
        const cplx a = v[k], b = turned_back(v[k + q], w), c = turned_back(v[k + 2 * q], w + 2);
        const cplx d = turned_back(v[k + 3 * q], w + 4);
        const cplx s = plus(a, c), t = minus(a, c), u = plus(b, d), r = minus(b, d);
        v[k]         = plus(s, u);
        v[k + q]     = plus_i(t, r);
        v[k + 2 * q] = minus(s, u);
        v[k + 3 * q] = minus_i(t, r);
    }
}

/* Pairs, for an odd power of two; the inverse is the same. */
static void halve(int64_t n, cplx *v)
{
    for (int64_t i = 0; i < n; i += 2) {
        const cplx a = v[i], b = v[i + 1];
        v[i]         = plus(a, b);
        v[i + 1]     = minus(a, b);
    }
}

/* Up to here, 64 KiB, all blocks of a length before the next length; longer ones quarter by quarter, so that
 * each comes into the cache once. */
#define NEAR 1024

static void fourier_of(int64_t n, const fgti_real *w, cplx *v)
{
    int64_t m = n;
    if (n > NEAR) {
        quarter(n, w + fgti_fourier_at(n), v);
        for (int64_t i = 0; i < 4; i++) fourier_of(n / 4, w, v + i * (n / 4));
        return;
    }
    for (; m > 2; m /= 4)
        for (int64_t i = 0; i < n; i += m) quarter(m, w + fgti_fourier_at(m), v + i);
    if (m == 2) halve(n, v);
}

static void fourier_back_of(int64_t n, const fgti_real *w, cplx *v)
{
    if (n > NEAR) {
        for (int64_t i = 0; i < 4; i++) fourier_back_of(n / 4, w, v + i * (n / 4));
        join(n, w + fgti_fourier_at(n), v);
        return;
    }
    int64_t m = n;
    while (m > 2) m /= 4;
    if (m == 2) halve(n, v);
    for (m *= 4; m <= n; m *= 4)
        for (int64_t i = 0; i < n; i += m) join(m, w + fgti_fourier_at(m), v + i);
}

static void fourier(int64_t n, const fgti_real *w, fgti_real *v)
{
    fourier_of(n, w, (cplx *)v);
}

static void fourier_back(int64_t n, const fgti_real *w, fgti_real *v)
{
    fourier_back_of(n, w, (cplx *)v);
}

static void spectrum(int64_t n, const fgti_real *a, fgti_real *b)
{
    const cplx *x = (const cplx *)a;
    cplx       *y = (cplx *)b;
    for (int64_t i = 0; i < n; i++)
        y[i] = (cplx){x[i].re * y[i].re - x[i].im * y[i].im, x[i].re * y[i].im + x[i].im * y[i].re};
}

static void spectrum_grad(int64_t n, const fgti_real *a, const fgti_real *b, fgti_real *dy, fgti_real *da)
{
    const cplx *x = (const cplx *)a, *z = (const cplx *)b;
    cplx       *g = (cplx *)dy, *sum = (cplx *)da;
    for (int64_t i = 0; i < n; i++) {
        const cplx w = g[i];
        sum[i].re += z[i].re * w.re + z[i].im * w.im;
        sum[i].im += z[i].re * w.im - z[i].im * w.re;
        g[i] = (cplx){x[i].re * w.re + x[i].im * w.im, x[i].re * w.im - x[i].im * w.re};
    }
}

extern const fgti_fouriers THIS_TABLE(fgti_fouriers_);
const fgti_fouriers        THIS_TABLE(fgti_fouriers_) = {
           .forward = fourier, .back = fourier_back, .product = spectrum, .product_grad = spectrum_grad};
