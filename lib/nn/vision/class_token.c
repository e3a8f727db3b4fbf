/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <fighter/experimental/vision.h>

#include "nn/layer.h"

static const fgti_opt class_token_opts[] = {
    FGTI_FIELD(fgt_class_token_opts, count, I64, 1, FGTI_OPT_SIZE_MAX, 1),
    FGTI_FIELD(fgt_class_token_opts, init, F32, 1e-9, 1e3, 0.02),
    FGTI_FIELD(fgt_class_token_opts, reserved, BOOL, 0, 0, 0),
    {0},
};

static fgt_status class_token_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    const fgt_class_token_opts *o = l->opts;
    (void)err;
    *out = (fgti_shape){in.nodes, in.time + o->count, in.width};
    return FGT_OK;
}

static fgt_status class_token_plan(fgt_context *ctx, fgti_layer *l)
{
    const fgt_class_token_opts *o = l->opts;
    FGTI_TRY(class_token_shape(&ctx->error, l, l->in, &l->out));
    return fgti_param_add(ctx, l, "weight", 2, (int64_t[]){o->count, l->in.width}, FGTI_INIT_NORMAL, o->init);
}

/* y_i = w_i for i < count,  y_{count+t} = x_t */
static fgt_status class_token_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const int64_t own = l->param[0].count, n = io->in.time * io->in.width;
    for (int64_t s = 0; s < run->batch * io->in.nodes; s++) {
        fgti_real *y = io->y + s * (own + n);
        memcpy(y, fgti_w(l, io, 0), (size_t)own * sizeof *y);
        memcpy(y + own, io->x + s * n, (size_t)n * sizeof *y);
    }
    return FGT_OK;
}

/* dw_i += sum over all sequences of dy_i,  dx_t = dy_{count+t} */
static fgt_status class_token_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const int64_t own = l->param[0].count, n = io->in.time * io->in.width;
    for (int64_t s = 0; s < run->batch * io->in.nodes; s++) {
        const fgti_real *dy = io->dy + s * (own + n);
        run->vec->axpy(own, 1, dy, fgti_dw(l, io, 0));
        if (io->dx) memcpy(io->dx + s * n, dy + own, (size_t)n * sizeof *dy);
    }
    return FGT_OK;
}

const fgti_class fgti_class_class_token = {
    .name      = "class_token",
    .opts      = class_token_opts,
    .opts_size = sizeof(fgt_class_token_opts),
    .plan      = class_token_plan,
    .shape     = class_token_shape,
    .forward   = class_token_forward,
    .backward  = class_token_backward,
};
