/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_activation[];

enum { HOLDS = NN_CAUSAL | NN_RELABEL | NN_SHORTER };

const nn_case nn_cases_activation[] = {
    {"default", 2, 0, 5, 7, .holds = HOLDS, .layer = {{.type = "activation"}}},
    {"none", 2, 0, 5, 7, .holds = HOLDS, .layer = {NN(activation, .kind = FGT_ACT_NONE)}},
    {"relu", 2, 0, 5, 7, .holds = HOLDS, .layer = {NN(activation, .kind = FGT_ACT_RELU)}},
    {"gelu", 2, 0, 5, 7, .holds = HOLDS, .layer = {NN(activation, .kind = FGT_ACT_GELU)}},
    {"gelu tanh", 2, 3, 5, 7, .holds = HOLDS, .layer = {NN(activation, .kind = FGT_ACT_GELU_TANH)}},
    {"tanh", 2, 0, 5, 7, .holds = HOLDS, .layer = {NN(activation, .kind = FGT_ACT_TANH)}},
    {"sigmoid", 2, 0, 5, 7, .holds = HOLDS, .layer = {NN(activation, .kind = FGT_ACT_SIGMOID)}},
    {"silu", 2, 0, 5, 7, .holds = HOLDS, .layer = {NN(activation, .kind = FGT_ACT_SILU)}},
    {"elu", 2, 0, 5, 7, .holds = HOLDS, .layer = {NN(activation, .kind = FGT_ACT_ELU)}},
    {"softplus", 2, 0, 5, 7, .holds = HOLDS, .layer = {NN(activation, .kind = FGT_ACT_SOFTPLUS)}},
    /* more elements than one task takes */
    {"large", 4, 0, 70, 67, .holds = HOLDS, .layer = {NN(activation, .kind = FGT_ACT_SILU)}},
    {0},
};
