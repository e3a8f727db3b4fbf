/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_gather[];

const nn_case nn_cases_gather[] = {
    {"some", 3, 0, 6, 4, .vocab = 6, .kept = 3, .layer = {{.type = "gather"}}, .from = {{"", "ids"}}},
    {"behind a class token", 2, 0, 5, 3, .vocab = 5, .kept = 2,
     .layer = {{.type = "class_token", .name = "a"}, NN(gather, .prefix = 1), NN(linear, .out = 2)},
     .from  = {[1] = {"a", "ids"}}},
    {"nodes", 2, 3, 4, 2, .vocab = 4, .kept = 3, .layer = {{.type = "gather"}}, .from = {{"", "ids"}}},
    {"one of a picture", 2, 4, 6, 2, .vocab = 6, .kept = 1,
     .layer = {NN_NAMED("p", patch_2d, .height = 2), {.type = "gather"}},
     .from  = {[1] = {"p", "ids"}}},
    {"twice, and what was read", 2, 0, 4, 3, .vocab = 4, .kept = 4,
     .layer = {NN_NAMED("a", linear, .out = 3), {.type = "gather", .name = "g"},
               {.type = "gather", .name = "h"}, {.type = "sum"}},
     .from  = {[1] = {"a", "ids"}, [2] = {"g", "ids"}, [3] = {"h", "g", "a"}}},
    {0},
};
