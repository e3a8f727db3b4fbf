/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PLACES_H
#define FGTI_PLACES_H

/* Checks of ids that name tokens, for the layers that pick tokens and put them back. */

#include <fighter/experimental/vision.h>

#include "nn/layer.h"

/* Checks that the second input of a layer, after x, is the ids [B,K]. Otherwise FGT_E_ARG. */
fgt_status fgti_places_plan(fgt_context *ctx, const fgti_layer *l);

/* Checks that a pass has the planned number of ids, and that all are in 0 .. time-1. Otherwise FGT_E_DATA,
 * with an error text that names sample and position. With `number` no id may occur twice in a sample.
 * number[b time + t] becomes the position of id t in sample b, or -1 if the sample does not have this id. */
fgt_status fgti_places_check(const fgti_run *run, const fgti_layer *l, const fgti_io *io, int64_t time,
                             int32_t *number);

#endif
