/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_patch_2d[];

const nn_case nn_cases_patch_2d[] = {
    {"squares", 2, 6, 8, 3, .holds = NN_SHORTER, .layer = {NN(patch_2d, .height = 2)}},
    {"rectangles, some left over", 3, 5, 7, 2, .holds = NN_SHORTER,
     .layer = {NN(patch_2d, .height = 2, .width = 3), NN(linear, .out = 4)}},
    {"overlapping, padded", 2, 5, 6, 2, .holds = NN_SHORTER,
     .layer = {NN(linear, .out = 3), NN(patch_2d, .height = 3, .width = 2, .stride_height = 2,
                                        .stride_width = 1, .padding_height = 1, .padding_width = 1)}},
    {"wider steps than patches", 2, 7, 9, 1, .holds = NN_SHORTER,
     .layer = {NN(patch_2d, .height = 2, .stride_height = 3, .stride_width = 4)}},
    {"one pixel, one row", 2, 0, 5, 3, .holds = NN_SHORTER, .layer = {NN(patch_2d, .height = 1)}},
    {"the whole image", 2, 4, 3, 2, .layer = {NN(patch_2d, .height = 4, .width = 3)}},
    {"along the columns", 2, 4, 6, 2,
     .layer = {NN_NODES(patch_2d, .height = 3, .width = 2), NN(linear, .out = 3)}},
    {0},
};
