/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_lstm[];

enum { ORDER = NN_CAUSAL | NN_SHORTER | NN_CHUNKS };

const nn_case nn_cases_lstm[] = {
    {"one layer", 3, 0, 7, 5, .holds = ORDER, .layer = {NN(lstm, .hidden = 6)}},
    {"stacked", 2, 0, 6, 4, .holds = ORDER, .layer = {NN(lstm, .hidden = 5, .layers = 3)}},
    {"no bias", 2, 0, 6, 4, .holds = ORDER, .layer = {NN(lstm, .hidden = 5, .layers = 2, .no_bias = 1)}},
    {"nodes", 2, 3, 5, 4, .holds = ORDER, .layer = {NN(lstm, .hidden = 7, .layers = 2)}},
    {"one token", 2, 0, 1, 4, .holds = NN_SHORTER | NN_CHUNKS, .layer = {NN(lstm, .hidden = 3, .layers = 2)}},
    {"one feature, one unit", 2, 0, 6, 1, .holds = ORDER, .layer = {NN(lstm, .hidden = 1)}},
    {"last", 3, 2, 6, 4, .holds = NN_SHORTER | NN_CHUNKS,
     .layer = {NN(lstm, .hidden = 5, .layers = 2, .last = 1)}},
    {"both ways", 3, 0, 6, 4, .holds = NN_SHORTER, .layer = {NN(lstm, .hidden = 5, .bidirectional = 1)}},
    {"both ways, stacked, last", 2, 2, 6, 4, .holds = NN_SHORTER,
     .layer = {NN(lstm, .hidden = 5, .layers = 2, .bidirectional = 1, .last = 1, .no_bias = 1)}},
    {"dropout", 2, 0, 6, 4, .holds = ORDER,
     .layer = {NN(lstm, .hidden = 5, .layers = 3, .dropout = 0.3f)}},
    {"both ways, dropout", 2, 0, 6, 4, .holds = NN_SHORTER,
     .layer = {NN(lstm, .hidden = 5, .layers = 2, .bidirectional = 1, .dropout = 0.3f)}},
    {"between", 2, 0, 6, 4, .holds = ORDER,
     .layer = {NN(linear, .out = 6), NN(lstm, .hidden = 5), NN(lstm, .hidden = 8), NN(linear, .out = 3)}},
    {"padding", 3, 0, 7, 4, .inputs = NN_PADDING, .holds = NN_SHORTER | NN_REMOVE,
     .layer = {NN(lstm, .hidden = 5, .layers = 2)}},
    {"padding, last", 3, 2, 7, 4, .inputs = NN_PADDING, .holds = NN_SHORTER | NN_REMOVE,
     .layer = {NN(lstm, .hidden = 5, .layers = 2, .last = 1)}},
    {"padding, both ways", 37, 0, 6, 4, .inputs = NN_PADDING, .holds = NN_SHORTER | NN_REMOVE,
     .layer = {NN(lstm, .hidden = 5, .layers = 2, .bidirectional = 1)}},
    {"padding, both ways, last", 3, 0, 6, 4, .inputs = NN_PADDING, .holds = NN_SHORTER | NN_REMOVE,
     .layer = {NN(lstm, .hidden = 5, .bidirectional = 1, .last = 1)}},
    {"many sequences", 37, 0, 3, 4, .holds = ORDER, .layer = {NN(lstm, .hidden = 20, .layers = 2)}},
    {"long", 2, 0, 67, 3, .holds = ORDER, .layer = {NN(lstm, .hidden = 17)}},
    {"shared, one after the other and beside", 3, 0, 6, 4, .holds = ORDER,
     .layer = {NN_NAMED("a", lstm, .hidden = 4), {.type = "shared", .opts = "a", .name = "b"},
               {.type = "shared", .opts = "a", .name = "c"}, {.type = "sum"}},
     .from = {[2] = {""}, [3] = {"b", "c"}}},
    {"own padding", 3, 0, 6, 4, .inputs = NN_PADDING, .own = NN_PADDING,
     .layer = {NN_NAMED("in", linear, .out = 4), NN(lstm, .hidden = 3)}, .from = {[1] = {"in", "padding"}}},
    {0},
};
