/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "nn/layer.h"
#include "nn/masks.h"

static const fgti_opt pool_opts[] = {
    {"kind", offsetof(fgt_pool_opts, kind), FGTI_OPT_ENUM, 0, FGT_POOL_LAST, 0},
    {0},
};

static fgt_status pool_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    (void)err;
    (void)l;
    *out      = in;
    out->time = 1;
    return FGT_OK;
}

static fgt_status pool_plan(fgt_context *ctx, fgti_layer *l)
{
    (void)ctx;
    l->out.time = 1;
    return FGT_OK;
}

typedef struct job {
    const fgti_vec  *vec;
    int32_t          kind;
    int64_t          t, d, nodes;
    const int32_t   *padding; /* [B,T], or NULL */
    const fgti_real *in;
    fgti_real       *out;
} job;

static bool counts(const job *j, int64_t g, int64_t t)
{
    return !j->padding || !j->padding[g / j->nodes * j->t + t];
}

/* Tokens *begin .. *end-1 hold all that are taken of sequence g; returns their number. */
static int64_t find_taken(const job *j, int64_t g, int64_t *begin, int64_t *end)
{
    int64_t n = 0;
    *begin = *end = 0;
    for (int64_t t = 0; t < j->t; t++) {
        if (!counts(j, g, t)) continue;
        *begin = j->kind == FGT_POOL_LAST ? t : *begin;
        *end   = t + 1;
        n++;
    }
    return j->kind == FGT_POOL_LAST && n ? 1 : n;
}

static void forward_task(void *arg, int64_t g, int32_t worker)
{
    const job    *j = arg;
    int64_t       begin, end;
    const int64_t n = find_taken(j, g, &begin, &end);
    (void)worker;
    memset(j->out + g * j->d, 0, (size_t)j->d * sizeof *j->out);
    for (int64_t t = begin; t < end; t++)
        if (counts(j, g, t))
            j->vec->axpy(j->d, 1 / (fgti_real)n, j->in + (g * j->t + t) * j->d, j->out + g * j->d);
}

static void backward_task(void *arg, int64_t g, int32_t worker)
{
    const job    *j = arg;
    int64_t       begin, end;
    const int64_t n = find_taken(j, g, &begin, &end);
    (void)worker;
    memset(j->out + g * j->t * j->d, 0, (size_t)(j->t * j->d) * sizeof *j->out);
    for (int64_t t = begin; t < end; t++)
        if (counts(j, g, t))
            j->vec->axpy(j->d, 1 / (fgti_real)n, j->in + g * j->d, j->out + (g * j->t + t) * j->d);
}

static fgt_status run_job(const fgti_run *run, const fgti_layer *l, const fgti_io *io, const fgti_real *in,
                          fgti_real *out, fgti_task_fn fn)
{
    const fgt_pool_opts *o = l->opts;
    job                  j = {.vec   = run->vec,
                              .kind  = o->kind,
                              .t     = io->in.time,
                              .d     = io->in.width,
                              .nodes = io->in.nodes,
                              .in    = in,
                              .out   = out};
    FGTI_TRY(fgti_key_padding(run, io->in.time, &j.padding));
    fgti_parallel(run->exec, run->batch * io->in.nodes, fn, &j);
    return FGT_OK;
}

/* y = 1/n sum of x[t] over the n tokens that count */
static fgt_status pool_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    return run_job(run, l, io, io->x, io->y, forward_task);
}

/* dx[t] = dy / n where t counts, else 0 */
static fgt_status pool_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    return io->dx ? run_job(run, l, io, io->dy, io->dx, backward_task) : FGT_OK;
}

const fgti_class fgti_class_pool = {
    .name      = "pool",
    .opts      = pool_opts,
    .opts_size = sizeof(fgt_pool_opts),
    .masks     = FGTI_MASKS_PADDING,
    .plan      = pool_plan,
    .shape     = pool_shape,
    .forward   = pool_forward,
    .backward  = pool_backward,
};
