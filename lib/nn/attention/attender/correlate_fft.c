/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes r_d by Fourier transforms of length n, a power of two. n is L if L is a power of two. Otherwise
 * n >= 2 L - 1. Let X and Y be the transforms of a feature of q and of k, padded with zeros, and ~ the
 * complex conjugate. Then X Y~ is the transform of the part of r that comes from this feature. X and Y come
 * from one complex sequence z = q + i k. With its transform Z and Z*_f = Z~_{n-f},
 *     X Y~ = i (Z + Z*)(Z - Z*)~ / 4.
 * The features are summed before the inverse transform, so there is only one inverse transform. If n > L, the
 * result of the inverse transform holds r_d in two parts: the part from the pairs with t >= j is at d, and
 * the part from the other pairs is at n - L + d. */
#include "nn/attention/attender/correlate_fft.h"

#include <math.h>
#include <string.h>

#include "core/fft.h"
#include "nn/attention/attender/attender.h"
#include "nn/attention/attender/correlate.h"
#include "nn/attention/attention_core.h"

/* Cost of one of the n log2 n steps of a transform. The unit is a pair of tokens in the products, which take
 * L L pairs. Measured with AVX-512, where the products gain most. */
#define PAIRS_A_STEP 36

static bool correlate_fft_is_power(int64_t n)
{
    return n > 1 && (n & (n - 1)) == 0;
}

/* Returns the length n of the Fourier transform for a pass of L tokens. */
static int64_t correlate_fft_size_of(int64_t time)
{
    return correlate_fft_is_power(time) ? time : fgti_fft_size(fgti_mul(2, time) - 1);
}

int64_t fgti_correlate_fft_size(int64_t time)
{
    return fgti_fft_size(fgti_mul(2, time) - 1);
}

bool fgti_correlate_fft_pays(int64_t time)
{
    const double n = (double)correlate_fft_size_of(time);
    return PAIRS_A_STEP * n * log2(n) < (double)time * (double)time;
}

typedef struct parts {
    fgti_complex *sequence, *spectrum, *sum; /* [n] */
} parts;

static int64_t correlate_fft_layout(int64_t n, fgti_real *base, parts *p)
{
    int64_t at  = 0;
    p->sequence = (fgti_complex *)fgti_take(base, &at, fgti_mul(2, n));
    p->spectrum = (fgti_complex *)fgti_take(base, &at, fgti_mul(2, n));
    p->sum      = (fgti_complex *)fgti_take(base, &at, fgti_mul(2, n));
    return at;
}

int64_t fgti_correlate_fft_arena(int64_t time)
{
    parts any;
    return correlate_fft_layout(fgti_correlate_fft_size(time), NULL, &any);
}

/* Writes the sequence z of one feature. */
static void correlate_fft_join(const fgti_correlate *c, int64_t feature, int64_t n, fgti_complex *z)
{
    const fgti_real *q = c->q + feature, *k = c->k + feature;
    for (int64_t t = 0; t < c->keys; t++) z[t] = (fgti_complex){q[t * c->ldq], k[t * c->ldk]};
    for (int64_t t = c->keys; t < c->time; t++) z[t] = (fgti_complex){q[t * c->ldq], 0};
    memset(z + c->time, 0, (size_t)(n - c->time) * sizeof *z);
}

/* Adds the product (Z + Z*)(Z - Z*)~ to sum, for the first half of the frequencies, f = 0 .. n/2. Z* and ~
 * are explained at the top of this file. */
static void correlate_fft_add_product(int64_t n, const fgti_complex *z, fgti_complex *sum)
{
    for (int64_t f = 0; f <= n / 2; f++) {
        const fgti_complex m = fgti_fft_mirrored(n, z, f);
        const fgti_complex p = fgti_complex_mul_conj(fgti_complex_sub(z[f], m), fgti_complex_add(z[f], m));
        sum[f]               = fgti_complex_add(sum[f], p);
    }
}

/* Computes r from the sum of the products of all features. */
static void correlate_fft_go_back(const fgti_correlate *c, int64_t n, const parts *p)
{
    const fgti_real part = (fgti_real)0.25 / (fgti_real)n;
    for (int64_t f = 0; f <= n / 2; f++) {
        const fgti_complex s = {-part * p->sum[f].im, part * p->sum[f].re};
        p->spectrum[f]       = s;
        if (f > 0) p->spectrum[n - f] = (fgti_complex){s.re, -s.im};
    }
    fgti_fft_inverse(c->plans, n, p->spectrum, p->sequence);
    for (int64_t d = 0; d < c->time; d++) c->r[d] = p->sequence[d].re;
    for (int64_t d = 1; d < c->time && n > c->time; d++) c->r[d] += p->sequence[n - c->time + d].re;
}

void fgti_correlate_fft(const fgti_correlate *c)
{
    const int64_t n = correlate_fft_size_of(c->time);
    parts         p;
    correlate_fft_layout(n, c->arena, &p);
    memset(p.sum, 0, (size_t)(n / 2 + 1) * sizeof *p.sum);
    for (int64_t feature = 0; feature < c->width; feature++) {
        correlate_fft_join(c, feature, n, p.sequence);
        fgti_fft_forward(c->plans, n, p.sequence, p.spectrum);
        correlate_fft_add_product(n, p.spectrum, p.sum);
    }
    correlate_fft_go_back(c, n, &p);
}
