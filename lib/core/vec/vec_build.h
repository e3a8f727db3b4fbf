/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VEC_BUILD_H
#define FGTI_VEC_BUILD_H

#include <string.h>

#include "core/tensor.h"

/* Definitions for the sources that Meson builds once for each instruction set, with FGTI_VEC_NAME set. */

/* Tells the compiler that no iteration of the next loop reads what another iteration wrote: two arrays are
 * the same array, or they do not overlap. Otherwise the compiler tests for overlap before the vector loop,
 * and equal pointers fail this test. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#pragma clang diagnostic ignored "-Wpass-failed" /* not every loop must be vectorised */
#elif defined(__GNUC__)
#define INDEPENDENT _Pragma("GCC ivdep")
#else
#define INDEPENDENT
#endif

/* For helpers whose callers pass constants, so that each call is compiled for its constants. */
#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

/* A vector of the width of one register, for code that is not left to the vectoriser. GCC would copy wider
 * vectors through the stack. */
#if defined(__AVX512F__)
#define REGISTER 64
#elif defined(__AVX__)
#define REGISTER 32
#else
#define REGISTER 16
#endif
enum { REG = REGISTER / sizeof(fgti_real) };
typedef fgti_real reg __attribute__((vector_size(REGISTER), aligned(sizeof(fgti_real)), may_alias));

/* The sum of a row has PARTS partial sums: element i is added to part i mod PARTS, on every instruction set.
 * In float the parts fill one register of AVX-512, two of AVX2, and four of SSE2 or NEON. So there are enough
 * independent chains to hide the latency of an addition. */
#define PARTS 16

/* Half and a quarter of the parts. They are vector types because GCC compiles a loop over the parts to scalar
 * additions. */
typedef fgti_real eight
    __attribute__((vector_size(8 * sizeof(fgti_real)), aligned(sizeof(fgti_real)), may_alias));
typedef fgti_real four
    __attribute__((vector_size(4 * sizeof(fgti_real)), aligned(sizeof(fgti_real)), may_alias));

/* Adds the parts, always half of them to the other half: the same tree on every instruction set. */
INLINE fgti_real parts_sum(const fgti_real s[PARTS])
{
    const eight e = *(const eight *)s + *(const eight *)(s + 8);
    four        f[2];
    memcpy(f, &e, sizeof f);
    f[0] += f[1];
    return (f[0][0] + f[0][2]) + (f[0][1] + f[0][3]);
}

/* sum of x_i */
INLINE fgti_real row_sum(int64_t n, const fgti_real *x)
{
    fgti_real s[PARTS] = {0};
    int64_t   i        = 0;
    for (; i + PARTS <= n; i += PARTS)
        for (int l = 0; l < PARTS; l++) s[l] += x[i + l];
    for (int l = 0; i + l < n; l++) s[l] += x[i + l];
    return parts_sum(s);
}

/* The names fgti_vec_avx2 and so on, and "avx2" as a string. */
#define JOIN(a, b)        a##b
#define JOIN_NAME(a, b)   JOIN(a, b)
#define TEXT(id)          #id
#define TEXT_NAME(id)     TEXT(id)
#define THIS_TABLE(start) JOIN_NAME(start, FGTI_VEC_NAME)

#endif
