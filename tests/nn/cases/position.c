/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_position[];

const nn_case nn_cases_position[] = {
    {"sinusoidal", 2, 0, 6, 5, .holds = NN_CAUSAL | NN_SHORTER, .layer = {{.type = "position"}}},
    {"long table", 2, 3, 6, 4, .holds = NN_CAUSAL | NN_SHORTER, .layer = {NN(position, .max_time = 30)}},
    {"learned", 3, 2, 6, 5, .holds = NN_CAUSAL | NN_SHORTER,
     .layer = {NN(position, .kind = FGT_POSITION_LEARNED)}},
    {"learned, long table", 3, 0, 6, 5, .holds = NN_CAUSAL | NN_SHORTER,
     .layer = {NN(position, .kind = FGT_POSITION_LEARNED, .max_time = 17, .init = 1)}},
    {"tape", 2, 0, 6, 5, .holds = NN_CAUSAL, .layer = {NN(position, .kind = FGT_POSITION_TAPE)}},
    {"tape, long table", 2, 0, 6, 5, .holds = NN_CAUSAL | NN_SHORTER,
     .layer = {NN(position, .kind = FGT_POSITION_TAPE, .max_time = 12)}},
    {"grid", 2, 0, 6, 8, .layer = {NN(position, .kind = FGT_POSITION_GRID, .columns = 3)}},
    {"grid of patches behind two tokens", 2, 4, 6, 2,
     .layer = {NN(patch_2d, .height = 2), NN(class_token, .count = 2),
               NN(position, .kind = FGT_POSITION_GRID, .columns = 3, .prefix = 2)}},
    {"of ids", 2, 0, 5, 0, .vocab = 7, .holds = NN_CAUSAL | NN_SHORTER,
     .layer = {NN(embedding, .vocab = 7, .out = 6), {.type = "position"}}},
    {"learned, along the nodes", 2, 6, 3, 4, .holds = NN_CAUSAL | NN_SHORTER,
     .layer = {NN_NODES(position, .kind = FGT_POSITION_LEARNED)}},
    {0},
};
