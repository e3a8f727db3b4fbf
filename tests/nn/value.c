/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_value[];

const nn_case nn_cases_value[] = {
    {"beside x", 2, 0, 5, 4, .memory = 5, .layer = {NN(sum, .weight = {1, 2})}, .from = {{"", "memory"}}},
    {"through a layer", 2, 0, 5, 4, .memory = 5,
     .layer = {NN_NAMED("known", linear, .out = 3), NN(concat, .reserved = 0)},
     .from = {{"memory"}, {"", "known"}}},
    {"of one token", 3, 2, 5, 4, .memory = 1, .layer = {{.type = "concat"}, NN(linear, .out = 3)},
     .from = {{"", "memory"}}},
    {0},
};
