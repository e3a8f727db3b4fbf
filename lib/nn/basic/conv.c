/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "nn/affine.h"

/* Each window of k tokens becomes a row C_s [D k], so that a convolution is one product of matrices: Y = C W'
 * + b. The backward pass makes the rows again. */

enum { WEIGHT, BIAS };
enum { PADDINGS = 4 }; /* number of enumerators */
_Static_assert(FGT_CONV_VALID == PADDINGS - 1, "count of enumerators");

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
    const bool           adds = o->padding != FGT_CONV_VALID;
    if (!adds && o->kernel > in.time)
        return fgti_fail(err, FGT_E_SHAPE, "a kernel of %lld tokens does not fit into %lld tokens",
                         (long long)o->kernel, (long long)in.time);
    *out       = in;
    out->time  = (in.time - (adds ? 1 : o->kernel)) / o->stride + 1;
    out->width = o->out;
    return FGT_OK;
}

static fgt_status conv_plan(fgt_context *ctx, fgti_layer *l)
{
    fgt_conv_opts *o = l->opts;
    const int64_t  d = l->in.width;
    if (!o->out) o->out = d;
    FGTI_TRY(conv_shape(&ctx->error, l, l->in, &l->out));
    const double range = fgti_fan_in(fgti_mul(d, o->kernel));
    FGTI_TRY(
        fgti_param_add(ctx, l, "weight", 3, (int64_t[]){o->out, d, o->kernel}, FGTI_INIT_UNIFORM, range));
    return o->no_bias ? FGT_OK : fgti_param_add(ctx, l, "bias", 1, &o->out, FGTI_INIT_UNIFORM, range);
}

/* A sequence: x [T,D] and C [T',D k]. */
typedef struct windows {
    const fgti_real *x;
    fgti_real       *rows, *dx;
    int64_t          time, out_time, d, kernel, stride, before;
    bool             circular;
} windows;

/* A row per token is x itself. */
static bool is_affine(const fgt_conv_opts *o)
{
    return o->kernel == 1 && o->stride == 1;
}

static int64_t place(const fgt_conv_opts *o, int64_t rows, int64_t d, fgti_real *base, windows *w)
{
    int64_t at = 0;
    w->rows    = is_affine(o) ? NULL : fgti_take(base, &at, fgti_mul(rows, fgti_mul(d, o->kernel)));
    return at;
}

static void conv_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    fgti_shape out = in;
    windows    w;
    /* shorter passes have no more rows, and those too short are refused before */
    if (conv_shape(NULL, l, in, &out) == FGT_OK)
        need->scratch = place(l->opts, fgti_rows(batch, out), in.width, NULL, &w);
}

static windows windows_of(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_conv_opts *o = l->opts;
    windows              w = {.x        = io->x,
                              .dx       = io->dx,
                              .time     = io->in.time,
                              .out_time = io->out.time,
                              .d        = io->in.width,
                              .kernel   = o->kernel,
                              .stride   = o->stride,
                              .circular = o->padding == FGT_CONV_CIRCULAR};
    if (o->padding == FGT_CONV_CAUSAL)
        w.before = o->kernel - 1;
    else if (o->padding != FGT_CONV_VALID)
        w.before = (o->kernel - 1) / 2;
    place(o, fgti_rows(run->batch, io->out), w.d, io->scratch, &w);
    return w;
}

/* The token that is the j-th of window s; -1: a zero. */
static int64_t token_of(const windows *w, int64_t s, int64_t j)
{
    const int64_t t = s * w->stride + j - w->before;
    if (w->circular) return (t % w->time + w->time) % w->time;
    return t < w->time ? t : -1;
}

static void gather_task(void *arg, int64_t g, int32_t worker)
{
    const windows   *w = arg;
    const fgti_real *x = w->x + g * w->time * w->d;
    (void)worker;
    for (int64_t s = 0; s < w->out_time; s++)
        for (int64_t j = 0; j < w->kernel; j++) {
            const int64_t t = token_of(w, s, j);
            fgti_real    *c = w->rows + (g * w->out_time + s) * w->d * w->kernel + j;
            for (int64_t d = 0; d < w->d; d++) c[d * w->kernel] = t < 0 ? 0 : x[t * w->d + d];
        }
}

static void scatter_task(void *arg, int64_t g, int32_t worker)
{
    const windows *w  = arg;
    fgti_real     *dx = w->dx + g * w->time * w->d;
    (void)worker;
    memset(dx, 0, (size_t)(w->time * w->d) * sizeof *dx);
    for (int64_t s = 0; s < w->out_time; s++)
        for (int64_t j = 0; j < w->kernel; j++) {
            const int64_t    t = token_of(w, s, j);
            const fgti_real *c = w->rows + (g * w->out_time + s) * w->d * w->kernel + j;
            for (int64_t d = 0; t >= 0 && d < w->d; d++) dx[t * w->d + d] += c[d * w->kernel];
        }
}

static const fgti_real *gather(const fgti_run *run, const fgti_io *io, const windows *w)
{
    if (!w->rows) return io->x;
    fgti_parallel(run->exec, run->batch * io->in.nodes, gather_task, (void *)w);
    return w->rows;
}

/* y_s = sum_j W_j x_{s stride + j - before} + b */
static fgt_status conv_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const windows    w = windows_of(run, l, io);
    const fgti_real *c = gather(run, io, &w);
    fgti_affine(run, fgti_rows(run->batch, io->out), w.d * w.kernel, io->out.width, c, fgti_w(l, io, WEIGHT),
                l->params > BIAS ? fgti_w(l, io, BIAS) : NULL, io->y, io->out.width);
    return FGT_OK;
}

/* dW_j += sum_s dy_s x_{s stride + j - before}',  dx_t = sum W_j' dy_s over the windows that have t as j-th.
 * The gradients of the rows take the place of the rows. */
static fgt_status conv_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const windows    w    = windows_of(run, l, io);
    const int64_t    rows = fgti_rows(run->batch, io->out), n = w.d * w.kernel, h = io->out.width;
    const fgti_real *c  = gather(run, io, &w);
    fgti_real       *dc = w.rows ? w.rows : io->dx;
    fgti_affine_grad(run, rows, n, h, c, fgti_w(l, io, WEIGHT), io->dy, h, fgti_dw(l, io, WEIGHT),
                     l->params > BIAS ? fgti_dw(l, io, BIAS) : NULL, io->dx ? dc : NULL, false);
    if (io->dx && w.rows) fgti_parallel(run->exec, run->batch * io->in.nodes, scatter_task, (void *)&w);
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
    .name      = "conv",
    .opts      = conv_opts,
    .opts_size = sizeof(fgt_conv_opts),
    .plan      = conv_plan,
    .flops     = conv_flops,
    .shape     = conv_shape,
    .size      = conv_size,
    .forward   = conv_forward,
    .backward  = conv_backward,
};
