/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_conv_2d[];

const nn_case nn_cases_conv_2d[] = {
    {"default", 2, 5, 6, 3, .holds = NN_SHORTER, .layer = {{.type = "conv_2d"}}},
    {"padded, as large as the image", 2, 4, 5, 2, .holds = NN_SHORTER,
     .layer = {NN(conv_2d, .out = 4, .padding_height = 1, .padding_width = 1)}},
    {"rectangle, strides", 3, 6, 7, 2, .holds = NN_SHORTER,
     .layer = {NN(conv_2d, .out = 5, .height = 3, .width = 2, .stride_height = 2, .stride_width = 3,
                  .padding_height = 2)}},
    {"no bias, patches", 2, 4, 6, 3, .holds = NN_SHORTER,
     .layer = {NN(conv_2d, .out = 8, .height = 2, .stride_height = 2, .no_bias = 1),
               NN(layout, .kind = FGT_LAYOUT_TOKENS), NN(linear, .out = 3)}},
    {"each pixel alone", 2, 3, 4, 3, .holds = NN_CAUSAL | NN_RELABEL | NN_SHORTER,
     .layer = {NN(conv_2d, .out = 2, .height = 1)}},
    {"more zeros than pixels", 2, 2, 2, 2, .layer = {NN(conv_2d, .padding_height = 4, .padding_width = 3)}},
    {"one row", 2, 0, 6, 3, .holds = NN_SHORTER, .layer = {NN(conv_2d, .out = 2, .height = 1, .width = 3)}},
    {"two", 2, 6, 6, 1, .holds = NN_SHORTER,
     .layer = {NN(conv_2d, .out = 3), NN(activation, .kind = FGT_ACT_TANH), NN(conv_2d, .out = 2)}},
    {"along the columns", 2, 5, 4, 2, .layer = {NN_NODES(conv_2d, .out = 3, .height = 2, .width = 3)}},
    {0},
};
