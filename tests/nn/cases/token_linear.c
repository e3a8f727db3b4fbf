/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_token_linear[];

const nn_case nn_cases_token_linear[] = {
    {"plain", 3, 0, 5, 7, .holds = NN_CAUSAL | NN_SHORTER, .layer = {NN(token_linear, .out = 4)}},
    {"no bias, one output", 2, 0, 4, 6, .holds = NN_SHORTER,
     .layer = {NN(token_linear, .out = 1, .no_bias = 1)}},
    {"nodes", 2, 3, 4, 5, .holds = NN_CAUSAL, .layer = {NN(token_linear, .out = 9)}},
    {"one row of one", 1, 0, 1, 1, .layer = {NN(token_linear, .out = 3)}},
    /* wider and longer than one block of a product on any processor */
    {"large", 70, 0, 3, 37, .layer = {NN(token_linear, .out = 131)}},
    {"shared, one after the other", 2, 0, 5, 4, .holds = NN_SHORTER,
     .layer = {NN_NAMED("a", token_linear, .out = 4),
               NN(activation, .kind = FGT_ACT_TANH),
               {.type = "shared", .opts = "a"}}},
    {"frozen weights", 2, 0, 5, 4, .holds = NN_SHORTER, .frozen = "*.weight",
     .layer = {NN(token_linear, .out = 4), NN(linear, .out = 3)}},
    {0},
};
