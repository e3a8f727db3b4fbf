/* SPDX-License-Identifier: BSD-3-Clause */
/* Operands of products in bf16 (blas/bf16.h). The file is built in the same way as vec.c. */
#include "core/half.h"
#include "core/vec/vec.h"
#include "core/vec/vec_build.h"

extern void THIS_TABLE(fgti_round_)(int64_t n, const fgti_real *x, fgti_real *y);
void        THIS_TABLE(fgti_round_)(int64_t n, const fgti_real *x, fgti_real *y)
{
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        const uint32_t bits = fgti_bf16_bits(x[i]);
        float          f;
        memcpy(&f, &bits, sizeof f);
        y[i] = f;
    }
}

INLINE void pair(int64_t width, const fgti_real *first, const fgti_real *second, uint32_t *to)
{
    INDEPENDENT
    for (int64_t j = 0; j < width; j++)
        to[j] = fgti_bf16_bits(first[j]) | fgti_bf16_bits(second[j]) >> 16;
}

extern void THIS_TABLE(fgti_pair_)(int64_t k, int64_t width, const fgti_real *x, int64_t ld, uint32_t *to);
void        THIS_TABLE(fgti_pair_)(int64_t k, int64_t width, const fgti_real *x, int64_t ld, uint32_t *to)
{
    for (; k > 1; k -= 2, x += 2 * ld, to += width) pair(width, x, x + ld, to);
    for (int64_t j = 0; k && j < width; j++) to[j] = fgti_bf16_bits(x[j]);
}
