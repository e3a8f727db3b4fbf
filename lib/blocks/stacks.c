/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include <fighter/graph.h>

#include "blocks/stage.h"
#include "model/access.h"

/* The layers of each block. A block maps [B,N,T,D] to [B,N,T,D]; a bidirectional recurrent block gives
 * [B,N,T,2D]. */

static fgt_layer along(const fgt_block_opts *o, fgt_layer layer)
{
    return fgt_along(o->axis, layer);
}

static fgt_status stack_add_numbered(fgt_model *m, const char *stem, int64_t i, fgt_layer layer)
{
    char name[48];
    snprintf(name, sizeof name, "%s.%lld", stem, (long long)i);
    return fgt_model_add(m, fgt_named(name, layer));
}

/* Adds the sum of x and of the last layer's output. */
static fgt_status stack_add_sum(fgt_model *m, int64_t i, const char *x)
{
    const char *const last = fgti_model_last_name(m);
    char              name[32];
    snprintf(name, sizeof name, "sums.%lld", (long long)i);
    return fgt_model_add_from(m, fgt_named(name, fgt_sum(NULL)), (const char *[]){x, last}, 2);
}

/* Adds a norm after a layer and its residual sum, if the block has post_norm. */
static fgt_status add_post_norm(fgt_model *m, const fgt_block_opts *o, int64_t i)
{
    return o->block.post_norm ? stack_add_numbered(m, "norms", i, fgt_layer_norm(NULL)) : FGT_OK;
}

static int64_t hops_of(const fgt_block_opts *o, int64_t layer)
{
    const fgt_block_layers *b = &o->block;
    return b->layer_hops ? b->layer_hops[b->layer_hops_count > 1 ? layer : 0] : b->hops;
}

/* By default the last layer of a block has no activation, because the map that follows the block is
 * affine. */
static int32_t act_of(const fgt_block_opts *o, int64_t layer)
{
    return o->block.act ? o->block.act : layer + 1 < o->block.layers ? FGT_ACT_GELU : FGT_ACT_NONE;
}

/* ---- layers that see all tokens at once ---- */

fgt_status fgti_stack_fighter(fgt_model *m, const fgt_block_opts *o)
{
    for (int64_t i = 0; i < o->block.layers; i++) {
        const fgt_fighter_opts layer = {.size                   = sizeof layer,
                                        .heads                  = o->block.heads,
                                        .hops                   = hops_of(o, i),
                                        .act                    = act_of(o, i),
                                        .norm                   = 1,
                                        .residual               = 1,
                                        .dropout                = o->block.dropout,
                                        .attention.diag_mask    = o->block.diag_mask,
                                        .attention.diag_penalty = o->block.diag_penalty,
                                        .attention.diag_dropout = o->block.diag_dropout,
                                        .attention.graph        = o->graph};
        FGTI_TRY(stack_add_numbered(m, "blocks", i, along(o, fgt_fighter(&layer))));
    }
    return FGT_OK;
}

/* A graph that joins each token to itself and to its neighbours. Each row sums to 1. */
static fgt_status make_chain(fgt_context *ctx, int64_t tokens, fgt_graph **graph)
{
    int64_t   *indptr = NULL, *indices = NULL, edges = 0;
    fgt_graph *plain = NULL;
    fgt_status s     = FGTI_NEW(ctx, tokens + 1, "graph", &indptr);
    if (s == FGT_OK) s = FGTI_NEW(ctx, 3 * tokens, "graph", &indices);
    for (int64_t i = 0; s == FGT_OK && i < tokens; i++) {
        for (int64_t j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < tokens) indices[edges++] = j;
        indptr[i + 1] = edges;
    }
    const fgt_view rows = {.data = indptr, .rank = 1, .shape = {tokens + 1}, .dtype = FGT_DTYPE_I64};
    const fgt_view list = {.data = indices, .rank = 1, .shape = {edges}, .dtype = FGT_DTYPE_I64};
    if (s == FGT_OK) s = fgt_graph_create_csr(ctx, &rows, &list, NULL, &plain);
    if (s == FGT_OK) s = fgt_graph_create_normalised(plain, FGT_GRAPH_NORM_ROW, 0, graph);
    fgt_graph_destroy(&plain);
    fgti_free(ctx, indices);
    fgti_free(ctx, indptr);
    return s;
}

static fgt_gcn_opts gcn_of(const fgt_block_opts *o, int64_t layer)
{
    return (fgt_gcn_opts){.size = sizeof(fgt_gcn_opts), .hops = hops_of(o, layer), .diffusion = o->diffusion};
}

