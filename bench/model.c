/* SPDX-License-Identifier: BSD-3-Clause */
/* One model: training steps and predictions. The cases named "-stream" carry their state from pass to pass:
 * infer1_ms is one step of a series. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "common.h"
#include "measures.h"
#include "model/model_impl.h"

/* ---- an allocator that counts ---- */

static int64_t allocations, held; /* held: bytes */

static void *count_alloc(void *user, size_t size, size_t align)
{
    void *p = NULL;
    (void)user;
    allocations++;
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

/* ---- the state of a case ---- */

typedef struct bench {
    const bench_case *c;
    fgt_context      *ctx;
    fgt_model        *model;
    fgt_optim        *optim;
    fgt_predictor    *predictor;
    fgt_workspace    *ws; /* workspace of the predictor */
    fgt_loss_opts     loss;
    fgt_view          x, y, dy, target;
    double            said_mb, took_mb; /* for the passes of a training step: planned size, allocated size */
} bench;

static fgt_view reals(const fgt_view *shape)
{
    fgt_view      v = *shape;
    const int64_t n = fgt_view_count(shape);
    float        *p = bench_room((size_t)n, sizeof *p);
    for (int64_t i = 0; i < n; i++) p[i] = (float)bench_uniform();
    v.data = p;
    return v;
}

static fgt_view ids(int64_t b, int64_t t, int64_t vocab)
{
    fgt_view v = *FGT_VIEW_OF(FGT_DTYPE_I64, bench_room((size_t)(b * t), sizeof(int64_t)), b, t);
    for (int64_t i = 0; i < b * t; i++) ((int64_t *)v.data)[i] = 1 + rand() % (vocab - 1);
    if (t == 1) v.rank = 1;
    return v;
}

/* Measures the bytes that the first pass allocates, and the size that the model planned. Its gradients count
 * in the first step. */
static void first_pass(bench *b)
{
    const int64_t before = held;
    b->said_mb           = (double)fgt_model_get_training_bytes(b->model) / 1e6;
    bench_check("forward", fgt_forward(b->model, &b->x, &b->y), b->ctx);
    bench_check("backward", fgt_backward(b->model, &b->dy, NULL), b->ctx);
    b->took_mb = (double)(held - before) / 1e6;
}

static void start(bench *b, const bench_case *c, int32_t products, int32_t precision, int32_t threads)
{
    const fgt_allocator counting = {sizeof counting, NULL, count_alloc, count_release};
    memset(b, 0, sizeof *b);
    b->c = c;
    bench_check(
        "context",
        fgt_context_create(&FGT_OPTS(fgt_context_opts, .allocator = &counting, .threads = threads,
                                     .products = products, .precision = precision),
                           &b->ctx),
        b->ctx);
    b->model = c->make(c, b->ctx);
    const fgt_model_info info = bench_info(b->model);
    b->x                      = c->vocab ? ids(c->batch, c->time, c->vocab) : reals(&info.input);
    b->y                      = reals(&info.output);
    b->dy                     = reals(&info.output);
    b->target                 = bench_has_classes(c) ? ids(c->batch, 1, c->out) : reals(&info.output);
    b->loss   = FGT_OPTS(fgt_loss_opts,
                         .kind = bench_has_classes(c) ? FGT_LOSS_CROSS_ENTROPY : FGT_LOSS_MSE);
    first_pass(b);
    bench_check("optimiser", fgt_optim_create(b->model, NULL, &b->optim), b->ctx);
}

static void stop(bench *b)
{
    free(b->x.data);
    free(b->y.data);
    free(b->dy.data);
    free(b->target.data);
    fgt_workspace_destroy(&b->ws);
    fgt_predictor_destroy(&b->predictor);
    fgt_optim_destroy(&b->optim);
    fgt_model_destroy(&b->model);
    fgt_context_destroy(&b->ctx);
}

/* ---- timed functions ---- */

static void train(void *arg)
{
    bench *b = arg;
    double loss;
    bench_check("forward", fgt_forward(b->model, &b->x, &b->y), b->ctx);
    bench_check("loss", fgt_loss_compute(b->ctx, &b->y, &b->target, &b->loss, NULL, &loss, &b->dy), b->ctx);
    bench_check("backward", fgt_backward(b->model, &b->dy, NULL), b->ctx);
    bench_check("step", fgt_step(b->optim), b->ctx);
}

/* Processor time of all threads in the fastest step so far, which other work on the machine disturbs
 * least. */
static double least_cpu_ms = INFINITY;

static void train_and_measure(void *arg)
{
    struct timespec t[2];
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t[0]);
    train(arg);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t[1]);
    const double s = (double)(t[1].tv_sec - t[0].tv_sec), ns = (double)(t[1].tv_nsec - t[0].tv_nsec);
    least_cpu_ms = fmin(least_cpu_ms, 1e3 * s + 1e-6 * ns);
}

