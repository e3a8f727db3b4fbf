/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_INFO_H
#define TESTS_MODEL_INFO_H

/* Properties of models, layers and graphs as values, for assertions; 0 if they cannot be told. */

#include <stdbool.h>
#include <string.h>

#include <fighter/model.h>

static inline fgt_model_info model_info(const fgt_model *m)
{
    fgt_model_info   info = {.size = sizeof info};
    const fgt_status s    = fgt_model_get_info(m, &info);
    (void)s;
    return info;
}

/* The shapes of input and output, each of which may be NULL; false: no model. */
static inline bool model_shapes(const fgt_model *m, fgt_view *input, fgt_view *output)
{
    const fgt_model_info info = model_info(m);
    if (m && input) *input = info.input;
    if (m && output) *output = info.output;
    return m;
}

static inline fgt_layer_info layer_info(const fgt_model *m, int64_t i)
{
    fgt_layer_info   info = {.size = sizeof info};
    const fgt_status s    = fgt_model_get_layer(m, i, &info);
    (void)s;
    return info;
}

/* kappa of a Fighter layer; 0: no such layer. */
static inline int64_t layer_hops(const fgt_model *m, const char *layer)
{
    for (int64_t i = 0; i < model_info(m).layers; i++)
        if (layer && !strcmp(layer_info(m, i).name, layer)) return layer_info(m, i).hops;
    return 0;
}

static inline fgt_status parameter_shape(const fgt_model *m, const char *name, fgt_view *shape)
{
    fgt_parameter_info info = {.size = sizeof info};
    const fgt_status   s    = fgt_model_get_parameter_info(m, name, -1, &info);
    if (s == FGT_OK) *shape = info.shape;
    return s;
}

/* NULL: there is no such parameter. */
static inline const char *parameter_name(const fgt_model *m, int64_t i)
{
    fgt_parameter_info info = {.size = sizeof info};
    if (i < 0 || i >= model_info(m).tensors) return NULL;
    return fgt_model_get_parameter_info(m, NULL, i, &info) == FGT_OK ? info.name : NULL;
}

static inline int32_t parameter_frozen(const fgt_model *m, const char *name)
{
    fgt_parameter_info info = {.size = sizeof info};
    return fgt_model_get_parameter_info(m, name, -1, &info) == FGT_OK ? info.frozen : 0;
}

/* A model of one layer, whose parameters have no prefix. */
static inline FGT_MUST fgt_status model_of_layer(fgt_context *c, const fgt_model_opts *opts, fgt_layer layer,
                                                 fgt_model **m)
{
    fgt_status s = fgt_model_create(c, opts, m);
    if (s == FGT_OK) s = fgt_model_add(*m, fgt_named("", layer));
    if (s != FGT_OK) fgt_model_destroy(m);
    return s;
}

static inline int64_t graph_nodes(const fgt_graph *g)
{
    int64_t          nodes;
    const fgt_status s = fgt_graph_get_size(g, &nodes, NULL);
    (void)s;
    return nodes;
}

static inline int64_t graph_edges(const fgt_graph *g)
{
    int64_t          edges;
    const fgt_status s = fgt_graph_get_size(g, NULL, &edges);
    (void)s;
    return edges;
}

#endif
