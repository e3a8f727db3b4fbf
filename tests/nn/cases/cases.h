/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_NN_CASES_H
#define TESTS_NN_CASES_H

/* The configurations in which every test of tests/nn runs a layer. <class>.c holds those of one class, as a
 * table `nn_cases_<class>` that ends with a case without a name; a class without one does not link. */

#include <fighter/experimental/vision.h>
#include <fighter/model.h>

/* Besides its layers a case's model has values: "memory", "ids", and one for each kind of mask. */
enum { NN_LAYERS = 12, NN_FROM = 5, NN_LOSSES = 2, NN_ALL_LAYERS = NN_LAYERS + 8 };

/* Side inputs that a case sets. */
enum { NN_PADDING = 1, NN_BLOCKED = 2, NN_ADDITIVE = 4, NN_DROP = 8, NN_SCALE = 16, NN_SAMPLED = 32,
       NN_ROTATIONS = 64 };

/* Properties that must hold for a case. */
enum {
    NN_CAUSAL  = 1, /* token t of y depends on tokens 0 .. t of x */
    NN_RELABEL = 2, /* tokens (and graph nodes) in another order give the same rows in that order */
    NN_REMOVE  = 4, /* tokens masked at the end are as good as absent */
    NN_SHORTER = 8, /* takes fewer tokens than planned */
    NN_CHUNKS  = 16 /* states count: a series in chunks gives what the whole gives, gradients hold from any
                       start */
};

/* Those of walks have no negative weights. */
typedef enum nn_graph {
    NN_GRAPH_NONE, NN_GRAPH_DENSE, NN_GRAPH_CSR, NN_GRAPH_WALKS, NN_GRAPH_WALKS_CSR
} nn_graph;

typedef struct nn_case {
    const char *name;
    int64_t     batch, nodes, time, features; /* nodes 0: 1; features 0: ids */
    int64_t     vocab;                        /* of ids; with features they are the value "ids" */
    int64_t     kept; /* of the value "ids": so many a sample, all different; 0: as many as tokens */
    int64_t     memory;                       /* tokens of the value "memory", [B,N,memory,D]; 0: none */
    int64_t     memory_nodes;                 /* its N; 0: 1 */
    int64_t     heads;                        /* for NN_SCALE */
    nn_graph    graph;                        /* of every layer that takes one */
    unsigned    inputs, holds;
    unsigned    own; /* side inputs that are values: "padding", "blocked", "drop", "scale", "sampled",
                     "rotations" */
    int32_t     products; /* an fgt_products */
    fgt_layer   layer[NN_LAYERS];
    const char *from[NN_LAYERS][NN_FROM]; /* what a layer reads, by name; empty: the one before */
    const char *loss[NN_LOSSES];          /* layers whose outputs have losses, too, by name */
    const char *frozen;                   /* what fgt_model_set_frozen() takes; NULL: nothing is */
} nn_case;

/* A layer with options, in a table. */
#define NN(word, ...) {.type = #word, .opts = &FGT_OPTS(fgt_##word##_opts, __VA_ARGS__)}

/* The same, along the nodes. */
#define NN_NODES(word, ...) \
    {.type = #word, .opts = &FGT_OPTS(fgt_##word##_opts, __VA_ARGS__), .axis = FGT_AXIS_NODES}

#define NN_NAMED(label, word, ...) \
    {.type = #word, .opts = &FGT_OPTS(fgt_##word##_opts, __VA_ARGS__), .name = label}

#endif
