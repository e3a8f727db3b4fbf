/* SPDX-License-Identifier: BSD-3-Clause */
/* Single kernels, on the workers of a context as in a pass. Products are compared with the rate of fused
 * multiply-adds, other kernels with memcpy on arrays of the same size: TASKS blocks of BLOCK elements, 1 MiB
 * per array, which are in the second or third cache like a layer's activations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas/tile.h"
#include "common.h"
#include "measures.h"

enum { BLOCK = 16384, TASKS = 16, PAIRS = 32, SCAN_TIME = 1024 };

typedef struct kernel_case kernel_case;

/* State of a kernel that is measured. */
typedef struct work {
    const kernel_case *c;
    fgt_context       *ctx;
    fgti_real         *x, *y, *z, *w; /* set by `prepare` */
    double            *d;
    const fgti_kernel *kn;
    int64_t            ld_u, ld_v;    /* elements of one panel */
    int64_t            tasks;
    size_t             stride_x, stride_y, stride_z; /* elements from task to task */
} work;

struct kernel_case {
    const char *name;
    int64_t     m, n, k; /* products: sizes; scores, softmax, hops: m times (n tokens, heads of width k) */
    int32_t     turned;  /* A is given transposed */
    fgti_act    act;
    void (*prepare)(work *w);
    void (*task)(void *work, int64_t task, int32_t worker); /* NULL: run does everything */
    void (*run)(void *work);
    double flops, bytes; /* of one task; the flops of products follow from their sizes */
};

static fgti_real *drawn(size_t n)
{
    fgti_real *p = bench_room(n, sizeof *p);
    for (size_t i = 0; i < n; i++) p[i] = (fgti_real)bench_uniform();
    return p;
}

static void run_tasks(void *arg)
{
    work *w = arg;
    fgti_parallel(&w->ctx->exec, w->tasks, w->c->task, w);
}

/* ---- C = A B ---- */

static void prepare_product(work *w)
{
    const kernel_case *c = w->c;
    w->x                 = drawn((size_t)(c->m * c->k));
    w->y                 = drawn((size_t)(c->k * c->n));
    w->z                 = drawn((size_t)(c->m * c->n));
}

static void run_product(void *arg)
{
    work              *w = arg;
    const kernel_case *c = w->c;
    fgti_gemm_parallel(w->ctx->blas, &w->ctx->exec,
                       &(fgti_gemm){.m = c->m, .n = c->n, .k = c->k, .alpha = 1,
                                    .a = w->x, .rsa = c->turned ? 1 : c->k, .csa = c->turned ? c->m : 1,
                                    .b = w->y, .rsb = c->n, .csb = 1, .c = w->z, .ldc = c->n});
}

/* ---- attention in panels: x U panels, y V panels, z blocks [n or k][v] ---- */

/* Number of rows that a product of U panels writes: whole tiles. */
static int64_t whole(const work *w, int64_t n)
{
    return fgti_round_up(n, w->kn->u);
}

/* U panels of `rows` rows over `over`, V panels of the n tokens over `over`, blocks of `rows` rows. */
static void prepare_panels(work *w, int64_t rows, int64_t over)
{
    w->kn       = fgti_tile_kernel_for(w->ctx->blas, w->c->k);
    w->ld_u     = fgti_round_up(over * w->kn->u, 16);
    w->ld_v     = fgti_round_up(over * w->kn->v + FGTI_TILE_AHEAD, 16);
    w->stride_x = (size_t)(whole(w, rows) / w->kn->u * w->ld_u);
    w->stride_y = (size_t)(fgti_parts(w->c->n, w->kn->v) * w->ld_v);
    w->stride_z = (size_t)(whole(w, rows) * w->kn->v);
    w->tasks    = w->c->m;
    w->x        = drawn(w->stride_x * (size_t)w->tasks);
    w->y        = drawn(w->stride_y * (size_t)w->tasks);
    w->z        = drawn(w->stride_z * (size_t)w->tasks);
}

static void prepare_scores(work *w)
{
    prepare_panels(w, w->c->n, w->c->k);
}

static void prepare_hops(work *w)
{
    prepare_panels(w, w->c->k, w->c->n);
}

