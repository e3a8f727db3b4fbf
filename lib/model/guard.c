/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/guard.h"

#include "model/model_impl.h"

void fgti_model_changed(fgt_model *model)
{
    model->version++;
}

void fgti_model_begin_call(fgt_model *model)
{
    model->calls++;
}

void fgti_model_end_call(fgt_model *model)
{
    model->calls--;
}

fgt_status fgti_model_check_asking(const fgt_model *model)
{
    if (!model->asking) return FGT_OK;
    return fgti_fail(&model->ctx->error, FGT_E_STATE,
                     "called by plan() or memory() of a layer of the same model");
}

fgt_status fgti_model_check_idle(const fgt_model *model, const char *what)
{
    fgti_error *err = &model->ctx->error;
    FGTI_TRY(fgti_model_check_asking(model));
    if (model->own && model->own->busy)
        return fgti_fail(err, FGT_E_STATE, "%s: called by a layer during a pass of its own model", what);
    if (!model->calls) return FGT_OK;
    return fgti_fail(err, FGT_E_STATE, "%s: called by a function that the training of this model calls",
                     what);
}

fgt_status fgti_workspace_check_busy(const fgt_workspace *ws)
{
    if (!ws->busy) return FGT_OK;
    return fgti_fail(ws->error, FGT_E_STATE, "a layer has called a pass of its own model");
}

fgt_status fgti_model_make_final(fgt_model *model, fgt_status s)
{
    if (s == FGT_OK) model->final = true;
    return s;
}
