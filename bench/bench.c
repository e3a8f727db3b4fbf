/* SPDX-License-Identifier: BSD-3-Clause */
/* Times training and prediction of whole models, and selection (attent.c). One JSON object a line:
 *     {"case", "threads", "train_ms", "infer_ms", "infer1_ms", "peak_rss_mb", "gflops", "allocs_per_step",
 *      "version", "blas"}
 * train_ms  median of one step (forward, loss, backward, AdamW) on a batch
 * infer_ms  median of one prediction of the batch; infer1_ms: of one sample
 * gflops    matrix flops of a training step per second, by the formulas in nn.h; 0: not counted
 * The cases named "-stream" carry their state from pass to pass: infer1_ms is one step of a series. */
#include <fighter/fighter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "bench.h"

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- an allocator that counts ---- */

static int64_t allocations;

static void *count_alloc(void *user, size_t size, size_t align)
{
    void *p = NULL;
    (void)user;
    allocations++;
    return posix_memalign(&p, align, size) ? NULL : p;
}

static void count_release(void *user, void *ptr, size_t size)
{
    (void)user;
    (void)size;
    free(ptr);
}

/* ---- one case ---- */

typedef struct bench {
    const bench_case *c;
    fgt_context      *ctx;
    fgt_model        *model;
    fgt_optim        *optim;
    fgt_loss_opts     loss;
    fgt_view          x, y, dy, target;
} bench;

void bench_check(const char *what, fgt_status status, fgt_context *ctx)
{
    if (status == FGT_OK) return;
    fprintf(stderr, "bench: %s: %s: %s\n", what, fgt_status_get_name(status), fgt_context_error(ctx));
    exit(1);
}

static double uniform(void)
{
    return rand() / ((double)RAND_MAX + 1) - 0.5;
}

static void *room(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (p) return p;
    fprintf(stderr, "bench: no memory\n");
    exit(1);
}

static fgt_view reals(const fgt_view *shape)
{
    fgt_view      v = *shape;
    const int64_t n = fgt_view_count(shape);
    float        *p = room((size_t)n, sizeof *p);
    for (int64_t i = 0; i < n; i++) p[i] = (float)uniform();
    v.data = p;
    return v;
}

static fgt_view ids(int64_t b, int64_t t, int64_t vocab)
{
    fgt_view v = *FGT_VIEW_OF(FGT_I64, room((size_t)(b * t), sizeof(int64_t)), b, t);
    for (int64_t i = 0; i < b * t; i++) ((int64_t *)v.data)[i] = 1 + rand() % (vocab - 1);
    if (t == 1) v.rank = 1;
    return v;
}

static void start(bench *b, const bench_case *c, int32_t threads)
{
    const fgt_allocator counting = {sizeof counting, count_alloc, count_release, NULL};
    memset(b, 0, sizeof *b);
    b->c = c;
    bench_check(
        "context",
        fgt_context_create(&FGT_OPTS(fgt_context_opts, .allocator = &counting, .threads = threads), &b->ctx),
        b->ctx);
    b->model = c->make(c, b->ctx);
    bench_check("optimiser", fgt_optim_create(b->model, NULL, &b->optim), b->ctx);
    fgt_view out;
    bench_check("output", fgt_model_get_output(b->model, &out), b->ctx);
    b->x =
        c->vocab ? ids(c->batch, c->time, c->vocab) : reals(FGT_VIEW(NULL, c->batch, c->time, c->features));
    b->y      = reals(&out);
    b->dy     = reals(&out);
    b->target = c->vocab ? ids(c->batch, 1, c->out) : reals(&out);
    b->loss   = FGT_OPTS(fgt_loss_opts, .kind = c->vocab ? FGT_LOSS_CROSS_ENTROPY : FGT_LOSS_MSE);
}

static void stop(bench *b)
{
    free(b->x.data);
    free(b->y.data);
    free(b->dy.data);
    free(b->target.data);
    fgt_optim_destroy(&b->optim);
    fgt_model_destroy(&b->model);
    fgt_context_destroy(&b->ctx);
}

