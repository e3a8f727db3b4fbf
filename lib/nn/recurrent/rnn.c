/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/recurrent/recurrent.h"

enum { NONLINEARITIES = 2 }; /* number of enumerators */
_Static_assert(FGT_RNN_NONLINEARITY_RELU == NONLINEARITIES - 1, "count of enumerators");

static const fgti_opt rnn_opts[] = {
    FGTI_RECURRENT_FIELDS(fgt_rnn_opts),
    FGTI_FIELD(fgt_rnn_opts, nonlinearity, ENUM, 0, NONLINEARITIES - 1, 0),
    FGTI_FIELD(fgt_rnn_opts, reserved, BOOL, 0, 0, 0),
    {0},
};

static fgti_recurrent_conf read_opts(const void *opts)
{
    const fgt_rnn_opts *o = opts;
    return (fgti_recurrent_conf){FGTI_RECURRENT_CONF(o),
                                 .relu = o->nonlinearity == FGT_RNN_NONLINEARITY_RELU};
}

/* Forward:  h_t = act(x W' + b_ih + h_{t-1} U' + b_hh)
 * Backward: da = (dy + da_{t+1} U) act'(a) */
static const fgti_recurrent_cell cell = {.kind = FGTI_CELL_RNN, .read = read_opts, .gates = 1, .slots = 1};

const fgti_class fgti_class_rnn = FGTI_RECURRENT_CLASS("rnn", rnn_opts, fgt_rnn_opts, &cell);
