/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_concat[];

const nn_case nn_cases_concat[] = {
    {"two widths", 2, 0, 6, 5, .holds = NN_SHORTER,
     .layer = {NN_NAMED("a", linear, .out = 3), {.type = "concat"}, NN(linear, .out = 2)},
     .from = {[1] = {"", "a"}}},
    {"nodes, one token", 2, 3, 4, 5, .holds = NN_SHORTER,
     .layer = {NN_NAMED("mean", pool, .kind = FGT_POOL_MEAN), {.type = "concat"}},
     .from = {[1] = {"", "mean", ""}}},
    {"recurrent beside attention", 2, 0, 6, 4,
     .layer = {NN_NAMED("r", gru, .hidden = 3), NN_NAMED("f", fighter, .hops = 2, .act = FGT_ACT_TANH),
               {.type = "concat"}, NN(linear, .out = 2)},
     .from = {[1] = {""}, [2] = {"r", "f"}}},
    {0},
};
