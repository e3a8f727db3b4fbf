/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_value[];

const nn_case nn_cases_value[] = {
    {"beside x", 2, 0, 5, 4, .memory = 5, .layer = {NN(sum, .weight = {1, 2})}, .from = {{"", "memory"}}},
    {"through a layer", 2, 0, 5, 4, .memory = 5,
     .layer = {NN_NAMED("known", linear, .out = 3), NN(concat, .reserved = 0)},
     .from  = {{"memory"}, {"", "known"}}},
    {"of one token", 3, 2, 5, 4, .memory = 1, .layer = {{.type = "concat"}, NN(linear, .out = 3)},
     .from = {{"", "memory"}}},
    {"read twice, by attention", 2, 0, 5, 4, .memory = 5,
     .layer = {NN_NAMED("q", attention, .heads = 2), NN(attention, .heads = 1)},
     .from  = {{"", "memory"}, {"q", "memory"}}},
    {"reversed by it", 2, 0, 5, 3, .memory = 5,
     .layer = {{.type = "revin", .name = "r"}, {.type = "revin_inverse"}}, .from = {[1] = {"memory"}}},
    {"with nodes", 2, 3, 5, 4, .memory = 5, .memory_nodes = 3, .layer = {NN(sum, .weight = {1, 2})},
     .from = {{"", "memory"}}},
    {"with nodes, through layers", 2, 3, 5, 4, .memory = 5, .memory_nodes = 3,
     .layer = {NN_NAMED("known", gru, .hidden = 3), NN(concat, .reserved = 0), NN(linear, .out = 2)},
     .from  = {{"memory"}, {"known", ""}}},
    {"of one token, with nodes", 2, 3, 5, 4, .memory = 1, .memory_nodes = 3,
     .layer = {{.type = "concat"}}, .from = {{"", "memory"}}},
    {"ids beside x", 2, 0, 5, 4, .vocab = 7,
     .layer = {NN_NAMED("words", embedding, .vocab = 7, .out = 3), NN(concat, .reserved = 0),
               NN(linear, .out = 2)},
     .from  = {{"ids"}, {"", "words"}}},
    {"ids twice, a memory for attention", 3, 0, 6, 4, .vocab = 5,
     .layer = {NN_NAMED("words", embedding, .vocab = 5, .out = 4),
               {.type = "shared", .opts = "words", .name = "again"},
               NN_NAMED("cross", attention, .heads = 2),
               {.type = "sum"}},
     .from  = {{"ids"}, {"ids"}, {"", "words"}, {"cross", "again"}}},
    {"with a loss beside", 2, 0, 5, 4, .memory = 3,
     .layer = {NN_NAMED("known", linear, .out = 3), NN_NAMED("y", linear, .out = 2)},
     .from  = {{"memory"}, {""}}, .loss = {"known"}},
    {0},
};
