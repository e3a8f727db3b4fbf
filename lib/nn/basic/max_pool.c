/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "nn/layer.h"

static const fgti_opt max_pool_opts[] = {
    FGTI_FIELD(fgt_max_pool_opts, kernel, I64, 1, FGTI_OPT_SIZE_MAX, 3),
    FGTI_FIELD(fgt_max_pool_opts, stride, I64, 1, FGTI_OPT_SIZE_MAX, 2),
    {0},
};

static fgt_status max_pool_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    const fgt_max_pool_opts *o = l->opts;
    (void)err;
    *out      = in;
    out->time = (in.time - 1) / o->stride + 1;
    return FGT_OK;
}

static int64_t max_pool_stride(const fgti_layer *l)
{
    return ((const fgt_max_pool_opts *)l->opts)->stride;
}

typedef struct pools {
    int64_t          time, out_time, d, kernel, stride;
    const fgti_real *x, *dy;
    fgti_real       *out; /* y, or dx */
} pools;

/* Returns the token with the largest x in window s; if several are equal, the first one. A NaN counts as
 * larger than any number. */
static int64_t max_pool_largest(const pools *p, const fgti_real *x, int64_t s, int64_t d)
{
    const int64_t middle = s * p->stride, before = fgti_least(middle, (p->kernel - 1) / 2);
    const int64_t last = fgti_least(p->kernel / 2, p->time - 1 - middle) + middle;
    int64_t       best = middle - before;
    for (int64_t t = best + 1; t <= last; t++) {
        const fgti_real a = x[t * p->d + d], b = x[best * p->d + d];
        if (b == b && !(a <= b)) best = t;
    }
    return best;
}

static void max_pool_forward_task(void *arg, int64_t g, int32_t worker)
{
    const pools     *p = arg;
    const fgti_real *x = p->x + g * p->time * p->d;
    (void)worker;
    for (int64_t s = 0; s < p->out_time; s++)
        for (int64_t d = 0; d < p->d; d++)
            p->out[(g * p->out_time + s) * p->d + d] = x[max_pool_largest(p, x, s, d) * p->d + d];
}

static void max_pool_backward_task(void *arg, int64_t g, int32_t worker)
{
    const pools     *p  = arg;
    const fgti_real *x  = p->x + g * p->time * p->d;
    fgti_real       *dx = p->out + g * p->time * p->d;
    (void)worker;
    memset(dx, 0, (size_t)(p->time * p->d) * sizeof *dx);
    for (int64_t s = 0; s < p->out_time; s++)
        for (int64_t d = 0; d < p->d; d++)
            dx[max_pool_largest(p, x, s, d) * p->d + d] += p->dy[(g * p->out_time + s) * p->d + d];
}

static void run_pools(const fgti_run *run, const fgti_layer *l, const fgti_io *io, fgti_real *out,
                      fgti_task_fn task)
{
    const fgt_max_pool_opts *o = l->opts;
    const pools              p = {.time     = io->in.time,
                                  .out_time = io->out.time,
                                  .d        = io->in.width,
                                  .kernel   = o->kernel,
                                  .stride   = o->stride,
                                  .x        = io->x,
                                  .dy       = io->dy,
                                  .out      = out};
    fgti_parallel(run->exec, run->batch * io->in.nodes, task, (void *)&p);
}

/* y_s = max x_t over the window around t = s stride */
static fgt_status max_pool_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    run_pools(run, l, io, io->y, max_pool_forward_task);
    return FGT_OK;
}

/* dx_t = sum of dy_s over the windows in which x_t is the largest */
static fgt_status max_pool_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    if (io->dx) run_pools(run, l, io, io->dx, max_pool_backward_task);
    return FGT_OK;
}

const fgti_class fgti_class_max_pool = {
    .name      = "max_pool",
    .opts      = max_pool_opts,
    .opts_size = sizeof(fgt_max_pool_opts),
    .shape     = max_pool_shape,
    .stride    = max_pool_stride,
    .forward   = max_pool_forward,
    .backward  = max_pool_backward,
};
