/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_INPUTS_H
#define FGTI_INPUTS_H

#include "model/model_impl.h"

/* Checks x and all values of the pass. Finds the batch and the shapes of all layers. */
fgt_status fgti_inputs_check(fgt_workspace *ws, const fgt_view *x, int64_t *batch);
/* Copies x and the values into their tensors. Makes the padding mask from the ids. */
void fgti_inputs_copy(fgt_workspace *ws, const fgt_view *x);

#endif
