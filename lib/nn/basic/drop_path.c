/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/layer.h"

static const fgti_opt drop_path_opts[] = {
    FGTI_FIELD(fgt_drop_path_opts, p, F32, 0, 0.999, 0),
    FGTI_FIELD(fgt_drop_path_opts, reserved, BOOL, 0, 0, 0),
    {0},
};

static fgti_tail drop_path_tail_of(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgt_drop_path_opts *o = l->opts;
    fgti_tail                 t = fgti_tail_of(run, l, FGT_ACT_NONE, 0, FGTI_DRAW_OUTPUT);
    fgti_tail_skip(&t, run, l, o->p, FGTI_DRAW_OUTPUT, fgti_elements(1, io->in));
    return t;
}

/* y = x m_b / (1 - p) for each sample b, where m_b is 0 with probability p, otherwise 1 */
static fgt_status drop_path_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgti_tail t = drop_path_tail_of(run, l, io);
    fgti_tail_forward(run, &t, fgti_elements(run->batch, io->in), io->x, NULL, io->y);
    return FGT_OK;
}

/* dx = dy m_b / (1 - p). The factors m are drawn again from the same stream */
static fgt_status drop_path_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const fgti_tail t = drop_path_tail_of(run, l, io);
    if (io->dx) fgti_tail_backward(run, &t, fgti_elements(run->batch, io->in), io->x, io->dy, io->dx);
    return FGT_OK;
}

const fgti_class fgti_class_drop_path = {
    .name      = "drop_path",
    .opts      = drop_path_opts,
    .opts_size = sizeof(fgt_drop_path_opts),
    .streams   = true,
    .forward   = drop_path_forward,
    .backward  = drop_path_backward,
};
