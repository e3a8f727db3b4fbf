/* SPDX-License-Identifier: BSD-3-Clause */
/* Values other than x and y that the host gives to a pass or reads from it. */
#include "model/pass/values.h"

#include <string.h>

#include "model/guard.h"
#include "model/layer_kind.h"
#include "model/model_impl.h"
#include "model/names.h"
#include "model/views.h"
#include "model/workspace/workspace.h"

/* ---- given ---- */

static fgt_status set_mask(fgt_workspace *ws, int32_t mask, const fgt_view *value)
{
    fgti_error *err = ws->error;
    if (mask < 0 || mask >= FGT_MASK_COUNT)
        return fgti_fail(err, FGT_E_ARG, "unknown mask (got %d, need an fgt_mask)", mask);
    if (value && !value->data) return fgti_fail(err, FGT_E_ARG, "mask %d has no data", mask);
    ws->differentiable = false; /* because the backward pass would read the old mask again */
    if (value || ws->mask[mask].data) ws->masks_changed |= 1u << mask;
    ws->mask[mask] = value ? *value : (fgt_view){0};
    return FGT_OK;
}

static bool layer_is_value(const fgti_layer *l)
{
    return l->cls->is_value;
}

static fgt_status value_find(const fgt_model *m, fgti_error *err, const char *name, const fgti_layer **layer)
{
    *layer = fgti_model_find(m, name);
    if (*layer && layer_is_value(*layer)) return FGT_OK;
    fgti_fail(err, FGT_E_NAME, "no fgt_value() layer \"%.60s\"", name ? name : "NULL");
    return fgti_model_list(m, err, FGT_E_NAME, layer_is_value);
}

static fgt_status value_set(fgt_workspace *ws, const fgti_layer *l, const fgt_view *value,
                            const fgt_view *gradient)
{
    fgti_error *err  = ws->error;
    const char *name = l->name;
    if (gradient && ws->plan.purpose == FGTI_LEAN)
        return fgti_fail(err, FGT_E_UNSUPPORTED, "\"%s\": a workspace for predictions has no gradient", name);
    if (value && !value->data) return fgti_fail(err, FGT_E_ARG, "\"%s\" has no data", name);
    if (gradient && l->kind != FGT_VALUE_REAL)
        return fgti_fail(err, FGT_E_ARG, "\"%s\" has no gradient: it holds ids or a mask", name);
    if (gradient && value)
        FGTI_TRY(fgti_view_check(err, "the gradient", gradient, value->dtype, value->rank, value->shape));
    fgti_slot *slot    = &ws->slot[l->id];
    const int  mask    = fgti_mask_of(l->kind);
    ws->differentiable = false; /* because the backward pass would read the old value again */
    if (mask >= 0 && (value || slot->value.data)) ws->masks_changed |= 1u << mask;
    slot->value          = value ? *value : (fgt_view){0};
    slot->value_gradient = value && gradient ? *gradient : (fgt_view){0};
    return FGT_OK;
}

fgt_status fgt_workspace_set_mask(fgt_workspace *ws, int32_t mask, const fgt_view *value)
{
    if (!ws) return FGT_E_ARG;
    FGTI_TRY(fgti_workspace_begin(ws));
    return fgti_workspace_make_final(ws, set_mask(ws, mask, value));
}

fgt_status fgt_workspace_set_value(fgt_workspace *ws, const char *layer, const fgt_view *value,
                                   const fgt_view *gradient)
{
    const fgti_layer *l;
    if (!ws) return FGT_E_ARG;
    FGTI_TRY(value_find(ws->model, ws->error, layer, &l));
    if (!value && !gradient && !ws->memory && ws->model->last >= 0) return FGT_OK; /* nothing has been set */
    FGTI_TRY(fgti_workspace_begin(ws));
    return fgti_workspace_make_final(ws, value_set(ws, l, value, gradient));
}

const char *fgti_model_sample_value(const fgt_model *model, int64_t i, fgt_view *v)
{
    for (int64_t k = 0; k < model->layers; k++) {
        const fgti_layer *l    = model->layer[k];
        const bool        real = l->kind == FGT_VALUE_REAL;
        if (!l->cls->is_value || (!real && l->kind != FGT_VALUE_IDS && l->kind != FGT_VALUE_KEY_PADDING))
            continue;
        if (i--) continue;
        *v = (fgt_view){.rank  = 2,
                        .dtype = l->kind == FGT_VALUE_IDS ? FGT_DTYPE_I64 : FGT_DTYPE_I32,
                        .shape = {1, l->out.time}};
        if (real) *v = fgti_view_of(NULL, 1, l->out);
        return l->name;
    }
    return NULL;
}

