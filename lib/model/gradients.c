/* SPDX-License-Identifier: BSD-3-Clause */

/* The gradients of all parameters: allocating, reading and clearing them. */

#include "model/gradients.h"

#include <string.h>

#include "model/adapter/adapter_pass.h"
#include "model/adapter_types.h"
#include "model/guard.h"
#include "model/model_impl.h"
#include "model/params.h"

/* The first parameter of the slabs, if its gradient is sparse; otherwise NULL. */
static const fgti_param *sparse_parameter(const fgt_model *m)
{
    const fgti_layer *layer;
    const fgti_param *p = fgti_param_at(m, 0, &layer);
    return p && p->sparse ? p : NULL;
}

fgt_status fgti_gradients_need(fgt_model *model)
{
    fgti_adapter     *a = model->tuning.adapter;
    const fgti_param *p = sparse_parameter(model);
    fgti_touched     *t = &model->touched;
    FGTI_TRY(fgti_model_check_asking(model));
    if (a && a->gradients) return FGT_OK;
    if (a) {
        FGTI_TRY(FGTI_NEW(model->ctx, a->size, "gradients", &a->gradients));
        fgti_adapter_place_gradients(model);
        return FGT_OK;
    }
    if (p && !t->row) FGTI_TRY(FGTI_NEW(model->ctx, p->shape[0], "touched rows", &t->row));
    if (p && !t->seen) FGTI_TRY(FGTI_NEW(model->ctx, p->shape[0], "touched rows", &t->seen));
    if (!model->gradients) FGTI_TRY(FGTI_NEW(model->ctx, model->size, "gradients", &model->gradients));
    if (p) {
        t->rows  = p->shape[0];
        t->width = p->count / p->shape[0];
    }
    model->final = true;
    return FGT_OK;
}

int64_t fgti_gradients_bytes(const fgt_model *model)
{
    const fgti_adapter *a = model->tuning.adapter;
    const fgti_param   *p = sparse_parameter(model);
    if (a) return a->size * (int64_t)sizeof *a->gradients;
    const int64_t list = (int64_t)(sizeof *model->touched.row + sizeof *model->touched.seen);
    return model->size * (int64_t)sizeof *model->gradients + (p ? p->shape[0] * list : 0);
}

void fgti_gradients_clear(fgt_model *model)
{
    const fgti_trained trained = fgti_model_trained(model);
    fgti_touched      *t       = trained.touched;
    fgti_real         *g       = *trained.gradients;
    const int64_t      sparse  = t->rows * t->width;
    for (int64_t i = 0; i < t->count; i++) {
        memset(g + t->row[i] * t->width, 0, (size_t)t->width * sizeof *g);
        t->seen[t->row[i]] = 0;
    }
    t->count = 0;
    memset(g + sparse, 0, (size_t)(trained.size - sparse) * sizeof *g);
}

void fgti_gradients_touch(fgt_model *model)
{
    const fgti_trained trained = fgti_model_trained(model);
    fgti_touched      *t       = trained.touched;
    for (int64_t i = 0; i < t->count; i++) t->seen[t->row[i]] = 0;
    t->count = 0;
    for (int64_t r = 0; r < t->rows; r++) {
        const fgti_real *g = *trained.gradients + r * t->width;
        for (int64_t j = 0; j < t->width; j++)
            if (!(g[j] == 0)) fgti_touch(t, r); /* the condition also holds for NaN */
    }
}

fgt_status fgt_model_clear_gradients(fgt_model *model)
{
    if (!model) return FGT_E_ARG;
    if (!*fgti_model_trained(model).gradients)
        return fgti_fail(&model->ctx->error, FGT_E_STATE,
                         "model: no backward pass was run yet, so there are no gradients");
    fgti_gradients_clear(model);
    return FGT_OK;
}

/* fgti_param_need() for gradients. While an adapter is active, the base model has no gradients. */
static const fgti_param *need_trained(fgt_model *model, const char *name)
{
    fgti_real        *weights;
    const fgti_param *p = fgti_param_need(model, name, &weights);
    if (!p || weights == fgti_model_trained(model).weights) return p;
    fgti_fail(&model->ctx->error, FGT_E_NAME,
              "\"%s\" has no gradient: the adapter \"%.60s\" does not train it", name,
              model->tuning.adapter->name);
    return NULL;
}

fgt_status fgt_model_copy_gradient(fgt_model *model, const char *name, const fgt_view *out)
{
    if (!model) return FGT_E_ARG;
    const fgti_real *gradients = *fgti_model_trained(model).gradients;
    if (!gradients) return fgti_fail(&model->ctx->error, FGT_E_STATE, "model: no backward pass was run yet");
    const fgti_param *p = need_trained(model, name);
    return p ? fgti_param_copy(model, p, gradients, out) : FGT_E_NAME;
}

fgt_status fgt_model_set_gradient(fgt_model *model, const char *name, const fgt_view *value)
{
    if (!model) return FGT_E_ARG;
    const fgti_param *p = need_trained(model, name);
    if (!p) return FGT_E_NAME;
    FGTI_TRY(fgti_view_check(&model->ctx->error, name, value, FGTI_REAL, p->rank, p->shape));
    FGTI_TRY(fgti_gradients_need(model));
    memmove(*fgti_model_trained(model).gradients + p->offset, value->data,
            (size_t)p->count * sizeof(fgti_real));
    if (p->sparse) fgti_gradients_touch(model);
    return FGT_OK;
}
