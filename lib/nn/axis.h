/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_AXIS_H
#define FGTI_AXIS_H

/* Layers along the nodes instead of the tokens (fgt_along()). The class of such a layer exchanges two axes of
 * [B,N,T,D]: for the class the nodes are tokens, the tokens are nodes, and all shapes are [B,T,N,D]. The
 * model keeps every tensor as [B,N,T,D]. So the row of the class's token n and node t is row (b N + n) T + t
 * of the tensor.
 *
 * A `strided` class reads its rows in place, with fgti_lines. All other classes get copies in their own
 * order, by fgti_axis_forward() and fgti_axis_backward(). */

#include "nn/layer.h"

/* Converts a shape of the model to the order of the class. The function also converts back, because it is its
 * own inverse. */
static inline fgti_shape fgti_along(const fgti_layer *l, fgti_shape s)
{
    return l->axis == FGT_AXIS_TIME ? s : (fgti_shape){s.time, s.nodes, s.width};
}

/* Returns FGT_E_UNSUPPORTED if layers of this class have no axis that could be chosen. */
fgt_status fgti_axis_check(fgti_error *err, const fgti_class *cls);

/* Adds the memory of the copies to the class's memory. */
void fgti_axis_size(const fgti_layer *l, int64_t batch, fgti_need *need);

/* Call the class's functions, with copies if it needs them. Shapes in io are in the order of the class. */
fgt_status fgti_axis_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io);
fgt_status fgti_axis_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io);
fgt_status fgti_axis_adjacency(const fgti_run *run, const fgti_layer *l, const fgti_io *io, int64_t shape[4],
                               fgti_real *a);

#endif
