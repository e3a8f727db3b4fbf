/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/vision/grid.h"

static const fgti_opt patch_2d_opts[] = {
    FGTI_FIELD(fgt_patch_2d_opts, height, I64, 1, FGTI_OPT_SIZE_MAX, FGTI_OPT_REQUIRED),
    FGTI_FIELD(fgt_patch_2d_opts, width, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_patch_2d_opts, stride_height, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_patch_2d_opts, stride_width, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_patch_2d_opts, padding_height, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_patch_2d_opts, padding_width, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    {0},
};

static fgti_grid patch_2d_grid_of(const fgti_layer *l)
{
    const fgt_patch_2d_opts *o = l->opts;
    return (fgti_grid){.kernel  = {o->height, o->width},
                       .stride  = {o->stride_height, o->stride_width},
                       .padding = {o->padding_height, o->padding_width}};
}

static fgt_status patch_2d_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    const fgti_grid g = patch_2d_grid_of(l);
    fgti_shape      windows;
    FGTI_TRY(fgti_grid_shape(err, &g, in, &windows));
    *out = (fgti_shape){1, fgti_mul(windows.nodes, windows.time),
                        fgti_mul(in.width, fgti_mul(g.kernel[0], g.kernel[1]))};
    return FGT_OK;
}

static fgt_status patch_2d_plan(fgt_context *ctx, fgti_layer *l)
{
    fgt_patch_2d_opts *o = l->opts;
    if (!o->width) o->width = o->height;
    if (!o->stride_height) o->stride_height = o->height;
    if (!o->stride_width) o->stride_width = o->width;
    return patch_2d_shape(&ctx->error, l, l->in, &l->out);
}

static fgti_windows patch_2d_windows_of(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgti_grid g = patch_2d_grid_of(l);
    return fgti_grid_windows(&g, run->batch, io->in);
}

/* y[r W' + c, (i kw + j) C + d] = x[r sh + i - ph, c sw + j - pw, d], or 0 outside the image */
static fgt_status patch_2d_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    fgti_windows w = patch_2d_windows_of(run, l, io);
    w.x            = io->x;
    w.rows         = io->y;
    fgti_windows_gather(run, &w);
    return FGT_OK;
}

/* dx[r,c,d] = sum of dy over all elements of y that were copied from x[r,c,d] */
static fgt_status patch_2d_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    fgti_windows w = patch_2d_windows_of(run, l, io);
    w.rows         = io->dy;
    w.dx           = io->dx;
    if (io->dx) fgti_windows_scatter(run, &w);
    return FGT_OK;
}

const fgti_class fgti_class_patch_2d = {
    .name      = "patch_2d",
    .opts      = patch_2d_opts,
    .opts_size = sizeof(fgt_patch_2d_opts),
    .plan      = patch_2d_plan,
    .shape     = patch_2d_shape,
    .forward   = patch_2d_forward,
    .backward  = patch_2d_backward,
};