/* Adds layer i of a block with one graph, given or learned: a graph convolution. */
static fgt_status add_gcn(fgt_model *m, const fgt_block_opts *o, int64_t i, const fgt_graph *graph)
{
    fgt_gcn_opts layer = gcn_of(o, i);
    layer.graph        = graph;
    layer.learned      = graph ? 0 : o->learned;
    layer.act          = act_of(o, i);
    layer.residual     = 1;
    layer.dropout      = o->block.dropout;
    return stack_add_numbered(m, "blocks", i, along(o, fgt_gcn(&layer)));
}

/* Adds x + dropout(gelu(given(x) + learned(x))), for a block with a given and a learned graph. */
static fgt_status add_both(fgt_model *m, const fgt_block_opts *o, int64_t i, const fgt_graph *graph)
{
    const fgti_stage          s     = {m, o, "blocks", i};
    const fgt_activation_opts act = {.size = sizeof act, .kind = o->block.act ? o->block.act : FGT_ACT_GELU};
    const char *const         x     = fgti_model_last_name(m);
    fgt_gcn_opts              given = gcn_of(o, i), own = given;
    given.graph = graph;
    own.learned = o->learned;
    own.no_bias = 1;
    given.act = own.act = FGT_ACT_NONE;
    FGTI_TRY(fgti_stage_add(&s, "given", along(o, fgt_gcn(&given))));
    const char *const first = fgti_model_last_name(m);
    FGTI_TRY(fgti_stage_add_from(&s, "learned", along(o, fgt_gcn(&own)), 1, (const char *[]){x}));
    FGTI_TRY(fgti_stage_add_from(&s, "graphs", fgt_sum(NULL), 2,
                                 (const char *[]){first, fgti_model_last_name(m)}));
    FGTI_TRY(fgti_stage_add(&s, "gelu", fgt_activation(&act)));
    return fgti_stage_add_residual(&s, x, "dropout", "sum");
}

static fgt_status add_gcn_layers(fgt_model *m, const fgt_block_opts *o, const fgt_graph *graph)
{
    for (int64_t i = 0; i < o->block.layers; i++) {
        FGTI_TRY(graph && o->learned ? add_both(m, o, i, graph) : add_gcn(m, o, i, graph));
        FGTI_TRY(add_post_norm(m, o, i));
    }
    return FGT_OK;
}

static int64_t nodes_of(const fgt_model *m, const fgt_block_opts *o)
{
    const fgti_shape s = fgti_model_last_shape(m);
    return o->axis == FGT_AXIS_TIME ? s.time : s.nodes;
}

fgt_status fgti_stack_gcn(fgt_model *m, const fgt_block_opts *o)
{
    fgt_graph *chain = NULL;
    if (!o->graph && !o->learned) FGTI_TRY(make_chain(fgti_model_context(m), nodes_of(m, o), &chain));
    const fgt_status s = add_gcn_layers(m, o, o->graph ? o->graph : chain);
    fgt_graph_destroy(&chain);
    return s;
}

fgt_status fgti_stack_linear(fgt_model *m, const fgt_block_opts *o)
{
    (void)m, (void)o;
    return FGT_OK;
}

/* Layers are named as in a torch.nn.TransformerEncoder "blocks". */
fgt_status fgti_stack_transformer(fgt_model *m, const fgt_block_opts *o)
{
    const fgt_transformer_opts layer = {.size            = sizeof layer,
                                        .heads           = o->block.heads,
                                        .ff              = o->block.ff,
                                        .act             = FGT_ACT_GELU,
                                        .norm_first      = 1,
                                        .dropout         = o->block.dropout,
                                        .attention.graph = o->graph};
    for (int64_t i = 0; i < o->block.layers; i++)
        FGTI_TRY(stack_add_numbered(m, "blocks.layers", i, along(o, fgt_transformer(&layer))));
    return fgt_model_add(m, fgt_named("blocks.norm", fgt_layer_norm(NULL)));
}

