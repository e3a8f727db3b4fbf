/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "nn/layer.h"

static const fgti_opt embedding_opts[] = {
    {"vocab", offsetof(fgt_embedding_opts, vocab), FGTI_OPT_I64, 1, INT32_MAX, FGTI_OPT_REQUIRED},
    {"out", offsetof(fgt_embedding_opts, out), FGTI_OPT_I64, 1, FGTI_OPT_SIZE_MAX, FGTI_OPT_REQUIRED},
    {"padding_idx", offsetof(fgt_embedding_opts, padding_idx), FGTI_OPT_I64, 0, INT32_MAX, 0},
    {"has_padding", offsetof(fgt_embedding_opts, has_padding), FGTI_OPT_BOOL, 0, 1, 0},
    {"init", offsetof(fgt_embedding_opts, init), FGTI_OPT_F32, 1e-9, 1e3, 1},
    {"mask_padding", offsetof(fgt_embedding_opts, mask_padding), FGTI_OPT_BOOL, 0, 1, 0},
    {"reserved", offsetof(fgt_embedding_opts, reserved), FGTI_OPT_BOOL, 0, 0, 0},
    {0},
};

static fgt_status embedding_plan(fgt_context *ctx, fgti_layer *l)
{
    const fgt_embedding_opts *o = l->opts;
    if (o->has_padding && o->padding_idx >= o->vocab)
        return fgti_fail(&ctx->error, FGT_E_ARG, "padding_idx %lld is not below vocab %lld",
                         (long long)o->padding_idx, (long long)o->vocab);
    if (o->mask_padding && !o->has_padding)
        return fgti_fail(&ctx->error, FGT_E_ARG, "mask_padding needs has_padding and a padding_idx");
    l->masks     = o->mask_padding;
    l->mask_id   = o->padding_idx;
    l->out.width = o->out;
    FGTI_TRY(fgti_param_add(ctx, l, "weight", 2, (int64_t[]){o->vocab, o->out}, FGTI_INIT_NORMAL, o->init));
    l->param[0].zero_row = o->has_padding ? o->padding_idx : -1;
    l->param[0].sparse   = true;
    return FGT_OK;
}

static fgt_status embedding_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    (void)err;
    *out       = in;
    out->width = l->out.width;
    return FGT_OK;
}

static fgt_status check_ids(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_embedding_opts *o = l->opts;
    const int64_t             t = io->in.time;
    for (int64_t r = 0; r < run->batch * t; r++)
        if (io->ids[r] < 0 || io->ids[r] >= o->vocab)
            return fgti_fail(run->error, FGT_E_DATA, "id %d at sample %lld, token %lld is outside 0 .. %lld",
                             io->ids[r], (long long)(r / t), (long long)(r % t), (long long)o->vocab - 1);
    return FGT_OK;
}

/* y[r] = W[id_r] */
static fgt_status embedding_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const int64_t    h = io->out.width;
    const fgti_real *w = fgti_w(l, io, 0);
    FGTI_TRY(check_ids(run, l, io));
    for (int64_t r = 0; r < fgti_rows(run->batch, io->in); r++)
        memcpy(io->y + r * h, w + io->ids[r] * h, (size_t)h * sizeof *w);
    return FGT_OK;
}

/* dW[id_r] += dy[r], in the order of r */
static fgt_status embedding_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const int64_t h  = io->out.width;
    fgti_real    *dw = fgti_dw(l, io, 0);
    for (int64_t r = 0; r < fgti_rows(run->batch, io->in); r++) {
        if (io->ids[r] == l->param[0].zero_row) continue;
        fgti_touch(io->touched, io->ids[r]);
        run->vec->axpy(h, 1, io->dy + r * h, dw + io->ids[r] * h);
    }
    return FGT_OK;
}

const fgti_class fgti_class_embedding = {
    .name      = "embedding",
    .opts      = embedding_opts,
    .opts_size = sizeof(fgt_embedding_opts),
    .takes_ids = true,
    .plan      = embedding_plan,
    .shape     = embedding_shape,
    .forward   = embedding_forward,
    .backward  = embedding_backward,
};
