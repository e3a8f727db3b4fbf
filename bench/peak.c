/* SPDX-License-Identifier: BSD-3-Clause */
#include "peak.h"

#include <pthread.h>
#include <string.h>

#include "common.h"
#include "core/vec/vec.h"
#include "measures.h"

/* Bursts of about half a millisecond: short compared with other work on the machine, so that the best of many
 * is undisturbed. On a busy machine peak_fraction can be too low, but never too high. */
enum { ROUNDS = 100000, BURSTS = 100, MOST_THREADS = 256 };

typedef double (*kernel)(int64_t rounds, float a, float b);

static kernel choose(void)
{
#if defined(FGTI_VEC_X86)
    const char *isa = fgti_vec_get(NULL)->name;
    if (!strcmp(isa, "avx512")) return bench_peak_avx512;
    if (!strcmp(isa, "avx2")) return bench_peak_avx2;
#endif
    return bench_peak_baseline;
}

/* Measures the best rate of one thread. */
static void *measure(void *arg)
{
    const kernel   fn = choose();
    volatile float a = 0.999F, b = 0.001F;
    double        *best = arg;
    for (int i = 0; i < BURSTS; i++) {
        const double t = bench_now(), flops = fn(ROUNDS, a, b);
        const double rate = flops / (bench_now() - t) * 1e-9;
        if (rate > *best) *best = rate;
    }
    return NULL;
}

/* All threads run at once, because cores may share power. */
double bench_peak(int32_t threads)
{
    pthread_t     thread[MOST_THREADS];
    double        best[MOST_THREADS] = {0}, sum = 0;
    const int32_t n       = threads < MOST_THREADS ? threads : MOST_THREADS;
    int32_t       started = 1;
    while (started < n && !pthread_create(&thread[started], NULL, measure, &best[started])) started++;
    measure(&best[0]);
    for (int32_t i = 1; i < started; i++) pthread_join(thread[i], NULL);
    for (int32_t i = 0; i < started; i++) sum += best[i];
    return sum;
}
