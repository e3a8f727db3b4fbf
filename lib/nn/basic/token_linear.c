/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/layer.h"

enum { WEIGHT, BIAS };

static const fgti_opt token_linear_opts[] = {
    FGTI_FIELD(fgt_token_linear_opts, out, I64, 1, FGTI_OPT_SIZE_MAX, FGTI_OPT_REQUIRED),
    FGTI_FIELD(fgt_token_linear_opts, no_bias, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_token_linear_opts, reserved, BOOL, 0, 0, 0),
    {0},
};

static fgt_status token_linear_plan(fgt_context *ctx, fgti_layer *l)
{
    const fgt_token_linear_opts *o      = l->opts;
    const double                 range  = fgti_fan_in(l->in.width);
    const int64_t                tokens = l->in.time;
    l->out.width                        = o->out;
    FGTI_TRY(fgti_param_add(ctx, l, "weight", 3, (int64_t[]){tokens, o->out, l->in.width}, FGTI_INIT_UNIFORM,
                            range));
    if (o->no_bias) return FGT_OK;
    return fgti_param_add(ctx, l, "bias", 2, (int64_t[]){tokens, o->out}, FGTI_INIT_UNIFORM, range);
}

/* One product for each token. The rows of a token are T D elements apart. */
typedef struct pass {
    const fgti_run   *run;
    const fgti_layer *l;
    const fgti_io    *io;
    int64_t           rows; /* rows of a token: B N */
} pass;

static pass token_linear_pass_of(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    return (pass){run, l, io, run->batch * io->in.nodes};
}

static void token_linear_multiply(const pass *p, int32_t worker, fgti_gemm g)
{
    p->run->blas->gemm(fgti_worker_scratch(p->run->exec, worker), &g);
}

/* y_t = x_t W_t' + b_t        x_t [R,D], whose rows are T D apart; W_t [H,D], b_t [H], y_t [R,H] */
static void forward_token(void *arg, int64_t t, int32_t worker)
{
    const pass      *p  = arg;
    const fgti_io   *io = p->io;
    const int64_t    d = io->in.width, h = io->out.width, ldx = io->in.time * d, ldy = io->in.time * h;
    const fgti_real *bias = p->l->params > BIAS ? fgti_w(p->l, io, BIAS) + t * h : NULL;
    fgti_real       *y    = io->y + t * h;
    token_linear_multiply(
        p, worker,
        fgti_gemm_nt(p->rows, h, d, io->x + t * d, ldx, fgti_w(p->l, io, WEIGHT) + t * h * d, d, 0, y, ldy));
    for (int64_t r = 0; bias && r < p->rows; r++)
        for (int64_t k = 0; k < h; k++) y[r * ldy + k] += bias[k];
}

static fgt_status token_linear_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    pass p = token_linear_pass_of(run, l, io);
    fgti_parallel(run->exec, io->in.time, forward_token, &p);
    return FGT_OK;
}

/* dW_t += dy_t'x_t,  db_t += sum_r dy_t,  dx_t = dy_t W_t */
static void backward_token(void *arg, int64_t t, int32_t worker)
{
    const pass      *p  = arg;
    const fgti_io   *io = p->io;
    const int64_t    d = io->in.width, h = io->out.width, ldx = io->in.time * d, ldy = io->in.time * h;
    const fgti_real *dy = io->dy + t * h;
    const bool       learns = fgti_learns(p->l, io);
    fgti_real       *db     = learns && p->l->params > BIAS ? fgti_dw(p->l, io, BIAS) + t * h : NULL;
    if (learns)
        token_linear_multiply(p, worker,
                              fgti_gemm_tn(h, d, p->rows, dy, ldy, io->x + t * d, ldx, 1,
                                           fgti_dw(p->l, io, WEIGHT) + t * h * d, d));
    for (int64_t r = 0; db && r < p->rows; r++)
        for (int64_t k = 0; k < h; k++) db[k] += dy[r * ldy + k];
    if (io->dx)
        token_linear_multiply(p, worker,
                              fgti_gemm_nn(p->rows, d, h, dy, ldy, fgti_w(p->l, io, WEIGHT) + t * h * d, d, 0,
                                           io->dx + t * d, ldx));
}

static fgt_status token_linear_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    pass p = token_linear_pass_of(run, l, io);
    fgti_parallel(run->exec, io->in.time, backward_token, &p);
    return FGT_OK;
}

static double token_linear_flops(const fgti_layer *l, int64_t batch, fgti_shape in)
{
    return 2.0 * (double)fgti_rows(batch, in) * (double)in.width * (double)l->out.width;
}

const fgti_class fgti_class_token_linear = {
    .name      = "token_linear",
    .opts      = token_linear_opts,
    .opts_size = sizeof(fgt_token_linear_opts),
    .plan      = token_linear_plan,
    .flops     = token_linear_flops,
    .shape     = fgti_shape_width,
    .forward   = token_linear_forward,
    .backward  = token_linear_backward,
};
