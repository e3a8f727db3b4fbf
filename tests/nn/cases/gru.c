/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_gru[];

enum { ORDER = NN_CAUSAL | NN_SHORTER | NN_CHUNKS };

#define CELL(...)              NN(gru, __VA_ARGS__)
#define CELL_NODES(...)        NN_NODES(gru, __VA_ARGS__)
#define CELL_NAMED(label, ...) NN_NAMED(label, gru, __VA_ARGS__)

const nn_case nn_cases_gru[] = {
#include "recurrent_cases.h"
    {0},
};
