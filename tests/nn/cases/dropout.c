/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_dropout[];

const nn_case nn_cases_dropout[] = {
    {"off", 2, 0, 5, 7, .holds = NN_CAUSAL | NN_RELABEL | NN_SHORTER, .layer = {{.type = "dropout"}}},
    {"third", 2, 0, 5, 7, .holds = NN_CAUSAL | NN_RELABEL | NN_SHORTER, .layer = {NN(dropout, .p = 0.3f)}},
    {"two", 2, 3, 5, 7, .layer = {NN(dropout, .p = 0.5f), NN(linear, .out = 6), NN(dropout, .p = 0.1f)}},
    {"many", 4, 0, 80, 67, .layer = {NN(dropout, .p = 0.5f)}},
    {0},
};
