/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LAYER_KIND_H
#define FGTI_LAYER_KIND_H

/* Facts about a layer that follow from its class, its options and its inputs. */

#include "nn/layer.h"

/* The fgt_mask of a value of this kind; -1: the value is no mask, but numbers or ids. */
int fgti_mask_of(int32_t kind);

/* The fgt_adjacency_kind of a layer. */
int32_t fgti_layer_adjacency(const fgti_layer *l);

/* The option of a class that takes a graph; NULL: the class has no such option. */
static inline const fgti_opt *fgti_class_graph(const fgti_class *cls)
{
    const fgti_opt *o = cls->opts;
    while (o->name && o->kind != FGTI_OPT_GRAPH) o++;
    return o->name ? o : NULL;
}

/* Whether a layer reads the values of its input k. Otherwise it needs only the cache of the layer after
 * it. */
static inline bool fgti_layer_reads(const fgti_layer *l, int32_t k)
{
    return !k || !l->peer;
}

#endif
