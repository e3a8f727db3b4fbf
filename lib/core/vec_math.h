/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VEC_MATH_H
#define FGTI_VEC_MATH_H

/* exp, tanh, erf and what follows from them, free of branches and calls, so that a plain loop over
 * them becomes vector code. Coefficients: tools/fit_vec.py. The measured errors are those of
 * tests/core/test_vec.c, with and without fma.
 * In double (the gradient checks) they are libm's. */

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/tensor.h"

#ifdef FGTI_DOUBLE
typedef uint64_t fgti_bits;
#else
typedef uint32_t fgti_bits;
#endif

/* a where yes, b elsewhere, in bits: of `yes ? a : b` GCC makes branches, which it threads through the
 * code that follows before it comes to vectorise. */
static inline fgti_real choose(int yes, fgti_real a, fgti_real b)
{
    fgti_bits ab, bb;
    memcpy(&ab, &a, sizeof ab);
    memcpy(&bb, &b, sizeof bb);
    const fgti_bits mask = (fgti_bits)-(fgti_bits)yes;
    ab = (ab & mask) | (bb & ~mask);
    memcpy(&a, &ab, sizeof a);
    return a;
}

/* Both keep a NaN. */
static inline fgti_real at_least(fgti_real lo, fgti_real x)
{
    return choose(x < lo, lo, x);
}

static inline fgti_real at_most(fgti_real hi, fgti_real x)
{
    return choose(x > hi, hi, x);
}

#ifdef FGTI_DOUBLE

static inline double exp_real(double x)
{
    return exp(x);
}

static inline double expm1_real(double x)
{
    return expm1(x);
}

static inline double tanh_real(double x)
{
    return tanh(x);
}

static inline double erf_real(double x)
{
    return erf(x);
}

static inline double sqrt_real(double x)
{
    return sqrt(x);
}

static inline double absolute(double x)
{
    return fabs(x);
}

static inline double with_sign(double magnitude, double x)
{
    return copysign(magnitude, x);
}

#else

static inline float sqrt_real(float x)
{
    return sqrtf(x);
}

static inline float absolute(float x)
{
    return fabsf(x);
}

static inline float with_sign(float magnitude, float x)
{
    return copysignf(magnitude, x);
}

/* x = n ln2 + r, |r| <= ln2/2. Returns 2 (exp(r) - 1); *half = 2^(n-1).
 * Half of the power, because 2^128 is no float while exp(88.5) is. Below -125.5 ln2 = -86.99, where
 * exp(x) < 1.7e-38 comes near the denormals, n = -126 and *half has exponent bits 0: it is 0 exactly.
 * Above, n stops at 128 while r grows, and so does the polynomial: the result overflows to infinity. */
static inline float exp_parts(float x, float *half)
{
    const float round = 0x1.8p23f; /* adding it leaves the nearest integer in the low mantissa bits */
    /* 9 bits of ln2: n times it is exact; and the rest of ln2 */
    const float ln2_hi = 0x1.63p-1f, ln2_lo = -2.12194440e-4f;
    const float c = at_least(-87.2f, x);
    float       t = c * 1.44269504f + round;
    int32_t     bits;
    memcpy(&bits, &t, sizeof bits);
    bits = bits > 0x4B400000 + 128 ? 0x4B400000 + 128 : bits; /* the bits of `round`, which n was added to */
    memcpy(&t, &bits, sizeof t);
    const uint32_t power = ((uint32_t)bits + 126u) << 23;
    memcpy(half, &power, sizeof power);
    const float n = t - round;
    const float r = (c - n * ln2_hi) - n * ln2_lo;
    const float p = (((2.76291650e-3f * r + 1.67374369e-2f) * r + 8.33366420e-2f) * r + 0.333330422f) * r + 0.99999988f;
    return (p * r + 2.0f) * r;
}

/* 0 below -86.99, infinity above 88.7228. */
static inline float exp_real(float x)
{
    float half;
    return (exp_parts(x, &half) + 2.0f) * half;
}

/* For x <= 0, where 2^n - 1 is exact but for one rounding. */
static inline float expm1_real(float x)
{
    float       half;
    const float p = exp_parts(x, &half);
    return p * half + (half + half - 1.0f);
}

/* Odd rationals; all coefficients are positive, so no term cancels another. Beyond the bound on x^2
 * float rounds the function to 1, and so does the line that the rational becomes. */
static inline float tanh_real(float x)
{
    const float a = fabsf(x);
    const float z = at_most(9.02f * 9.02f, a * a);
    const float p = (((1.33183988e-8f * z + 2.05829929e-5f) * z + 3.49400518e-3f) * z + 0.13379693f) * z + 1.0f;
    const float q = (((7.76174261e-7f * z + 3.28304450e-4f) * z + 2.58709621e-2f) * z + 0.467130095f) * z + 1.0f;
    return copysignf(at_most(1.0f, a * p / q), x);
}

static inline float erf_real(float x)
{
    const float a = fabsf(x);
    const float z = at_most(3.92f * 3.92f, a * a);
    const float p = ((((2.05008064e-6f * z + 2.84871116e-4f) * z + 3.76530178e-3f) * z + 5.27477376e-2f) * z +
                     0.190399781f) * z + 1.12837911f;
    const float q = ((((3.80910351e-5f * z + 1.16245064e-3f) * z + 1.49685899e-2f) * z + 0.114106253f) * z +
                     0.502070129f) * z + 1.0f;
    return copysignf(at_most(1.0f, a * p / q), x);
}

#endif

static inline fgti_real sigmoid(fgti_real x)
{
    return 1 / (1 + exp_real(-x));
}

/* s (1 - s) = e / (1 + e)^2 with e = exp(-|x|): 1 - s would cancel. */
static inline fgti_real sigmoid_slope(fgti_real x)
{
    const fgti_real e = exp_real(-absolute(x));
    const fgti_real q = 1 / (1 + e);
    return e * q * q;
}

/* Phi(x) = (1 + erf(x/sqrt 2)) / 2 */
static inline fgti_real normal_cdf(fgti_real x)
{
    return (fgti_real)0.5 + (fgti_real)0.5 * erf_real(x * (fgti_real)0.70710678118654752);
}

#endif
