/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_lstm[];

enum { ORDER = NN_CAUSAL | NN_SHORTER | NN_CHUNKS };

#define CELL(...)              NN(lstm, __VA_ARGS__)
#define CELL_NODES(...)        NN_NODES(lstm, __VA_ARGS__)
#define CELL_NAMED(label, ...) NN_NAMED(label, lstm, __VA_ARGS__)

const nn_case nn_cases_lstm[] = {
#include "recurrent_cases.h"
    {0},
};
