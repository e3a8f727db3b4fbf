/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_OWN_PASS_H
#define FGTI_OWN_PASS_H

/* Passes in the model's own workspace, for training and for analysis. */

#include <fighter/model.h>

#include "model/gradient_watch.h"
#include "nn/layer.h"

/* Makes the model's own workspace fit for training passes. FGT_E_STATE: the model has no layers;
 * FGT_E_NOMEM. */
fgt_status fgti_model_prepare(fgt_model *model);
/* Training passes so far, which choose the random numbers of dropout; after fgti_model_prepare(). */
uint64_t fgti_model_get_passes(const fgt_model *model);
void     fgti_model_set_passes(fgt_model *model, uint64_t passes);

/* Whether passes start from the states at the end of the last pass. */
bool fgti_model_carries(const fgt_model *model);
/* FGT_E_STATE: the model carries states, or a state was set, so passes of the same x would not give the same
 * y. */
fgt_status fgti_model_check_stateless(const fgt_model *model, const char *what);
/* The shape of y for this x, which may have fewer samples and tokens than planned. Calls that need a last
 * pass then need a new one. */
fgt_status fgti_model_output(fgt_model *model, const fgt_view *x, fgt_view *y);

/* fgt_predict(), but during a training: it takes no more memory than training has taken. */
fgt_status fgti_model_predict(fgt_model *model, const fgt_view *x, const fgt_view *y);
/* fgt_forward() and fgt_backward() for the training after fgti_model_begin_call(). */
fgt_status fgti_model_train_forward(fgt_model *model, const fgt_view *x, const fgt_view *y);
fgt_status fgti_model_train_backward(fgt_model *model, const fgt_view *dy);
/* A pass with everything that the backward pass needs, in the model's own workspace; without dropout, and not
 * counted among the training passes. */
fgt_status fgti_model_forward(fgt_model *model, const fgt_view *x, const fgt_view *y);
/* The backward pass of the last fgti_model_forward(); the pair may be repeated. Gradients are added to the
 * caller's array, as long as the slabs, and the rows of a sparse gradient to the caller's list. They include
 * frozen parameters; gradients of the host's values do not change. dx as in fgt_backward(). */
fgt_status fgti_model_backward(fgt_model *model, const fgt_view *dy, fgti_real *gradients,
                               fgti_touched *touched, const fgt_view *dx);
/* fgti_model_backward() down to the output of a layer of real numbers only: dlayer, shaped like that output
 * in fgt_workspace_get_value(), gets the gradient there. */
fgt_status fgti_model_backward_until(fgt_model *model, const fgt_view *dy, fgti_real *gradients,
                                     fgti_touched *touched, const char *layer, const fgt_view *dlayer);

/* ready NULL: no more calls. */
void fgti_model_watch_gradients(fgt_model *model, fgti_gradient_watch watch);

#endif
