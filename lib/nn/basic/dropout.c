/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/layer.h"

static const fgti_opt dropout_opts[] = {
    FGTI_FIELD(fgt_dropout_opts, p, F32, 0, 0.999, 0),
    FGTI_FIELD(fgt_dropout_opts, reserved, BOOL, 0, 0, 0),
    {0},
};

static fgti_tail dropout_tail_of(const fgti_run *run, const fgti_layer *l)
{
    const fgt_dropout_opts *o = l->opts;
    return fgti_tail_of(run, l, FGT_ACT_NONE, o->p, FGTI_DRAW_OUTPUT);
}

/* y = x m / (1 - p), where m is 0 with probability p, otherwise 1 */
static fgt_status dropout_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgti_tail t = dropout_tail_of(run, l);
    fgti_tail_forward(run, &t, fgti_elements(run->batch, io->in), io->x, NULL, io->y);
    return FGT_OK;
}

/* dx = dy m / (1 - p). The mask m is drawn again from the same stream */
static fgt_status dropout_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgti_tail t = dropout_tail_of(run, l);
    if (io->dx) fgti_tail_backward(run, &t, fgti_elements(run->batch, io->in), io->x, io->dy, io->dx);
    return FGT_OK;
}

const fgti_class fgti_class_dropout = {
    .name      = "dropout",
    .opts      = dropout_opts,
    .opts_size = sizeof(fgt_dropout_opts),
    .streams   = true,
    .forward   = dropout_forward,
    .backward  = dropout_backward,
};
