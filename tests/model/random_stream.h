/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_RANDOM_STREAM_H
#define TESTS_RANDOM_STREAM_H

/* Causal models of random layers, shapes, options and masks, and inputs for them. */
#include <math.h>

#include <fighter/fighter.h>

#include "../one_context.h"

enum { MOST_BATCH = 3, MOST_TIME = 40, MOST_WIDTH = 24, MOST_HEADS = 4, MOST_NODES = 2, IDS = 7, OUT = 3 };

typedef struct stream_case {
    uint64_t state; /* of its random numbers */
    int64_t  batch, time, nodes, heads, width;
    bool     ids;
    int32_t  layers;
    /* inputs and masks; of a pass of all tokens */
    float   x[MOST_BATCH * MOST_NODES * MOST_TIME * MOST_WIDTH];
    int32_t id[MOST_BATCH * MOST_TIME], padding[MOST_BATCH * MOST_TIME], blocked[MOST_TIME * MOST_TIME];
    int32_t drop[MOST_TIME];
    float   additive[MOST_TIME * MOST_TIME], scale[MOST_BATCH * MOST_NODES * MOST_HEADS * MOST_TIME];
    bool    masked[FGT_MASK_COUNT], adds; /* adds: the attention mask is of numbers */
} stream_case;

/* 0 .. n-1 */
static inline int64_t draw(stream_case *c, int64_t n)
{
    c->state = c->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((c->state >> 33) % (uint64_t)n);
}

static inline float draw_number(stream_case *c)
{
    return (float)((double)draw(c, 1 << 20) / (1 << 19) - 1);
}

static inline void add(fgt_model *m, stream_case *c, fgt_layer layer)
{
    OK(fgt_model_add(m, layer));
    c->layers++;
}

static inline void add_norm(fgt_model *m, stream_case *c)
{
    if (draw(c, 2)) add(m, c, fgt_layer_norm(NULL));
}

static inline void add_attention(fgt_model *m, stream_case *c)
{
    const bool    no_out = !draw(c, 3);
    const int64_t values = draw(c, 2) ? 0 : c->heads * (1 + draw(c, 6));
    add(m, c,
        fgt_attention(&FGT_OPTS(fgt_attention_opts, .heads = c->heads, .attention.causal = 1,
                                .no_bias = (int32_t)draw(c, 2), .attention.diag_mask = !draw(c, 4),
                                .attention.diag_penalty = draw(c, 3) ? 0 : draw_number(c),
                                .attention.mode = (int32_t)draw(c, 3), .attention.attn_dropout = 0.1F,
                                .attention.scale = (int32_t)draw(c, 2), .values = values, .no_out = no_out)));
    if (no_out) add(m, c, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = c->width)));
}

static inline void add_fighter(fgt_model *m, stream_case *c)
{
    const bool    residual = draw(c, 2);
    const int64_t wide = c->heads * (1 + draw(c, 6)) * (draw(c, 3) ? 1 : 16);
    const int64_t out = residual || draw(c, 2) ? c->width : wide, hops = 1 + draw(c, 5);
    add(m, c,
        fgt_fighter(&FGT_OPTS(
            fgt_fighter_opts, .heads = c->heads, .hops = hops, .out = out,
            .attn = c->heads * (1 + draw(c, 5)), .attention.causal = hops > 1 || draw(c, 2),
            .norm = (int32_t)draw(c, 2), .residual = residual, .norm_residual = residual && draw(c, 2),
            .no_bias = (int32_t)draw(c, 2), .attention.diag_mask = !draw(c, 4),
            .attention.diag_penalty = draw(c, 3) ? 0 : draw_number(c), .act = 1 + (int32_t)draw(c, 5),
            .attention.mode = (int32_t)draw(c, 3), .attention.scale = (int32_t)draw(c, 2),
            .first_hop = draw(c, 2) ? 0 : draw(c, hops), .project = !draw(c, 3))));
    if (out != c->width) add(m, c, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = c->width)));
}

static inline void add_encoder(fgt_model *m, stream_case *c)
{
    add(m, c,
        fgt_transformer(&FGT_OPTS(
            fgt_transformer_opts, .heads = c->heads, .ff = 1 + draw(c, 40), .attention.causal = 1,
            .norm_first = (int32_t)draw(c, 2), .no_bias = (int32_t)draw(c, 2), .act = 1 + (int32_t)draw(c, 5),
            .attention.mode = (int32_t)draw(c, 3), .attention.scale = (int32_t)draw(c, 2))));
}

static inline void add_recurrent(fgt_model *m, stream_case *c)
{
    const int64_t layers = 1 + draw(c, 2);
    switch (draw(c, 4)) {
    case 0: add(m, c, fgt_rnn(&FGT_OPTS(fgt_rnn_opts, .hidden = c->width, .layers = layers))); break;
    case 1: add(m, c, fgt_gru(&FGT_OPTS(fgt_gru_opts, .hidden = c->width, .layers = layers))); break;
    case 2: add(m, c, fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = c->width, .layers = layers))); break;
    default: add(m, c, fgt_s4(&FGT_OPTS(fgt_s4_opts, .state = 8, .block = (int32_t)draw(c, 3)))); break;
    }
}

static inline void add_conv(fgt_model *m, stream_case *c)
{
    const int64_t kernel = 1 + draw(c, 6);
    add(m, c,
        fgt_conv(&FGT_OPTS(fgt_conv_opts, .kernel = kernel, .padding = FGT_CONV_PADDING_CAUSAL,
                           .no_bias = (int32_t)draw(c, 2))));
}

