/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_NODES_H
#define FGTI_NODES_H

#include <fighter/model.h>

#include "nn/layer.h"

/* Adds a layer that reads the layers with the numbers `from`. count -1: it reads the last layer. shares: see
 * fgti_layer. */
fgt_status fgti_model_add_edges(fgt_model *model, fgt_layer desc, int32_t count, const int64_t *from,
                                const fgti_layer *shares);
/* Whether the layer reads just the inputs that fgt_model_add() would give it. */
bool fgti_layer_is_chained(const fgt_model *model, const fgti_layer *l);
void fgti_layer_destroy(fgt_context *ctx, fgti_layer *l);

/* Sets a prefix for the names of layers that are added from now on; NULL: no prefix. The prefix is
 * borrowed. */
void fgti_model_set_prefix(fgt_model *model, const char *prefix);

#endif
