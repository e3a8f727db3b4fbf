/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/recurrent/recurrent.h"

static const fgti_opt gru_opts[] = {
    FGTI_RECURRENT_FIELDS(1),
    {0},
};

/* Forward:  r, z = s(x W' + b_ih + h U' + b_hh),  n = tanh(x W' + b_ih + r (h U' + b_hh)),
 *           h' = (1 - z) n + z h
 * Backward: dh = dh' z + [da_r da_z da_n r] U, where dh' is dy + dh of the step after this one. vec_cells.c
 * has da */
static const fgti_recurrent_cell cell = {.kind = FGTI_CELL_GRU, .gates = 3, .slots = 4};

const fgti_class fgti_class_gru = FGTI_RECURRENT_CLASS("gru", gru_opts, &cell);