/* Predictions use a predictor, with as many threads as training. */
static void start_predictor(bench *b, int32_t storage, int32_t precision, int32_t threads)
{
    bench_check("predictor",
                fgt_predictor_create(
                    b->model,
                    &FGT_OPTS(fgt_predictor_opts, .storage = storage, .precision = precision),
                    &b->predictor),
                b->ctx);
    bench_check("workspace",
                fgt_predictor_create_workspace(
                    b->predictor, &FGT_OPTS(fgt_workspace_opts, .threads = threads), &b->ws),
                b->ctx);
    if (b->model->own->carry) bench_check("carry", fgt_workspace_set_stateful(b->ws, 1), b->ctx);
}

static void infer(void *arg)
{
    bench *b = arg;
    bench_check("predict", fgt_workspace_predict(b->ws, &b->x, &b->y), b->ctx);
}

static void infer_one(void *arg)
{
    bench   *b = arg;
    fgt_view x = b->x, y = b->y;
    x.shape[0] = y.shape[0] = 1;
    bench_check("predict", fgt_workspace_predict(b->ws, &x, &y), b->ctx);
}

/* The first layer that chose one of several routes, or NULL. */
static const fgti_route_info *route_of(const fgt_model *m)
{
    for (int64_t i = 0; i < m->layers; i++)
        if (m->layer[i]->route != FGTI_ROUTE_ONLY) return &fgti_routes[m->layer[i]->route];
    return NULL;
}

/* Whether attention matrices are "kept" from forward to backward or "streamed"; "native": there are no such
 * matrices. */
static const char *mode_of(const bench *b)
{
    const fgti_route_info *route = route_of(b->model);
    if (!b->c->heads) return "native";
    return route && route->matrices == FGTI_MATRICES_KEPT ? "kept" : "streamed";
}

static int64_t allocations_of_a_step(bench *b)
{
    train(b);
    const int64_t before = allocations;
    train(b);
    return allocations - before;
}

void bench_model(const bench_case *c, int32_t products, int32_t storage, int32_t precision, int32_t threads,
                 double seconds)
{
    bench          b;
    fgt_build_info info = {.size = sizeof info};
    struct rusage  usage;
    char           version[64];
    start(&b, c, products, precision, threads);
    bench_check("info", fgt_context_get_info(b.ctx, &info), b.ctx);
    snprintf(version, sizeof version, "fighter %s", info.version);
    const double  before = bench_peak(threads);
    const int64_t allocs = allocations_of_a_step(&b);
    const double  train_ms = bench_median_ms(train_and_measure, &b, seconds);
    start_predictor(&b, storage, precision, threads);
    const double  infer_ms = bench_median_ms(infer, &b, seconds / 2);
    const double  infer1_ms = c->batch > 1 ? bench_median_ms(infer_one, &b, seconds / 2) : infer_ms;
    const double  after = bench_peak(threads), peak = after > before ? after : before;
    const double  gflops = bench_train_flops(c) / train_ms * 1e-6;
    getrusage(RUSAGE_SELF, &usage);
    const fgti_route_info *route = route_of(b.model);
    BENCH_PRINT({"case", c->name, 0, 0}, {"mode", mode_of(&b), 0, 0}, {"threads", NULL, threads, 0},
                {"train_ms", NULL, train_ms, 4}, {"infer_ms", NULL, infer_ms, 4},
                {"infer1_ms", NULL, infer1_ms, 4}, {"peak_rss_mb", NULL, (double)usage.ru_maxrss / 1024, 1},
                {"gflops", NULL, gflops, 1}, {"peak_gflops", NULL, peak, 1},
                {"peak_fraction", NULL, gflops / peak, 3}, {"allocs_per_step", NULL, (double)allocs, 0},
                {"version", version, 0, 0}, {"blas", info.blas_config, 0, 0}, {"vector", info.vector, 0, 0},
                {"route", route ? route->name : "only", 0, 0}, {"said_mb", NULL, b.said_mb, 2},
                {"took_mb", NULL, b.took_mb, 2}, {"train_cpu_ms", NULL, least_cpu_ms, 4});
    stop(&b);
}
