/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "nn/layer.h"

static const fgti_opt extend_opts[] = {
    FGTI_FIELD(fgt_extend_opts, count, I64, 1, FGTI_OPT_SIZE_MAX, FGTI_OPT_REQUIRED),
    {0},
};

static fgt_status extend_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    const fgt_extend_opts *o = l->opts;
    (void)err;
    *out = (fgti_shape){in.nodes, in.time + o->count, in.width};
    return FGT_OK;
}

static fgt_status extend_plan(fgt_context *ctx, fgti_layer *l)
{
    const fgti_shape x = l->in, rows = l->inputs > 1 ? l->input[1].shape : x;
    if (rows.nodes != x.nodes || rows.width != x.width)
        return fgti_fail(&ctx->error, FGT_E_SHAPE,
                         "the rows to append have the wrong size (got %lld nodes and %lld features, need "
                         "%lld and %lld as the input)",
                         (long long)rows.nodes, (long long)rows.width, (long long)x.nodes,
                         (long long)x.width);
    return extend_shape(&ctx->error, l, x, &l->out);
}

/* Sizes of one sequence of x, and of the rows that are put after it. */
typedef struct part {
    int64_t kept, width; /* elements of x; elements of a row */
    int64_t times;       /* rows of z; 0: there is no z */
    int64_t count;
} part;

static part extend_part_of(const fgti_layer *l, const fgti_io *io)
{
    const fgt_extend_opts *o = l->opts;
    return (part){io->in.time * io->in.width, io->in.width, l->inputs > 1 ? io->input[1].shape.time : 0,
                  o->count};
}

/* y_t = x_t for t < T,  y_{T+i} = z_{i mod T'}, or 0 without z */
static fgt_status extend_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const part p = extend_part_of(l, io);
    for (int64_t s = 0; s < run->batch * io->in.nodes; s++) {
        fgti_real *y = io->y + s * (p.kept + p.count * p.width);
        memcpy(y, io->x + s * p.kept, (size_t)p.kept * sizeof *y);
        y += p.kept;
        if (!p.times) memset(y, 0, (size_t)(p.count * p.width) * sizeof *y);
        for (int64_t i = 0; p.times && i < p.count; i++)
            memcpy(y + i * p.width, io->input[1].x + (s * p.times + i % p.times) * p.width,
                   (size_t)p.width * sizeof *y);
    }
    return FGT_OK;
}

/* dx_t = dy_t for t < T,  dz_j = sum_{i mod T' = j} dy_{T+i} */
static fgt_status extend_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const part       p        = extend_part_of(l, io);
    const int64_t    sequence = run->batch * io->in.nodes;
    fgti_real *const dz       = p.times ? io->input[1].dx : NULL;
    if (dz) memset(dz, 0, (size_t)(sequence * p.times * p.width) * sizeof *dz);
    for (int64_t s = 0; s < sequence; s++) {
        const fgti_real *dy = io->dy + s * (p.kept + p.count * p.width);
        if (io->dx) memcpy(io->dx + s * p.kept, dy, (size_t)p.kept * sizeof *dy);
        dy += p.kept;
        for (int64_t i = 0; dz && i < p.count; i++)
            run->vec->axpy(p.width, 1, dy + i * p.width, dz + (s * p.times + i % p.times) * p.width);
    }
    return FGT_OK;
}

const fgti_class fgti_class_extend = {
    .name        = "extend",
    .opts        = extend_opts,
    .opts_size   = sizeof(fgt_extend_opts),
    .more_inputs = 1,
    .plan        = extend_plan,
    .shape       = extend_shape,
    .forward     = extend_forward,
    .backward    = extend_backward,
};
