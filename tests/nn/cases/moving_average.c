/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_moving_average[];

const nn_case nn_cases_moving_average[] = {
    {"default", 2, 0, 30, 3, .holds = NN_SHORTER, .layer = {{.type = "moving_average"}}},
    {"trend", 3, 0, 13, 5, .holds = NN_SHORTER, .layer = {NN(moving_average, .window = 5)}},
    {"seasonal", 3, 2, 14, 7, .holds = NN_SHORTER, .layer = {NN(moving_average, .window = 5, .remove = 1)}},
    {"whole blocks", 2, 0, 15, 4, .holds = NN_SHORTER, .layer = {NN(moving_average, .window = 3)}},
    {"as wide as the sequence", 2, 0, 7, 4, .layer = {NN(moving_average, .window = 7)}},
    {"wider than the sequence", 2, 0, 4, 3, .holds = NN_SHORTER,
     .layer = {NN(moving_average, .window = 11, .remove = 1)}},
    {"itself", 2, 0, 4, 3, .holds = NN_CAUSAL | NN_RELABEL | NN_SHORTER,
     .layer = {NN(moving_average, .window = 1)}},
    {"nothing", 2, 0, 4, 3, .holds = NN_CAUSAL | NN_RELABEL | NN_SHORTER,
     .layer = {NN(moving_average, .window = 1, .remove = 1)}},
    {"one token", 2, 0, 1, 3, .layer = {NN(moving_average, .window = 5)}},
    {"many columns", 2, 0, 9, 131, .holds = NN_SHORTER, .layer = {NN(moving_average, .window = 5)}},
    {"both parts", 2, 0, 9, 4, .holds = NN_SHORTER,
     .layer = {NN_NAMED("in", linear, .out = 4), NN_NAMED("trend", moving_average, .window = 5),
               NN_NAMED("seasonal", moving_average, .window = 5, .remove = 1), {.type = "concat"}},
     .from  = {[1] = {"in"}, [2] = {"in"}, [3] = {"trend", "seasonal"}}},
    {0},
};
