/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

static void add(fgt_context *ctx, fgt_model *m, fgt_layer layer)
{
    bench_check("layer", fgt_model_add(m, layer), ctx);
}

static fgt_model *create(const bench_case *c, fgt_context *ctx)
{
    fgt_model *m;
    bench_check(
        "model",
        fgt_model_create(
            ctx, &FGT_OPTS(fgt_model_opts, .batch = c->batch, .time = c->time, .features = c->features), &m),
        ctx);
    return m;
}

static fgt_layer linear(fgt_linear_opts *o, int64_t out)
{
    *o = FGT_OPTS(fgt_linear_opts, .out = out);
    return fgt_linear(o);
}

static void add_fighter(const bench_case *c, fgt_context *ctx, fgt_model *m)
{
    add(ctx, m,
        fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .heads = c->heads, .hops = c->hops, .act = FGT_ACT_GELU,
                              .norm = 1, .residual = 1)));
}

/* Input projection, positions, one Fighter layer, then features and time mapped to the forecast. */
static fgt_model *series(const bench_case *c, fgt_context *ctx)
{
    fgt_model      *m = create(c, ctx);
    fgt_linear_opts o;
    add(ctx, m, linear(&o, c->dim));
    add(ctx, m, fgt_position(NULL));
    add_fighter(c, ctx, m);
    add(ctx, m, linear(&o, c->features));
    add(ctx, m, fgt_layout(NULL));
    add(ctx, m, linear(&o, c->out));
    add(ctx, m, fgt_layout(NULL));
    return m;
}

static fgt_model *text(const bench_case *c, fgt_context *ctx)
{
    fgt_model      *m = create(c, ctx);
    fgt_linear_opts o;
    add(ctx, m,
        fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = c->vocab, .out = c->dim, .has_padding = 1)));
    add(ctx, m, fgt_position(NULL));
    add_fighter(c, ctx, m);
    add(ctx, m, fgt_pool(NULL));
    add(ctx, m, linear(&o, c->out));
    return m;
}

const bench_case bench_cases[] = {
    {"fighter-small", series, 32, 96, 7, 0, 96, 64, 4, 3},
    {"fighter-wide", series, 32, 96, 21, 0, 96, 512, 8, 3},
    {"fighter-hops6", series, 32, 96, 21, 0, 96, 128, 4, 6},
    {"fighter-long", series, 2, 2048, 7, 0, 96, 64, 4, 3},
    {"text-fighter", text, 32, 128, 0, 30000, 4, 128, 4, 3},
    {0},
};

double bench_flops(const bench_case *c)
{
    const double b = (double)c->batch, t = (double)c->time, f = (double)c->features, d = (double)c->dim;
    const double k = (double)c->hops, out = (double)c->out, rows = b * t;
    const double fighter = 2 * rows * d * d * (2 + k) + 2 * rows * t * d * k; /* scores and k - 1 hops */
    return c->vocab ? fighter + 2 * b * d * out : fighter + 4 * rows * d * f + 2 * b * f * t * out;
}
