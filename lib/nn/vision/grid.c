/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/vision/grid.h"

static int64_t count(const fgti_grid *g, int axis, int64_t size)
{
    const int64_t room = size + 2 * g->padding[axis] - g->kernel[axis];
    return room < 0 ? 0 : room / g->stride[axis] + 1;
}

fgt_status fgti_grid_shape(fgti_error *err, const fgti_grid *g, fgti_shape in, fgti_shape *out)
{
    *out = (fgti_shape){count(g, 0, in.nodes), count(g, 1, in.time), in.width};
    if (out->nodes && out->time) return FGT_OK;
    return fgti_fail(err, FGT_E_SHAPE,
                     "a window of %lld x %lld does not fit into an image of %lld x %lld with %lld and %lld "
                     "zeros at its edges",
                     (long long)g->kernel[0], (long long)g->kernel[1], (long long)in.nodes,
                     (long long)in.time, (long long)g->padding[0], (long long)g->padding[1]);
}

fgti_windows fgti_grid_windows(const fgti_grid *g, int64_t batch, fgti_shape in)
{
    return (fgti_windows){.grids  = batch,
                          .h      = in.nodes,
                          .w      = in.time,
                          .d      = in.width,
                          .out_h  = count(g, 0, in.nodes),
                          .out_w  = count(g, 1, in.time),
                          .down   = {g->kernel[0], g->stride[0], g->padding[0], false},
                          .across = {g->kernel[1], g->stride[1], g->padding[1], false}};
}
