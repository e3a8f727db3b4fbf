/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RECURRENT_H
#define FGTI_RECURRENT_H

/* The classes "rnn", "gru" and "lstm" share all functions. They differ only in the cell, which is their
 * `detail`. This header declares the passes over time; recurrent_plan.h has options, cells, parameters and
 * states. */

#include "nn/recurrent/recurrent_pass.h"
#include "nn/recurrent/recurrent_plan.h"

fgt_status fgti_recurrent_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io);
fgt_status fgti_recurrent_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io);

/* The class with this cell. */
#define FGTI_RECURRENT_CLASS(word, table, cell)                                                            \
    {                                                                                                      \
        .name = word, .opts = table, .opts_size = sizeof(fgt_recurrent_opts), .masks = FGTI_MASKS_PADDING, \
        .detail = cell, .plan = fgti_recurrent_plan, .flops = fgti_recurrent_flops,                        \
        .shape = fgti_recurrent_shape, .size = fgti_recurrent_size, .forward = fgti_recurrent_forward,     \
        .backward = fgti_recurrent_backward, .prepare = fgti_recurrent_prepare, .streams = true,           \
    }

#endif
