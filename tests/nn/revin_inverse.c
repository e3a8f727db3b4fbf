/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_revin_inverse[];

const nn_case nn_cases_revin_inverse[] = {
    {"pair", 3, 0, 7, 4, .holds = NN_RELABEL | NN_SHORTER,
     .layer = {{.type = "revin"}, {.type = "revin_inverse"}}},
    {"around a layer", 2, 3, 7, 4, .holds = NN_SHORTER,
     .layer = {NN(revin, .eps = 0.1f), NN(fighter, .hops = 2, .act = FGT_ACT_TANH, .residual = 1),
               {.type = "revin_inverse"}}},
    {"no affine, along time", 2, 0, 7, 4,
     .layer = {NN(revin, .no_affine = 1), {.type = "layout"}, NN(linear, .out = 5), {.type = "layout"},
               {.type = "revin_inverse"}}},
    {"of a later layer", 2, 0, 7, 4, .holds = NN_SHORTER,
     .layer = {NN(linear, .out = 5), {.type = "revin"}, NN(linear, .out = 5),
               {.type = "revin_inverse"}}},
    {"twice", 2, 0, 7, 4, .holds = NN_SHORTER,
     .layer = {{.type = "revin"}, NN(linear, .out = 4), {.type = "revin_inverse"}, NN(linear, .out = 4),
               {.type = "revin_inverse"}}},
    {"of two the one named", 2, 0, 7, 4, .holds = NN_SHORTER,
     .layer = {{.type = "revin", .name = "outer"}, {.type = "revin", .name = "inner"},
               NN_NAMED("map", linear, .out = 4), {.type = "revin_inverse"}},
     .from = {[3] = {"map", "outer"}}},
    {0},
};
