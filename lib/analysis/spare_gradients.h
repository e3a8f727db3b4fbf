/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SPARE_GRADIENTS_H
#define FGTI_SPARE_GRADIENTS_H

#include "model/access.h"

/* Makes a list of rows with a gradient. While an analysis computes gradients, it replaces the model's own
 * list (fgti_model_backward), so that a running training keeps its rows. */
fgt_status fgti_spare_touched(fgt_context *ctx, const fgti_slabs *slabs, fgti_touched *touched);
void       fgti_spare_touched_clear(fgti_touched *touched);
void       fgti_spare_touched_done(fgt_context *ctx, fgti_touched *touched);

#endif
