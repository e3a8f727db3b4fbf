/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VEC_MATH_H
#define FGTI_VEC_MATH_H

/* exp, tanh, the normal distribution, and activations made from them. They have no branches and no calls, so
 * a plain loop over them is vectorised. The coefficients come from tools/fit_vec.py; tests/core/test_vec.c
 * checks the errors. In double, for the gradient checks, libm is used. */

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/tensor.h"

#ifdef FGTI_DOUBLE
typedef uint64_t fgti_bits;
#else
typedef uint32_t fgti_bits;
#endif

/* Computes `yes ? a : b` by operations on bits. For the plain expression GCC makes branches, and merges them
 * into the code after them before it vectorises. */
static inline fgti_real choose(int yes, fgti_real a, fgti_real b)
{
    fgti_bits ab, bb;
    memcpy(&ab, &a, sizeof ab);
    memcpy(&bb, &b, sizeof bb);
    const fgti_bits mask = (fgti_bits) - (fgti_bits)yes;
    ab                   = (ab & mask) | (bb & ~mask);
    memcpy(&a, &ab, sizeof a);
    return a;
}

/* The greater and the smaller of two numbers; if x is NaN, the result is NaN. */
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

static inline double log1p_real(double x)
{
    return log1p(x);
}

static inline double normal_tail(double a, double *pdf)
{
    *pdf = 0.39894228040143268 * exp(-0.5 * a * a);
    return 0.5 * erfc(0.70710678118654752 * a);
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

/* Splits x = n ln2 + r with |r| <= ln2/2. Returns 2 (exp(r) - 1), and sets *half to 2^(n-1). 2^n is not used,
 * because it is no float for n = 128, although exp(88.5) is a float. If x < -125.5 ln2 = -86.99, n is -126.
 * Then the exponent bits of *half are 0, so *half is exactly 0; exp(x) < 1.7e-38 would be near the denormals.
 * If x is large, n stops at 128 while r grows, so the result overflows to infinity. */
static inline float exp_parts(float x, float *half)
{
    const float round = 0x1.8p23f; /* adding it leaves the nearest integer in the low mantissa bits */
    /* ln2_hi has 9 bits of ln2, so n ln2_hi is exact; ln2_lo is the rest */
    const float ln2_hi = 0x1.63p-1f, ln2_lo = -2.12194440e-4f;
    const float c = at_least(-87.2f, x);
    float       t = c * 1.44269504f + round;
    int32_t     bits;
    memcpy(&bits, &t, sizeof bits);
    bits = bits > 0x4B400000 + 128 ? 0x4B400000 + 128 : bits; /* the bits of `round`, to which n was added */
    memcpy(&t, &bits, sizeof t);
    const uint32_t power = ((uint32_t)bits + 126u) << 23;
    memcpy(half, &power, sizeof power);
    const float n = t - round;
    const float r = (c - n * ln2_hi) - n * ln2_lo;
    float       p = (2.76291650e-3f * r + 1.67374369e-2f) * r + 8.33367780e-2f;
    p             = (p * r + 0.333330423f) * r + 0.999999881f;
    return (p * r + 2.0f) * r;
}

/* The result is 0 below -86.99, and infinity above 88.7228. */
static inline float exp_real(float x)
{
    float half;
    return (exp_parts(x, &half) + 2.0f) * half;
}

/* exp(x) - 1 for x <= 0, where 2^n - 1 is exact or rounded once. */
static inline float expm1_real(float x)
{
    float       half;
    const float p = exp_parts(x, &half);
    return p * half + (half + half - 1.0f);
}

/* log(1 + x) for 0 <= x <= 1. With z = x / (2 + x) <= 1/3, it is 2 artanh(z) = 2 (z + z^3/3 + ..). The terms
 * left out are less than 2e-9 of the result. */
static inline float log1p_real(float x)
{
    const float z = x / (2.0f + x), s = z * z;
    float       p = (0.133333333f * s + 0.153846154f) * s + 0.181818182f;
    p             = ((p * s + 0.222222222f) * s + 0.285714286f) * s + 0.4f;
    return ((p * s + 0.666666667f) * s + 2.0f) * z;
}

/* The smaller of two numbers that are not negative. The comparison as integers is one instruction. If x is
 * NaN, the result is hi. */
static inline float at_most_positive(float hi, float x)
{
    int32_t a, b;
    memcpy(&a, &hi, sizeof a);
    memcpy(&b, &x, sizeof b);
    b = b > a ? a : b;
    memcpy(&x, &b, sizeof x);
    return x;
}

/* tanh as an odd rational function. All coefficients are positive, so no term cancels another. Beyond 9.02,
 * where tanh is 1 in float, the function goes on as a straight line above 1, which is cut off at 1. */
static inline float tanh_real(float x)
{
    const float z = at_most_positive(9.02f * 9.02f, x * x);
    float       p = (1.33183988e-8f * z + 2.05829929e-5f) * z + 3.49400518e-3f;
    float       q = (7.76174261e-7f * z + 3.28304450e-4f) * z + 2.58709621e-2f;
    p             = (p * z + 0.133796930f) * z + 1.0f;
    q             = (q * z + 0.467130095f) * z + 1.0f;
    const float a = fabsf(x * p / q);
    return copysignf(a > 1.0f ? 1.0f : a, x);
}

/* Returns Phi(-a), and sets *pdf to the density at a, for 0 <= a <= 40. Mills' ratio Phi(-a) exp(a^2/2) is
 * close to a rational function of low degree. So the tail keeps its digits, which 1 + erf(x) would lose. The
 * rounding of a^2 leaves a relative error of a^2 2^-24. */
static inline float normal_tail(float a, float *pdf)
{
    const float e = exp_real(-0.5f * a * a);
    float       p = (4.01186943e-3f * a + 3.99277546e-2f) * a + 0.181138694f;
    float       q = ((1.00561203e-2f * a + 0.100091510f) * a + 0.463936746f) * a + 1.19378400f;
    p             = (p * a + 0.435458124f) * a + 0.5f;
    q             = (q * a + 1.66880119f) * a + 1.0f;
    *pdf          = 0.398942280f * e; /* 1 / sqrt(2 pi) */
    return e * p / q;
}

#endif

static inline fgti_real sigmoid(fgti_real x)
{
    return 1 / (1 + exp_real(-x));
}

/* The slope of the sigmoid s(x), s (1 - s), as e / (1 + e)^2 with e = exp(-|x|), because 1 - s would
 * cancel. */
static inline fgti_real sigmoid_slope(fgti_real x)
{
    const fgti_real e = exp_real(-absolute(x));
    const fgti_real q = 1 / (1 + e);
    return e * q * q;
}

/* ---- activations and their slopes ---- */

/* Slopes are computed from |x|, and the sign is put back, because GCC turns a clamp on both sides into a
 * chain of masks. The bounds avoid inf * 0. */
#define GELU_FLAT ((fgti_real)40)                 /* Phi(-40) = 0 in double too */
#define SILU_FLAT ((fgti_real)800)                /* exp(-800) = 0 in double too */
#define GELU_1    ((fgti_real)1.5957691216057308) /* 2 sqrt(2/pi), Hendrycks and Gimpel 2016 */
#define GELU_3    (GELU_1 * (fgti_real)0.044715)

static inline fgti_real relu(fgti_real x)
{
    return x < 0 ? 0 : x;
}

/* x Phi(x) */
static inline fgti_real gelu(fgti_real x)
{
    fgti_real       pdf;
    const fgti_real tail = normal_tail(at_most(GELU_FLAT, absolute(x)), &pdf);
    return at_least(-GELU_FLAT, x) * choose(x < 0, tail, 1 - tail);
}

/* Phi(x) + x phi(x) */
static inline fgti_real gelu_slope(fgti_real x)
{
    fgti_real       pdf;
    const fgti_real a    = at_most(GELU_FLAT, absolute(x));
    const fgti_real tail = normal_tail(a, &pdf);
    return choose(x < 0, tail, 1 - tail) + with_sign(a * pdf, x);
}

/* Returns 2 u(x). With this u, gelu_tanh(x) is x (1 + tanh u) / 2 = x s(2u), where s is the sigmoid. */
static inline fgti_real gelu_tanh_arg(fgti_real x)
{
    return x * (GELU_1 + GELU_3 * x * x);
}

static inline fgti_real gelu_tanh(fgti_real x)
{
    const fgti_real c = at_least(-GELU_FLAT, x);
    return c * sigmoid(gelu_tanh_arg(c));
}

/* The derivative of x s(2u), where s is the sigmoid: s + x s (1 - s) (2u)'. The code has q = s(2u(|x|)), and
 * e q is s(2u(-|x|)). */
static inline fgti_real gelu_tanh_slope(fgti_real x)
{
    const fgti_real a = at_most(GELU_FLAT, absolute(x));
    const fgti_real e = exp_real(-gelu_tanh_arg(a));
    const fgti_real q = 1 / (1 + e);
    return choose(x < 0, e * q, q) + with_sign(a * e * q * q * (GELU_1 + 3 * GELU_3 * a * a), x);
}

/* The slope of tanh, sech^2(x) = 4 s (1 - s), where s is the sigmoid at 2x. */
static inline fgti_real tanh_slope(fgti_real x)
{
    return 4 * sigmoid_slope(2 * x);
}

static inline fgti_real silu(fgti_real x)
{
    return at_least(-SILU_FLAT, x) * sigmoid(x);
}

/* The derivative of x s(x), where s is the sigmoid: s + x s (1 - s). With e = exp(-|x|), the code has q =
 * s(|x|), and e q is s(-|x|). */
static inline fgti_real silu_slope(fgti_real x)
{
    const fgti_real a = at_most(SILU_FLAT, absolute(x));
    const fgti_real e = exp_real(-a);
    const fgti_real q = 1 / (1 + e);
    return choose(x < 0, e * q, q) + with_sign(a * e * q * q, x);
}

static inline fgti_real elu(fgti_real x)
{
    return x > 0 ? x : expm1_real(at_most(0, x));
}

static inline fgti_real elu_slope(fgti_real x)
{
    return exp_real(at_most(0, x));
}

/* The slope of softplus is the sigmoid. */
static inline fgti_real softplus(fgti_real x)
{
    return at_least(0, x) + log1p_real(exp_real(-absolute(x)));
}

#endif
