/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_scatter[];

const nn_case nn_cases_scatter[] = {
    {"mask tokens", 3, 0, 3, 4, .vocab = 7, .kept = 3, .layer = {NN(scatter, .time = 7)},
     .from = {{"", "ids"}}},
    {"zeros", 2, 3, 2, 3, .vocab = 5, .kept = 2, .layer = {NN(scatter, .time = 5, .zeros = 1)},
     .from = {{"", "ids"}}},
    {"no place is left", 2, 0, 4, 3, .vocab = 4, .kept = 4, .layer = {NN(scatter, .time = 4)},
     .from = {{"", "ids"}}},
    {"nodes, behind two tokens", 2, 2, 3, 4, .vocab = 6, .kept = 3,
     .layer = {NN_NAMED("c", class_token, .count = 2), NN(scatter, .time = 6, .prefix = 2)},
     .from  = {[1] = {"c", "ids"}}},
    {"a masked autoencoder", 2, 4, 6, 2, .vocab = 6, .kept = 2,
     .layer = {NN(patch_2d, .height = 2), NN(linear, .out = 8), {.type = "class_token"},
               NN_NAMED("p", position, .kind = FGT_POSITION_GRID, .columns = 3, .prefix = 1),
               NN(gather, .prefix = 1), NN(transformer, .heads = 2, .ff = 6, .norm_first = 1),
               NN_NAMED("e", linear, .out = 4), NN(scatter, .time = 6, .prefix = 1),
               NN(position, .kind = FGT_POSITION_LEARNED), NN(fighter, .norm = 1, .residual = 1),
               NN(linear, .out = 8), NN(slice, .first = 1)},
     .from  = {[4] = {"p", "ids"}, [7] = {"e", "ids"}}},
    {0},
};
