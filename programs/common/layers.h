/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAYERS_H
#define LAYERS_H

/* Fighter layers in the last pass of a model. */

#include <fighter/model.h>
#include <jansson.h>

/* Norms of a layer's hops [*hops], followed by their shares, as means over the samples. The caller frees the
 * array; NULL: no memory, or an error of the context. */
double *layers_hops(fgt_model *model, const char *layer, int64_t *hops);

/* The layers with two hops or more: layer, hop_norms, hop_shares and importance, the shares of the first
 * `count` tokens (0: of all tokens); null if these cannot be computed. dy as in fgt_importance_compute().
 * NULL: no memory. */
json_t *layers_describe(fgt_model *model, const fgt_view *dy, int64_t count);

#endif
