/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_embedding[];

const nn_case nn_cases_embedding[] = {
    {"plain", 3, 0, 7, 0, .vocab = 11, .holds = NN_CAUSAL | NN_RELABEL | NN_SHORTER,
     .layer = {NN(embedding, .vocab = 11, .out = 5)}},
    {"padding row", 3, 0, 7, 0, .vocab = 5, .holds = NN_SHORTER,
     .layer = {NN(embedding, .vocab = 5, .out = 4, .has_padding = 1, .padding_idx = 2, .init = 0.5f)}},
    {"one id", 1, 0, 1, 0, .vocab = 1, .layer = {NN(embedding, .vocab = 1, .out = 1)}},
    {"classifier", 3, 0, 6, 0, .vocab = 9, .inputs = NN_PADDING, .holds = NN_SHORTER | NN_REMOVE,
     .layer = {NN(embedding, .vocab = 9, .out = 8),
               NN(fighter, .heads = 2, .hops = 2, .act = FGT_ACT_GELU),
               {.type = "pool"},
               NN(linear, .out = 3)}},
    {"masks its padding", 3, 0, 6, 0, .vocab = 4, .holds = NN_SHORTER,
     .layer = {NN(embedding, .vocab = 4, .out = 8, .has_padding = 1, .padding_idx = 1, .mask_padding = 1),
               NN(fighter, .heads = 2, .hops = 2, .act = FGT_ACT_GELU),
               {.type = "pool"},
               NN(linear, .out = 3)}},
    {"shared", 3, 0, 6, 0, .vocab = 9, .holds = NN_SHORTER,
     .layer = {NN_NAMED("e", embedding, .vocab = 9, .out = 4),
               NN(gru, .hidden = 4),
               {.type = "shared", .opts = "e", .name = "again"},
               {.type = "sum"}},
     .from  = {[2] = {""}, [3] = {"1", "again"}}},
    {"two of the same ids", 3, 0, 6, 0, .vocab = 9, .holds = NN_SHORTER,
     .layer = {NN_NAMED("e", embedding, .vocab = 9, .out = 4),
               NN_NAMED("f", embedding, .vocab = 12, .out = 3),
               {.type = "concat"}},
     .from  = {[1] = {""}, [2] = {"f", "e", "f"}}},
    {0},
};
