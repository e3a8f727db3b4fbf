/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/rng.h"

#include <math.h>

void fgti_rng_block(fgti_rng rng, uint64_t block, uint32_t out[4])
{
    uint32_t c0 = (uint32_t)block, c1 = (uint32_t)(block >> 32);
    uint32_t c2 = (uint32_t)rng.stream, c3 = (uint32_t)(rng.stream >> 32);
    uint32_t k0 = (uint32_t)rng.key, k1 = (uint32_t)(rng.key >> 32);
    for (int round = 0; round < 10; round++) {
        const uint64_t p0 = FGTI_PHILOX_M0 * c0, p1 = FGTI_PHILOX_M1 * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        k0 += FGTI_PHILOX_W0;
        k1 += FGTI_PHILOX_W1;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

uint32_t fgti_rng_u32(fgti_rng rng, uint64_t index)
{
    uint32_t w[4];
    fgti_rng_block(rng, index >> 2, w);
    return w[index & 3];
}

double fgti_rng_uniform(fgti_rng rng, uint64_t index)
{
    return (fgti_rng_u32(rng, index) >> 8) * 0x1p-24;
}

/* Box-Muller makes two normal numbers at a time. The second is dropped: the function depends only on the
 * index, and has no place to keep a number. */
double fgti_rng_normal(fgti_rng rng, uint64_t index)
{
    uint32_t w[4];
    fgti_rng_block(rng, index, w);
    const double u = ((w[0] >> 8) + 1) * 0x1p-24; /* in (0,1]: the logarithm is finite */
    const double v = (w[1] >> 8) * 0x1p-24;
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

/* The bias of the remainder towards small numbers is below n / 2^64. */
uint64_t fgti_rng_below(fgti_rng rng, uint64_t index, uint64_t n)
{
    uint32_t w[4];
    fgti_rng_block(rng, index, w);
    return ((uint64_t)w[0] << 32 | w[1]) % n;
}

void fgti_rng_shuffle(fgti_rng rng, int64_t n, int64_t *out)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t j = (int64_t)fgti_rng_below(rng, (uint64_t)i, (uint64_t)i + 1);
        out[i]          = out[j];
        out[j]          = i;
    }
}
