/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PASS_MATRICES_H
#define FGTI_PASS_MATRICES_H

#include <fighter/model.h>

#include "nn/layer.h"

/* Finds the layer with this name. *v gets the shape of the layer's matrices in the last pass. FGT_E_NAME;
 * FGT_E_UNSUPPORTED: the layer has no matrices; FGT_E_STATE. */
fgt_status fgti_adjacency_find(fgt_model *model, const char *name, const fgti_layer **layer, fgt_view *v);

#endif
