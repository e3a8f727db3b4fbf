/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_NN_CASES_H
#define TESTS_NN_CASES_H

/* The configurations in which every test of tests/nn runs a layer. <class>.c holds those of one class, as a
 * table `nn_cases_<class>` that ends with a case without a name; a class without one does not link. */

#include <fighter/model.h>

enum { NN_LAYERS = 12, NN_FROM = 5 };

/* Side inputs that a case sets. */
enum { NN_PADDING = 1, NN_BLOCKED = 2, NN_ADDITIVE = 4, NN_DROP = 8, NN_SCALE = 16, NN_SAMPLED = 32 };

/* What must hold for a case. */
enum {
    NN_CAUSAL  = 1, /* token t of y depends on tokens 0 .. t of x */
    NN_RELABEL = 2, /* tokens (and graph nodes) in another order give the same rows in that order */
    NN_REMOVE  = 4, /* tokens masked at the end are as good as absent */
    NN_SHORTER = 8, /* takes fewer tokens than planned */
    NN_CHUNKS  = 16 /* states count: a series in chunks gives what the whole gives, gradients hold from any
                       start */
};

typedef enum nn_graph { NN_GRAPH_NONE, NN_GRAPH_DENSE, NN_GRAPH_CSR } nn_graph;

typedef struct nn_case {
    const char *name;
    int64_t     batch, nodes, time, features; /* nodes 0: 1; features 0: ids */
    int64_t     vocab;                        /* of ids */
    int64_t     memory;                       /* tokens of the value "memory", [B,memory,D]; 0: none */
    int64_t     heads;                        /* for NN_SCALE */
    nn_graph    graph;                        /* of every gcn layer */
    unsigned    inputs, holds;
    int32_t     products; /* an fgt_products */
    fgt_layer   layer[NN_LAYERS];
    const char *from[NN_LAYERS][NN_FROM]; /* what a layer reads, by name; empty: the one before */
} nn_case;

/* A layer with options, in a table. */
#define NN(word, ...) {.type = #word, .opts = &FGT_OPTS(fgt_##word##_opts, __VA_ARGS__)}

#define NN_NAMED(label, word, ...) \
    {.type = #word, .opts = &FGT_OPTS(fgt_##word##_opts, __VA_ARGS__), .name = label}

#endif
