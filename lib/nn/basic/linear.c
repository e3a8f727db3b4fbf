/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/affine_pack.h"

enum { WEIGHT, BIAS };

static const fgti_opt linear_opts[] = {
    FGTI_FIELD(fgt_linear_opts, out, I64, 1, FGTI_OPT_SIZE_MAX, FGTI_OPT_REQUIRED),
    FGTI_FIELD(fgt_linear_opts, no_bias, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_linear_opts, reserved, BOOL, 0, 0, 0),
    {0},
};

static fgt_status linear_plan(fgt_context *ctx, fgti_layer *l)
{
    const fgt_linear_opts *o     = l->opts;
    const double           range = fgti_fan_in(l->in.width);
    l->out.width                 = o->out;
    FGTI_TRY(fgti_param_add(ctx, l, "weight", 2, (int64_t[]){o->out, l->in.width}, FGTI_INIT_UNIFORM, range));
    if (o->no_bias) return FGT_OK;
    return fgti_param_add(ctx, l, "bias", 1, &o->out, FGTI_INIT_UNIFORM, range);
}

static void linear_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    (void)batch;
    fgti_affine_pack_take(l, in.width, l->out.width, NULL, &need->packs);
}

/* y = x W' + b                        x [R,D], W [H,D], b [H], y [R,H] */
static fgt_status linear_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const int64_t          d = io->in.width, h = io->out.width;
    int64_t                at   = 0;
    const fgti_affine_pack pack = fgti_affine_pack_take(l, d, h, io->packs, &at);
    fgti_affine_packed(run, &pack, fgti_rows(run->batch, io->in), io->x, fgti_w(l, io, WEIGHT), d, 1,
                       l->params > BIAS ? fgti_w(l, io, BIAS) : NULL, h, io->y, h);
    return FGT_OK;
}

/* dW += dy'x,  db += sum_r dy,  dx = dy W */
static fgt_status linear_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const bool learns = fgti_learns(l, io);
    fgti_affine_grad(run, fgti_rows(run->batch, io->in), io->in.width, io->out.width, io->x,
                     fgti_w(l, io, WEIGHT), io->dy, io->out.width, learns ? fgti_dw(l, io, WEIGHT) : NULL,
                     learns && l->params > BIAS ? fgti_dw(l, io, BIAS) : NULL, io->dx, false);
    return FGT_OK;
}

static void linear_prepare(const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool *unread)
{
    int64_t                at   = 0;
    const fgti_affine_pack pack = fgti_affine_pack_take(l, io->in.width, io->out.width, io->packs, &at);
    unread[WEIGHT] = fgti_affine_pack_prepare(run, &pack, fgti_w(l, io, WEIGHT), io->in.width, 1);
}

static double linear_flops(const fgti_layer *l, int64_t batch, fgti_shape in)
{
    return 2.0 * (double)fgti_rows(batch, in) * (double)in.width * (double)l->out.width;
}

const fgti_class fgti_class_linear = {
    .name      = "linear",
    .opts      = linear_opts,
    .opts_size = sizeof(fgt_linear_opts),
    .streams   = true,
    .skips     = true,
    .plan      = linear_plan,
    .flops     = linear_flops,
    .shape     = fgti_shape_width,
    .size      = linear_size,
    .forward   = linear_forward,
    .backward  = linear_backward,
    .prepare   = linear_prepare,
};
