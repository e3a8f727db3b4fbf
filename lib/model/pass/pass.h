/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PASS_H
#define FGTI_PASS_H

#include "model/model_impl.h"

/* Runs a forward pass. dropout: as in training. differentiable: fgt_backward() may follow. */
fgt_status fgti_pass_forward(fgt_workspace *ws, bool dropout, bool differentiable, const fgt_view *x,
                             const fgt_view *y);
/* Runs the backward pass in the model's own workspace. */
fgt_status fgti_pass_backward(fgt_model *model, const fgt_view *dy, const fgt_view *dx);

#endif
