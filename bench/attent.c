/* SPDX-License-Identifier: BSD-3-Clause */
/* One selection from 10 million samples, by strategy; select_ms: the slowest of three epochs, each with fresh
 * draws and a fresh order. */
#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "measures.h"

enum { SAMPLES = 10000000, EPOCHS = 3 };

static int64_t held; /* bytes from the library's allocator */

static void *count_alloc(void *user, size_t size, size_t align)
{
    void *p = NULL;
    (void)user;
    if (posix_memalign(&p, align, size)) return NULL;
    held += (int64_t)size;
    return p;
}

static void count_release(void *user, void *ptr, size_t size)
{
    (void)user;
    held -= (int64_t)size;
    free(ptr);
}

/* Sets scores with the distribution of losses: most small, a few large. */
static void report_scores(fgt_context *ctx, fgt_attent *a)
{
    enum { BATCH = 1000 };
    int64_t index[BATCH];
    float   score[BATCH];
    for (int64_t at = 0; at < SAMPLES; at += BATCH) {
        for (int64_t i = 0; i < BATCH; i++) {
            const float u = (float)rand() / (float)RAND_MAX;
            index[i]      = at + i;
            score[i]      = 4 * u * u * u * u;
        }
        bench_check("scores", fgt_attent_add(a, index, BATCH, score), ctx);
    }
}

static void run(const char *name, const fgt_attent_opts *opts, int32_t threads)
{
    const fgt_allocator counting = {sizeof counting, NULL, count_alloc, count_release};
    fgt_build_info      info     = {.size = sizeof info};
    fgt_attent_subset   subset   = {.size = sizeof subset};
    fgt_context        *ctx      = NULL;
    fgt_attent         *a        = NULL;
    double              slowest  = 0;
    char                version[64];
    bench_check(
        "context",
        fgt_context_create(&FGT_OPTS(fgt_context_opts, .allocator = &counting, .threads = threads), &ctx),
        ctx);
    bench_check("info", fgt_context_get_info(ctx, &info), ctx);
    const int64_t before = held;
    bench_check("attent", fgt_attent_create(ctx, opts, &a), ctx);
    const int64_t bytes = held - before;
    report_scores(ctx, a);
    for (int e = 0; e < EPOCHS; e++) {
        const double t = bench_now();
        bench_check("step", fgt_attent_begin_epoch(a, &subset), ctx);
        const double ms = 1e3 * (bench_now() - t);
        slowest         = ms > slowest ? ms : slowest;
    }
    snprintf(version, sizeof version, "fighter %s", info.version);
    BENCH_PRINT({"case", BENCH_ATTENT, 0, 0}, {"strategy", name, 0, 0}, {"threads", NULL, threads, 0},
                {"samples", NULL, SAMPLES, 0}, {"selected", NULL, (double)subset.count, 0},
                {"select_ms", NULL, slowest, 1}, {"bytes_per_sample", NULL, (double)bytes / SAMPLES, 4},
                {"version", version, 0, 0});
    fgt_attent_destroy(&a);
    fgt_context_destroy(&ctx);
}

void bench_attent(int32_t threads)
{
    static const struct {
        const char *name;
        int32_t     strategy;
    } cases[] = {
        {"soft", FGT_ATTENT_STRATEGY_SOFT},         {"hard", FGT_ATTENT_STRATEGY_HARD},
        {"random", FGT_ATTENT_STRATEGY_RANDOM},     {"class-weight", FGT_ATTENT_STRATEGY_CLASS_WEIGHT},
        {"gradnorm", FGT_ATTENT_STRATEGY_GRADNORM}, {"infobatch", FGT_ATTENT_STRATEGY_INFOBATCH},
    };
    int32_t *group = calloc(SAMPLES, sizeof *group);
    for (int64_t i = 0; group && i < SAMPLES; i++) group[i] = (int32_t)(i * i % 10);
    const fgt_view groups = *FGT_VIEW_OF(FGT_DTYPE_I32, group, SAMPLES);
    for (size_t i = 0; group && i < sizeof cases / sizeof *cases; i++)
        run(cases[i].name,
            &FGT_OPTS(fgt_attent_opts, .samples = SAMPLES, .epochs = 2 * EPOCHS, .seed = 1,
                      .strategy = cases[i].strategy, .ratio_schedule = FGT_ATTENT_RATIO_FIXED,
                      .interval_schedule = FGT_ATTENT_INTERVAL_FIXED, .groups = &groups, .group_count = 10),
            threads);
    free(group);
}
