/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_sum[];

const nn_case nn_cases_sum[] = {
    {"residual", 2, 0, 6, 5, .holds = NN_SHORTER,
     .layer = {NN_NAMED("deep", linear, .out = 5), NN(activation, .kind = FGT_ACT_TANH), {.type = "sum"}},
     .from = {[2] = {"1", ""}}},
    {"weights, nodes", 2, 3, 4, 5, .holds = NN_SHORTER,
     .layer = {NN_NAMED("a", linear, .out = 3), NN_NAMED("b", linear, .out = 3),
               NN(sum, .weight = {0.5f, -2})},
     .from = {[1] = {""}, [2] = {"a", "b"}}},
    {"the same twice", 2, 0, 4, 3, .layer = {NN_NAMED("a", linear, .out = 3), {.type = "sum"}},
     .from = {[1] = {"a", "a", ""}}},
    {"of one token", 2, 2, 5, 4, .holds = NN_SHORTER,
     .layer = {NN_NAMED("mean", pool, .kind = FGT_POOL_MEAN), {.type = "sum"}}, .from = {[1] = {"", "mean"}}},
    {"diamonds", 2, 0, 6, 4, .holds = NN_SHORTER,
     .layer = {NN_NAMED("a", linear, .out = 4), NN_NAMED("b", fighter, .hops = 2, .act = FGT_ACT_TANH),
               NN_NAMED("c", sum, .weight = {1, 1}), NN_NAMED("d", linear, .out = 4),
               {.type = "layer_norm"}, {.type = "sum"}},
     .from = {[2] = {"a", "b"}, [5] = {"c", "d", "4", "a"}}},
    {0},
};
