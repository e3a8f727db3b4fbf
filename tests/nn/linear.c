/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_linear[];

const nn_case nn_cases_linear[] = {
    {"plain", 3, 0, 5, 7, .holds = NN_CAUSAL | NN_RELABEL | NN_SHORTER, .layer = {NN(linear, .out = 4)}},
    {"no bias, one output", 2, 0, 4, 6, .holds = NN_SHORTER, .layer = {NN(linear, .out = 1, .no_bias = 1)}},
    {"nodes", 2, 3, 4, 5, .holds = NN_CAUSAL | NN_RELABEL, .layer = {NN(linear, .out = 9)}},
    {"one row of one", 1, 0, 1, 1, .layer = {NN(linear, .out = 3)}},
    /* wider and longer than one block of a product on any processor */
    {"large", 4, 0, 70, 37, .layer = {NN(linear, .out = 131)}},
    {"two", 3, 0, 5, 7, .layer = {NN(linear, .out = 4), NN(linear, .out = 6)}},
    {"shared, one after the other", 2, 0, 5, 4, .holds = NN_SHORTER,
     .layer = {NN_NAMED("a", linear, .out = 4), NN(activation, .kind = FGT_ACT_TANH),
               {.type = "shared", .opts = "a"}}},
    {"shared, side by side", 2, 0, 5, 4, .holds = NN_SHORTER,
     .layer = {NN_NAMED("a", linear, .out = 3), {.type = "activation", .name = "t"},
               {.type = "shared", .opts = "a", .name = "b"}, NN(sum, .weight = {1, 2})},
     .from = {[2] = {""}, [3] = {"t", "b"}}},
    {0},
};
