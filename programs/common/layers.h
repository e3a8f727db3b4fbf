/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAYERS_H
#define LAYERS_H

/* Describes the Fighter layers of a model after its last pass. */

#include <fighter/model.h>
#include <jansson.h>

/* The norms of a layer's hops, followed by the shares of the hops: 2 *hops numbers, each a mean over the
 * samples. The caller frees the array. NULL: no memory, or the context has an error. */
double *layers_hops(fgt_model *model, const char *layer, int64_t *hops);

/* An array with an object for each layer that has two hops or more: layer, hop_norms, hop_shares and
 * importance. The importance has the shares of the first `count` tokens (0: of all tokens). A value that
 * cannot be computed is null. dy is as in fgt_importance_compute(). NULL: no memory. */
json_t *layers_describe(fgt_model *model, const fgt_view *dy, int64_t count);

#endif
