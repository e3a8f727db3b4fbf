/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_revin[];

const nn_case nn_cases_revin[] = {
    {"affine", 3, 0, 7, 4, .holds = NN_RELABEL | NN_SHORTER, .layer = {{.type = "revin"}}},
    {"no affine", 3, 0, 7, 4, .holds = NN_RELABEL | NN_SHORTER, .layer = {NN(revin, .no_affine = 1)}},
    {"nodes, eps", 2, 3, 7, 4, .holds = NN_RELABEL | NN_SHORTER, .layer = {NN(revin, .eps = 0.3f)}},
    {"later", 2, 0, 7, 4, .layer = {NN(linear, .out = 5), {.type = "revin"}, NN(linear, .out = 2)}},
    {0},
};
