/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/windows.h"

#include <string.h>

/* Each window of k tokens becomes a row C_s [D k], so that a convolution is one matrix product: Y = C W' + b.
 * The backward pass makes the rows again. In a stream, windows include tokens of earlier calls, which the
 * layer keeps. */

enum { WEIGHT, BIAS };
enum { PADDINGS = 4 }; /* number of enumerators */
_Static_assert(FGT_CONV_PADDING_VALID == PADDINGS - 1, "count of enumerators");

static const fgti_opt conv_opts[] = {
    FGTI_FIELD(fgt_conv_opts, out, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_conv_opts, kernel, I64, 1, FGTI_OPT_SIZE_MAX, 3),
    FGTI_FIELD(fgt_conv_opts, stride, I64, 1, FGTI_OPT_SIZE_MAX, 1),
    FGTI_FIELD(fgt_conv_opts, padding, ENUM, 0, PADDINGS - 1, 0),
    FGTI_FIELD(fgt_conv_opts, no_bias, BOOL, 0, 1, 0),
    {0},
};

static fgt_status conv_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    const fgt_conv_opts *o    = l->opts;
    const bool           adds = o->padding != FGT_CONV_PADDING_VALID;
    if (!adds && o->kernel > in.time)
        return fgti_fail(err, FGT_E_SHAPE, "kernel is too long (got %lld, the input has %lld tokens)",
                         (long long)o->kernel, (long long)in.time);
    *out       = in;
    out->time  = (in.time - (adds ? 1 : o->kernel)) / o->stride + 1;
    out->width = o->out;
    return FGT_OK;
}

/* Whether each window has one token, so that C is x. */
static bool is_affine(const fgt_conv_opts *o)
{
    return o->kernel == 1 && o->stride == 1;
}

/* Whether each window ends with the token to which it belongs, as a stream requires. */
static bool is_causal(const fgt_conv_opts *o)
{
    return is_affine(o) || (o->padding == FGT_CONV_PADDING_CAUSAL && o->stride == 1);
}

static fgt_status conv_plan(fgt_context *ctx, fgti_layer *l)
{
    fgt_conv_opts *o = l->opts;
    const int64_t  d = l->in.width;
    if (!o->out) o->out = d;
    FGTI_TRY(conv_shape(&ctx->error, l, l->in, &l->out));
    if (is_causal(o) && !is_affine(o) && l->axis == FGT_AXIS_TIME) fgti_past_add(l, "x", 1, d);
    const double range = fgti_fan_in(fgti_mul(d, o->kernel));
    FGTI_TRY(
        fgti_param_add(ctx, l, "weight", 3, (int64_t[]){o->out, d, o->kernel}, FGTI_INIT_UNIFORM, range));
    return o->no_bias ? FGT_OK : fgti_param_add(ctx, l, "bias", 1, &o->out, FGTI_INIT_UNIFORM, range);
}

/* Allocates the rows C; NULL if C is x. */
static fgti_real *take_rows(const fgt_conv_opts *o, int64_t rows, int64_t d, fgti_real *base, int64_t *at)
{
    return is_affine(o) ? NULL : fgti_take(base, at, fgti_mul(rows, fgti_mul(d, o->kernel)));
}

static void conv_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    fgti_shape out = in;
    /* shorter passes do not have more rows, and a pass that is too short has been refused before */
    if (conv_shape(NULL, l, in, &out) == FGT_OK)
        take_rows(l->opts, fgti_rows(batch, out), in.width, NULL, &need->scratch);
}

static int64_t tokens_before(const fgt_conv_opts *o)
{
    switch (o->padding) {
    case FGT_CONV_PADDING_CAUSAL: return o->kernel - 1;
    case FGT_CONV_PADDING_VALID: return 0;
    default: return (o->kernel - 1) / 2;
    }
}

