/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_layer_norm[];

const nn_case nn_cases_layer_norm[] = {
    {"default", 3, 0, 5, 7, .holds = NN_CAUSAL | NN_RELABEL | NN_SHORTER,
     .layer = {{.type = "layer_norm"}}},
    {"eps", 2, 3, 4, 35, .holds = NN_CAUSAL | NN_RELABEL, .layer = {NN(layer_norm, .eps = 0.5f)}},
    {"one feature", 2, 0, 3, 1, .layer = {{.type = "layer_norm"}}},
    {"between", 2, 0, 6, 5, .holds = NN_SHORTER, .layer = {NN(linear, .out = 40), {.type = "layer_norm"},
                                                           NN(linear, .out = 3)}},
    {"seasonal", 3, 0, 5, 7, .holds = NN_SHORTER, .layer = {NN(layer_norm, .seasonal = 1)}},
    {"seasonal, nodes, between", 2, 3, 6, 5,
     .layer = {NN(linear, .out = 20), NN(layer_norm, .seasonal = 1), NN(linear, .out = 3)}},
    {"seasonal, one token", 2, 0, 1, 4, .layer = {NN(layer_norm, .seasonal = 1)}},
    {"many rows", 5, 0, 90, 41, .layer = {{.type = "layer_norm"}}},
    {0},
};
