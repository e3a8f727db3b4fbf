/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"
#include "common.h"

static void add(fgt_context *ctx, fgt_model *m, fgt_layer layer)
{
    bench_check("layer", fgt_model_add(m, layer), ctx);
}

fgt_model *bench_new_model(const bench_case *c, fgt_context *ctx)
{
    fgt_model *m;
    bench_check("model",
                fgt_model_create(ctx,
                                 &FGT_OPTS(fgt_model_opts, .batch = c->batch, .nodes = c->nodes,
                                           .time = c->time, .features = c->features),
                                 &m),
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
    for (int64_t i = 0; i < c->layers; i++)
        add(ctx, m,
            fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .heads = c->heads, .hops = c->hops, .act = FGT_ACT_GELU,
                                  .norm = 1, .residual = 1, .attention.mode = c->attention)));
}

static void add_encoder(const bench_case *c, fgt_context *ctx, fgt_model *m)
{
    for (int64_t i = 0; i < c->layers; i++)
        add(ctx, m,
            fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .heads = c->heads, .ff = c->ff,
                                      .attention.mode = c->attention)));
}

/* Input projection, positions, the layers, then maps of features and time to the forecast. */
static fgt_model *series(const bench_case *c, fgt_context *ctx)
{
    fgt_model      *m = bench_new_model(c, ctx);
    fgt_linear_opts o;
    add(ctx, m, linear(&o, c->dim));
    add(ctx, m, fgt_position(NULL));
    if (c->ff)
        add_encoder(c, ctx, m);
    else
        add_fighter(c, ctx, m);
    add(ctx, m, linear(&o, c->features));
    add(ctx, m, fgt_layout(NULL));
    add(ctx, m, linear(&o, c->out));
    add(ctx, m, fgt_layout(NULL));
    return m;
}

static fgt_model *text(const bench_case *c, fgt_context *ctx)
{
    fgt_model      *m = bench_new_model(c, ctx);
    fgt_linear_opts o;
    add(ctx, m,
        fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = c->vocab, .out = c->dim, .has_padding = 1)));
    add(ctx, m, fgt_position(NULL));
    add_fighter(c, ctx, m);
    add(ctx, m, fgt_pool(NULL));
    add(ctx, m, linear(&o, c->out));
    return m;
}

/* Forecasts one value, from the last token. */
static fgt_model *last_encoder(const bench_case *c, fgt_context *ctx)
{
    fgt_model      *m = bench_new_model(c, ctx);
    fgt_linear_opts o;
    add(ctx, m, linear(&o, c->dim));
    add(ctx, m, fgt_position(NULL));
    add_encoder(c, ctx, m);
    add(ctx, m, fgt_pool(&FGT_OPTS(fgt_pool_opts, .kind = FGT_POOL_LAST)));
    add(ctx, m, linear(&o, c->out));
    return m;
}

static fgt_model *last_rnn(const bench_case *c, fgt_context *ctx)
{
    fgt_model      *m = bench_new_model(c, ctx);
    fgt_linear_opts o;
    add(ctx, m, fgt_rnn(&FGT_OPTS(fgt_rnn_opts, .hidden = c->dim, .layers = c->layers, .last = 1)));
    add(ctx, m, linear(&o, c->out));
    return m;
}

static fgt_model *last_lstm(const bench_case *c, fgt_context *ctx)
{
    fgt_model      *m = bench_new_model(c, ctx);
    fgt_linear_opts o;
    add(ctx, m, fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = c->dim, .layers = c->layers, .last = 1)));
    add(ctx, m, linear(&o, c->out));
    return m;
}

static fgt_model *mean_s4(const bench_case *c, fgt_context *ctx)
{
    fgt_model      *m = bench_new_model(c, ctx);
    fgt_linear_opts o;
    add(ctx, m, linear(&o, c->dim));
    add(ctx, m, fgt_position(NULL));
    add(ctx, m, fgt_layer_norm(NULL));
    add(ctx, m, fgt_s4(&FGT_OPTS(fgt_s4_opts, .block = FGT_S4_BLOCK_MINIMAL)));
    add(ctx, m, fgt_pool(NULL));
    add(ctx, m, linear(&o, c->out));
    return m;
}

static fgt_model *whole_s4(const bench_case *c, fgt_context *ctx)
{
    fgt_model *m = bench_new_model(c, ctx);
    add(ctx, m, fgt_s4(NULL));
    return m;
}

