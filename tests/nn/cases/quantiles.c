/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_quantiles[];

const nn_case nn_cases_quantiles[] = {
    {"of some steps", 2, 0, 12, 5, .layer = {NN(linear, .out = 3), NN(quantiles, .count = 4)}},
    {"of one step", 3, 0, 5, 4, .layer = {NN(quantiles, .count = 5)}},
    {"one alone", 2, 0, 6, 3, .layer = {NN(quantiles, .count = 1)}},
    {"then a row", 2, 0, 6, 3, .layer = {NN(quantiles, .count = 3), NN(linear, .out = 2)}},
    {0},
};
