/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/recurrent/recurrent.h"

static const fgti_opt gru_opts[] = {
    {"hidden", offsetof(fgt_gru_opts, hidden), FGTI_OPT_I64, 1, FGTI_OPT_SIZE_MAX, FGTI_OPT_REQUIRED},
    {"layers", offsetof(fgt_gru_opts, layers), FGTI_OPT_I64, 1, FGTI_RECURRENT_LAYERS, 1},
    {"bidirectional", offsetof(fgt_gru_opts, bidirectional), FGTI_OPT_BOOL, 0, 1, 0},
    {"no_bias", offsetof(fgt_gru_opts, no_bias), FGTI_OPT_BOOL, 0, 1, 0},
    {"last", offsetof(fgt_gru_opts, last), FGTI_OPT_BOOL, 0, 1, 0},
    {"dropout", offsetof(fgt_gru_opts, dropout), FGTI_OPT_F32, 0, 0.999, 0},
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
