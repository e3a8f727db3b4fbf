/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_pool[];

const nn_case nn_cases_pool[] = {
    {"mean", 3, 0, 6, 5, .holds = NN_RELABEL | NN_SHORTER, .layer = {{.type = "pool"}}},
    {"mean of unpadded", 3, 0, 6, 5, .inputs = NN_PADDING, .holds = NN_REMOVE | NN_SHORTER,
     .layer = {{.type = "pool"}}},
    {"mean of unpadded, nodes", 2, 3, 6, 5, .inputs = NN_PADDING, .holds = NN_REMOVE | NN_SHORTER,
     .layer = {{.type = "pool"}}},
    {"last", 3, 2, 6, 5, .holds = NN_SHORTER, .layer = {NN(pool, .kind = FGT_POOL_LAST)}},
    {"last of unpadded", 3, 0, 6, 5, .inputs = NN_PADDING, .holds = NN_REMOVE | NN_SHORTER,
     .layer = {NN(pool, .kind = FGT_POOL_LAST)}},
    {"one token", 2, 0, 1, 4, .layer = {{.type = "pool"}}},
    {"then a row", 3, 0, 6, 5, .holds = NN_SHORTER, .layer = {{.type = "pool"}, NN(linear, .out = 2)}},
    {"own padding", 3, 0, 6, 4, .inputs = NN_PADDING, .own = NN_PADDING, .holds = NN_REMOVE,
     .layer = {NN_NAMED("in", linear, .out = 4), NN(pool, .kind = FGT_POOL_MEAN)},
     .from  = {[1] = {"in", "padding"}}},
    {"along the nodes", 2, 6, 3, 4, .holds = NN_CAUSAL | NN_SHORTER,
     .layer = {{.type = "pool", .axis = FGT_AXIS_NODES}}},
    {0},
};
