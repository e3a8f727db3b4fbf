/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/layer.h"

#include <string.h>

enum { WEIGHT, BIAS };

static const fgti_opt layer_norm_opts[] = {
    FGTI_FIELD(fgt_layer_norm_opts, eps, F32, 1e-30, 1, 1e-5),
    FGTI_FIELD(fgt_layer_norm_opts, seasonal, BOOL, 0, 1, 0),
    {0},
};

static fgt_status layer_norm_plan(fgt_context *ctx, fgti_layer *l)
{
    FGTI_TRY(fgti_param_add(ctx, l, "weight", 1, &l->in.width, FGTI_INIT_ONE, 0));
    return fgti_param_add(ctx, l, "bias", 1, &l->in.width, FGTI_INIT_ZERO, 0);
}

/* mean [R] and 1/sqrt(var + eps) [R] of the rows */
typedef struct statistics {
    fgti_real *mean, *rstd;
} statistics;

static int64_t layer_norm_place_cache(int64_t rows, fgti_real *base, statistics *s)
{
    int64_t at = 0;
    s->mean    = fgti_take(base, &at, rows);
    s->rstd    = fgti_take(base, &at, rows);
    return at;
}

static void layer_norm_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    const fgt_layer_norm_opts *o = l->opts;
    statistics                 s;
    need->cache = layer_norm_place_cache(fgti_rows(batch, in), NULL, &s);
    need->arena = o->seasonal ? in.width : 0;
}

/* ---- seasonal: subtract the mean over the tokens of a sequence ---- */

typedef struct sequences {
    const fgti_vec *vec;
    const fgti_io  *io;
    fgti_real      *x; /* [groups,T,D] */
} sequences;

static void remove_mean(void *arg, int64_t group, int32_t worker)
{
    const sequences *s = arg;
    const int64_t    time = s->io->in.time, d = s->io->in.width;
    fgti_real       *x = s->x + group * time * d, *sum = fgti_worker_arena(s->io, worker);
    memset(sum, 0, (size_t)d * sizeof *sum);
    s->vec->colsum(time, d, d, x, sum);
    for (int64_t t = 0; t < time; t++)
        s->vec->axpy(d, -(fgti_real)(1 / (double)time), sum, x + t * d);
}

/* Subtracts the mean over the tokens of each sequence. This map is its own adjoint, so backward calls the
 * same function. */
static void remove_means(const fgti_run *run, const fgti_layer *l, const fgti_io *io, fgti_real *x)
{
    const fgt_layer_norm_opts *o = l->opts;
    sequences                  s = {run->vec, io, x};
    if (o->seasonal) fgti_parallel(run->exec, run->batch * io->in.nodes, remove_mean, &s);
}

/* ---- the passes ---- */

/* y = (x - mean) / sqrt(var + eps) w + b;  seasonal: y_t -= sum_s y_s / T */
static fgt_status layer_norm_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_layer_norm_opts *o    = l->opts;
    const int64_t              rows = fgti_rows(run->batch, io->in);
    statistics                 s;
    layer_norm_place_cache(rows, io->cache, &s);
    fgti_norm(run, rows, io->in.width, o->eps, io->x, fgti_w(l, io, WEIGHT), fgti_w(l, io, BIAS), io->y,
              s.mean, s.rstd);
    remove_means(run, l, io, io->y);
    return FGT_OK;
}

/* seasonal: dy_t -= sum_s dy_s / T. For the other gradients see fgti_norm_grad(). */
static fgt_status layer_norm_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const int64_t rows = fgti_rows(run->batch, io->in);
    statistics    s;
    layer_norm_place_cache(rows, io->cache, &s);
    remove_means(run, l, io, io->dy);
    fgti_norm_grad(run, rows, io->in.width, io->x, fgti_w(l, io, WEIGHT), s.mean, s.rstd, io->dy,
                   fgti_dw(l, io, WEIGHT), fgti_dw(l, io, BIAS), io->dx);
    return FGT_OK;
}

static const char *layer_norm_step_misfit(const fgti_layer *l, int64_t room)
{
    (void)room;
    return ((const fgt_layer_norm_opts *)l->opts)->seasonal ? "subtracts the mean over all tokens" : NULL;
}

const fgti_class fgti_class_layer_norm = {
    .name      = "layer_norm",
    .opts      = layer_norm_opts,
    .opts_size = sizeof(fgt_layer_norm_opts),
    .streams   = true,
    .skips     = true,
    .plan      = layer_norm_plan,
    .size      = layer_norm_size,
    .step_misfit = layer_norm_step_misfit,
    .forward   = layer_norm_forward,
    .backward  = layer_norm_backward,
};
