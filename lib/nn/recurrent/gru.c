/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/recurrent/recurrent.h"

static const fgti_opt gru_opts[] = {
    FGTI_FIELD(fgt_gru_opts, hidden, I64, 1, FGTI_OPT_SIZE_MAX, FGTI_OPT_REQUIRED),
    FGTI_FIELD(fgt_gru_opts, layers, I64, 1, FGTI_RECURRENT_LAYERS, 1),
    FGTI_FIELD(fgt_gru_opts, bidirectional, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_gru_opts, no_bias, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_gru_opts, last, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_gru_opts, dropout, F32, 0, 0.999, 0),
    {0},
};

static fgti_recurrent_conf read_opts(const void *opts)
{
    const fgt_gru_opts *o = opts;
    return (fgti_recurrent_conf){.hidden  = o->hidden,
                                 .layers  = o->layers,
                                 .dirs    = o->bidirectional ? 2 : 1,
                                 .no_bias = o->no_bias,
                                 .last    = o->last,
                                 .dropout = o->dropout};
}

/* r, z = s(x W' + b_ih + h U' + b_hh),  n = tanh(x W' + b_ih + r (h U' + b_hh)),  h' = (1 - z) n + z h */
static void forward(const fgti_vec *vec, const fgti_step *s)
{
    vec->cells->gru(s);
}

/* dh = dh' z + [da_r da_z da_n r] U with dh' = dy + dh of the step after; for da see vec_cells.c */
static void backward(const fgti_vec *vec, const fgti_step *s)
{
    vec->cells->gru_grad(s);
}

static const fgti_cell cell = {
    .read     = read_opts,
    .gates    = 3,
    .slots    = 4,
    .forward  = forward,
    .backward = backward,
};

const fgti_class fgti_class_gru = {
    .name      = "gru",
    .opts      = gru_opts,
    .opts_size = sizeof(fgt_gru_opts),
    .masks     = FGTI_MASKS_PADDING,
    .detail    = &cell,
    .plan      = fgti_recurrent_plan,
    .flops     = fgti_recurrent_flops,
    .shape     = fgti_recurrent_shape,
    .size      = fgti_recurrent_size,
    .forward   = fgti_recurrent_forward,
    .backward  = fgti_recurrent_backward,
};
