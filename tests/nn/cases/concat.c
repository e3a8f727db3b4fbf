/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_concat[];

const nn_case nn_cases_concat[] = {
    {"two widths", 2, 0, 6, 5, .holds = NN_SHORTER,
     .layer = {NN_NAMED("a", linear, .out = 3), {.type = "concat"}, NN(linear, .out = 2)},
     .from  = {[1] = {"", "a"}}},
    {"nodes, one token", 2, 3, 4, 5, .holds = NN_SHORTER,
     .layer = {NN_NAMED("mean", pool, .kind = FGT_POOL_MEAN), {.type = "concat"}},
     .from  = {[1] = {"", "mean", ""}}},
    {"recurrent beside attention", 2, 0, 6, 4,
     .layer = {NN_NAMED("r", gru, .hidden = 3),
               NN_NAMED("f", fighter, .hops = 2, .act = FGT_ACT_TANH),
               {.type = "concat"},
               NN(linear, .out = 2)},
     .from  = {[1] = {""}, [2] = {"r", "f"}}},
    {"one token of a value", 2, 0, 4, 3, .memory = 1, .layer = {{.type = "concat"}, NN(linear, .out = 3)},
     .from = {{"", "memory", "memory"}}},
    {"of one, in a chain", 2, 0, 4, 3, .holds = NN_SHORTER,
     .layer = {NN(linear, .out = 2), {.type = "concat"}}},
    {"of a concat, and what is in it", 2, 0, 4, 3, .holds = NN_SHORTER,
     .layer = {NN_NAMED("a", linear, .out = 2), {.type = "concat", .name = "ax"}, {.type = "concat"}},
     .from  = {[1] = {"a", ""}, [2] = {"ax", "a", "ax"}}},
    {0},
};
