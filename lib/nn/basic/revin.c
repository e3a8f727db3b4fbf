/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/basic/revin.h"

#include <math.h>
#include <string.h>

#include "nn/rows.h"

static const fgti_opt revin_opts[] = {
    FGTI_FIELD(fgt_revin_opts, eps, F32, 1e-30, 1, 1e-5),
    FGTI_FIELD(fgt_revin_opts, no_affine, BOOL, 0, 1, 0),
    {0},
};

static fgt_status revin_plan(fgt_context *ctx, fgti_layer *l)
{
    const fgt_revin_opts *o = l->opts;
    if (o->no_affine) return FGT_OK;
    FGTI_TRY(fgti_param_add(ctx, l, "weight", 1, &l->in.width, FGTI_INIT_ONE, 0));
    return fgti_param_add(ctx, l, "bias", 1, &l->in.width, FGTI_INIT_ZERO, 0);
}

static void revin_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    const int64_t    groups = fgti_mul(batch, in.nodes);
    fgti_revin_cache c;
    (void)l;
    need->cache    = fgti_revin_place(groups, in.width, NULL, &c);
    need->backward = fgti_mul(2, fgti_mul(groups, in.width)); /* dw and db, one pair for each group */
}

typedef struct series {
    const fgti_run  *run;
    const fgti_io   *io;
    double           eps;
    int64_t          t, d, groups;
    const fgti_real *w, *b;
    fgti_revin_cache c;
} series;

/* m = mean_t x, s = sqrt(var_t x + eps), y = (x - m) / s w + b */
static void revin_forward_task(void *arg, int64_t g, int32_t worker)
{
    const series    *j = arg;
    const int64_t    t = j->t, d = j->d;
    const fgti_real *x    = j->io->x + g * t * d;
    fgti_real       *y    = j->io->y + g * t * d;
    fgti_real       *mean = j->c.mean + g * d, *std = j->c.std + g * d;
    (void)worker;
    for (int64_t c = 0; c < d; c++) {
        double m = 0, v = 0;
        for (int64_t i = 0; i < t; i++) m += x[i * d + c];
        m /= (double)t;
        for (int64_t i = 0; i < t; i++) v += (x[i * d + c] - m) * (x[i * d + c] - m);
        mean[c]           = (fgti_real)m;
        std[c]            = (fgti_real)sqrt(v / (double)t + j->eps);
        const fgti_real w = j->w ? j->w[c] : 1, b = j->b ? j->b[c] : 0;
        for (int64_t i = 0; i < t; i++) y[i * d + c] = (x[i * d + c] - mean[c]) / std[c] * w + b;
    }
}

/* With n = (x - m)/s and u = dy w, and with means over the T steps of a series:
 *   dx = (u - mean u - n mean(u n)) / s + dm/T + ds n/T
 * where dm and ds are the gradients of m and s that come from the inverse layers. */
static void revin_backward_task(void *arg, int64_t g, int32_t worker)
{
    const series    *j = arg;
    const int64_t    t = j->t, d = j->d;
    const fgti_real *x = j->io->x + g * t * d, *dy = j->io->dy + g * t * d;
    (void)worker;
    for (int64_t c = 0; c < d; c++) {
        const int64_t k = g * d + c;
        const double  m = j->c.mean[k], s = j->c.std[k], w = j->w ? j->w[c] : 1;
        double        sum = 0, dot = 0;
        for (int64_t i = 0; i < t; i++) {
            sum += dy[i * d + c];
            dot += dy[i * d + c] * (x[i * d + c] - m) / s;
        }
        j->io->scratch[k]                 = (fgti_real)dot;
        j->io->scratch[j->groups * d + k] = (fgti_real)sum;
        if (!j->io->dx) continue;
        fgti_real *dx = j->io->dx + g * t * d;
        for (int64_t i = 0; i < t; i++) {
            const double n = (x[i * d + c] - m) / s;
            const double u = w * (dy[i * d + c] - (sum + n * dot) / (double)t) / s;
            dx[i * d + c]  = (fgti_real)(u + (j->c.dmean[k] + j->c.dstd[k] * n) / (double)t);
        }
    }
}

static series revin_series_of(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_revin_opts *o      = l->opts;
    const int64_t         groups = run->batch * io->in.nodes;
    series                j      = {.run    = run,
                                    .io     = io,
                                    .eps    = o->eps,
                                    .t      = io->in.time,
                                    .d      = io->in.width,
                                    .groups = groups,
                                    .c      = fgti_revin_cache_of(io->cache, groups, io->in.width)};
    if (l->params) {
        j.w = fgti_w(l, io, FGTI_REVIN_WEIGHT);
        j.b = fgti_w(l, io, FGTI_REVIN_BIAS);
    }
    return j;
}

static fgt_status revin_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    series       j     = revin_series_of(run, l, io);
    const size_t bytes = (size_t)(j.groups * j.d) * sizeof *j.c.dmean;
    memset(j.c.dmean, 0, bytes);
    memset(j.c.dstd, 0, bytes);
    fgti_parallel(run->exec, j.groups, revin_forward_task, &j);
    return FGT_OK;
}

/* dw += sum_g sum_t dy n,  db += sum_g sum_t dy */
static fgt_status revin_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    series j = revin_series_of(run, l, io);
    fgti_parallel(run->exec, j.groups, revin_backward_task, &j);
    if (!l->params) return FGT_OK;
    fgti_column_sum(run, j.groups, j.d, j.d, io->scratch, fgti_dw(l, io, FGTI_REVIN_WEIGHT));
    fgti_column_sum(run, j.groups, j.d, j.d, io->scratch + j.groups * j.d, fgti_dw(l, io, FGTI_REVIN_BIAS));
    return FGT_OK;
}

const fgti_class fgti_class_revin = {
    .name      = "revin",
    .opts      = revin_opts,
    .opts_size = sizeof(fgt_revin_opts),
    .plan      = revin_plan,
    .size      = revin_size,
    .forward   = revin_forward,
    .backward  = revin_backward,
};
