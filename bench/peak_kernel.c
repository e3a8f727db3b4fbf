/* SPDX-License-Identifier: BSD-3-Clause */
/* Built once per instruction set, with PEAK_NAME set. Independent chains x = x a + b that stay in registers,
 * enough of them to cover the latency of all multipliers of a core. The compiler may fuse the operations. */
#include "peak.h"

#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX2__)
#define BYTES 32
#else
#define BYTES 16
#endif

/* 16 vector registers leave room for 12 chains. AVX-512 and arm64 have 32 registers, and up to 4 multipliers
 * of latency 4. */
#if defined(__AVX512F__) || defined(__aarch64__)
#define CHAINS 24
#else
#define CHAINS 12
#endif

typedef float vector __attribute__((vector_size(BYTES)));

#define JOIN(a, b) a##b
#define NAME(id)   JOIN(bench_peak_, id)

double NAME(PEAK_NAME)(int64_t rounds, float a, float b)
{
    vector chain[CHAINS], factor, more;
    for (size_t i = 0; i < BYTES / sizeof(float); i++) {
        factor[i] = a;
        more[i]   = b;
    }
    for (int j = 0; j < CHAINS; j++) chain[j] = more * (float)j; /* equal chains would be merged into one */
    for (int64_t r = 0; r < rounds; r++) {
#if defined(__clang__)
#pragma clang loop unroll(full)
#elif defined(__GNUC__)
#pragma GCC unroll 24
#endif
        for (int j = 0; j < CHAINS; j++) chain[j] = chain[j] * factor + more;
    }
    for (int j = 1; j < CHAINS; j++) chain[0] += chain[j];
    return chain[0][0] < 1e30F ? 2.0 * CHAINS * BYTES / sizeof(float) * (double)rounds : 0;
}
