/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "nn/basic/join.h"

#define WEIGHT(k)                                                                                  \
    {                                                                                              \
        "w" #k, offsetof(fgt_sum_opts, weight) + (k) * sizeof(float), FGTI_OPT_F32, -1e30, 1e30, 1 \
    }

static const fgti_opt sum_opts[] = {
    WEIGHT(0), WEIGHT(1),  WEIGHT(2),  WEIGHT(3),  WEIGHT(4),  WEIGHT(5),  WEIGHT(6),  WEIGHT(7), WEIGHT(8),
    WEIGHT(9), WEIGHT(10), WEIGHT(11), WEIGHT(12), WEIGHT(13), WEIGHT(14), WEIGHT(15), {0},
};

static fgt_status sum_plan(fgt_context *ctx, fgti_layer *l)
{
    for (int32_t k = 1; k < l->inputs; k++)
        if (l->input[k].shape.width != l->in.width)
            return fgti_fail(&ctx->error, FGT_E_SHAPE,
                             "input %d has the wrong width (got %lld features, need %lld as the first one)",
                             k, (long long)l->input[k].shape.width, (long long)l->in.width);
    return FGT_OK;
}

static void sum_add_row(const fgti_join *j, int32_t k, fgti_real *x, fgti_real *y)
{
    const fgt_sum_opts *o = j->l->opts;
    const int64_t       d = j->io->out.width;
    if (k)
        j->run->vec->axpy(d, o->weight[k], x, y);
    else
        for (int64_t c = 0; c < d; c++) y[c] = o->weight[0] * x[c];
}

static void sum_add_row_gradient(const fgti_join *j, int32_t k, fgti_real *dx, fgti_real *dy)
{
    const fgt_sum_opts *o = j->l->opts;
    j->run->vec->axpy(j->io->out.width, o->weight[k], dy, dx);
}

/* y = sum_k w_k x_k */
static fgt_status sum_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    fgti_join_forward(&(fgti_join){.run = run, .l = l, .io = io, .row = sum_add_row});
    return FGT_OK;
}

/* dx_k = w_k dy, summed over the tokens for which x_k is repeated */
static fgt_status sum_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    fgti_join_backward(&(fgti_join){.run = run, .l = l, .io = io, .row = sum_add_row_gradient});
    return FGT_OK;
}

const fgti_class fgti_class_sum = {
    .name        = "sum",
    .opts        = sum_opts,
    .opts_size   = sizeof(fgt_sum_opts),
    .streams     = true,
    .more_inputs = FGT_SUM_MAX - 1,
    .joins       = true,
    .plan        = sum_plan,
    .forward     = sum_forward,
    .backward    = sum_backward,
};

_Static_assert(FGT_SUM_MAX == FGTI_INPUTS_MAX, "a sum has a weight for every input");
