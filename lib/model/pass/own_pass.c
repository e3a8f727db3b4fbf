/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/pass/own_pass.h"

#include "model/adapter/adapter_pass.h"
#include "model/gradient_watch.h"
#include "model/guard.h"
#include "model/model_impl.h"
#include "model/names.h"
#include "model/params.h"
#include "model/pass/inputs.h"
#include "model/pass/pass.h"
#include "model/views.h"
#include "model/workspace/keep.h"
#include "model/workspace/workspace.h"

fgt_status fgti_model_prepare(fgt_model *model)
{
    return fgti_model_make_final(model, fgti_workspace_own(model, FGTI_TRAIN));
}

uint64_t fgti_model_get_passes(const fgt_model *model)
{
    return model->own ? model->own->step : 0;
}

void fgti_model_set_passes(fgt_model *model, uint64_t passes)
{
    model->own->step = passes;
}

bool fgti_model_carries(const fgt_model *model)
{
    return model->own && model->own->carry;
}

fgt_status fgti_model_check_stateless(const fgt_model *model, const char *what)
{
    fgti_error *err = &model->ctx->error;
    if (fgti_model_carries(model))
        return fgti_fail(err, FGT_E_STATE, "%s: the model carries states over", what);
    if (!model->own || !model->own->given) return FGT_OK;
    return fgti_fail(err, FGT_E_STATE,
                     "%s: a state was set for the next pass; fgt_workspace_begin_series() discards it", what);
}

fgt_status fgti_model_output(fgt_model *model, const fgt_view *x, fgt_view *y)
{
    int64_t batch;
    FGTI_TRY(fgti_workspace_own(model, FGTI_TRAIN));
    fgt_workspace *ws = model->own;
    FGTI_TRY(fgti_workspace_check_busy(ws));                /* a running pass still needs its shapes */
    ws->passed = ws->differentiable = ws->returned = false; /* because the shapes of the last pass are
                                                             * overwritten */
    FGTI_TRY(fgti_inputs_check(ws, x, &batch));
    *y = fgti_view_of(NULL, batch, ws->slot[model->last].out);
    return FGT_OK;
}

fgt_status fgti_model_predict(fgt_model *model, const fgt_view *x, const fgt_view *y)
{
    FGTI_TRY(fgti_workspace_own(model, FGTI_KEEP));
    return fgti_pass_forward(model->own, false, false, x, y);
}

fgt_status fgti_model_train_forward(fgt_model *model, const fgt_view *x, const fgt_view *y)
{
    FGTI_TRY(fgti_workspace_own(model, FGTI_TRAIN));
    FGTI_TRY(fgti_pass_forward(model->own, true, true, x, y));
    model->own->step++;
    return FGT_OK;
}

fgt_status fgti_model_train_backward(fgt_model *model, const fgt_view *dy)
{
    return fgti_pass_backward(model, dy, NULL);
}

fgt_status fgti_model_forward(fgt_model *model, const fgt_view *x, const fgt_view *y)
{
    FGTI_TRY(fgti_workspace_own(model, FGTI_TRAIN));
    return fgti_pass_forward(model->own, false, true, x, y);
}

fgt_status fgti_model_backward(fgt_model *model, const fgt_view *dy, fgti_real *gradients,
                               fgti_touched *touched, const fgt_view *dx)
{
    const fgti_trained t             = fgti_model_trained(model);
    fgti_real *const   own_gradients = *t.gradients;
    const fgti_touched own_touched   = *t.touched;
    *t.gradients                     = gradients;
    *t.touched                       = *touched;
    model->own->aside                = true;
    fgti_adapter_place_gradients(model);
    const fgt_status s = fgti_pass_backward(model, dy, dx);
    model->own->aside  = false;
    *touched           = *t.touched;
    *t.gradients       = own_gradients;
    *t.touched         = own_touched;
    fgti_adapter_place_gradients(model);
    return s;
}

fgt_status fgti_model_backward_until(fgt_model *model, const fgt_view *dy, fgti_real *gradients,
                                     fgti_touched *touched, const char *layer, const fgt_view *dlayer)
{
    const fgti_layer *l;
    FGTI_TRY(fgti_model_need(model, &model->ctx->error, layer, &l));
    model->own->until          = (int64_t)l->id;
    model->own->until_gradient = dlayer;
    const fgt_status s         = fgti_model_backward(model, dy, gradients, touched, NULL);
    model->own->until_gradient = NULL;
    return s;
}

void fgti_model_watch_gradients(fgt_model *model, fgti_gradient_watch watch)
{
    model->watch = watch;
}

fgt_status fgt_forward(fgt_model *model, const fgt_view *x, const fgt_view *y)
{
    if (!model) return FGT_E_ARG;
    FGTI_TRY(fgti_model_check_idle(model, "fgt_forward"));
    return fgti_model_train_forward(model, x, y);
}

fgt_status fgt_backward(fgt_model *model, const fgt_view *dy, const fgt_view *dx)
{
    if (!model) return FGT_E_ARG;
    FGTI_TRY(fgti_model_check_idle(model, "fgt_backward"));
    return fgti_pass_backward(model, dy, dx);
}

fgt_status fgt_predict(fgt_model *model, const fgt_view *x, const fgt_view *y)
{
    if (!model) return FGT_E_ARG;
    FGTI_TRY(fgti_workspace_own(model, FGTI_KEEP));
    /* the workspace was made for training, so it has no memory yet for packed weights, which predictions
     * use */
    FGTI_TRY(fgti_keep_hold(model->own, FGTI_KEEP));
    return fgti_pass_forward(model->own, false, false, x, y);
}