static fgt_model *whole_attention(const bench_case *c, fgt_context *ctx, fgt_attender attender)
{
    fgt_model *m = bench_new_model(c, ctx);
    add(ctx, m,
        fgt_attention(
            &FGT_OPTS(fgt_attention_opts, .heads = c->heads, .attention.attender = (int32_t)attender)));
    return m;
}

static fgt_model *whole_full(const bench_case *c, fgt_context *ctx)
{
    return whole_attention(c, ctx, FGT_ATTENDER_FULL);
}

static fgt_model *whole_prob(const bench_case *c, fgt_context *ctx)
{
    return whole_attention(c, ctx, FGT_ATTENDER_PROB);
}

static fgt_model *whole_correlation(const bench_case *c, fgt_context *ctx)
{
    return whole_attention(c, ctx, FGT_ATTENDER_CORRELATION);
}

static fgt_model *whole_lsh(const bench_case *c, fgt_context *ctx)
{
    return whole_attention(c, ctx, FGT_ATTENDER_LSH);
}

static fgt_model *stream_s4(const bench_case *c, fgt_context *ctx)
{
    fgt_model *m = bench_new_model(c, ctx);
    add(ctx, m, fgt_s4(NULL));
    bench_check("carry", fgt_workspace_set_stateful(fgt_model_get_workspace(m), 1), ctx);
    return m;
}

static fgt_model *stream_lstm(const bench_case *c, fgt_context *ctx)
{
    fgt_model *m = bench_new_model(c, ctx);
    add(ctx, m, fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = c->dim, .layers = c->layers)));
    bench_check("carry", fgt_workspace_set_stateful(fgt_model_get_workspace(m), 1), ctx);
    return m;
}

/* ---- matrix flops, rows R = B T ---- */

static double rows_of(const bench_case *c)
{
    return (double)c->batch * (double)c->time;
}

/* Features to dim. The gradient of the features is not computed. */
static double flops_entry(const bench_case *c)
{
    return 2 * rows_of(c) * (double)c->features * (double)c->dim;
}

/* Dim to features, time to the forecast. */
static double flops_exit(const bench_case *c)
{
    return 2 * rows_of(c) * (double)c->features * (double)(c->dim + c->out);
}

/* Dim to the output, for one token. */
static double flops_last(const bench_case *c)
{
    return 2 * (double)(c->batch * c->dim * c->out);
}

/* Q, K and kappa products of width d; scores and kappa - 1 hops, together kappa products over T. */
static double flops_fighter(const bench_case *c)
{
    const double t = (double)c->time, d = (double)c->dim, k = (double)c->hops;
    return (double)c->layers * 2 * rows_of(c) * d * (d * (2 + k) + t * k);
}

static double flops_encoder(const bench_case *c)
{
    const double t = (double)c->time, d = (double)c->dim, f = (double)c->ff;
    return (double)c->layers * rows_of(c) * (8 * d * d + 4 * t * d + 4 * d * f);
}

static double flops_series(const bench_case *c)
{
    return flops_entry(c) + (c->ff ? flops_encoder(c) : flops_fighter(c)) + flops_exit(c);
}

static double flops_text(const bench_case *c)
{
    return flops_fighter(c) + flops_last(c);
}

static double flops_last_encoder(const bench_case *c)
{
    return flops_entry(c) + flops_encoder(c) + flops_last(c);
}

static double flops_recurrent(const bench_case *c, double gates)
{
    const double d = (double)c->dim, inputs = (double)c->features + d * (double)(c->layers - 1);
    return 2 * gates * rows_of(c) * d * (inputs + d * (double)c->layers) + flops_last(c);
}

static double flops_rnn(const bench_case *c)
{
    return flops_recurrent(c, 1);
}

static double flops_lstm(const bench_case *c)
{
    return flops_recurrent(c, 4);
}

static double flops_lstm_entry(const bench_case *c)
{
    return 4 * flops_entry(c);
}

/* S4 with its map to 2 d. The state space is counted as its recurrence, independent of the layer's algorithm:
 * for each step of a channel and pair of states 6 for dA x, 4 for dB u, 4 for 2 Re(C x), and 2 for D u. */
static double flops_s4(const bench_case *c)
{
    enum { PAIRS = 32 }; /* the layer's default */
    const double d = (double)c->dim;
    return rows_of(c) * d * (14 * PAIRS + 2 + 4 * d);
}

static double flops_mean_s4(const bench_case *c)
{
    return flops_entry(c) + flops_s4(c) + flops_last(c);
}

