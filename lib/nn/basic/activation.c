/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/layer.h"

static const fgti_opt activation_opts[] = {
    FGTI_FIELD(fgt_activation_opts, kind, ENUM, 0, FGTI_ACT_COUNT - 1, FGT_ACT_RELU),
    FGTI_FIELD(fgt_activation_opts, reserved, BOOL, 0, 0, 0),
    {0},
};

static fgti_tail activation_tail_of(const fgti_layer *l)
{
    const fgt_activation_opts *o = l->opts;
    return (fgti_tail){.act = (fgti_act)o->kind};
}

/* y = f(x) */
static fgt_status activation_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgti_tail t = activation_tail_of(l);
    fgti_tail_forward(run, &t, fgti_elements(run->batch, io->in), io->x, NULL, io->y);
    return FGT_OK;
}

/* dx = dy f'(x) */
static fgt_status activation_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgti_tail t = activation_tail_of(l);
    if (io->dx) fgti_tail_backward(run, &t, fgti_elements(run->batch, io->in), io->x, io->dy, io->dx);
    return FGT_OK;
}

const fgti_class fgti_class_activation = {
    .name      = "activation",
    .opts      = activation_opts,
    .opts_size = sizeof(fgt_activation_opts),
    .streams   = true,
    .forward   = activation_forward,
    .backward  = activation_backward,
};
