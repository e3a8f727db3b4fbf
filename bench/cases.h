/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_BENCH_CASES_H
#define FIGHTER_BENCH_CASES_H

/* The models that are measured. */

#include <stdbool.h>

#include <fighter/fighter.h>
#include <fighter/tasks.h>

/* A model and its sizes, with the letters of docs/notation.md. */
typedef struct bench_case bench_case;
struct bench_case {
    const char *name;
    fgt_model *(*make)(const bench_case *c, fgt_context *ctx);
    int64_t batch, time, features; /* of the input; features 0: the input is ids */
    int64_t vocab;                 /* 0: the input is real numbers */
    int64_t out;                   /* steps to forecast, or classes */
    int64_t dim, heads, hops;
    int64_t ff, layers;
    /* Flops of the matrix products of a forward pass (NULL: not counted), and of the gradient of the input of
     * the first layer, which is not computed (NULL: the first layer has no such gradient). */
    double (*forward_flops)(const bench_case *c);
    double (*unasked_flops)(const bench_case *c);
    int32_t attention; /* an fgt_attn_mode */
    int64_t nodes;     /* N; 0: the input has no axis of nodes */
    int64_t patch;     /* rows and columns of a patch of an image [nodes,time,features]; 0: the input is no
                        * image */
};

extern const bench_case bench_cases[]; /* ends with name NULL */

/* An empty model for a case's input. */
fgt_model *bench_new_model(const bench_case *c, fgt_context *ctx);

/* graph.c: models on a given or a learned graph of the nodes. */
fgt_model *bench_given_graph(const bench_case *c, fgt_context *ctx);
fgt_model *bench_learned_graph(const bench_case *c, fgt_context *ctx);

/* vision.c: classes of images. */
fgt_model *bench_vit(const bench_case *c, fgt_context *ctx);
double     bench_vit_flops(const bench_case *c);
double     bench_vit_flops_entry(const bench_case *c);

/* Whether the targets are classes, not numbers. */
bool bench_has_classes(const bench_case *c);

/* Flops of a forward pass and of the gradients that are computed: every product y = x W has a dW and a dx of
 * its size. */
double bench_train_flops(const bench_case *c);

#endif
