/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/recurrent/recurrent.h"

enum { NONLINEARITIES = 2 }; /* number of enumerators */
_Static_assert(FGT_RNN_NONLINEARITY_RELU == NONLINEARITIES - 1, "count of enumerators");

static const fgti_opt rnn_opts[] = {
    FGTI_RECURRENT_FIELDS(NONLINEARITIES),
    {0},
};

/* Forward:  h_t = act(x W' + b_ih + h_{t-1} U' + b_hh)
 * Backward: da = (dy + da_{t+1} U) act'(a) */
static const fgti_recurrent_cell cell = {.kind = FGTI_CELL_RNN, .gates = 1, .slots = 1};

const fgti_class fgti_class_rnn = FGTI_RECURRENT_CLASS("rnn", rnn_opts, &cell);
