/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_rnn[];

enum { ORDER = NN_CAUSAL | NN_SHORTER | NN_CHUNKS };

/* "wide" has so large a weight that blocks of rows grow (recurrent.c). */
const nn_case nn_cases_rnn[] = {
    {"one layer", 3, 0, 7, 5, .holds = ORDER, .layer = {NN(rnn, .hidden = 6)}},
    {"stacked", 2, 0, 6, 4, .holds = ORDER, .layer = {NN(rnn, .hidden = 5, .layers = 3)}},
    {"relu", 3, 0, 7, 5, .holds = ORDER,
     .layer = {NN(rnn, .hidden = 6, .layers = 2, .nonlinearity = FGT_RNN_RELU)}},
    {"no bias", 2, 0, 6, 4, .holds = ORDER, .layer = {NN(rnn, .hidden = 5, .layers = 2, .no_bias = 1)}},
    {"nodes", 2, 3, 5, 4, .holds = ORDER, .layer = {NN(rnn, .hidden = 7, .layers = 2)}},
    {"one token", 2, 0, 1, 4, .holds = NN_SHORTER | NN_CHUNKS, .layer = {NN(rnn, .hidden = 3, .layers = 2)}},
    {"one feature, one unit", 2, 0, 6, 1, .holds = ORDER, .layer = {NN(rnn, .hidden = 1)}},
    {"last", 3, 2, 6, 4, .holds = NN_SHORTER | NN_CHUNKS,
     .layer = {NN(rnn, .hidden = 5, .layers = 2, .last = 1)}},
    {"both ways", 3, 0, 6, 4, .holds = NN_SHORTER, .layer = {NN(rnn, .hidden = 5, .bidirectional = 1)}},
    {"both ways, stacked, last", 2, 2, 6, 4, .holds = NN_SHORTER,
     .layer = {NN(rnn, .hidden = 5, .layers = 2, .bidirectional = 1, .last = 1, .no_bias = 1)}},
    {"dropout", 2, 0, 6, 4, .holds = ORDER,
     .layer = {NN(rnn, .hidden = 5, .layers = 3, .dropout = 0.3f)}},
    {"both ways, dropout", 2, 0, 6, 4, .holds = NN_SHORTER,
     .layer = {NN(rnn, .hidden = 5, .layers = 2, .bidirectional = 1, .dropout = 0.3f)}},
    {"between", 2, 0, 6, 4, .holds = ORDER,
     .layer = {NN(linear, .out = 6), NN(rnn, .hidden = 5), NN(rnn, .hidden = 8), NN(linear, .out = 3)}},
    {"padding", 3, 0, 7, 4, .inputs = NN_PADDING, .holds = NN_SHORTER | NN_REMOVE,
     .layer = {NN(rnn, .hidden = 5, .layers = 2)}},
    {"padding, last", 3, 2, 7, 4, .inputs = NN_PADDING, .holds = NN_SHORTER | NN_REMOVE,
     .layer = {NN(rnn, .hidden = 5, .layers = 2, .last = 1)}},
    {"padding, both ways", 37, 0, 6, 4, .inputs = NN_PADDING, .holds = NN_SHORTER | NN_REMOVE,
     .layer = {NN(rnn, .hidden = 5, .layers = 2, .bidirectional = 1)}},
    {"padding, both ways, last", 3, 0, 6, 4, .inputs = NN_PADDING, .holds = NN_SHORTER | NN_REMOVE,
     .layer = {NN(rnn, .hidden = 5, .bidirectional = 1, .last = 1)}},
    {"many sequences", 37, 0, 3, 4, .holds = ORDER, .layer = {NN(rnn, .hidden = 20, .layers = 2)}},
    {"wide", 70, 0, 2, 3, .holds = ORDER, .layer = {NN(rnn, .hidden = 400)}},
    {"long", 2, 0, 67, 3, .holds = ORDER, .layer = {NN(rnn, .hidden = 17)}},
    {"shared, one after the other and beside", 3, 0, 6, 4, .holds = ORDER,
     .layer = {NN_NAMED("a", rnn, .hidden = 4), {.type = "shared", .opts = "a", .name = "b"},
               {.type = "shared", .opts = "a", .name = "c"}, {.type = "sum"}},
     .from = {[2] = {""}, [3] = {"b", "c"}}},
    {"own padding", 3, 0, 6, 4, .inputs = NN_PADDING, .own = NN_PADDING,
     .layer = {NN_NAMED("in", linear, .out = 4), NN(rnn, .hidden = 3)}, .from = {[1] = {"in", "padding"}}},
    {0},
};
