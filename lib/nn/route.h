/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ROUTE_H
#define FGTI_ROUTE_H

/* The algorithms among which a layer chooses. A layer chooses once, when it is added to a model. The choice
 * depends on its options, the planned sizes and fgt_context_opts.products, never on a single pass. Passes
 * that are shorter than planned take the same route. route.c has the table; docs/routes.md has the same table
 * with measurements.
 *
 * Only the schedule may depend on a pass: which task a worker gets, such as whole groups or single heads. */

#include <stdbool.h>

/* The place of the attention matrices A. */
typedef enum fgti_matrices {
    FGTI_MATRICES_NONE,     /* not computed, or only a few of their rows */
    FGTI_MATRICES_KEPT,     /* all in the cache, from forward to backward */
    FGTI_MATRICES_STREAMED, /* blocks of A are computed where they are needed, again and again */
    FGTI_MATRICES_HELD,     /* computed once: A of a head stays in the worker's arena for all products */
} fgti_matrices;

/* The routes. OUTPUTS ("over outputs"): the products with A are applied to rows of H features, X W_i
 * (Horner's rule). INPUTS ("over inputs"): the products with A are applied to rows of D features, X itself,
 * before the products with the W_i. */
typedef enum fgti_route {
    FGTI_ROUTE_ONLY, /* the class has one algorithm */
    FGTI_ROUTE_FIGHTER_AFFINE,
    FGTI_ROUTE_FIGHTER_SHORT,
    FGTI_ROUTE_FIGHTER_OUTPUTS_KEPT,
    FGTI_ROUTE_FIGHTER_OUTPUTS_STREAMED,
    FGTI_ROUTE_FIGHTER_OUTPUTS_HELD,
    FGTI_ROUTE_FIGHTER_INPUTS_KEPT,
    FGTI_ROUTE_FIGHTER_INPUTS_STREAMED,
    FGTI_ROUTE_FIGHTER_INPUTS_HELD,
    FGTI_ROUTE_FIGHTER_EDGES,
    FGTI_ROUTE_FIGHTER_ATTENDER,
    FGTI_ROUTE_ATTENTION_KEPT,
    FGTI_ROUTE_ATTENTION_STREAMED,
    FGTI_ROUTE_ATTENTION_PROB,
    FGTI_ROUTE_ATTENTION_CORRELATION,
    FGTI_ROUTE_ATTENTION_LSH,
    FGTI_ROUTE_ATTENTION_EDGES,
    FGTI_ROUTE_TRANSFORMER_BLOCKS_KEPT,
    FGTI_ROUTE_TRANSFORMER_BLOCKS_STREAMED,
    FGTI_ROUTE_TRANSFORMER_STEPS_KEPT,
    FGTI_ROUTE_TRANSFORMER_STEPS_STREAMED,
    FGTI_ROUTE_GCN_OUTPUTS_DENSE,
    FGTI_ROUTE_GCN_OUTPUTS_EDGES,
    FGTI_ROUTE_GCN_INPUTS_DENSE,
    FGTI_ROUTE_GCN_INPUTS_EDGES,
    FGTI_ROUTES
} fgti_route;

typedef struct fgti_route_info {
    const char   *name;
    fgti_matrices matrices;
    bool          blis; /* all products of matrices go through BLIS's microkernels */
    const char   *when, *memory, *products;
} fgti_route_info;

extern const fgti_route_info fgti_routes[FGTI_ROUTES];

#endif
