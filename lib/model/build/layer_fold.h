/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LAYER_FOLD_H
#define FGTI_LAYER_FOLD_H

#include <fighter/model.h>

#include "nn/layer.h"

/* Offers the layer the map before it, if the map may be folded into the layer's products. Call it before the
 * layer is planned. Call the next function after planning: if the layer folds the map, it gets the input of
 * the map as one more input. */
void fgti_layer_offer_fold(const fgt_model *m, fgti_layer *l);
void fgti_layer_take_fold(fgti_layer *l);
/* Call it after all layers are added. Some layers need only one row of their output; this tells them which
 * row is read. */
void fgti_model_find_rows(const fgt_model *m);

#endif
