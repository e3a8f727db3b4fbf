/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_patch[];

const nn_case nn_cases_patch[] = {
    {"default", 2, 0, 40, 3, .layer = {{.type = "patch"}}},
    {"overlap", 2, 0, 13, 3, .holds = NN_SHORTER, .layer = {NN(patch, .length = 5, .stride = 2)}},
    {"gaps", 2, 0, 13, 3, .holds = NN_SHORTER, .layer = {NN(patch, .length = 2, .stride = 4)}},
    {"no padding", 2, 0, 12, 3, .holds = NN_SHORTER,
     .layer = {NN(patch, .length = 4, .stride = 4, .no_padding = 1)}},
    {"whole series", 2, 0, 6, 1, .layer = {NN(patch, .length = 6, .stride = 1, .no_padding = 1)}},
    {"forecaster", 2, 0, 16, 3,
     .layer = {NN(patch, .length = 4, .stride = 2), NN(linear, .out = 8),
               NN(fighter, .heads = 2, .hops = 3, .act = FGT_ACT_GELU, .norm = 1, .residual = 1),
               NN(layout, .kind = FGT_LAYOUT_FLATTEN), NN(linear, .out = 5),
               NN(layout, .kind = FGT_LAYOUT_MERGE)}},
    {0},
};
