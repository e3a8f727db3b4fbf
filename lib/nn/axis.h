/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_AXIS_H
#define FGTI_AXIS_H

/* Layers along the nodes instead of the tokens (fgt_along()). To the class of such a layer, the nodes of
 * [B,N,T,D] are tokens and the tokens nodes: all shapes that it sees are [B,T,N,D]. The model keeps every
 * tensor as [B,N,T,D], so token n of node t lies in row (b N + n) T + t.
 *
 * A class that is `strided` finds its rows there, with fgti_lines. All others are handed copies in the order
 * that they know, by fgti_axis_forward() and fgti_axis_backward(). */

#include "nn/layer.h"

/* A shape of the model as the class sees it; and back, because it is its own inverse. */
static inline fgti_shape fgti_along(const fgti_layer *l, fgti_shape s)
{
    return l->axis == FGT_AXIS_TIME ? s : (fgti_shape){s.time, s.nodes, s.width};
}

/* FGT_E_UNSUPPORTED if a layer of this class has no axis that could be chosen. */
fgt_status fgti_axis_check(fgti_error *err, const fgti_class *cls);

/* Adds the memory of the copies to that of the class. */
void fgti_axis_size(const fgti_layer *l, int64_t batch, fgti_need *need);

/* The class's functions, with copies where it needs them. Shapes in io are those that the class sees. */
fgt_status fgti_axis_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io);
fgt_status fgti_axis_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io);
fgt_status fgti_axis_adjacency(const fgti_run *run, const fgti_layer *l, const fgti_io *io, int64_t shape[4],
                               fgti_real *a);

#endif
