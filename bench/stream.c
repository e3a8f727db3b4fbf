/* SPDX-License-Identifier: BSD-3-Clause */
/* The time of one more token in a stream, by the number of tokens before it: constant for recurrent layers,
 * linear for layers with attention. For comparison, a pass over all tokens so far, which gives the same row
 * without a stream.
 *     bench-stream [threads [dim]] */
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

enum { LAYERS = 2, HEADS = 4, MOST = 4096, STEPS = 65 };

typedef struct stream_case {
    const char *name;
    fgt_layer (*layer)(int64_t dim);
} stream_case;

static fgt_layer lstm(int64_t dim)
{
    static fgt_lstm_opts o = {.size = sizeof o};
    o.hidden               = dim;
    return fgt_lstm(&o);
}

static fgt_layer s4(int64_t dim)
{
    (void)dim;
    return fgt_s4(NULL);
}

static fgt_layer encoder(int64_t dim)
{
    static const fgt_transformer_opts o = {
        .size = sizeof o, .heads = HEADS, .attention.causal = 1, .norm_first = 1};
    (void)dim;
    return fgt_transformer(&o);
}

static fgt_layer fighter(int64_t dim)
{
    static const fgt_fighter_opts o = {
        .size = sizeof o, .heads = HEADS, .hops = 3, .norm = 1, .residual = 1, .attention.causal = 1};
    (void)dim;
    return fgt_fighter(&o);
}

static const stream_case cases[] = {
    {"lstm", lstm}, {"s4", s4}, {"encoder", encoder}, {"fighter", fighter}, {0}};

static fgt_model *new_model(fgt_context *ctx, const stream_case *c, int64_t dim)
{
    fgt_model *m;
    bench_check("model",
                fgt_model_create(
                    ctx, &FGT_OPTS(fgt_model_opts, .batch = 1, .time = MOST, .features = dim, .seed = 1), &m),
                ctx);
    for (int i = 0; i < LAYERS; i++) bench_check("layer", fgt_model_add(m, c->layer(dim)), ctx);
    return m;
}

/* One call of n tokens. */
static void call(fgt_context *ctx, fgt_workspace *ws, float *x, float *y, int64_t n, int64_t dim)
{
    if (fgt_workspace_predict(ws, FGT_VIEW(x, 1, n, dim), FGT_VIEW(y, 1, n, dim)) != FGT_OK)
        fprintf(stderr, "%s\n", fgt_workspace_get_error(ws));
    (void)ctx;
}

typedef struct pass {
    fgt_context   *ctx;
    fgt_workspace *ws;
    float         *x, *y;
    int64_t        n, dim;
} pass;

static void one_pass(void *arg)
{
    const pass *p = arg;
    call(p->ctx, p->ws, p->x, p->y, p->n, p->dim);
}

static int by_size(const void *p, const void *q)
{
    const double a = *(const double *)p, b = *(const double *)q;
    return (a > b) - (a < b);
}

/* Median microseconds of a token after token n. */
static double step_us(const pass *p, int64_t n)
{
    double us[STEPS];
    bench_check("stream", fgt_workspace_begin_series(p->ws, 0), p->ctx);
    call(p->ctx, p->ws, p->x, p->y, n, p->dim);
    for (int i = 0; i < STEPS; i++) {
        const double begin = bench_now();
        call(p->ctx, p->ws, p->x + n * p->dim, p->y, 1, p->dim);
        us[i] = 1e6 * (bench_now() - begin);
    }
    qsort(us, STEPS, sizeof *us, by_size);
    return us[STEPS / 2];
}

static void measure(fgt_context *ctx, const stream_case *c, int32_t threads, int64_t dim)
{
    fgt_model     *m = new_model(ctx, c, dim);
    fgt_workspace *stream, *whole;
    float *x = bench_room((size_t)(MOST * dim), sizeof *x), *y = bench_room((size_t)(MOST * dim), sizeof *y);
    for (int64_t i = 0; i < MOST * dim; i++) x[i] = (float)bench_uniform();
    bench_check("stream",
                fgt_model_create_workspace(
                    m, &FGT_OPTS(fgt_workspace_opts, .threads = threads, .tokens = MOST + STEPS), &stream),
                ctx);
    bench_check("workspace",
                fgt_model_create_workspace(m, &FGT_OPTS(fgt_workspace_opts, .threads = threads), &whole),
                ctx);
    for (int64_t n = 64; n <= MOST - STEPS || n == MOST; n *= 4) {
        const int64_t before = n == MOST ? MOST - STEPS : n;
        const double  us     = step_us(&(pass){ctx, stream, x, y, before, dim}, before);
        const double  ms     = bench_median_ms(one_pass, &(pass){ctx, whole, x, y, before + 1, dim}, 0.3);
        printf("%-8s %6lld %8lld %10.1f %10.1f\n", c->name, (long long)dim, (long long)before, us, 1e3 * ms);
    }
    fgt_workspace_destroy(&stream);
    fgt_workspace_destroy(&whole);
    fgt_model_destroy(&m);
    free(x);
    free(y);
}

int main(int argc, char **argv)
{
    const int32_t threads = argc > 1 ? atoi(argv[1]) : 1;
    const int64_t dim     = argc > 2 ? atoi(argv[2]) : 64;
    fgt_context  *ctx;
    bench_check("context", fgt_context_create(NULL, &ctx), NULL);
    printf("%-8s %6s %8s %10s %10s\n", "case", "dim", "tokens", "step_us", "pass_us");
    for (const stream_case *c = cases; c->name; c++) measure(ctx, c, threads, dim);
    fgt_context_destroy(&ctx);
    return 0;
}