/* Every V panel of one head: [rows][v] = X Y', rows n or k. */
static void multiply(const work *w, int64_t task, int64_t rows, int64_t over)
{
    const int64_t    panels = fgti_parts(w->c->n, w->kn->v);
    const fgti_real *x      = w->x + w->stride_x * (size_t)task;
    const fgti_real *y      = w->y + w->stride_y * (size_t)task;
    for (int64_t p = 0; p < panels; p++)
        fgti_tile_product(w->kn, rows, over, 1, x, w->ld_u, y + p * w->ld_v, 0,
                          w->z + w->stride_z * (size_t)task);
}

static void scores_task(void *arg, int64_t task, int32_t worker)
{
    const work *w = arg;
    (void)worker;
    multiply(w, task, w->c->n, w->c->k);
}

static void hops_task(void *arg, int64_t task, int32_t worker)
{
    const work *w = arg;
    (void)worker;
    multiply(w, task, w->c->k, w->c->n);
}

static void softmax_task(void *arg, int64_t task, int32_t worker)
{
    const work   *w      = arg;
    const int64_t panels = fgti_parts(w->c->n, w->kn->v);
    fgti_real     shift[FGTI_TILE_MAX], factor[FGTI_TILE_MAX];
    (void)worker;
    for (int64_t p = 0; p < panels; p++)
        w->ctx->vec->panels->softmax(w->c->n, w->kn->v, w->z + w->stride_z * (size_t)task, shift, factor);
}

/* ---- elementwise and over rows: blocks of BLOCK elements ---- */

static void prepare_blocks(work *w)
{
    w->tasks    = TASKS;
    w->stride_x = BLOCK;
    w->x        = drawn(TASKS * BLOCK);
    w->y        = drawn(TASKS * BLOCK);
    w->z        = drawn(TASKS * BLOCK);
    w->w        = drawn(TASKS * BLOCK);
    for (size_t i = 0; i < TASKS * BLOCK; i++) w->x[i] *= 4;
    for (size_t i = 0; i < TASKS * BLOCK; i++) w->z[i] *= w->z[i]; /* a second moment is not negative */
}

#define BLOCK_OF(array) ((array) + task * BLOCK)

static void copy_task(void *arg, int64_t task, int32_t worker)
{
    const work *w = arg;
    (void)worker;
    memcpy(BLOCK_OF(w->y), BLOCK_OF(w->x), BLOCK * sizeof *w->x);
}

static void act_task(void *arg, int64_t task, int32_t worker)
{
    const work *w = arg;
    (void)worker;
    w->ctx->vec->act(w->c->act, BLOCK, BLOCK_OF(w->x), BLOCK_OF(w->y));
}

static void act_grad_task(void *arg, int64_t task, int32_t worker)
{
    const work *w = arg;
    (void)worker;
    w->ctx->vec->act_grad(w->c->act, BLOCK, BLOCK_OF(w->x), BLOCK_OF(w->z), BLOCK_OF(w->y));
}

static void norm_task(void *arg, int64_t task, int32_t worker)
{
    const work   *w    = arg;
    const int64_t rows = BLOCK / w->c->n;
    (void)worker;
    w->ctx->vec->norm(rows, w->c->n, 1e-5, BLOCK_OF(w->x), w->w, w->w + w->c->n, BLOCK_OF(w->y),
                      BLOCK_OF(w->z), BLOCK_OF(w->z) + rows);
}

static void adam_task(void *arg, int64_t task, int32_t worker)
{
    const work     *w = arg;
    const fgti_adam o = {.lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .decoupled = 1, .t = 10};
    (void)worker;
    w->ctx->vec->updates->adam(&o, BLOCK, 1, BLOCK_OF(w->x), BLOCK_OF(w->y), BLOCK_OF(w->z), BLOCK_OF(w->w));
}

static void dropout_task(void *arg, int64_t task, int32_t worker)
{
    const work *w = arg;
    (void)worker;
    w->ctx->vec->dropout((fgti_rng){1, 2}, 0.1, (uint64_t)task * BLOCK, BLOCK, BLOCK_OF(w->x),
                         BLOCK_OF(w->y));
}

