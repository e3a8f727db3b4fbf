/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_transformer[];

enum { FREE = NN_RELABEL | NN_SHORTER };

/* Activations with a kink have no finite difference there, so the smooth ones do most of the work. */
const nn_case nn_cases_transformer[] = {
    {"defaults", 3, 0, 7, 6, .holds = FREE, .layer = {{.type = "transformer"}}},
    {"post-norm", 2, 0, 7, 8, .holds = FREE,
     .layer = {NN(transformer, .heads = 4, .ff = 13, .act = FGT_ACT_GELU)}},
    {"pre-norm", 2, 0, 7, 8, .holds = FREE,
     .layer = {NN(transformer, .heads = 2, .ff = 13, .act = FGT_ACT_GELU, .norm_first = 1)}},
    {"no bias", 2, 0, 5, 6, .holds = FREE,
     .layer = {NN(transformer, .heads = 2, .act = FGT_ACT_SILU, .no_bias = 1)}},
    {"pre-norm, no bias", 2, 0, 5, 6, .holds = FREE,
     .layer = {NN(transformer, .heads = 3, .ff = 5, .act = FGT_ACT_TANH, .norm_first = 1, .no_bias = 1)}},
    {"nodes", 2, 3, 5, 8, .holds = FREE, .layer = {NN(transformer, .heads = 2, .act = FGT_ACT_GELU)}},
    {"one token", 2, 0, 1, 4, .layer = {NN(transformer, .ff = 1, .act = FGT_ACT_ELU)}},
    {"causal", 2, 0, 7, 6, .holds = NN_CAUSAL | NN_SHORTER,
     .layer = {NN(transformer, .heads = 3, .act = FGT_ACT_GELU, .causal = 1)}},
    {"causal, pre-norm", 2, 0, 7, 6, .holds = NN_CAUSAL | NN_SHORTER,
     .layer = {NN(transformer, .heads = 2, .act = FGT_ACT_GELU_TANH, .norm_first = 1, .causal = 1)}},
    {"padding", 3, 0, 7, 6, .inputs = NN_PADDING, .holds = NN_REMOVE | NN_SHORTER,
     .layer = {NN(transformer, .heads = 3, .act = FGT_ACT_GELU)}},
    {"padding, nodes, pre-norm", 3, 2, 7, 6, .inputs = NN_PADDING, .holds = NN_REMOVE | NN_SHORTER,
     .layer = {NN(transformer, .heads = 2, .act = FGT_ACT_SILU, .norm_first = 1)}},
    {"blocked", 2, 0, 6, 6, .inputs = NN_BLOCKED,
     .layer = {NN(transformer, .heads = 2, .act = FGT_ACT_GELU)}},
    {"additive and padding", 3, 0, 6, 6, .inputs = NN_ADDITIVE | NN_PADDING,
     .layer = {NN(transformer, .heads = 2, .act = FGT_ACT_GELU, .norm_first = 1)}},
    {"diagonal scale", 2, 2, 6, 6, .heads = 2, .inputs = NN_SCALE,
     .layer = {NN(transformer, .heads = 2, .act = FGT_ACT_GELU)}},
    {"dropout", 2, 2, 7, 6, .holds = FREE,
     .layer = {NN(transformer, .heads = 2, .ff = 9, .act = FGT_ACT_GELU, .dropout = 0.3f)}},
    {"dropout, pre-norm", 2, 0, 7, 6, .holds = FREE,
     .layer = {NN(transformer, .heads = 2, .act = FGT_ACT_GELU, .norm_first = 1, .dropout = 0.2f)}},
    {"wide eps", 2, 0, 4, 6, .holds = FREE, .layer = {NN(transformer, .act = FGT_ACT_GELU, .eps = 0.5f)}},
    {"stack", 2, 0, 6, 8, .holds = FREE,
     .layer = {NN(transformer, .heads = 2, .ff = 11, .act = FGT_ACT_GELU, .norm_first = 1),
               NN(transformer, .heads = 4, .ff = 11, .act = FGT_ACT_GELU, .norm_first = 1),
               {.type = "layer_norm"}}},
    {"between, dropout", 2, 0, 5, 4, .holds = FREE,
     .layer = {NN(linear, .out = 6), NN(transformer, .heads = 2, .act = FGT_ACT_GELU, .dropout = 0.1f),
               NN(transformer, .heads = 2, .act = FGT_ACT_GELU, .dropout = 0.1f), NN(linear, .out = 3)}},
    {"streamed, dropout", 2, 2, 7, 6, .holds = FREE,
     .layer = {NN(transformer, .heads = 2, .ff = 9, .act = FGT_ACT_GELU, .dropout = 0.3f,
                  .mode = FGT_ATTN_STREAM)}},
    {"long", 2, 0, 67, 16, .layer = {NN(transformer, .heads = 2, .ff = 20, .act = FGT_ACT_GELU)}},
    {0},
};
