/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/layer.h"

static const fgti_opt quantiles_opts[] = {
    FGTI_FIELD(fgt_quantiles_opts, count, I64, 1, FGT_QUANTILES_MAX, FGTI_OPT_REQUIRED),
    {0},
};

static fgt_status quantiles_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    const fgt_quantiles_opts *o = l->opts;
    if (in.nodes != 1 || in.time % o->count)
        return fgti_fail(err, FGT_E_SHAPE,
                         "the input has the wrong size (got %lld tokens and %lld nodes, need a multiple of "
                         "count, %lld, and 1)",
                         (long long)in.time, (long long)in.nodes, (long long)o->count);
    *out = (fgti_shape){in.time / o->count, in.width, o->count};
    return FGT_OK;
}

/* The H C outcomes of all samples. Each has Q values: value q of outcome i of a sample is x[(sample Q + q) H
 * C + i]. */
typedef struct outcomes {
    const fgti_io *io;
    int64_t        count, each; /* Q, H C */
} outcomes;

static outcomes outcomes_of(const fgti_layer *l, const fgti_io *io)
{
    const fgt_quantiles_opts *o = l->opts;
    return (outcomes){io, o->count, io->in.time / o->count * io->in.width};
}

/* order: the numbers of an outcome's values, sorted by value in ascending order; equal values keep their
 * order. */
static void quantiles_sort(const outcomes *s, const fgti_real *x, int64_t order[FGT_QUANTILES_MAX])
{
    for (int64_t q = 0; q < s->count; q++) {
        int64_t k = q;
        for (; k > 0 && x[order[k - 1] * s->each] > x[q * s->each]; k--) order[k] = order[k - 1];
        order[k] = q;
    }
}

/* y_{hc,k} = the k-th smallest of the Q numbers x_{q H + h, c} */
static void quantiles_forward_task(void *arg, int64_t sample, int32_t worker)
{
    const outcomes  *s = arg;
    const fgti_real *x = s->io->x + sample * s->count * s->each;
    fgti_real       *y = s->io->y + sample * s->count * s->each;
    int64_t          order[FGT_QUANTILES_MAX];
    (void)worker;
    for (int64_t i = 0; i < s->each; i++, x++, y += s->count) {
        quantiles_sort(s, x, order);
        for (int64_t k = 0; k < s->count; k++) y[k] = x[order[k] * s->each];
    }
}

/* dx_{q H + h, c} = dy_{hc,k}, where k is the rank of x_{q H + h, c} among its Q numbers */
static void quantiles_backward_task(void *arg, int64_t sample, int32_t worker)
{
    const outcomes  *s  = arg;
    const int64_t    at = sample * s->count * s->each;
    const fgti_real *x = s->io->x + at, *dy = s->io->dy + at;
    fgti_real       *dx = s->io->dx + at;
    int64_t          order[FGT_QUANTILES_MAX];
    (void)worker;
    for (int64_t i = 0; i < s->each; i++, x++, dx++, dy += s->count) {
        quantiles_sort(s, x, order);
        for (int64_t k = 0; k < s->count; k++) dx[order[k] * s->each] = dy[k];
    }
}

static fgt_status quantiles_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    outcomes s = outcomes_of(l, io);
    fgti_parallel(run->exec, run->batch, quantiles_forward_task, &s);
    return FGT_OK;
}

static fgt_status quantiles_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    outcomes s = outcomes_of(l, io);
    if (io->dx) fgti_parallel(run->exec, run->batch, quantiles_backward_task, &s);
    return FGT_OK;
}

const fgti_class fgti_class_quantiles = {
    .name      = "quantiles",
    .opts      = quantiles_opts,
    .opts_size = sizeof(fgt_quantiles_opts),
    .shape     = quantiles_shape,
    .forward   = quantiles_forward,
    .backward  = quantiles_backward,
};
