/* SPDX-License-Identifier: BSD-3-Clause */
#include <fighter/experimental/convert.h>
#include <string.h>

#include "model/guard.h"
#include "model/model_impl.h"
#include "model/names.h"
#include "nn/ssm/s4_convert.h"
#include "nn/ssm/s4_param.h"

fgt_status fgt_s4_convert_length(fgt_model *model, const char *layer, int64_t length)
{
    const fgti_layer *l;
    if (!model) return FGT_E_ARG;
    fgti_error *err = &model->ctx->error;
    if (!layer || length < 1)
        return fgti_fail(err, FGT_E_ARG,
                         layer ? "length is out of range (got %lld, need at least 1)" : "layer is NULL",
                         (long long)length);
    FGTI_TRY(fgti_model_check_asking(model));
    FGTI_TRY(fgti_model_need(model, err, layer, &l));
    if (strcmp(l->cls->name, "s4") != 0 || !fgti_s4_model(l, NULL).low_rank)
        return fgti_fail(err, FGT_E_UNSUPPORTED, "layer \"%s\" is not an s4 layer with FGT_S4_DPLR", layer);
    model->version++;
    if (model->tuning.adapter)
        return fgti_fail(&model->ctx->error, FGT_E_STATE,
                         "an adapter is active, which may train the converted parameters");
    return fgti_s4_convert(model->ctx, l, length, model->weights);
}
