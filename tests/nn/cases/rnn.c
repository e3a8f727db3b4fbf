/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_rnn[];

enum { ORDER = NN_CAUSAL | NN_SHORTER | NN_CHUNKS };

#define CELL(...)              NN(rnn, __VA_ARGS__)
#define CELL_NODES(...)        NN_NODES(rnn, __VA_ARGS__)
#define CELL_NAMED(label, ...) NN_NAMED(label, rnn, __VA_ARGS__)

const nn_case nn_cases_rnn[] = {
#include "recurrent_cases.h"
    {"relu", 3, 0, 7, 5, .holds = ORDER,
     .layer = {NN(rnn, .hidden = 6, .layers = 2, .nonlinearity = FGT_RNN_NONLINEARITY_RELU)}},
    /* so large a weight that blocks of rows grow (recurrent.c) */
    {"wide", 70, 0, 2, 3, .holds = ORDER, .layer = {NN(rnn, .hidden = 400)}},
    {0},
};
