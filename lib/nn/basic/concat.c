/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "nn/basic/join.h"

static const fgti_opt concat_opts[] = {
    {"reserved", offsetof(fgt_concat_opts, reserved), FGTI_OPT_I64, 0, 0, 0},
    {0},
};

static fgt_status concat_plan(fgt_context *ctx, fgti_layer *l)
{
    (void)ctx;
    l->out.width = 0;
    for (int32_t k = 0; k < l->inputs; k++) l->out.width += l->input[k].shape.width;
    return FGT_OK;
}

/* Returns the first feature that input k has in a row of y. */
static int64_t begin_of(const fgti_join *j, int32_t k)
{
    int64_t begin = 0;
    for (int32_t i = 0; i < k; i++) begin += j->io->input[i].shape.width;
    return begin;
}

static void concat_copy_row(const fgti_join *j, int32_t k, fgti_real *x, fgti_real *y)
{
    memcpy(y + begin_of(j, k), x, (size_t)j->io->input[k].shape.width * sizeof *y);
}

static void concat_add_row_gradient(const fgti_join *j, int32_t k, fgti_real *dx, fgti_real *dy)
{
    j->run->vec->axpy(j->io->input[k].shape.width, 1, dy + begin_of(j, k), dx);
}

/* y = [x_0 x_1 ..] */
static fgt_status concat_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    fgti_join_forward(&(fgti_join){.run = run, .l = l, .io = io, .row = concat_copy_row});
    return FGT_OK;
}

/* dx_k = the columns of dy that x_k has in y, summed over the tokens for which x_k is repeated */
static fgt_status concat_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    fgti_join_backward(&(fgti_join){.run = run, .l = l, .io = io, .row = concat_add_row_gradient});
    return FGT_OK;
}

const fgti_class fgti_class_concat = {
    .name        = "concat",
    .opts        = concat_opts,
    .opts_size   = sizeof(fgt_concat_opts),
    .streams     = true,
    .more_inputs = FGTI_INPUTS_MAX - 1,
    .joins       = true,
    .plan        = concat_plan,
    .shape       = fgti_shape_width,
    .forward     = concat_forward,
    .backward    = concat_backward,
};
