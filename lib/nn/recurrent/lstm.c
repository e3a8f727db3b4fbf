/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/recurrent/recurrent.h"

static const fgti_opt lstm_opts[] = {
    FGTI_RECURRENT_FIELDS(1),
    {0},
};

/* Forward:  i, f, o = s(a),  g = tanh(a) with a = x W' + b_ih + h U' + b_hh,
 *           c' = f c + i g,  h' = o tanh(c')
 * Backward: dh = [da_i da_f da_g da_o] U,  dc = dc' f. vec_cells.c has da */
static const fgti_recurrent_cell cell = {.kind = FGTI_CELL_LSTM, .gates = 4, .slots = 4, .has_c = true};

const fgti_class fgti_class_lstm = FGTI_RECURRENT_CLASS("lstm", lstm_opts, &cell);
