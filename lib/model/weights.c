/* SPDX-License-Identifier: BSD-3-Clause */
/* All weights as one array, and all gradients as another one. */
#include <string.h>

#include "core/tensor.h"
#include "model/gradients.h"
#include "model/guard.h"
#include "model/model_impl.h"
#include "model/params.h"

static fgt_status weights_check_call(const fgt_model *model, const char *what, const fgt_view *view)
{
    if (!model) return FGT_E_ARG;
    fgti_error *err = &model->ctx->error;
    if (!view) return fgti_fail(err, FGT_E_ARG, "%s: view is NULL", what);
    FGTI_TRY(fgti_model_check_asking(model));
    return fgti_model_trained((fgt_model *)model).size
               ? FGT_OK
               : fgti_fail(err, FGT_E_STATE, "%s: the model has no parameters", what);
}

static fgt_view flat(const fgt_model *model, fgti_real *data)
{
    return (fgt_view){
        .data = data, .shape = {fgti_model_trained((fgt_model *)model).size}, .rank = 1, .dtype = FGTI_REAL};
}

fgt_status fgt_model_get_weights(const fgt_model *model, fgt_view *weights)
{
    FGTI_TRY(weights_check_call(model, "weights", weights));
    *weights = flat(model, fgti_model_trained((fgt_model *)model).weights);
    return FGT_OK;
}

fgt_status fgt_model_set_weights(fgt_model *model, const fgt_view *weights)
{
    FGTI_TRY(weights_check_call(model, "weights", weights));
    fgti_error        *err     = &model->ctx->error;
    const fgti_trained trained = fgti_model_trained(model);
    FGTI_TRY(fgti_view_check(err, "weights", weights, FGTI_REAL, 1, &trained.size));
    if (!fgti_all_finite(trained.size, weights->data))
        return fgti_fail(err, FGT_E_NONFINITE, "weights: a value is NaN or infinite");
    model->version++;
    memmove(trained.weights, weights->data, (size_t)trained.size * sizeof(fgti_real));
    return FGT_OK;
}

fgt_status fgt_model_get_gradients(fgt_model *model, fgt_view *gradients)
{
    FGTI_TRY(weights_check_call(model, "gradients", gradients));
    FGTI_TRY(fgti_gradients_need(model));
    *gradients = flat(model, *fgti_model_trained(model).gradients);
    return FGT_OK;
}

fgt_status fgt_model_set_gradients(fgt_model *model, const fgt_view *gradients)
{
    FGTI_TRY(weights_check_call(model, "gradients", gradients));
    const fgti_trained trained = fgti_model_trained(model);
    FGTI_TRY(fgti_view_check(&model->ctx->error, "gradients", gradients, FGTI_REAL, 1, &trained.size));
    FGTI_TRY(fgti_gradients_need(model));
    memmove(*trained.gradients, gradients->data, (size_t)trained.size * sizeof(fgti_real));
    fgti_gradients_touch(model);
    return FGT_OK;
}
