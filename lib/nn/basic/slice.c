/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "nn/layer.h"

static const fgti_opt slice_opts[] = {
    FGTI_FIELD(fgt_slice_opts, first, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_slice_opts, count, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    {0},
};

static fgt_status slice_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    const fgt_slice_opts *o = l->opts;
    if (o->first >= in.time || o->count > in.time - o->first)
        return fgti_fail(err, FGT_E_SHAPE,
                         "the input is too short (got %lld steps, need a slice of %lld from step %lld)",
                         (long long)in.time, (long long)(o->count ? o->count : 1), (long long)o->first);
    *out = (fgti_shape){in.nodes, o->count ? o->count : in.time - o->first, in.width};
    return FGT_OK;
}

/* y_t = x_{first+t} */
static fgt_status slice_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_slice_opts *o    = l->opts;
    const int64_t         step = io->in.time * io->in.width, part = io->out.time * io->out.width;
    const fgti_real      *x = io->x + o->first * io->in.width;
    for (int64_t i = 0; i < run->batch * io->in.nodes; i++)
        memcpy(io->y + i * part, x + i * step, (size_t)part * sizeof *x);
    return FGT_OK;
}

/* dx_{first+t} = dy_t, and 0 elsewhere */
static fgt_status slice_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_slice_opts *o    = l->opts;
    const int64_t         step = io->in.time * io->in.width, part = io->out.time * io->out.width;
    const int64_t         before = o->first * io->in.width;
    if (!io->dx) return FGT_OK;
    for (int64_t i = 0; i < run->batch * io->in.nodes; i++) {
        fgti_real *dx = io->dx + i * step;
        memset(dx, 0, (size_t)before * sizeof *dx);
        memcpy(dx + before, io->dy + i * part, (size_t)part * sizeof *dx);
        memset(dx + before + part, 0, (size_t)(step - before - part) * sizeof *dx);
    }
    return FGT_OK;
}

const fgti_class fgti_class_slice = {
    .name      = "slice",
    .opts      = slice_opts,
    .opts_size = sizeof(fgt_slice_opts),
    .shape     = slice_shape,
    .forward   = slice_forward,
    .backward  = slice_backward,
};
