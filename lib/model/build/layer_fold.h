/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LAYER_FOLD_H
#define FGTI_LAYER_FOLD_H

#include <fighter/model.h>

#include "nn/layer.h"

/* Before a layer is planned: offers it the map before it, if this may be folded into its products. After
 * that: if the layer folds it, the layer gets one more input, the input of the map. */
void fgti_layer_offer_fold(const fgt_model *m, fgti_layer *l);
void fgti_layer_take_fold(fgti_layer *l);
/* After all layers are added: tells layers that need only one row of their output which row is read. */
void fgti_model_find_rows(const fgt_model *m);

#endif
