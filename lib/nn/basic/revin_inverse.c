/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "nn/basic/revin.h"

static const fgti_opt revin_inverse_opts[] = {
    FGTI_FIELD(fgt_revin_inverse_opts, reserved, I64, 0, 0, 0),
    {0},
};

static fgt_status revin_inverse_plan(fgt_context *ctx, fgti_layer *l)
{
    if (l->peer->axis != FGT_AXIS_TIME)
        return fgti_fail(&ctx->error, FGT_E_UNSUPPORTED,
                         "revin \"%.60s\" is along the nodes, but its inverse is along time", l->peer->name);
    if (l->peer->in.nodes != l->in.nodes || l->peer->in.width != l->in.width)
        return fgti_fail(
            &ctx->error, FGT_E_SHAPE,
            "the input has the wrong size (got %lld nodes and %lld features, need %lld and %lld as revin)",
            (long long)l->in.nodes, (long long)l->in.width, (long long)l->peer->in.nodes,
            (long long)l->peer->in.width);
    return FGT_OK;
}

static void revin_inverse_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    (void)l;
    need->backward = fgti_mul(fgti_mul(2, fgti_mul(batch, in.nodes)), in.width);
}

typedef struct job {
    const fgti_io   *io;
    int64_t          t, d, groups;
    const fgti_real *w, *b;
    fgti_revin_cache c;
} job;

static double divisor(const job *j, int64_t c)
{
    const double w = j->w ? j->w[c] : 1;
    return fabs(w) >= FGTI_REVIN_MIN ? w : copysign(FGTI_REVIN_MIN, w);
}

/* y = (x - b) / w s + m */
static void revin_inverse_forward_task(void *arg, int64_t g, int32_t worker)
{
    const job       *j = arg;
    const fgti_real *x = j->io->x + g * j->t * j->d;
    fgti_real       *y = j->io->y + g * j->t * j->d;
    (void)worker;
    for (int64_t c = 0; c < j->d; c++) {
        const int64_t   k     = g * j->d + c;
        const fgti_real scale = (fgti_real)(j->c.std[k] / divisor(j, c)), b = j->b ? j->b[c] : 0;
        for (int64_t i = 0; i < j->t; i++) y[i * j->d + c] = (x[i * j->d + c] - b) * scale + j->c.mean[k];
    }
}

/* With r = (x - b)/w: dx = dy s/w, dm += sum_t dy, ds += sum_t dy r, db = -sum dy s/w, and dw = -sum dy r
 * s/w, which is 0 where |w| is replaced by its lower bound. Other inverses of the same revin layer may have
 * added to dm and ds before. */
static void revin_inverse_backward_task(void *arg, int64_t g, int32_t worker)
{
    const job       *j = arg;
    const fgti_real *x = j->io->x + g * j->t * j->d, *dy = j->io->dy + g * j->t * j->d;
    (void)worker;
    for (int64_t c = 0; c < j->d; c++) {
        const int64_t k = g * j->d + c;
        const double  w = divisor(j, c), b = j->b ? j->b[c] : 0, s = j->c.std[k];
        double        sum = 0, dot = 0;
        for (int64_t i = 0; i < j->t; i++) {
            sum += dy[i * j->d + c];
            dot += dy[i * j->d + c] * (x[i * j->d + c] - b) / w;
            if (j->io->dx) j->io->dx[(g * j->t + i) * j->d + c] = (fgti_real)(dy[i * j->d + c] * s / w);
        }
        j->c.dmean[k] += (fgti_real)sum;
        j->c.dstd[k] += (fgti_real)dot;
        j->io->scratch[k]                    = j->w && (double)j->w[c] != w ? 0 : (fgti_real)(-dot * s / w);
        j->io->scratch[j->groups * j->d + k] = (fgti_real)(-sum * s / w);
    }
}

static job job_of(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const int64_t groups = run->batch * io->in.nodes;
    job           j      = {.io     = io,
                            .t      = io->in.time,
                            .d      = io->in.width,
                            .groups = groups,
                            .c      = fgti_revin_cache_of(io->peer_cache, groups, io->in.width)};
    if (l->peer->params) {
        j.w = fgti_w(l->peer, io, FGTI_REVIN_WEIGHT);
        j.b = fgti_w(l->peer, io, FGTI_REVIN_BIAS);
    }
    return j;
}

static fgt_status revin_inverse_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    job j = job_of(run, l, io);
    fgti_parallel(run->exec, j.groups, revin_inverse_forward_task, &j);
    return FGT_OK;
}

static fgt_status revin_inverse_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    job j = job_of(run, l, io);
    fgti_parallel(run->exec, j.groups, revin_inverse_backward_task, &j);
    if (!j.w) return FGT_OK;
    fgti_column_sum(run, j.groups, j.d, j.d, io->scratch, fgti_dw(l->peer, io, FGTI_REVIN_WEIGHT));
    fgti_column_sum(run, j.groups, j.d, j.d, io->scratch + j.groups * j.d,
                    fgti_dw(l->peer, io, FGTI_REVIN_BIAS));
    return FGT_OK;
}

const fgti_class fgti_class_revin_inverse = {
    .name      = "revin_inverse",
    .opts      = revin_inverse_opts,
    .opts_size = sizeof(fgt_revin_inverse_opts),
    .plan      = revin_inverse_plan,
    .size      = revin_inverse_size,
    .more_inputs = 1,
    .peer      = &fgti_class_revin,
    .forward   = revin_inverse_forward,
    .backward  = revin_inverse_backward,
};