static void train(bench *b)
{
    double loss;
    bench_check("forward", fgt_forward(b->model, &b->x, &b->y), b->ctx);
    bench_check("loss", fgt_loss_apply(b->ctx, &b->loss, &b->y, &b->target, &loss, &b->dy), b->ctx);
    bench_check("backward", fgt_backward(b->model, &b->dy, NULL), b->ctx);
    bench_check("step", fgt_step(b->optim), b->ctx);
}

static void infer(bench *b)
{
    bench_check("predict", fgt_predict(b->model, &b->x, &b->y), b->ctx);
}

static void infer_one(bench *b)
{
    fgt_view x = b->x, y = b->y;
    x.shape[0] = y.shape[0] = 1;
    bench_check("predict", fgt_predict(b->model, &x, &y), b->ctx);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median milliseconds of at least 5 runs, after 3 that are not counted. */
static double median_ms(bench *b, void (*fn)(bench *), double seconds)
{
    enum { MOST = 100000 };
    static double ms[MOST];
    int           n = 0;
    for (int i = 0; i < 3; i++) fn(b);
    const double end = bench_now() + seconds;
    while (n < MOST && (n < 5 || bench_now() < end)) {
        const double t = bench_now();
        fn(b);
        ms[n++] = 1e3 * (bench_now() - t);
    }
    qsort(ms, (size_t)n, sizeof *ms, by_value);
    return ms[n / 2];
}

static void run(const bench_case *c, int32_t threads, double seconds)
{
    bench          b;
    fgt_build_info info = {.size = sizeof info};
    struct rusage  usage;
    start(&b, c, threads);
    bench_check("info", fgt_context_get_info(b.ctx, &info), b.ctx);
    train(&b);
    const int64_t before = allocations;
    train(&b);
    const int64_t allocs   = allocations - before;
    const double  train_ms = median_ms(&b, train, seconds);
    const double  infer_ms = median_ms(&b, infer, seconds / 2),
                 infer1_ms = median_ms(&b, infer_one, seconds / 2);
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"case\": \"%s\", \"threads\": %d, \"train_ms\": %.4f, \"infer_ms\": %.4f, \"infer1_ms\": %.4f, "
           "\"peak_rss_mb\": %.1f, \"gflops\": %.1f, \"allocs_per_step\": %lld, \"version\": \"fighter %s\", "
           "\"blas\": \"%s %s %s\"}\n",
           c->name, threads, train_ms, infer_ms, infer1_ms, (double)usage.ru_maxrss / 1024,
           c->flops ? 3 * c->flops(c) / train_ms / 1e6 : 0.0, (long long)allocs, info.version, info.blas,
           info.blas_version, info.blas_config);
    fflush(stdout);
    stop(&b);
}

static const char usage_text[] = "usage: bench [--case NAME|all] [--threads N] [--seconds S] [--list]\n"
                                 "Times whole models, one JSON object a line.\n";

int main(int argc, char **argv)
{
    const char *name    = "all";
    int         threads = 1, found = 0;
    double      seconds = 2;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "--list")) {
            for (const bench_case *c = bench_cases; c->name; c++) puts(c->name);
            puts(BENCH_ATTENT);
            return 0;
        } else if (!strcmp(argv[i], "--help")) {
            fputs(usage_text, stdout);
            return 0;
        } else if (value && !strcmp(argv[i], "--case")) {
            name = argv[++i];
        } else if (value && !strcmp(argv[i], "--threads")) {
            threads = atoi(argv[++i]);
        } else if (value && !strcmp(argv[i], "--seconds")) {
            seconds = atof(argv[++i]);
        } else {
            fprintf(stderr, "bench: %s is unknown or lacks its value\n%s", argv[i], usage_text);
            return 1;
        }
    }
    for (const bench_case *c = bench_cases; c->name; c++) {
        if (strcmp(name, "all") && strcmp(name, c->name)) continue;
        run(c, threads, seconds);
        found = 1;
    }
    if (!strcmp(name, "all") || !strcmp(name, BENCH_ATTENT)) {
        bench_attent(threads);
        found = 1;
    }
    if (!found) fprintf(stderr, "bench: no case \"%s\"; --list names them\n", name);
    return !found;
}
