/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_extend[];

const nn_case nn_cases_extend[] = {
    {"zeros", 2, 0, 4, 3, .holds = NN_SHORTER, .layer = {NN(extend, .count = 3)}},
    {"zeros, nodes, between layers", 2, 3, 4, 3,
     .layer = {NN(linear, .out = 2), NN(extend, .count = 2), NN(activation, .kind = FGT_ACT_TANH)}},
    {"the mean, repeated", 2, 2, 4, 3, .holds = NN_SHORTER,
     .layer = {NN_NAMED("mean", pool, .kind = FGT_POOL_MEAN), NN(extend, .count = 3)},
     .from  = {[1] = {"", "mean"}}},
    {"two sequences", 2, 0, 5, 3,
     .layer = {NN_NAMED("a", slice, .first = 3), NN_NAMED("b", linear, .out = 3), NN(extend, .count = 5)},
     .from  = {[1] = {""}, [2] = {"a", "b"}}},
    {"part of a value", 2, 0, 3, 4, .memory = 5, .layer = {NN(extend, .count = 7), NN(linear, .out = 2)},
     .from = {{"", "memory"}}},
    {0},
};
