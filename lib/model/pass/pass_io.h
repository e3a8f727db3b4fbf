/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PASS_IO_H
#define FGTI_PASS_IO_H

/* The arguments of a layer in a pass. */

#include "model/model_impl.h"

fgti_io fgti_pass_io(fgt_workspace *ws, int64_t layer);
/* The arguments for a layer, with its masks. */
fgti_run fgti_pass_run(const fgt_workspace *ws, int64_t layer);
/* The padding that ids imply for the tokens of a layer's last input. */
const fgt_view *fgti_pass_padding(const fgt_workspace *ws, const fgti_layer *l);

/* Removes the red zones that layers have set (core/size.h), because the next layer may divide the same memory
 * differently. Red zones between the parts of the workspace stay. */
void fgti_pass_lift_red_zones(const fgt_workspace *ws);

#endif
