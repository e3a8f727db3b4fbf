/* SPDX-License-Identifier: BSD-3-Clause */
/* The microkernel for pairs of bf16. It is written with intrinsics, because no compiler makes vdpbf16ps of
 * plain C. */
#include "blas/bf16.h"

#if defined(__x86_64__) && !defined(FGTI_DOUBLE) && (defined(__clang__) || __GNUC__ >= 11)

#include <immintrin.h>

/* The kernel keeps 24 sums of 16 floats in registers, beside two registers for V and one for U. */
#define U 12
#define V 32

/* A vector that may be at any address in an array. GCC assumes that a __m512 is aligned, but AddressSanitizer
 * moves arrays. */
typedef float wide __attribute__((vector_size(64), aligned(4), may_alias));

#define TARGET __attribute__((target("avx512f,avx512bf16")))
#define INLINE __attribute__((target("avx512f,avx512bf16"), always_inline)) static inline

/* Stores a register of C: C = sum + C, or C = alpha sum + beta C. C is not read if beta is 0. */
INLINE void put(__mmask16 mask, float alpha, __m512 sum, float beta, float *c)
{
    if (alpha != 1) sum = _mm512_mul_ps(_mm512_set1_ps(alpha), sum);
    if (beta == 1)
        sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(mask, c));
    else if (beta != 0)
        sum = _mm512_fmadd_ps(_mm512_set1_ps(beta), _mm512_maskz_loadu_ps(mask, c), sum);
    _mm512_mask_storeu_ps(c, mask, sum);
}

/* Computes rows x 32 elements of C; k counts pairs. */
INLINE void tile(int rows, int64_t n, int64_t k, float alpha, const float *up, const float *vp, float beta,
                 float *c, int64_t ldc)
{
    wide sum[U][2];
    for (int r = 0; r < rows; r++) {
        __builtin_prefetch(c + r * ldc, 1, 3);
        __builtin_prefetch(c + r * ldc + 16, 1, 3);
        sum[r][0] = sum[r][1] = (wide){0};
    }
    for (int64_t p = 0; p < k; p++, up += U, vp += V) {
        const __m512bh first = (__m512bh)_mm512_loadu_ps(vp), second = (__m512bh)_mm512_loadu_ps(vp + 16);
        for (int r = 0; r < rows; r++) {
            const __m512bh u = (__m512bh)_mm512_set1_ps(up[r]);
            sum[r][0]        = (wide)_mm512_dpbf16_ps((__m512)sum[r][0], u, first);
            sum[r][1]        = (wide)_mm512_dpbf16_ps((__m512)sum[r][1], u, second);
        }
    }
    const __mmask16 left  = (__mmask16)(n < 16 ? (1u << n) - 1 : 0xffff);
    const __mmask16 right = (__mmask16)(n < 16 ? 0 : n < V ? (1u << (n - 16)) - 1 : 0xffff);
    for (int r = 0; r < rows; r++) {
        put(left, alpha, (__m512)sum[r][0], beta, c + r * ldc);
        put(right, alpha, (__m512)sum[r][1], beta, c + r * ldc + 16);
    }
}

TARGET static void bf16_strip(int64_t rows, int64_t n, int64_t k, float alpha, const float *up,
                              const float *vp, float beta, float *c, int64_t ldc)
{
    for (int64_t j = 0; j < n; j += V, vp += V * k) {
        switch (rows) {
#define CASE(r) \
    case r: tile(r, n - j, k, alpha, up, vp, beta, c + j, ldc); break;
            CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12)
        }
    }
}

static const fgti_kernel kernel = {.u = U, .v = V, .paired = true, .strip = bf16_strip};

const fgti_kernel *fgti_bf16_kernel(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bf16") ? &kernel : NULL;
}

#else

const fgti_kernel *fgti_bf16_kernel(void)
{
    return NULL;
}

#endif