/* y = x + dropout(attention(norm(x))); with post_norm y = norm(x + dropout(attention(x))) */
fgt_status fgti_stack_attention(fgt_model *m, const fgt_block_opts *o)
{
    const fgt_attention_opts layer = {.size                   = sizeof layer,
                                      .heads                  = o->block.heads,
                                      .attention.diag_mask    = o->block.diag_mask,
                                      .attention.diag_penalty = o->block.diag_penalty,
                                      .attention.diag_dropout = o->block.diag_dropout,
                                      .attention.graph        = o->graph};
    const fgt_dropout_opts   drop  = {.size = sizeof drop, .p = o->block.dropout};
    for (int64_t i = 0; i < o->block.layers; i++) {
        const char *const x = fgti_model_last_name(m);
        if (!o->block.post_norm) FGTI_TRY(stack_add_numbered(m, "norms", i, fgt_layer_norm(NULL)));
        FGTI_TRY(stack_add_numbered(m, "blocks", i, along(o, fgt_attention(&layer))));
        if (o->block.dropout > 0) FGTI_TRY(stack_add_numbered(m, "dropouts", i, fgt_dropout(&drop)));
        if (!o->block.no_residual) FGTI_TRY(stack_add_sum(m, i, x));
        FGTI_TRY(add_post_norm(m, o, i));
    }
    return FGT_OK;
}

/* ---- layers that read one token after another ---- */

static int64_t dim_of(const fgt_model *m, const fgt_block_opts *o)
{
    return o->dim ? o->dim : fgti_model_last_shape(m).width;
}

/* Dropout acts between the layers of a recurrent stack, so a stack of one layer has no dropout. */
static float dropout_between(const fgt_block_opts *o)
{
    return o->block.layers > 1 ? o->block.dropout : 0;
}

static fgt_recurrent_opts recurrent_of(fgt_model *m, const fgt_block_opts *o)
{
    return (fgt_recurrent_opts){.size          = sizeof(fgt_recurrent_opts),
                                .hidden        = dim_of(m, o),
                                .layers        = o->block.layers,
                                .dropout       = dropout_between(o),
                                .bidirectional = o->bidirectional};
}

fgt_status fgti_stack_rnn(fgt_model *m, const fgt_block_opts *o)
{
    const fgt_recurrent_opts stack = recurrent_of(m, o);
    return fgt_model_add(m, fgt_named("blocks", fgt_rnn(&stack)));
}

fgt_status fgti_stack_gru(fgt_model *m, const fgt_block_opts *o)
{
    const fgt_recurrent_opts stack = recurrent_of(m, o);
    return fgt_model_add(m, fgt_named("blocks", fgt_gru(&stack)));
}

fgt_status fgti_stack_lstm(fgt_model *m, const fgt_block_opts *o)
{
    const fgt_recurrent_opts stack = recurrent_of(m, o);
    return fgt_model_add(m, fgt_named("blocks", fgt_lstm(&stack)));
}

/* y = x + layer(norm(x)) */
static fgt_status add_residual(fgt_model *m, int64_t i, fgt_layer layer)
{
    const char *x = fgti_model_last_name(m);
    FGTI_TRY(stack_add_numbered(m, "norms", i, fgt_layer_norm(NULL)));
    FGTI_TRY(stack_add_numbered(m, "blocks", i, layer));
    return stack_add_sum(m, i, x);
}

static fgt_status add_state_space(fgt_model *m, const fgt_block_opts *o, fgt_s4_kind kind)
{
    const fgt_s4_opts layer = {.size          = sizeof layer,
                               .kind          = (int32_t)kind,
                               .dropout       = o->block.dropout,
                               .bidirectional = o->bidirectional};
    for (int64_t i = 0; i < o->block.layers; i++) FGTI_TRY(add_residual(m, i, fgt_s4(&layer)));
    return FGT_OK;
}

fgt_status fgti_stack_s4(fgt_model *m, const fgt_block_opts *o)
{
    return add_state_space(m, o, FGT_S4_DPLR);
}

fgt_status fgti_stack_s4d(fgt_model *m, const fgt_block_opts *o)
{
    return add_state_space(m, o, FGT_S4_DIAGONAL);
}

/* ---- layers that process each token by itself ---- */

/* y = x + dropout(down(gelu(up(norm(x))))) */
fgt_status fgti_stack_mlp(fgt_model *m, const fgt_block_opts *o)
{
    for (int64_t i = 0; i < o->block.layers; i++) {
        const fgti_stage  stage = {m, o, "blocks", i};
        const char *const x     = fgti_model_last_name(m);
        FGTI_TRY(stack_add_numbered(m, "norms", i, fgt_layer_norm(NULL)));
        FGTI_TRY(fgti_stage_add_feed(&stage, NULL, false));
        FGTI_TRY(fgti_stage_add_dropout(&stage, "dropout"));
        FGTI_TRY(stack_add_sum(m, i, x));
    }
    return FGT_OK;
}