fgt_status fgti_values_copy(fgt_model *model, fgti_values *values)
{
    fgt_context *ctx = model->ctx;
    FGTI_TRY(FGTI_NEW(ctx, model->layers, "values", &values->of));
    values->layers = model->layers;
    for (int64_t i = 0; i < model->layers; i++) {
        const fgt_view *from = &model->own->slot[i].value;
        const int64_t   n    = fgt_view_count(from);
        const size_t    size = fgti_dtype_size(from->dtype);
        if (!from->data) continue;
        if (n < 1 || !size)
            return fgti_fail(&ctx->error, FGT_E_SHAPE, "value \"%s\": its shape is malformed",
                             model->layer[i]->name);
        values->of[i]      = *from;
        values->of[i].data = NULL;
        FGTI_TRY(fgti_alloc(ctx, n, size, "values", &values->of[i].data));
        memcpy(values->of[i].data, from->data, (size_t)n * size);
    }
    return FGT_OK;
}

void fgti_values_swap(fgt_model *model, fgti_values *values)
{
    fgt_workspace *ws = model->own;
    for (int64_t i = 0; i < values->layers; i++) {
        const fgt_view v    = ws->slot[i].value;
        const int      mask = model->layer[i]->cls->is_value ? fgti_mask_of(model->layer[i]->kind) : -1;
        if (mask >= 0 && (v.data || values->of[i].data)) ws->masks_changed |= 1u << mask;
        ws->slot[i].value = values->of[i];
        values->of[i]     = v;
    }
}

void fgti_values_done(fgt_context *ctx, fgti_values *values)
{
    for (int64_t i = 0; i < values->layers; i++) fgti_free(ctx, values->of[i].data);
    fgti_free(ctx, values->of);
}

/* ---- read ---- */

fgt_status fgt_workspace_get_value(fgt_workspace *ws, const char *layer, fgt_view *value)
{
    const fgti_layer *l;
    if (!ws) return FGT_E_ARG;
    if (!value) return fgti_fail(ws->error, FGT_E_ARG, "value is NULL");
    FGTI_TRY(fgti_model_need(ws->model, ws->error, layer, &l));
    if (l->kind != FGT_VALUE_REAL)
        return fgti_fail(ws->error, FGT_E_UNSUPPORTED, "\"%s\" holds ids or a mask, which only the host has",
                         layer);
    if (!ws->passed) return fgti_fail(ws->error, FGT_E_STATE, "model: no pass was run yet");
    const fgti_tensor *t = &ws->tensor[l->id + 1];
    if (ws->plan.purpose == FGTI_LEAN && t->readers)
        return fgti_fail(ws->error, FGT_E_UNSUPPORTED,
                         "\"%s\" was overwritten: a workspace keeps only values that no layer reads", layer);
    *value = fgti_view_of(ws->memory + t->at, ws->last.batch, ws->slot[l->id].out);
    return FGT_OK;
}

fgt_status fgt_model_add_gradient(fgt_model *model, const char *layer, const fgt_view *gradient)
{
    const fgti_layer *l;
    if (!model) return FGT_E_ARG;
    fgti_error *err = &model->ctx->error;
    FGTI_TRY(fgti_model_need(model, err, layer, &l));
    fgt_workspace *ws = model->own;
    if (!ws || !ws->differentiable)
        return fgti_fail(err, FGT_E_STATE,
                         "fgt_model_add_gradient() must be called between fgt_forward() and fgt_backward()");
    if (l->kind != FGT_VALUE_REAL)
        return fgti_fail(err, FGT_E_UNSUPPORTED, "\"%s\" holds ids or a mask: it has no gradient", layer);
    FGTI_TRY(fgti_view_expect(err, layer, gradient, ws->last.batch, ws->slot[l->id].out));
    if (ws->slot[l->id].seed.data)
        return fgti_fail(err, FGT_E_STATE, "\"%s\" has a gradient for this pass already", layer);
    ws->slot[l->id].seed = *gradient;
    return FGT_OK;
}
