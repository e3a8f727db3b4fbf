/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/access.h"

#include <math.h>
#include <string.h>

#include "model/model_impl.h"

fgti_slabs fgti_model_slabs(fgt_model *model)
{
    const fgti_trained t = fgti_model_trained(model);
    return (fgti_slabs){.ctx       = model->ctx,
                        .size      = t.size,
                        .weights   = t.weights,
                        .gradients = *t.gradients,
                        .touched   = t.touched,
                        .serial    = t.serial};
}

fgt_context *fgti_model_context(const fgt_model *model)
{
    return model->ctx;
}

const fgt_model_opts *fgti_model_options(const fgt_model *model)
{
    return &model->opts;
}

fgti_shape fgti_model_last_shape(const fgt_model *model)
{
    if (model->last != FGTI_MODEL_INPUT) return model->layer[model->last]->out;
    return (fgti_shape){
        .nodes = model->opts.nodes, .time = model->opts.time, .width = model->opts.features};
}

const char *fgti_model_last_name(const fgt_model *model)
{
    return model->last == FGTI_MODEL_INPUT ? "" : model->layer[model->last]->name;
}

const fgti_param *fgti_model_param(const fgt_model *model, int64_t i)
{
    return fgti_trained_at(model, i);
}

const fgti_param *fgti_model_stored(const fgt_model *model, int64_t i, const fgti_real **weights)
{
    const fgti_adapter *a     = model->tuning.adapter;
    const int64_t       count = fgti_params_count(model);
    const fgti_layer   *layer;
    *weights = i < count ? model->weights : a ? a->weights : NULL;
    if (i < count) return fgti_param_at(model, i, &layer);
    return a && i - count < a->params ? &a->param[i - count] : NULL;
}

double fgti_model_layer_option(const fgt_model *model, int64_t i, const char *name)
{
    const fgti_layer *l = model->layer[i];
    for (const fgti_opt *o = l->cls->opts; o && o->name; o++)
        if (!strcmp(o->name, name)) return fgti_opt_get(o, l->opts);
    return NAN;
}

bool fgti_model_is_cross(const fgt_model *model, int64_t i)
{
    const fgti_layer *l = model->layer[i];
    return fgti_layer_adjacency(l) == FGT_ADJACENCY_ATTENTION && l->inputs > 1 &&
           l->input[1].from != l->input[0].from;
}

fgti_shape fgti_model_shape_of(const fgt_model *model, const char *layer)
{
    const fgti_layer *l = fgti_model_find(model, layer);
    return l ? l->out : (fgti_shape){0};
}

double fgti_model_option_of(const fgt_model *model, const char *layer, const char *option)
{
    const fgti_layer *l = fgti_model_find(model, layer);
    return l ? fgti_model_layer_option(model, (int64_t)l->id, option) : NAN;
}

const char *fgti_model_input_of(const fgt_model *model, const char *layer)
{
    const fgti_layer *l = fgti_model_find(model, layer);
    if (!l || !l->inputs) return NULL;
    return l->input[0].from == FGTI_MODEL_INPUT ? "" : model->layer[l->input[0].from]->name;
}

/* Returns the workspace of the last pass. */
static fgt_status need_pass(fgt_model *model, fgt_workspace **ws)
{
    *ws = model->own;
    if (*ws && (*ws)->passed) return FGT_OK;
    return fgti_fail(&model->ctx->error, FGT_E_STATE, "model: no pass was run yet");
}

fgt_status fgti_model_read_x(fgt_model *model, fgt_view *x)
{
    fgt_workspace *ws;
    FGTI_TRY(need_pass(model, &ws));
    fgti_real *const data = ws->memory + ws->tensor[0].at;
    const int64_t    n = ws->last.batch, t = ws->in.time, d = ws->in.width;
    if (!model->opts.features)
        *x = *FGT_VIEW_OF(FGT_I32, data, n, t);
    else if (model->opts.nodes > 1)
        *x = *FGT_VIEW_OF(FGTI_REAL, data, n, ws->in.nodes, t, d);
    else
        *x = *FGT_VIEW_OF(FGTI_REAL, data, n, t, d);
    return FGT_OK;
}

fgt_status fgti_model_read_input(fgt_model *model, const char *layer, fgt_view *x)
{
    const fgti_layer *l;
    fgt_workspace    *ws;
    FGTI_TRY(fgti_model_need(model, &model->ctx->error, layer, &l));
    FGTI_TRY(need_pass(model, &ws));
    const int64_t from = l->input[0].from;
    *x = fgti_view_of(ws->memory + ws->tensor[from + 1].at, ws->last.batch,
                      from == FGTI_MODEL_INPUT ? ws->in : ws->slot[from].out);
    return FGT_OK;
}

const fgti_real *fgti_model_read_weight(fgt_model *model, const char *layer, const char *name)
{
    const fgti_layer *l = fgti_model_find(model, layer);
    for (int32_t i = 0; l && i < l->params; i++) {
        const fgti_param *p     = &l->param[i];
        const char       *owner = l->shares ? l->shares->name : l->name;
        const size_t      n     = *owner ? strlen(owner) + 1 : 0;
        if (strcmp(p->full_name + n, name) != 0) continue;
        return p->effective ? p->effective : model->weights + p->offset;
    }
    return NULL;
}

bool fgti_model_has_mask(const fgt_model *model, const char *layer, fgt_mask mask)
{
    const fgti_layer    *l  = fgti_model_find(model, layer);
    const fgt_workspace *ws = model->own;
    return l && ws && ws->passed && fgti_pass_run(ws, (int64_t)l->id).mask[mask];
}

bool fgti_model_has_graph(const fgt_model *model, const char *tensor)
{
    for (int64_t i = 0; i < model->layers; i++) {
        const fgti_layer *l    = model->layer[i];
        const char       *rest = *l->name ? ".graph." : "graph.";
        const size_t      n    = strlen(l->name);
        if (l->graph && !strncmp(tensor, l->name, n) && !strncmp(tensor + n, rest, strlen(rest))) return true;
    }
    return false;
}

void fgti_model_changed(fgt_model *model)
{
    model->version++;
}

/* ---- calls of the host's functions ---- */

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

/* ---- passes ---- */

fgt_status fgti_model_prepare(fgt_model *model)
{
    return fgti_model_seal(model, fgti_workspace_own(model, FGTI_TRAIN));
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
                     "%s: a state was set for the next pass; fgt_model_init_state() discards it", what);
}

fgt_status fgti_model_output(fgt_model *model, const fgt_view *x, fgt_view *y)
{
    int64_t batch;
    FGTI_TRY(fgti_workspace_own(model, FGTI_TRAIN));
    fgt_workspace *ws = model->own;
    FGTI_TRY(fgti_workspace_check_busy(ws)); /* a running pass needs its shapes */
    ws->passed = ws->differentiable = ws->returned = false; /* the shapes of the last pass are overwritten */
    FGTI_TRY(fgti_inputs_check(ws, x, &batch));
    *y = fgti_view_of(NULL, batch, ws->slot[model->last].out);
    return FGT_OK;
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
