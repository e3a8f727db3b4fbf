/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_AXIS_H
#define FGTI_AXIS_H

/* Layers along the nodes instead of the tokens (fgt_along()). The class of such a layer takes the nodes of
 * [B,N,T,D] for tokens and the tokens for nodes: all its shapes are [B,T,N,D]. The model keeps every tensor
 * as [B,N,T,D], so token n of node t is row (b N + n) T + t.
 *
 * A class that is `strided` reads its rows in place, with fgti_lines. All other classes get copies in their
 * own order, by fgti_axis_forward() and fgti_axis_backward(). */

#include "nn/layer.h"

/* A shape of the model in the order of the class. It also converts back, because it is its own inverse. */
static inline fgti_shape fgti_along(const fgti_layer *l, fgti_shape s)
{
    return l->axis == FGT_AXIS_TIME ? s : (fgti_shape){s.time, s.nodes, s.width};
}

/* FGT_E_UNSUPPORTED: layers of this class have no axis that could be chosen. */
fgt_status fgti_axis_check(fgti_error *err, const fgti_class *cls);

/* Adds the memory of the copies to the class's memory. */
void fgti_axis_size(const fgti_layer *l, int64_t batch, fgti_need *need);

/* Call the class's functions, with copies if it needs them. Shapes in io are in the order of the class. */
fgt_status fgti_axis_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io);
fgt_status fgti_axis_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io);
fgt_status fgti_axis_adjacency(const fgti_run *run, const fgti_layer *l, const fgti_io *io, int64_t shape[4],
                               fgti_real *a);

#endif