static fgti_windows conv_windows_of(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_conv_opts *o  = l->opts;
    int64_t              at = 0;
    return (fgti_windows){
        .grids  = run->batch * io->in.nodes,
        .h      = 1,
        .w      = io->in.time,
        .d      = io->in.width,
        .out_h  = 1,
        .out_w  = io->out.time,
        .down   = {1, 1, 0, false},
        .across = {o->kernel, o->stride, tokens_before(o), o->padding == FGT_CONV_PADDING_CIRCULAR},
        .planar = true,
        .x      = io->x,
        .rows   = take_rows(o, fgti_rows(run->batch, io->out), io->in.width, io->scratch, &at),
        .dx     = io->dx};
}

static const fgti_real *conv_gather(const fgti_run *run, const fgti_windows *w)
{
    if (!w->rows) return w->x;
    fgti_windows_gather(run, w);
    return w->rows;
}

/* y_s = sum_j W_j x_{s stride + j - before} + b */
static void conv_run(const fgti_run *run, const fgti_layer *l, const fgti_io *io, const fgti_windows *w)
{
    fgti_affine(run, fgti_rows(run->batch, io->out), fgti_window_size(w), io->out.width, conv_gather(run, w),
                fgti_w(l, io, WEIGHT), l->params > BIAS ? fgti_w(l, io, BIAS) : NULL, io->y, io->out.width);
}

static fgt_status conv_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgti_windows w = conv_windows_of(run, l, io);
    conv_run(run, l, io, &w);
    return FGT_OK;
}

/* In a stream of `room` tokens each grid is a past, which begins with the earlier tokens. */
static fgt_status conv_step(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const int64_t d = io->in.width, n = io->in.time * d, before = run->stream->tokens;
    fgti_windows  w = conv_windows_of(run, l, io);
    if (l->pasts) {
        w.w = run->stream->room;
        w.across.before -= before;
        for (int64_t g = 0; g < w.grids; g++)
            memcpy(io->past[0] + (g * w.w + before) * d, io->x + g * n, (size_t)n * sizeof *io->x);
        w.x = io->past[0];
    }
    conv_run(run, l, io, &w);
    return FGT_OK;
}

static const char *conv_step_misfit(const fgti_layer *l, int64_t room)
{
    (void)room;
    return is_causal(l->opts) ? NULL : "is not FGT_CONV_PADDING_CAUSAL with stride 1";
}

/* dW_j += sum_s dy_s x_{s stride + j - before}', and dx_t = sum W_j' dy_s over the windows s in which t is
 * token j. The gradients of the rows C overwrite the rows. */
static fgt_status conv_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgti_windows w    = conv_windows_of(run, l, io);
    const int64_t      rows = fgti_rows(run->batch, io->out), n = fgti_window_size(&w), h = io->out.width;
    const fgti_real   *c  = conv_gather(run, &w);
    fgti_real         *dc = w.rows ? w.rows : io->dx;
    fgti_affine_grad(run, rows, n, h, c, fgti_w(l, io, WEIGHT), io->dy, h, fgti_dw(l, io, WEIGHT),
                     l->params > BIAS ? fgti_dw(l, io, BIAS) : NULL, io->dx ? dc : NULL, false);
    if (io->dx && w.rows) fgti_windows_scatter(run, &w);
    return FGT_OK;
}

static double conv_flops(const fgti_layer *l, int64_t batch, fgti_shape in)
{
    const fgt_conv_opts *o   = l->opts;
    fgti_shape           out = in;
    if (conv_shape(NULL, l, in, &out) != FGT_OK) return 0;
    return 2.0 * (double)fgti_rows(batch, out) * (double)in.width * (double)o->kernel * (double)o->out;
}

const fgti_class fgti_class_conv = {
    .name        = "conv",
    .opts        = conv_opts,
    .opts_size   = sizeof(fgt_conv_opts),
    .plan        = conv_plan,
    .flops       = conv_flops,
    .shape       = conv_shape,
    .size        = conv_size,
    .forward     = conv_forward,
    .backward    = conv_backward,
    .step        = conv_step,
    .step_misfit = conv_step_misfit,
};
