/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "nn/vision/places.h"

static const fgti_opt gather_opts[] = {
    FGTI_FIELD(fgt_gather_opts, prefix, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    {0},
};

static fgt_status gather_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    const fgt_gather_opts *o = l->opts;
    if (in.time <= o->prefix)
        return fgti_fail(err, FGT_E_SHAPE, "the input has only %lld tokens, need more than prefix (%lld)",
                         (long long)in.time, (long long)o->prefix);
    *out = (fgti_shape){in.nodes, o->prefix + l->input[1].shape.time, in.width};
    return FGT_OK;
}

static fgt_status gather_plan(fgt_context *ctx, fgti_layer *l)
{
    FGTI_TRY(fgti_places_plan(ctx, l));
    return gather_shape(&ctx->error, l, l->in, &l->out);
}

typedef struct pass {
    const fgti_run *run;
    const fgti_io  *io;
    const int32_t  *ids;
    int64_t         prefix, k;
} pass;

static pass gather_pass_of(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_gather_opts *o = l->opts;
    return (pass){run, io, fgti_ids_of(io, 1), o->prefix, io->out.time - o->prefix};
}

/* Computes one sequence, which is one node of a sample. */
static void gather_forward_task(void *arg, int64_t s, int32_t worker)
{
    const pass      *p   = arg;
    const int64_t    d   = p->io->in.width;
    const int32_t   *ids = p->ids + s / p->io->in.nodes * p->k;
    const fgti_real *x   = p->io->x + s * p->io->in.time * d;
    fgti_real       *y   = p->io->y + s * p->io->out.time * d;
    (void)worker;
    memcpy(y, x, (size_t)(p->prefix * d) * sizeof *y);
    for (int64_t i = 0; i < p->k; i++)
        memcpy(y + (p->prefix + i) * d, x + (p->prefix + ids[i]) * d, (size_t)d * sizeof *y);
}

/* y_t = x_t for t < prefix,  y_{prefix+i} = x_{prefix+id_i} */
static fgt_status gather_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    pass p = gather_pass_of(run, l, io);
    FGTI_TRY(fgti_places_check(run, l, io, io->in.time - p.prefix, NULL));
    fgti_parallel(run->exec, run->batch * io->in.nodes, gather_forward_task, &p);
    return FGT_OK;
}

static void gather_backward_task(void *arg, int64_t s, int32_t worker)
{
    const pass      *p   = arg;
    const int64_t    d   = p->io->in.width, n = p->io->in.time * d;
    const int32_t   *ids = p->ids + s / p->io->in.nodes * p->k;
    const fgti_real *dy  = p->io->dy + s * p->io->out.time * d;
    fgti_real       *dx  = p->io->dx + s * n;
    (void)worker;
    memcpy(dx, dy, (size_t)(p->prefix * d) * sizeof *dx);
    memset(dx + p->prefix * d, 0, (size_t)(n - p->prefix * d) * sizeof *dx);
    for (int64_t i = 0; i < p->k; i++)
        p->run->vec->axpy(d, 1, dy + (p->prefix + i) * d, dx + (p->prefix + ids[i]) * d);
}

/* dx_t = dy_t for t < prefix,  dx_{prefix+t} = sum_{id_i = t} dy_{prefix+i} */
static fgt_status gather_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    pass p = gather_pass_of(run, l, io);
    if (io->dx) fgti_parallel(run->exec, run->batch * io->in.nodes, gather_backward_task, &p);
    return FGT_OK;
}

const fgti_class fgti_class_gather = {
    .name        = "gather",
    .opts        = gather_opts,
    .opts_size   = sizeof(fgt_gather_opts),
    .more_inputs = 1,
    .ids         = 1 << 1,
    .plan        = gather_plan,
    .shape       = gather_shape,
    .forward     = gather_forward,
    .backward    = gather_backward,
};
