/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATTENDER_EDGES_H
#define FGTI_ATTENDER_EDGES_H

#include "nn/attention/attender/attender.h"

/* For layers that may have a graph. fgti_edges_plan() makes l->graph from *graph, the graph of the options,
 * and sets *graph to l->graph. l->graph has the edges of *graph and an edge from each token to itself, all
 * with weight 1. *graph NULL: nothing to do. fgti_edges_shape() is for fgti_class.shape. fgti_edges_keys()
 * returns the mean number of keys that a query sees. */
fgt_status fgti_edges_plan(fgt_context *ctx, fgti_layer *l, const fgt_graph **graph);
fgt_status fgti_edges_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out);
double     fgti_edges_keys(const fgti_layer *l, int64_t keys);

#endif
