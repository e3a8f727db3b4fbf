/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_layout[];

const nn_case nn_cases_layout[] = {
    {"swap", 2, 0, 6, 5, .holds = NN_SHORTER, .layer = {NN(layout, .kind = FGT_LAYOUT_SWAP)}},
    {"swap, nodes", 2, 3, 4, 5, .holds = NN_SHORTER, .layer = {NN(layout, .kind = FGT_LAYOUT_SWAP)}},
    {"flatten", 2, 3, 4, 5, .holds = NN_SHORTER, .layer = {NN(layout, .kind = FGT_LAYOUT_FLATTEN)}},
    {"tokens", 2, 3, 4, 5, .holds = NN_SHORTER, .layer = {NN(layout, .kind = FGT_LAYOUT_TOKENS)}},
    {"merge", 2, 3, 1, 5, .layer = {NN(layout, .kind = FGT_LAYOUT_MERGE)}},
    {"along time", 2, 0, 6, 5,
     .layer = {{.type = "layout"}, NN(linear, .out = 4), {.type = "layout"},
               NN(activation, .kind = FGT_ACT_TANH)}},
    {0},
};
