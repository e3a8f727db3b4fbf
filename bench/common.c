/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common.h"

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void bench_check(const char *what, fgt_status status, fgt_context *ctx)
{
    if (status == FGT_OK) return;
    fprintf(stderr, "bench: %s: %s: %s\n", what, fgt_status_get_name(status), fgt_context_get_error(ctx));
    exit(1);
}

fgt_model_info bench_info(const fgt_model *m)
{
    fgt_model_info info = {.size = sizeof info};
    bench_check("model", fgt_model_get_info(m, &info), NULL);
    return info;
}

void *bench_room(size_t count, size_t size)
{
    void *p = NULL;
    if (posix_memalign(&p, 64, count * size + 1) == 0) return memset(p, 0, count * size);
    fprintf(stderr, "bench: no memory\n");
    exit(1);
}

double bench_uniform(void)
{
    return rand() / ((double)RAND_MAX + 1) - 0.5;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median_ms(void (*fn)(void *arg), void *arg, double seconds)
{
    enum { MOST = 100000, WARM = 3, FEW = 3, ENOUGH = 5 };
    static double ms[MOST];
    int           n     = 0;
    const double  begin = bench_now();
    for (int i = 0; i < WARM && (i == 0 || bench_now() < begin + seconds); i++) fn(arg);
    const double start = bench_now(), end = start + seconds, late = end + 2 * seconds;
    for (double t = start; n < MOST && (n < FEW || t < end || (n < ENOUGH && t < late));) {
        fn(arg);
        const double now = bench_now();
        ms[n++]          = 1e3 * (now - t);
        t                = now;
    }
    qsort(ms, (size_t)n, sizeof *ms, by_value);
    return ms[n / 2];
}
