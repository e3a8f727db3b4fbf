/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_OWN_PASS_H
#define FGTI_OWN_PASS_H

/* Passes in the model's own workspace, for training and for analysis. */

#include <fighter/model.h>

#include "model/gradient_watch.h"
#include "nn/layer.h"

/* Prepares the model's own workspace for training passes. FGT_E_STATE: the model has no layers;
 * FGT_E_NOMEM. */
fgt_status fgti_model_prepare(fgt_model *model);
/* Number of training passes so far. It selects the random numbers of dropout. Call fgti_model_prepare()
 * first. */
uint64_t fgti_model_get_passes(const fgt_model *model);
void     fgti_model_set_passes(fgt_model *model, uint64_t passes);

/* Whether a pass starts from the states in which the last pass ended. */
bool fgti_model_carries(const fgt_model *model);
/* FGT_E_STATE: the model carries states from pass to pass, or a state was set. Then passes of the same x
 * would not give the same y. */
fgt_status fgti_model_check_stateless(const fgt_model *model, const char *what);
/* Gives y the shape of the output for this x, which may have fewer samples and tokens than planned. Calls
 * that need a last pass then need a new pass. */
fgt_status fgti_model_output(fgt_model *model, const fgt_view *x, fgt_view *y);

/* fgt_predict() during a training. It takes no more memory than the training has taken. */
fgt_status fgti_model_predict(fgt_model *model, const fgt_view *x, const fgt_view *y);
/* fgt_forward() and fgt_backward() for a training that has called fgti_model_begin_call(). */
fgt_status fgti_model_train_forward(fgt_model *model, const fgt_view *x, const fgt_view *y);
fgt_status fgti_model_train_backward(fgt_model *model, const fgt_view *dy);
/* A pass in the model's own workspace that keeps everything for a backward pass. It has no dropout, and does
 * not count as a training pass. */
fgt_status fgti_model_forward(fgt_model *model, const fgt_view *x, const fgt_view *y);
/* The backward pass of the last fgti_model_forward(). The pair may be repeated. Gradients are added to the
 * caller's array, which is as long as the slabs. Rows with a sparse gradient are added to the caller's list.
 * Gradients of frozen parameters are included. Gradients of the host's values do not change. dx is as in
 * fgt_backward(). */
fgt_status fgti_model_backward(fgt_model *model, const fgt_view *dy, fgti_real *gradients,
                               fgti_touched *touched, const fgt_view *dx);
/* fgti_model_backward() that ends at the output of a layer of real numbers. dlayer gets the gradient there,
 * and has the shape of that output in fgt_workspace_get_value(). */
fgt_status fgti_model_backward_until(fgt_model *model, const fgt_view *dy, fgti_real *gradients,
                                     fgti_touched *touched, const char *layer, const fgt_view *dlayer);

/* Sets the function that backward passes call; its `ready` NULL: no function. */
void fgti_model_watch_gradients(fgt_model *model, fgti_gradient_watch watch);

#endif
