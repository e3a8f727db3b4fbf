/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/access.h"

#include "model/model_impl.h"

fgti_slabs fgti_model_slabs(fgt_model *model)
{
    return (fgti_slabs){.ctx       = model->ctx,
                        .size      = model->size,
                        .weights   = model->weights,
                        .gradients = model->gradients,
                        .touched   = &model->touched};
}

fgt_context *fgti_model_context(const fgt_model *model)
{
    return model->ctx;
}

const fgt_model_opts *fgti_model_options(const fgt_model *model)
{
    return &model->opts;
}

const fgti_param *fgti_model_param(const fgt_model *model, int64_t i)
{
    const fgti_layer *layer;
    return fgti_param_at(model, i, &layer);
}

void fgti_model_changed(fgt_model *model)
{
    model->version++;
}

/* ---- passes ---- */

fgt_status fgti_model_prepare(fgt_model *model)
{
    return fgti_workspace_own(model, FGTI_TRAIN);
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

fgt_status fgti_model_forward(fgt_model *model, const fgt_view *x, const fgt_view *y)
{
    FGTI_TRY(fgti_model_prepare(model));
    return fgti_pass_forward(model->own, false, true, x, y);
}

fgt_status fgti_model_backward(fgt_model *model, const fgt_view *dy, fgti_real *gradients,
                               fgti_touched *touched, const fgt_view *dx)
{
    fgti_real *const   own_gradients = model->gradients;
    const fgti_touched own_touched   = model->touched;
    model->gradients                 = gradients;
    model->touched                   = *touched;
    const fgt_status s               = fgt_backward(model, dy, dx);
    *touched                         = model->touched;
    model->gradients                 = own_gradients;
    model->touched                   = own_touched;
    return s;
}
