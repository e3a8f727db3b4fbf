/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/recurrent/recurrent.h"

static const fgti_opt lstm_opts[] = {
    FGTI_RECURRENT_FIELDS(fgt_lstm_opts),
    {0},
};

static fgti_recurrent_conf read_opts(const void *opts)
{
    const fgt_lstm_opts *o = opts;
    return (fgti_recurrent_conf){FGTI_RECURRENT_CONF(o)};
}

/* Forward:  i, f, o = s(x W' + b_ih + h U' + b_hh),  g = tanh(the same),  c' = f c + i g,  h' = o tanh(c')
 * Backward: dh = [da_i da_f da_g da_o] U,  dc = dc' f; for da see vec_cells.c */
static const fgti_recurrent_cell cell = {
    .kind = FGTI_CELL_LSTM, .read = read_opts, .gates = 4, .slots = 4, .has_c = true};

const fgti_class fgti_class_lstm = FGTI_RECURRENT_CLASS("lstm", lstm_opts, fgt_lstm_opts, &cell);
