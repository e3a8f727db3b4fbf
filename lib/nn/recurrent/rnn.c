/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/recurrent/recurrent.h"

enum { NONLINEARITIES = 2 }; /* number of enumerators */
_Static_assert(FGT_RNN_RELU == NONLINEARITIES - 1, "count of enumerators");

static const fgti_opt rnn_opts[] = {
    FGTI_FIELD(fgt_rnn_opts, hidden, I64, 1, FGTI_OPT_SIZE_MAX, FGTI_OPT_REQUIRED),
    FGTI_FIELD(fgt_rnn_opts, layers, I64, 1, FGTI_RECURRENT_LAYERS, 1),
    FGTI_FIELD(fgt_rnn_opts, bidirectional, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_rnn_opts, no_bias, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_rnn_opts, last, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_rnn_opts, dropout, F32, 0, 0.999, 0),
    FGTI_FIELD(fgt_rnn_opts, nonlinearity, ENUM, 0, NONLINEARITIES - 1, 0),
    {0},
};

static fgti_recurrent_conf read_opts(const void *opts)
{
    const fgt_rnn_opts *o = opts;
    return (fgti_recurrent_conf){.hidden  = o->hidden,
                                 .layers  = o->layers,
                                 .dirs    = o->bidirectional ? 2 : 1,
                                 .no_bias = o->no_bias,
                                 .last    = o->last,
                                 .dropout = o->dropout,
                                 .relu    = o->nonlinearity == FGT_RNN_RELU};
}

/* h_t = act(x W' + b_ih + h_{t-1} U' + b_hh) */
static void forward(const fgti_vec *vec, const fgti_step *s)
{
    vec->cells->rnn(s);
}

/* da = (dy + da_{t+1} U) act'(a) */
static void backward(const fgti_vec *vec, const fgti_step *s)
{
    vec->cells->rnn_grad(s);
}

static const fgti_cell cell = {
    .read     = read_opts,
    .gates    = 1,
    .slots    = 1,
    .forward  = forward,
    .backward = backward,
};

const fgti_class fgti_class_rnn = {
    .name      = "rnn",
    .opts      = rnn_opts,
    .opts_size = sizeof(fgt_rnn_opts),
    .masks     = FGTI_MASKS_PADDING,
    .detail    = &cell,
    .plan      = fgti_recurrent_plan,
    .flops     = fgti_recurrent_flops,
    .shape     = fgti_recurrent_shape,
    .size      = fgti_recurrent_size,
    .forward   = fgti_recurrent_forward,
    .backward  = fgti_recurrent_backward,
};
