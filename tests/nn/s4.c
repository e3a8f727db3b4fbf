/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_s4[];

enum { ANY = NN_SHORTER, CAUSAL = NN_CAUSAL | NN_SHORTER | NN_CHUNKS };

/* FFT is for float alone: tests/nn/test_s4.c has it. */
const nn_case nn_cases_s4[] = {
    {"defaults", 2, 0, 7, 5, .holds = CAUSAL, .layer = {{.type = "s4"}}},
    {"DPLR, no block", 2, 0, 9, 10, .holds = CAUSAL,
     .layer = {NN(s4, .state = 6, .block = FGT_S4_BLOCK_NONE)}},
    {"DPLR, Toeplitz", 3, 0, 9, 10, .holds = CAUSAL,
     .layer = {NN(s4, .state = 6, .block = FGT_S4_BLOCK_NONE, .way = FGT_S4_WAY_TOEPLITZ)}},
    {"DPLR, recurrence", 3, 0, 9, 10, .holds = CAUSAL,
     .layer = {NN(s4, .state = 6, .block = FGT_S4_BLOCK_NONE, .way = FGT_S4_WAY_RECURRENCE)}},
    {"lin, zoh", 3, 0, 9, 3, .holds = CAUSAL,
     .layer = {NN(s4, .state = 4, .kind = FGT_S4_DIAGONAL, .way = FGT_S4_WAY_TOEPLITZ)}},
    {"inv, bilinear", 3, 0, 9, 3, .holds = CAUSAL,
     .layer = {NN(s4, .state = 4, .kind = FGT_S4_DIAGONAL, .init = FGT_S4_INIT_INV,
                  .disc = FGT_S4_BILINEAR)}},
    {"legs, zoh, nodes", 2, 3, 6, 9, .holds = CAUSAL,
     .layer = {NN(s4, .state = 2, .kind = FGT_S4_DIAGONAL, .init = FGT_S4_INIT_LEGS)}},
    {"both ways, DPLR", 2, 0, 7, 4, .holds = ANY,
     .layer = {NN(s4, .state = 4, .bidirectional = 1, .way = FGT_S4_WAY_TOEPLITZ)}},
    {"both ways, recurrence", 2, 0, 7, 9, .holds = ANY,
     .layer = {NN(s4, .state = 4, .bidirectional = 1, .kind = FGT_S4_DIAGONAL,
                  .way = FGT_S4_WAY_RECURRENCE)}},
    {"both ways, several blocks", 2, 0, 150, 3,
     .layer = {NN(s4, .state = 4, .bidirectional = 1, .kind = FGT_S4_DIAGONAL, .block = FGT_S4_BLOCK_NONE,
                  .way = FGT_S4_WAY_TOEPLITZ)}},
    {"minimal", 2, 0, 8, 5, .holds = CAUSAL,
     .layer = {NN(s4, .state = 6, .block = FGT_S4_BLOCK_MINIMAL)}},
    {"minimal, small steps, dropout", 2, 0, 8, 5, .holds = CAUSAL,
     .layer = {NN(s4, .state = 6, .block = FGT_S4_BLOCK_MINIMAL, .dt_min = 0.0001f, .dt_max = 0.0002f,
                  .dropout = 0.3f)}},
    {"one step", 2, 0, 1, 4, .layer = {NN(s4, .state = 4)}},
    {"one step, both ways", 2, 0, 1, 4, .layer = {NN(s4, .state = 4, .bidirectional = 1)}},
    {"one step, Toeplitz", 2, 0, 1, 4,
     .layer = {NN(s4, .state = 4, .bidirectional = 1, .way = FGT_S4_WAY_TOEPLITZ)}},
    {"long, Toeplitz", 1, 0, 150, 3,
     .layer = {NN(s4, .state = 4, .block = FGT_S4_BLOCK_NONE, .way = FGT_S4_WAY_TOEPLITZ)}},
    {"long, recurrence", 2, 0, 150, 3, .holds = NN_CHUNKS,
     .layer = {NN(s4, .state = 4, .block = FGT_S4_BLOCK_NONE, .way = FGT_S4_WAY_RECURRENCE)}},
    {"stack", 2, 0, 6, 4, .holds = CAUSAL,
     .layer = {NN(s4, .state = 4, .dropout = 0.2f), NN(s4, .state = 4, .kind = FGT_S4_DIAGONAL),
               NN(linear, .out = 2)}},
    {0},
};
