/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "nn/vision/places.h"

static const fgti_opt scatter_opts[] = {
    FGTI_FIELD(fgt_scatter_opts, time, I64, 1, FGTI_OPT_SIZE_MAX, FGTI_OPT_REQUIRED),
    FGTI_FIELD(fgt_scatter_opts, prefix, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_scatter_opts, zeros, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_scatter_opts, init, F32, 1e-9, 1e3, 0.02),
    {0},
};

static fgt_status scatter_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    const fgt_scatter_opts *o = l->opts;
    const int64_t           k = l->input[1].shape.time;
    if (in.time != o->prefix + k)
        return fgti_fail(err, FGT_E_SHAPE,
                         "the input has the wrong number of tokens (got %lld, need %lld: prefix (%lld) and "
                         "one for each id)",
                         (long long)in.time, (long long)(o->prefix + k), (long long)o->prefix);
    if (k > o->time)
        return fgti_fail(err, FGT_E_SHAPE, "time is too small: %lld tokens do not fit into %lld positions",
                         (long long)k, (long long)o->time);
    *out = (fgti_shape){in.nodes, o->prefix + o->time, in.width};
    return FGT_OK;
}

static fgt_status scatter_plan(fgt_context *ctx, fgti_layer *l)
{
    const fgt_scatter_opts *o = l->opts;
    FGTI_TRY(fgti_places_plan(ctx, l));
    FGTI_TRY(scatter_shape(&ctx->error, l, l->in, &l->out));
    if (o->zeros) return FGT_OK;
    return fgti_param_add(ctx, l, "weight", 1, &l->in.width, FGTI_INIT_NORMAL, o->init);
}

typedef struct pass {
    const fgti_io   *io;
    const fgti_real *mask;   /* the token for positions without an id; NULL: zeros */
    int32_t         *number; /* [B,time]: the position of an id, or -1 */
    int64_t          prefix, time, d;
} pass;

static void scatter_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    const fgt_scatter_opts *o = l->opts;
    (void)in;
    fgti_take(NULL, &need->cache, fgti_mul(batch, o->time)); /* an int32_t is not larger than an fgti_real */
}

static pass scatter_pass_of(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_scatter_opts *o  = l->opts;
    int64_t                 at = 0;
    return (pass){.io     = io,
                  .mask   = o->zeros ? NULL : fgti_w(l, io, 0),
                  .number = (int32_t *)fgti_take(io->cache, &at, run->batch * o->time),
                  .prefix = o->prefix,
                  .time   = o->time,
                  .d      = io->in.width};
}

/* Computes one sequence, which is one node of a sample. */
static void scatter_forward_task(void *arg, int64_t s, int32_t worker)
{
    const pass      *p      = arg;
    const int64_t    d      = p->d;
    const int32_t   *number = p->number + s / p->io->in.nodes * p->time;
    const fgti_real *x      = p->io->x + s * p->io->in.time * d;
    fgti_real       *y      = p->io->y + s * p->io->out.time * d;
    const size_t     row    = (size_t)d * sizeof *y;
    (void)worker;
    memcpy(y, x, (size_t)p->prefix * row);
    for (int64_t t = 0; t < p->time; t++) {
        fgti_real *to = y + (p->prefix + t) * d;
        if (number[t] >= 0)
            memcpy(to, x + (p->prefix + number[t]) * d, row);
        else if (p->mask)
            memcpy(to, p->mask, row);
        else
            memset(to, 0, row);
    }
}

/* y_t = x_t for t < prefix, and y_{prefix+id_i} = x_{prefix+i}. Positions without an id get w, or 0 */
static fgt_status scatter_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    pass p = scatter_pass_of(run, l, io);
    FGTI_TRY(fgti_places_check(run, l, io, p.time, p.number));
    fgti_parallel(run->exec, run->batch * io->in.nodes, scatter_forward_task, &p);
    return FGT_OK;
}

static void scatter_backward_task(void *arg, int64_t s, int32_t worker)
{
    const pass      *p      = arg;
    const int64_t    d      = p->d;
    const int32_t   *number = p->number + s / p->io->in.nodes * p->time;
    const fgti_real *dy     = p->io->dy + s * p->io->out.time * d;
    fgti_real       *dx     = p->io->dx + s * p->io->in.time * d;
    const size_t     row    = (size_t)d * sizeof *dx;
    (void)worker;
    memcpy(dx, dy, (size_t)p->prefix * row);
    for (int64_t t = 0; t < p->time; t++)
        if (number[t] >= 0) memcpy(dx + (p->prefix + number[t]) * d, dy + (p->prefix + t) * d, row);
}

/* dx_t = dy_t for t < prefix, dx_{prefix+i} = dy_{prefix+id_i},
 * dw += sum of dy at positions without an id */
static fgt_status scatter_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    pass p = scatter_pass_of(run, l, io);
    for (int64_t s = 0; p.mask && s < run->batch * io->in.nodes; s++)
        for (int64_t t = 0; t < p.time; t++)
            if (p.number[s / io->in.nodes * p.time + t] < 0)
                run->vec->axpy(p.d, 1, io->dy + (s * io->out.time + p.prefix + t) * p.d, fgti_dw(l, io, 0));
    if (io->dx) fgti_parallel(run->exec, run->batch * io->in.nodes, scatter_backward_task, &p);
    return FGT_OK;
}

const fgti_class fgti_class_scatter = {
    .name        = "scatter",
    .opts        = scatter_opts,
    .opts_size   = sizeof(fgt_scatter_opts),
    .more_inputs = 1,
    .ids         = 1 << 1,
    .plan        = scatter_plan,
    .shape       = scatter_shape,
    .size        = scatter_size,
    .forward     = scatter_forward,
    .backward    = scatter_backward,
};