static void transpose_task(void *arg, int64_t task, int32_t worker)
{
    const work *w = arg;
    (void)worker;
    w->ctx->vec->transpose(BLOCK / w->c->n, w->c->n, BLOCK_OF(w->x), w->c->n, BLOCK_OF(w->y),
                           BLOCK / w->c->n);
}

/* ---- the recurrence of a state space, in double: FGTI_SCAN channels a task ---- */

static void prepare_scan(work *w)
{
    const int64_t coefs = fgti_scan_coefficients(PAIRS, false), states = fgti_scan_states(PAIRS);
    w->tasks    = 8;
    w->stride_x = SCAN_TIME * FGTI_SCAN;
    w->x        = drawn(w->stride_x * (size_t)w->tasks);
    w->y        = drawn(w->stride_x * (size_t)w->tasks);
    w->stride_z = (size_t)(coefs + states);
    w->d        = bench_room(w->stride_z * (size_t)w->tasks, sizeof *w->d);
    for (size_t i = 0; i < w->stride_z * (size_t)w->tasks; i++) w->d[i] = 0.5 * bench_uniform();
}

static void scan_task(void *arg, int64_t task, int32_t worker)
{
    const work *w = arg;
    double     *d = w->d + w->stride_z * (size_t)task;
    (void)worker;
    w->ctx->vec->scans->forward(&(fgti_scan){.pairs = PAIRS, .time = SCAN_TIME, .count = FGTI_SCAN, .coef = d,
                                             .x = d + fgti_scan_coefficients(PAIRS, false),
                                             .u = w->x + w->stride_x * (size_t)task, .ldu = FGTI_SCAN,
                                             .y = w->y + w->stride_x * (size_t)task, .ldy = FGTI_SCAN});
}

/* ---- the cases ---- */

#define PRODUCT(text, m, n, k, turned) {text, m, n, k, turned, 0, prepare_product, NULL, run_product, 0, 0}
#define PANELS(text, m, n, k, prepare, task) {text, m, n, k, 0, 0, prepare, task, run_tasks, 0, 0}
#define ROWS(text, n, act, task, arrays) \
    {text, 0, n, 0, 0, act, prepare_blocks, task, run_tasks, 0, 4.0 * BLOCK * (arrays)}
/* E x: 6, + B u: 4, + 2 Re C x: 4 */
#define SCAN_FLOPS (14.0 * PAIRS * SCAN_TIME * FGTI_SCAN)

static const kernel_case cases[] = {
    PRODUCT("product-3072x64x64", 3072, 64, 64, 0),
    PRODUCT("product-3072x512x512", 3072, 512, 512, 0),
    PRODUCT("product-3072x2048x512", 3072, 2048, 512, 0),
    PRODUCT("product-3072x7x64", 3072, 7, 64, 0),
    PRODUCT("product-64x256x64", 64, 256, 64, 0),
    PRODUCT("gradient-64x64x3072", 64, 64, 3072, 1),
    PRODUCT("gradient-512x512x3072", 512, 512, 3072, 1),
    PRODUCT("gradient-2048x512x3072", 2048, 512, 3072, 1),
    PANELS("scores-96x16", 128, 96, 16, prepare_scores, scores_task),
    PANELS("scores-96x64", 128, 96, 64, prepare_scores, scores_task),
    PANELS("scores-2048x16", 8, 2048, 16, prepare_scores, scores_task),
    PANELS("hops-96x16", 128, 96, 16, prepare_hops, hops_task),
    PANELS("hops-96x64", 128, 96, 64, prepare_hops, hops_task),
    PANELS("hops-2048x16", 8, 2048, 16, prepare_hops, hops_task),
    PANELS("softmax-panels-96", 128, 96, 16, prepare_scores, softmax_task),
    PANELS("softmax-panels-2048", 8, 2048, 16, prepare_scores, softmax_task),
    ROWS("copy", 0, 0, copy_task, 2),
    ROWS("relu", 0, FGTI_ACT_RELU, act_task, 2),
    ROWS("sigmoid-exp", 0, FGTI_ACT_SIGMOID, act_task, 2),
    ROWS("tanh", 0, FGTI_ACT_TANH, act_task, 2),
    ROWS("gelu-erf", 0, FGTI_ACT_GELU, act_task, 2),
    ROWS("gelu-erf-gradient", 0, FGTI_ACT_GELU, act_grad_task, 3),
    ROWS("norm-64", 64, 0, norm_task, 2),
    ROWS("norm-512", 512, 0, norm_task, 2),
    ROWS("adamw", 0, 0, adam_task, 7),
    ROWS("dropout", 0, 0, dropout_task, 2),
    ROWS("transpose-64", 64, 0, transpose_task, 2),
    {"scan-double", 0, 0, 0, 0, 0, prepare_scan, scan_task, run_tasks, SCAN_FLOPS, 0},
};
enum { CASES = sizeof cases / sizeof *cases };

