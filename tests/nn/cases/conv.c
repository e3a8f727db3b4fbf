/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_conv[];

enum {
    CIRCULAR = FGT_CONV_PADDING_CIRCULAR,
    CAUSAL   = FGT_CONV_PADDING_CAUSAL,
    VALID    = FGT_CONV_PADDING_VALID
};

const nn_case nn_cases_conv[] = {
    {"default", 2, 0, 7, 4, .holds = NN_SHORTER, .layer = {{.type = "conv"}}},
    {"zeros, even", 2, 0, 8, 3, .holds = NN_SHORTER, .layer = {NN(conv, .out = 5, .kernel = 4, .stride = 3)}},
    {"circular", 3, 2, 7, 3, .holds = NN_SHORTER, .layer = {NN(conv, .out = 2, .padding = CIRCULAR)}},
    {"circular, wider than the sequence", 2, 0, 3, 3, .holds = NN_SHORTER,
     .layer = {NN(conv, .kernel = 9, .stride = 2, .padding = CIRCULAR)}},
    {"causal", 2, 0, 7, 3, .holds = NN_CAUSAL | NN_SHORTER, .layer = {NN(conv, .out = 4, .padding = CAUSAL)}},
    {"causal, no bias, stride", 2, 0, 9, 3, .holds = NN_SHORTER,
     .layer = {NN(conv, .out = 4, .kernel = 5, .stride = 2, .padding = CAUSAL, .no_bias = 1)}},
    {"valid", 2, 0, 9, 4, .holds = NN_SHORTER, .layer = {NN(conv, .out = 16, .kernel = 4, .padding = VALID)}},
    {"valid, as long as the sequence", 2, 0, 5, 4, .layer = {NN(conv, .kernel = 5, .padding = VALID)}},
    {"each token alone", 2, 0, 5, 4, .holds = NN_CAUSAL | NN_RELABEL | NN_SHORTER,
     .layer = {NN(conv, .out = 3, .kernel = 1)}},
    {"every second token", 2, 0, 6, 4, .holds = NN_SHORTER,
     .layer = {NN(conv, .out = 3, .kernel = 1, .stride = 2)}},
    {"one token", 2, 0, 1, 3, .layer = {{.type = "conv"}}},
    {"distilled", 2, 0, 11, 4, .holds = NN_SHORTER,
     .layer = {NN(linear, .out = 4),
               NN(conv, .padding = CIRCULAR),
               NN(activation, .kind = FGT_ACT_ELU),
               {.type = "max_pool"},
               {.type = "conv"}}},
    {"shared", 2, 0, 6, 3, .holds = NN_SHORTER,
     .layer = {NN_NAMED("a", conv, .kernel = 2), {.type = "shared", .opts = "a"}}},
    {"along the nodes", 2, 6, 3, 4, .holds = NN_CAUSAL | NN_SHORTER,
     .layer = {NN_NODES(conv, .out = 3, .padding = FGT_CONV_PADDING_VALID)}},
    {0},
};
