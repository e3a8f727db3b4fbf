/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_slice[];

const nn_case nn_cases_slice[] = {
    {"last steps", 2, 0, 6, 5, .layer = {NN(slice, .first = 4)}},
    {"first steps", 2, 0, 6, 5, .layer = {NN(slice, .count = 3)}},
    {"middle, nodes", 3, 2, 7, 4, .layer = {NN(slice, .first = 2, .count = 3)}},
    {"all", 2, 0, 4, 3, .holds = NN_SHORTER, .layer = {{.type = "slice"}}},
    {"between layers", 2, 0, 6, 5,
     .layer = {NN(linear, .out = 4), NN(slice, .first = 1, .count = 4),
               NN(activation, .kind = FGT_ACT_TANH)}},
    {0},
};
