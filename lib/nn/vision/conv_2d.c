/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/vision/grid.h"

/* Each window becomes a row C_s [D kh kw], so that the convolution is one matrix product, Y = C W' + b, as in
 * nn/basic/conv.c. The backward pass makes the rows again. */

enum { WEIGHT, BIAS };

static const fgti_opt conv_2d_opts[] = {
    FGTI_FIELD(fgt_conv_2d_opts, out, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_conv_2d_opts, height, I64, 1, FGTI_OPT_SIZE_MAX, 3),
    FGTI_FIELD(fgt_conv_2d_opts, width, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_conv_2d_opts, stride_height, I64, 1, FGTI_OPT_SIZE_MAX, 1),
    FGTI_FIELD(fgt_conv_2d_opts, stride_width, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_conv_2d_opts, padding_height, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_conv_2d_opts, padding_width, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_conv_2d_opts, no_bias, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_conv_2d_opts, reserved, ENUM, 0, 0, 0),
    {0},
};

static fgti_grid conv_2d_grid_of(const fgti_layer *l)
{
    const fgt_conv_2d_opts *o = l->opts;
    return (fgti_grid){.kernel  = {o->height, o->width},
                       .stride  = {o->stride_height, o->stride_width},
                       .padding = {o->padding_height, o->padding_width}};
}

static fgt_status conv_2d_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    const fgt_conv_2d_opts *o = l->opts;
    const fgti_grid         g = conv_2d_grid_of(l);
    FGTI_TRY(fgti_grid_shape(err, &g, in, out));
    out->width = o->out;
    return FGT_OK;
}

static fgt_status conv_2d_plan(fgt_context *ctx, fgti_layer *l)
{
    fgt_conv_2d_opts *o = l->opts;
    if (!o->out) o->out = l->in.width;
    if (!o->width) o->width = o->height;
    if (!o->stride_width) o->stride_width = o->stride_height;
    const int64_t shape[] = {o->out, l->in.width, o->height, o->width};
    const double  range   = fgti_fan_in(fgti_mul(l->in.width, fgti_mul(o->height, o->width)));
    FGTI_TRY(conv_2d_shape(&ctx->error, l, l->in, &l->out));
    FGTI_TRY(fgti_param_add(ctx, l, "weight", 4, shape, FGTI_INIT_UNIFORM, range));
    return o->no_bias ? FGT_OK : fgti_param_add(ctx, l, "bias", 1, &o->out, FGTI_INIT_UNIFORM, range);
}

/* The rows C are in scratch. */
static void conv_2d_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    const fgti_grid    g = conv_2d_grid_of(l);
    const fgti_windows w = fgti_grid_windows(&g, batch, in);
    const int64_t      n = fgti_mul(w.grids, fgti_mul(w.out_h, w.out_w));
    fgti_take(NULL, &need->scratch, fgti_mul(n, fgti_window_size(&w)));
}

static fgti_windows conv_2d_gather(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgti_grid g  = conv_2d_grid_of(l);
    int64_t         at = 0;
    fgti_windows    w  = fgti_grid_windows(&g, run->batch, io->in);
    w.planar           = true;
    w.x                = io->x;
    w.dx               = io->dx;
    w.rows = fgti_take(io->scratch, &at, w.grids * w.out_h * w.out_w * fgti_window_size(&w));
    fgti_windows_gather(run, &w);
    return w;
}

/* y[r,c] = sum_ij W_ij x[r sh + i - ph, c sw + j - pw] + b */
static fgt_status conv_2d_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgti_windows w = conv_2d_gather(run, l, io);
    fgti_affine(run, fgti_rows(run->batch, io->out), fgti_window_size(&w), io->out.width, w.rows,
                fgti_w(l, io, WEIGHT), l->params > BIAS ? fgti_w(l, io, BIAS) : NULL, io->y, io->out.width);
    return FGT_OK;
}

/* dW_ij += sum_rc dy[r,c] x[r sh + i - ph, c sw + j - pw]'. At each position, dx = sum W_ij' dy[r,c] over the
 * windows in which the position is (i,j). The gradients of the rows C overwrite the rows. */
static fgt_status conv_2d_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgti_windows w = conv_2d_gather(run, l, io);
    fgti_affine_grad(run, fgti_rows(run->batch, io->out), fgti_window_size(&w), io->out.width, w.rows,
                     fgti_w(l, io, WEIGHT), io->dy, io->out.width, fgti_dw(l, io, WEIGHT),
                     l->params > BIAS ? fgti_dw(l, io, BIAS) : NULL, io->dx ? w.rows : NULL, false);
    if (io->dx) fgti_windows_scatter(run, &w);
    return FGT_OK;
}

static double conv_2d_flops(const fgti_layer *l, int64_t batch, fgti_shape in)
{
    const fgti_grid    g = conv_2d_grid_of(l);
    const fgti_windows w = fgti_grid_windows(&g, batch, in);
    const double       n = (double)w.grids * (double)w.out_h * (double)w.out_w;
    return 2 * n * (double)fgti_window_size(&w) * (double)l->out.width;
}

const fgti_class fgti_class_conv_2d = {
    .name      = "conv_2d",
    .opts      = conv_2d_opts,
    .opts_size = sizeof(fgt_conv_2d_opts),
    .plan      = conv_2d_plan,
    .flops     = conv_2d_flops,
    .shape     = conv_2d_shape,
    .size      = conv_2d_size,
    .forward   = conv_2d_forward,
    .backward  = conv_2d_backward,
};