/* Flops of one run. */
static double flops_of(const work *w)
{
    const kernel_case *c = w->c;
    if (c->task == softmax_task) return 0;
    if (c->flops > 0) return c->flops * (double)w->tasks;
    if (c->task == scores_task || c->task == hops_task) return 2.0 * (double)(c->m * c->n * c->n * c->k);
    return c->task ? 0 : 2.0 * (double)(c->m * c->n * c->k);
}

static double bytes_of(const work *w)
{
    const kernel_case *c = w->c;
    if (c->task == softmax_task) return 8.0 * (double)(c->m * c->n * c->n);
    return c->bytes * (double)w->tasks;
}

/* Median milliseconds. */
static double measure(work *w, const kernel_case *c, fgt_context *ctx, double seconds)
{
    *w = (work){.c = c, .ctx = ctx, .tasks = 1};
    c->prepare(w);
    const double ms = bench_median_ms(c->run, w, seconds);
    free(w->x);
    free(w->y);
    free(w->z);
    free(w->w);
    free(w->d);
    return ms;
}

static void report(const kernel_case *c, fgt_context *ctx, double seconds, double peak, double copy)
{
    work           w;
    fgt_build_info info = {.size = sizeof info};
    bench_check("info", fgt_context_get_info(ctx, &info), ctx);
    const double ms     = measure(&w, c, ctx, seconds);
    const double gflops = flops_of(&w) / ms * 1e-6, gbytes = bytes_of(&w) / ms * 1e-6;
    const double most = c->task == scan_task ? peak / 2 : peak; /* half as many doubles in a register */
    BENCH_PRINT({"case", c->name, 0, 0}, {"mode", "kernel", 0, 0}, {"threads", NULL, info.threads, 0},
                {"us", NULL, 1e3 * ms, 2}, {"gflops", NULL, gflops, 1}, {"gbytes_s", NULL, gbytes, 1},
                {"peak_fraction", NULL, gflops > 0 ? gflops / most : gbytes / copy, 3},
                {"kernel", info.kernel, 0, 0}, {"vector", info.vector, 0, 0});
}

int bench_is_kernel(const char *name)
{
    for (int i = 0; i < CASES; i++)
        if (!strcmp(name, cases[i].name)) return 1;
    return !strcmp(name, BENCH_KERNELS);
}

void bench_list_kernels(void)
{
    for (int i = 0; i < CASES; i++) puts(cases[i].name);
}

void bench_kernels(const char *name, int32_t threads, double seconds)
{
    const double       each = !strcmp(name, BENCH_KERNELS) ? seconds / 10 : seconds;
    const double       peak = bench_peak(threads);
    const kernel_case *copy = cases;
    fgt_context       *ctx  = NULL;
    work               w;
    bench_check("context", fgt_context_create(&FGT_OPTS(fgt_context_opts, .threads = threads), &ctx), ctx);
    while (copy->task != copy_task) copy++;
    const double ms = measure(&w, copy, ctx, each), bytes = bytes_of(&w);
    for (int i = 0; i < CASES; i++)
        if (!strcmp(name, BENCH_KERNELS) || !strcmp(name, cases[i].name))
            report(&cases[i], ctx, each, peak, bytes / ms * 1e-6);
    fgt_context_destroy(&ctx);
}
