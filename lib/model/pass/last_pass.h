/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LAST_PASS_H
#define FGTI_LAST_PASS_H

/* Reads data of the last pass from the model's own workspace. */

#include <fighter/model.h>

#include "nn/layer.h"

/* The model's input in the last pass. Ids are given as I32. The view is borrowed until the next pass.
 * FGT_E_STATE: there was no pass. */
fgt_status fgti_model_read_x(fgt_model *model, fgt_view *x);
/* fgti_model_read_input() gives the first input of a layer in the last pass: real numbers in the model's
 * type. FGT_E_STATE: there was no pass. fgti_model_read_weight() gives a parameter of the layer as that pass
 * read it, with the adapter applied. NULL: the layer has no such parameter. Both are borrowed until the next
 * pass. */
fgt_status       fgti_model_read_input(fgt_model *model, const char *layer, fgt_view *x);
const fgti_real *fgti_model_read_weight(fgt_model *model, const char *layer, const char *name);
/* Whether this mask acted on the layer in the last pass. */
bool fgti_model_has_mask(const fgt_model *model, const char *layer, fgt_mask mask);

#endif
