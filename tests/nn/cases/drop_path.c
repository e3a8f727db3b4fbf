/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_drop_path[];

const nn_case nn_cases_drop_path[] = {
    {"off", 2, 0, 5, 7, .holds = NN_CAUSAL | NN_RELABEL | NN_SHORTER, .layer = {{.type = "drop_path"}}},
    {"third", 6, 2, 5, 7, .holds = NN_CAUSAL | NN_RELABEL | NN_SHORTER, .layer = {NN(drop_path, .p = 0.3f)}},
    {"samples longer than a block", 4, 0, 80, 67, .layer = {NN(drop_path, .p = 0.5f)}},
    {"residual", 5, 0, 4, 3, .holds = NN_SHORTER,
     .layer = {NN_NAMED("a", linear, .out = 3), NN_NAMED("b", drop_path, .p = 0.5f), {.type = "sum"}},
     .from  = {[2] = {"", "b"}}},
    {0},
};
