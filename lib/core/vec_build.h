/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VEC_BUILD_H
#define FGTI_VEC_BUILD_H

/* What the sources share that Meson builds once per instruction set, with FGTI_VEC_NAME set. */

/* "No iteration reads what another wrote": arrays are the same or apart. Without it the vector loop
 * stands behind a test for overlap, which equal pointers fail. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define INDEPENDENT _Pragma("GCC ivdep")
#else
#define INDEPENDENT
#endif

/* For helpers whose constant arguments select the code. */
#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

/* One register, for what is not left to the vectoriser: of a wider vector GCC makes copies through the
 * stack. */
#if defined(__AVX512F__)
#define REGISTER 64
#elif defined(__AVX__)
#define REGISTER 32
#else
#define REGISTER 16
#endif
enum { REG = REGISTER / sizeof(fgti_real) };
typedef fgti_real reg __attribute__((vector_size(REGISTER), aligned(sizeof(fgti_real)), may_alias));

/* fgti_vec_avx2 and so on, and the name as a text. */
#define JOIN(a, b)        a##b
#define JOIN_NAME(a, b)   JOIN(a, b)
#define TEXT(id)          #id
#define TEXT_NAME(id)     TEXT(id)
#define THIS_TABLE(start) JOIN_NAME(start, FGTI_VEC_NAME)

#endif
