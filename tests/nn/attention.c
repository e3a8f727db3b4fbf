/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_attention[];

enum { FREE = NN_RELABEL | NN_SHORTER };

const nn_case nn_cases_attention[] = {
    {"one head", 3, 0, 7, 6, .holds = FREE, .layer = {{.type = "attention"}}},
    {"heads", 2, 0, 7, 12, .holds = FREE, .layer = {NN(attention, .heads = 4)}},
    {"nodes, no bias", 2, 3, 5, 8, .holds = FREE, .layer = {NN(attention, .heads = 2, .no_bias = 1)}},
    {"one token", 2, 0, 1, 4, .layer = {NN(attention, .heads = 2)}},
    {"causal", 2, 0, 7, 6, .holds = NN_CAUSAL | NN_SHORTER,
     .layer = {NN(attention, .heads = 3, .causal = 1)}},
    {"padding", 3, 0, 7, 6, .inputs = NN_PADDING, .holds = NN_REMOVE | NN_SHORTER,
     .layer = {NN(attention, .heads = 3)}},
    {"padding, nodes", 3, 2, 7, 6, .inputs = NN_PADDING, .holds = NN_REMOVE | NN_SHORTER,
     .layer = {NN(attention, .heads = 3)}},
    {"blocked", 2, 0, 6, 6, .inputs = NN_BLOCKED, .layer = {NN(attention, .heads = 2)}},
    {"additive and padding", 3, 0, 6, 6, .inputs = NN_ADDITIVE | NN_PADDING,
     .layer = {NN(attention, .heads = 2)}},
    {"diagonal mask", 2, 0, 6, 6, .holds = FREE, .layer = {NN(attention, .heads = 2, .diag_mask = 1)}},
    {"one token that may not see itself", 2, 0, 1, 6, .layer = {NN(attention, .heads = 2, .diag_mask = 1)}},
    {"diagonal penalty", 2, 0, 6, 6, .holds = FREE,
     .layer = {NN(attention, .heads = 2, .diag_penalty = -0.7f)}},
    {"diagonal drop", 2, 0, 6, 6, .inputs = NN_DROP, .layer = {NN(attention, .heads = 2)}},
    {"diagonal scale", 2, 2, 6, 6, .heads = 2, .inputs = NN_SCALE, .layer = {NN(attention, .heads = 2)}},
    {"diagonal dropout", 2, 0, 9, 6, .holds = FREE,
     .layer = {NN(attention, .heads = 2, .diag_dropout = 0.4f)}},
    {"diagonal dropout after", 2, 0, 9, 6, .holds = FREE,
     .layer = {NN(attention, .heads = 2, .diag_dropout = 0.4f, .diag_when = FGT_DIAG_AFTER)}},
    {"diagonal dropout after, scaled", 2, 0, 9, 6, .heads = 2, .inputs = NN_SCALE,
     .layer = {NN(attention, .heads = 2, .diag_dropout = 0.4f, .diag_when = FGT_DIAG_AFTER_SCALED)}},
    {"dropout", 2, 2, 7, 6, .holds = FREE, .layer = {NN(attention, .heads = 2, .attn_dropout = 0.3f)}},
    {"cross", 2, 0, 5, 6, .memory = 9, .layer = {NN(attention, .heads = 2)}},
    {"cross, short memory, padding", 3, 0, 7, 6, .memory = 4, .inputs = NN_PADDING,
     .layer = {NN(attention, .heads = 3, .attn_dropout = 0.2f)}},
    {"cross, no bias, between", 2, 0, 5, 4, .memory = 3,
     .layer = {NN(linear, .out = 6), NN(attention, .no_bias = 1), NN(linear, .out = 3)}},
    {"stack", 2, 0, 6, 8, .holds = FREE,
     .layer = {NN(attention, .heads = 2), {.type = "layer_norm"}, NN(attention, .heads = 4)}},
    {"streamed", 2, 2, 7, 6, .holds = FREE, .layer = {NN(attention, .heads = 2, .mode = FGT_ATTN_STREAM)}},
    {"streamed, no key allowed", 2, 0, 1, 6,
     .layer = {NN(attention, .heads = 2, .diag_mask = 1, .mode = FGT_ATTN_STREAM)}},
    {"streamed, cross, short memory, padding", 3, 0, 7, 6, .memory = 4, .inputs = NN_PADDING,
     .layer = {NN(attention, .heads = 3, .attn_dropout = 0.2f, .mode = FGT_ATTN_STREAM)}},
    {"long", 2, 0, 67, 16, .layer = {NN(attention, .heads = 2)}},
    {0},
};
