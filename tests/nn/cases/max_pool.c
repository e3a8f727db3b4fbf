/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_max_pool[];

const nn_case nn_cases_max_pool[] = {
    {"default", 2, 0, 9, 4, .holds = NN_SHORTER, .layer = {{.type = "max_pool"}}},
    {"even, nodes", 2, 3, 8, 3, .holds = NN_SHORTER, .layer = {NN(max_pool, .kernel = 4, .stride = 3)}},
    {"wider than the sequence", 2, 0, 4, 3, .holds = NN_SHORTER, .layer = {NN(max_pool, .kernel = 9)}},
    {"itself", 2, 0, 4, 3, .holds = NN_CAUSAL | NN_RELABEL | NN_SHORTER,
     .layer = {NN(max_pool, .kernel = 1, .stride = 1)}},
    {"one token", 2, 0, 1, 3, .layer = {{.type = "max_pool"}}},
    {"behind a layer", 2, 0, 7, 3, .holds = NN_SHORTER,
     .layer = {NN(linear, .out = 5), NN(max_pool, .kernel = 3, .stride = 1), NN(linear, .out = 2)}},
    {0},
};
