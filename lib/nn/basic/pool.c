/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "nn/layer.h"
#include "nn/masks.h"

enum { KINDS = 2 }; /* number of enumerators */
_Static_assert(FGT_POOL_LAST == KINDS - 1, "count of enumerators");

static const fgti_opt pool_opts[] = {
    FGTI_FIELD(fgt_pool_opts, kind, ENUM, 0, KINDS - 1, 0),
    FGTI_FIELD(fgt_pool_opts, reserved, BOOL, 0, 0, 0),
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

typedef struct pooling {
    const fgti_vec  *vec;
    int32_t          kind;
    int64_t          t, d, nodes;
    const int32_t   *padding; /* [B,T], or NULL */
    const fgti_real *in;
    fgti_real       *out;
} pooling;

static bool is_token(const pooling *p, int64_t g, int64_t t)
{
    return !p->padding || !p->padding[g / p->nodes * p->t + t];
}

/* Finds the tokens of sequence g that the pool averages: the tokens *begin .. *end-1, without padding.
 * Returns how many there are. */
static int64_t find_taken(const pooling *p, int64_t g, int64_t *begin, int64_t *end)
{
    int64_t n = 0;
    *begin = *end = 0;
    for (int64_t t = 0; t < p->t; t++) {
        if (!is_token(p, g, t)) continue;
        *begin = p->kind == FGT_POOL_LAST ? t : *begin;
        *end   = t + 1;
        n++;
    }
    return p->kind == FGT_POOL_LAST && n ? 1 : n;
}

static void pool_forward_task(void *arg, int64_t g, int32_t worker)
{
    const pooling *p = arg;
    int64_t        begin, end;
    const int64_t  n = find_taken(p, g, &begin, &end);
    (void)worker;
    memset(p->out + g * p->d, 0, (size_t)p->d * sizeof *p->out);
    for (int64_t t = begin; t < end; t++)
        if (is_token(p, g, t))
            p->vec->axpy(p->d, 1 / (fgti_real)n, p->in + (g * p->t + t) * p->d, p->out + g * p->d);
}

static void pool_backward_task(void *arg, int64_t g, int32_t worker)
{
    const pooling *p = arg;
    int64_t        begin, end;
    const int64_t  n = find_taken(p, g, &begin, &end);
    (void)worker;
    memset(p->out + g * p->t * p->d, 0, (size_t)(p->t * p->d) * sizeof *p->out);
    for (int64_t t = begin; t < end; t++)
        if (is_token(p, g, t))
            p->vec->axpy(p->d, 1 / (fgti_real)n, p->in + g * p->d, p->out + (g * p->t + t) * p->d);
}

static fgt_status run_pooling(const fgti_run *run, const fgti_layer *l, const fgti_io *io,
                              const fgti_real *in, fgti_real *out, fgti_task_fn fn)
{
    const fgt_pool_opts *o = l->opts;
    pooling              p = {.vec   = run->vec,
                              .kind  = o->kind,
                              .t     = io->in.time,
                              .d     = io->in.width,
                              .nodes = io->in.nodes,
                              .in    = in,
                              .out   = out};
    FGTI_TRY(fgti_key_padding(run, io->in.time, &p.padding));
    fgti_parallel(run->exec, run->batch * io->in.nodes, fn, &p);
    return FGT_OK;
}

/* y = 1/n sum of x[t] over the n tokens that are averaged */
static fgt_status pool_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    return run_pooling(run, l, io, io->x, io->y, pool_forward_task);
}

/* dx[t] = dy / n if t is averaged, otherwise 0 */
static fgt_status pool_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    return io->dx ? run_pooling(run, l, io, io->dy, io->dx, pool_backward_task) : FGT_OK;
}

const fgti_class fgti_class_pool = {
    .name      = "pool",
    .opts      = pool_opts,
    .opts_size = sizeof(fgt_pool_opts),
    .masks     = FGTI_MASKS_PADDING,
    .shape     = pool_shape,
    .forward   = pool_forward,
    .backward  = pool_backward,
};
