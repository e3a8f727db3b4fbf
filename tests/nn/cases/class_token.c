/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_class_token[];

const nn_case nn_cases_class_token[] = {
    {"one", 2, 0, 4, 3, .holds = NN_SHORTER, .layer = {{.type = "class_token"}}},
    {"three, nodes", 2, 3, 4, 5, .holds = NN_SHORTER, .layer = {NN(class_token, .count = 3, .init = 1)}},
    {"read by a head", 3, 0, 4, 4, .holds = NN_SHORTER,
     .layer = {NN(linear, .out = 8), {.type = "class_token"}, NN(transformer, .heads = 2, .ff = 6),
               NN(slice, .count = 1), NN(linear, .out = 3)}},
    {"along the nodes", 2, 3, 4, 2, .layer = {NN_NODES(class_token, .count = 2)}},
    {0},
};
