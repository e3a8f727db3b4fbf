/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VEC_EXP_H
#define FGTI_VEC_EXP_H

/* exp_low(x): exp(x) for x <= 0 or slightly more, for a softmax, which adds the result to terms near 1. The
 * function computes 2^t with t = x log2(e), as a power of two times a polynomial of the rest r. The rounding
 * of t makes the relative error 1e-7 (1 + |x|). Results below 2^-126 become 0, because denormal numbers are
 * slow. They are negligible beside terms near 1.
 *
 * higher(s, top): the greater of two numbers, or top if s is NaN. */
#include "core/vec/vec_build.h"
#include "core/vec/vec_math.h"

#if defined(FGTI_DOUBLE)

INLINE reg exp_low(reg x)
{
    for (int i = 0; i < REG; i++) x[i] = exp_real(x[i]);
    return x;
}

INLINE reg higher(reg s, reg top)
{
    for (int i = 0; i < REG; i++) top[i] = s[i] > top[i] ? s[i] : top[i];
    return top;
}

#elif defined(__AVX512F__)
#include <immintrin.h>

enum { DOWN = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC };

/* AVX-512 has instructions for r = t - floor(t) and for p 2^floor(t). The polynomial p is 1 + r - r (1 - r)
 * q(r), which is exact at both ends of 0 .. 1. So exp(0) is 1, and the limit for x -> 0 from below is also 1.
 * If x is negative and very close to 0, r would be just below 1, and would be rounded to 1. The sum with
 * 2^-40 makes floor(t) 0 for such x. */
INLINE reg exp_low(reg x)
{
    const reg       t      = x * 1.44269504f + 0x1p-40f;
    const __mmask16 normal = _mm512_cmp_ps_mask((__m512)t, _mm512_set1_ps(-126), _CMP_NLT_UQ);
    const reg       r      = (reg)_mm512_reduce_ps((__m512)t, DOWN);
    reg             p      = (1.87931326e-3f * r + 8.99100117e-3f) * r + 5.58186732e-2f;
    p                      = ((p * r + 0.240159273f) * r + 0.693151712f) * r + 1.0f;
    return (reg)_mm512_maskz_scalef_ps(normal, (__m512)p, (__m512)t);
}

INLINE reg higher(reg s, reg top)
{
    return (reg)_mm512_max_ps((__m512)s, (__m512)top);
}

#else

typedef int32_t words __attribute__((vector_size(REGISTER)));

/* r = t - n with the nearest integer n */
INLINE reg exp_low(reg x)
{
    const float     round = 0x1.8p23f + 127; /* adding it leaves 2^n's exponent in the low mantissa bits */
    const reg       t = x * 1.44269504f, m = t + round, r = t - (m - round), power = (reg)((words)m << 23);
    reg             p = (1.3276471961e-3f * r + 9.6755415027e-3f) * r + 5.55071327506e-2f;
    p                 = ((p * r + 0.2402211972075f) * r + 0.6931469670629f) * r + 1.0f;
    return (reg)((words)(p * power) & ~(t < -126.0f));
}

INLINE reg higher(reg s, reg top)
{
    const words yes = s > top;
    return (reg)(((words)s & yes) | ((words)top & ~yes));
}

#endif

#endif
