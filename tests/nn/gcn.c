/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"

extern const nn_case nn_cases_gcn[];

enum { T = FGT_ACT_TANH };

/* The hops run over y where it is the narrower one ("narrow"), else over x. */
const nn_case nn_cases_gcn[] = {
    {"default", 2, 0, 6, 5, .graph = NN_GRAPH_DENSE, .holds = NN_RELABEL, .layer = {{.type = "gcn"}}},
    {"narrow, dense", 2, 3, 6, 7, .graph = NN_GRAPH_DENSE, .holds = NN_RELABEL,
     .layer = {NN(gcn, .hops = 4, .out = 3, .act = T)}},
    {"narrow, edges", 2, 3, 6, 7, .graph = NN_GRAPH_CSR, .holds = NN_RELABEL,
     .layer = {NN(gcn, .hops = 4, .out = 3, .act = T)}},
    {"wide, dense", 2, 2, 6, 3, .graph = NN_GRAPH_DENSE, .holds = NN_RELABEL,
     .layer = {NN(gcn, .hops = 3, .out = 19, .act = T, .no_bias = 1)}},
    {"wide, edges", 2, 2, 6, 3, .graph = NN_GRAPH_CSR, .holds = NN_RELABEL,
     .layer = {NN(gcn, .hops = 3, .out = 19, .act = T, .no_bias = 1)}},
    {"one hop", 2, 0, 6, 4, .graph = NN_GRAPH_CSR, .holds = NN_RELABEL,
     .layer = {NN(gcn, .hops = 1, .act = T, .residual = 1, .no_bias = 1)}},
    {"one node", 2, 0, 1, 4, .graph = NN_GRAPH_CSR, .layer = {NN(gcn, .hops = 3, .act = T, .no_bias = 1)}},
    {"plain", 2, 0, 6, 5, .graph = NN_GRAPH_DENSE, .holds = NN_RELABEL,
     .layer = {NN(gcn, .plain = 1, .act = T, .no_bias = 1)}},
    {"plain, narrow, dense", 2, 2, 6, 7, .graph = NN_GRAPH_DENSE, .holds = NN_RELABEL,
     .layer = {NN(gcn, .plain = 1, .hops = 3, .out = 4, .act = T)}},
    {"plain, narrow, edges", 2, 0, 6, 7, .graph = NN_GRAPH_CSR, .holds = NN_RELABEL,
     .layer = {NN(gcn, .plain = 1, .hops = 2, .out = 4, .act = T, .no_bias = 1)}},
    {"plain, wide, dense", 2, 0, 6, 3, .graph = NN_GRAPH_DENSE, .holds = NN_RELABEL,
     .layer = {NN(gcn, .plain = 1, .hops = 4, .out = 8, .act = T, .no_bias = 1)}},
    {"plain, wide, edges", 2, 3, 6, 3, .graph = NN_GRAPH_CSR, .holds = NN_RELABEL,
     .layer = {NN(gcn, .plain = 1, .hops = 3, .out = 8, .act = T)}},
    {"dropout, residual", 2, 2, 6, 5, .graph = NN_GRAPH_CSR, .holds = NN_RELABEL,
     .layer = {NN(gcn, .act = T, .dropout = 0.3f, .residual = 1)}},
    {"stack", 2, 0, 9, 4, .graph = NN_GRAPH_DENSE, .holds = NN_RELABEL,
     .layer = {NN(gcn, .hops = 2, .out = 6, .act = T, .no_bias = 1),
               NN(gcn, .plain = 1, .out = 3, .act = FGT_ACT_NONE, .no_bias = 1)}},
    {"many nodes", 2, 0, 67, 20, .graph = NN_GRAPH_CSR,
     .layer = {NN(gcn, .hops = 3, .act = T, .no_bias = 1)}},
    {"shared, dense", 2, 0, 6, 4, .graph = NN_GRAPH_DENSE, .holds = NN_RELABEL,
     .layer = {NN_NAMED("a", gcn, .hops = 3, .act = T), {.type = "shared", .opts = "a"}}},
    {"shared, edges, beside itself", 2, 2, 6, 4, .graph = NN_GRAPH_CSR, .holds = NN_RELABEL,
     .layer = {NN_NAMED("a", gcn, .hops = 2, .act = T, .dropout = 0.3f),
               NN_NAMED("l", linear, .out = 4),
               {.type = "shared", .opts = "a", .name = "b"},
               {.type = "sum"}},
     .from  = {[1] = {""}, [3] = {"a", "b"}}},
    {"frozen, between", 2, 0, 6, 4, .graph = NN_GRAPH_CSR, .holds = NN_RELABEL, .frozen = "g.",
     .layer = {NN(linear, .out = 4), NN_NAMED("g", gcn, .hops = 2, .act = T), NN(linear, .out = 3)}},
    {0},
};