bool bench_has_classes(const bench_case *c)
{
    return c->vocab || c->patch;
}

double bench_train_flops(const bench_case *c)
{
    if (!c->forward_flops) return 0;
    return 3 * c->forward_flops(c) - (c->unasked_flops ? c->unasked_flops(c) : 0);
}

/* name, model, B, T, D, vocabulary, out, dim, heads, hops, ff, layers, flops,
 * attention, nodes, patch. Images: T is columns, D channels, and nodes are rows. */
const bench_case bench_cases[] = {
    {"fighter-small", series, 32, 96, 7, 0, 96, 64, 4, 3, 0, 1, flops_series, flops_entry, 0, 0, 0},
    {"fighter-wide", series, 32, 96, 21, 0, 96, 512, 8, 3, 0, 1, flops_series, flops_entry, 0, 0, 0},
    {"fighter-hops6", series, 32, 96, 21, 0, 96, 128, 4, 6, 0, 1, flops_series, flops_entry, 0, 0, 0},
    {"fighter-long", series, 2, 2048, 7, 0, 96, 64, 4, 3, 0, 1, flops_series, flops_entry, 0, 0, 0},
    {"fighter-16384", series, 1, 16384, 7, 0, 96, 64, 4, 3, 0, 1, flops_series, flops_entry, 0, 0, 0},
    {"transformer-wide", series, 32, 96, 21, 0, 96, 512, 8, 0, 2048, 1, flops_series, flops_entry, 0, 0, 0},
    {"transformer-seed", last_encoder, 64, 50, 1, 0, 1, 64, 8, 0, 128, 2, flops_last_encoder, flops_entry, 0,
     0, 0},
    {"rnn-seed", last_rnn, 64, 50, 1, 0, 1, 64, 0, 0, 0, 2, flops_rnn, flops_entry, 0, 0, 0},
    {"lstm-seed", last_lstm, 64, 50, 1, 0, 1, 64, 0, 0, 0, 2, flops_lstm, flops_lstm_entry, 0, 0, 0},
    {"s4-seed", mean_s4, 64, 50, 1, 0, 1, 64, 0, 0, 0, 1, flops_mean_s4, flops_entry, 0, 0, 0},
    {"s4-long", mean_s4, 8, 4096, 1, 0, 1, 64, 0, 0, 0, 1, flops_mean_s4, flops_entry, 0, 0, 0},
    {"s4-16384", whole_s4, 1, 16384, 64, 0, 1, 64, 0, 0, 0, 1, NULL, NULL, 0, 0, 0},
    {"full-16384", whole_full, 1, 16384, 64, 0, 1, 64, 4, 0, 0, 1, NULL, NULL, 0, 0, 0},
    {"prob-16384", whole_prob, 1, 16384, 64, 0, 1, 64, 4, 0, 0, 1, NULL, NULL, 0, 0, 0},
    {"correlation-16384", whole_correlation, 1, 16384, 64, 0, 1, 64, 4, 0, 0, 1, NULL, NULL, 0, 0, 0},
    {"lsh-16384", whole_lsh, 1, 16384, 64, 0, 1, 64, 4, 0, 0, 1, NULL, NULL, 0, 0, 0},
    {"text-fighter", text, 32, 128, 0, 30000, 4, 128, 4, 3, 0, 1, flops_text, NULL, 0, 0, 0},
    {"graph", bench_given_graph, 1, 12, 1, 0, 1, 64, 8, 3, 0, 1, NULL, NULL, 0, 207, 0},
    {"graph-learned", bench_learned_graph, 1, 12, 1, 0, 1, 64, 8, 3, 0, 1, NULL, NULL, 0, 207, 0},
    {"s4-stream", stream_s4, 1, 1, 64, 0, 1, 64, 0, 0, 0, 1, NULL, NULL, 0, 0, 0},
    {"lstm-stream", stream_lstm, 1, 1, 64, 0, 1, 64, 0, 0, 0, 2, flops_lstm, flops_lstm_entry, 0, 0, 0},
    {"vit-small", bench_vit, 64, 28, 1, 0, 10, 64, 4, 0, 256, 4, bench_vit_flops,
     bench_vit_flops_entry, 0, 28, 4},
    {"vit-wide", bench_vit, 32, 32, 3, 0, 10, 192, 3, 0, 768, 4, bench_vit_flops,
     bench_vit_flops_entry, 0, 32, 4},
    {0},
};
