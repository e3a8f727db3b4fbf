/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "nn/layer.h"

static const fgti_opt patch_opts[] = {
    FGTI_FIELD(fgt_patch_opts, length, I64, 1, FGTI_OPT_SIZE_MAX, 16),
    FGTI_FIELD(fgt_patch_opts, stride, I64, 1, FGTI_OPT_SIZE_MAX, 8),
    FGTI_FIELD(fgt_patch_opts, no_padding, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_patch_opts, reserved, BOOL, 0, 0, 0),
    {0},
};

static fgt_status patch_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    const fgt_patch_opts *o = l->opts;
    if (in.nodes != 1)
        return fgti_fail(err, FGT_E_SHAPE, "patches need an input [B,T,D] with one node (got %lld nodes)",
                         (long long)in.nodes);
    if (o->length > in.time)
        return fgti_fail(err, FGT_E_SHAPE, "a patch is too long (got %lld steps, the input has %lld)",
                         (long long)o->length, (long long)in.time);
    *out = (fgti_shape){in.width, (in.time - o->length) / o->stride + 1 + !o->no_padding, o->length};
    return FGT_OK;
}

typedef struct patches {
    int64_t          t, d, p, length, stride;
    const fgti_real *in;
    fgti_real       *out;
} patches;

static void patch_forward_task(void *arg, int64_t b, int32_t worker)
{
    const patches   *j = arg;
    const fgti_real *x = j->in + b * j->t * j->d;
    fgti_real       *y = j->out + b * j->d * j->p * j->length;
    (void)worker;
    for (int64_t d = 0; d < j->d; d++)
        for (int64_t p = 0; p < j->p; p++)
            for (int64_t i = 0; i < j->length; i++) {
                const int64_t t = p * j->stride + i;
                *y++            = x[(t < j->t ? t : j->t - 1) * j->d + d];
            }
}

static void patch_backward_task(void *arg, int64_t b, int32_t worker)
{
    const patches   *j  = arg;
    fgti_real       *dx = j->out + b * j->t * j->d;
    const fgti_real *dy = j->in + b * j->d * j->p * j->length;
    (void)worker;
    memset(dx, 0, (size_t)(j->t * j->d) * sizeof *dx);
    for (int64_t d = 0; d < j->d; d++)
        for (int64_t p = 0; p < j->p; p++)
            for (int64_t i = 0; i < j->length; i++) {
                const int64_t t = p * j->stride + i;
                dx[(t < j->t ? t : j->t - 1) * j->d + d] += *dy++;
            }
}

static patches patches_of(const fgti_layer *l, const fgti_io *io)
{
    const fgt_patch_opts *o = l->opts;
    return (patches){
        .t = io->in.time, .d = io->in.width, .p = io->out.time, .length = o->length, .stride = o->stride};
}

/* y[d,p,i] = x[min(p stride + i, T-1), d] */
static fgt_status patch_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    patches j = patches_of(l, io);
    j.in      = io->x;
    j.out     = io->y;
    fgti_parallel(run->exec, run->batch, patch_forward_task, &j);
    return FGT_OK;
}

/* dx[t,d] = sum of dy over all elements of y that were copied from x[t,d] */
static fgt_status patch_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    patches j = patches_of(l, io);
    j.in      = io->dy;
    j.out     = io->dx;
    if (io->dx) fgti_parallel(run->exec, run->batch, patch_backward_task, &j);
    return FGT_OK;
}

const fgti_class fgti_class_patch = {
    .name      = "patch",
    .opts      = patch_opts,
    .opts_size = sizeof(fgt_patch_opts),
    .shape     = patch_shape,
    .forward   = patch_forward,
    .backward  = patch_backward,
};
