/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PLACES_H
#define FGTI_PLACES_H

/* Ids that name tokens: for the layers that pick tokens and put them back. */

#include "nn/layer.h"

/* FGT_E_ARG unless such a layer has a second input beside x: ids [B,K]. */
fgt_status fgti_places_plan(fgt_context *ctx, const fgti_layer *l);

/* Checks the ids of a pass: as many as planned, in 0 .. time-1; FGT_E_DATA with sample and position if not.
 * With `number` no id may be there twice in a sample, and number[b time + t] becomes the position of id t in
 * sample b, or -1. */
fgt_status fgti_places_check(const fgti_run *run, const fgti_layer *l, const fgti_io *io, int64_t time,
                             int32_t *number);

#endif