/* A residual path around some layers. */
static inline void add_path(fgt_model *m, stream_case *c, void (*path)(fgt_model *, stream_case *))
{
    char        from[16], to[16];
    const char *both[2] = {from, to};
    snprintf(from, sizeof from, "%d", c->layers - 1);
    add_norm(m, c);
    path(m, c);
    snprintf(to, sizeof to, "%d", c->layers - 1);
    const bool sum = draw(c, 2);
    OK(fgt_model_add_from(m, sum ? fgt_sum(NULL) : fgt_concat(NULL), both, 2));
    c->layers++;
    if (!sum) add(m, c, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = c->width)));
}

static inline void add_block(fgt_model *m, stream_case *c)
{
    switch (draw(c, 6)) {
    case 0: add_path(m, c, add_attention); break;
    case 1: add_path(m, c, add_fighter); break;
    case 2: add_fighter(m, c); break;
    case 3: add_encoder(m, c); break;
    case 4: add_recurrent(m, c); break;
    default: add(m, c, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = c->width)));
    }
    if (!draw(c, 4)) add(m, c, fgt_activation(&FGT_OPTS(fgt_activation_opts, .kind = FGT_ACT_GELU)));
    if (!draw(c, 4)) add(m, c, fgt_drop_path(&FGT_OPTS(fgt_drop_path_opts, .p = 0.5F)));
    if (c->nodes > 1 && !draw(c, 3)) add(m, c, fgt_along(FGT_AXIS_NODES, fgt_fighter(NULL)));
}

/* A convolution, one after which a window is wider than its own, or one along the nodes. */
static inline void add_convs(fgt_model *m, stream_case *c)
{
    add_conv(m, c);
    if (draw(c, 2)) add_path(m, c, add_conv);
    if (c->nodes > 1 && !draw(c, 3)) add(m, c, fgt_along(FGT_AXIS_NODES, fgt_conv(NULL)));
}

static inline void fill_inputs(stream_case *c)
{
    const size_t n = sizeof c->x / sizeof *c->x, pairs = (size_t)(c->time * c->time);
    for (size_t i = 0; i < n; i++) c->x[i] = draw_number(c);
    for (int64_t i = 0; i < c->batch * c->time; i++) {
        c->id[i]      = (int32_t)draw(c, IDS);
        c->padding[i] = !draw(c, 4);
    }
    for (size_t i = 0; i < pairs; i++) {
        c->blocked[i]  = !draw(c, 5);
        c->additive[i] = draw(c, 9) ? draw_number(c) : -INFINITY;
    }
    for (int64_t i = 0; i < c->time; i++) c->drop[i] = !draw(c, 3);
    for (size_t i = 0; i < sizeof c->scale / sizeof *c->scale; i++) c->scale[i] = draw_number(c);
    for (int i = 0; i <= FGT_MASK_DIAG_SCALE; i++) c->masked[i] = !draw(c, 4);
    c->adds = draw(c, 2);
}

/* The case of that number, and its model. */
static inline fgt_model *new_case(stream_case *c, uint64_t number)
{
    fgt_model *m;
    *c = (stream_case){.state = number * UINT64_C(0x9E3779B97F4A7C15) + 1};
    (void)draw(c, 2);
    c->batch = 1 + draw(c, MOST_BATCH);
    c->time  = 2 + draw(c, MOST_TIME - 1);
    c->ids   = !draw(c, 3);
    c->nodes = c->ids ? 1 : 1 + draw(c, MOST_NODES);
    c->heads = 1 + draw(c, MOST_HEADS);
    c->width = c->heads * (1 + draw(c, MOST_WIDTH / c->heads));
    OK(fgt_model_create(ctx,
                        &FGT_OPTS(fgt_model_opts, .batch = c->batch, .time = c->time, .nodes = c->nodes,
                                  .features = c->ids ? 0 : c->width, .seed = number),
                        &m));
    if (c->ids)
        add(m, c,
            fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = IDS, .out = c->width, .has_padding = 1,
                                    .mask_padding = (int32_t)draw(c, 2))));
    else
        add(m, c, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = c->width)));
    if (draw(c, 2))
        add(m, c, fgt_position(&FGT_OPTS(fgt_position_opts, .kind = (int32_t)draw(c, 3), .init = 1)));
    for (int64_t i = 1 + draw(c, 3); i > 0; i--) add_block(m, c);
    if (!draw(c, 3)) add_convs(m, c);
    add_norm(m, c);
    add(m, c, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = OUT)));
    fill_inputs(c);
    return m;
}

static inline void set_masks(fgt_workspace *ws, const stream_case *c, const int32_t *padding, int64_t tokens)
{
    const int64_t t = c->time, n = c->batch * c->nodes;
    if (c->masked[FGT_MASK_KEY_PADDING])
        OK(fgt_workspace_set_mask(ws, FGT_MASK_KEY_PADDING,
                                  FGT_VIEW_OF(FGT_DTYPE_I32, padding, c->batch, tokens)));
    if (c->masked[FGT_MASK_ATTENTION])
        OK(fgt_workspace_set_mask(ws, FGT_MASK_ATTENTION,
                                  c->adds ? FGT_VIEW((float *)c->additive, t, t)
                                          : FGT_VIEW_OF(FGT_DTYPE_I32, c->blocked, t, t)));
    if (c->masked[FGT_MASK_DIAG_DROP])
        OK(fgt_workspace_set_mask(ws, FGT_MASK_DIAG_DROP, FGT_VIEW_OF(FGT_DTYPE_I32, c->drop, t)));
    if (c->masked[FGT_MASK_DIAG_SCALE])
        OK(fgt_workspace_set_mask(ws, FGT_MASK_DIAG_SCALE, FGT_VIEW((float *)c->scale, n, c->heads, t)));
}

#endif
