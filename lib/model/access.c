/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/access.h"

#include <math.h>
#include <string.h>

#include "model/adapter_types.h"
#include "model/layer_kind.h"
#include "model/model_impl.h"
#include "model/names.h"
#include "model/params.h"
#include "model/views.h"

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

int64_t fgti_model_layers(const fgt_model *model)
{
    return model ? model->layers : 0;
}

fgt_view fgti_model_output_shape(const fgt_model *model)
{
    const fgti_shape in = {model->opts.nodes, model->opts.time, model->opts.features};
    return fgti_view_of(NULL, model->opts.batch, model->last < 0 ? in : model->layer[model->last]->out);
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

int64_t fgti_model_hops(const fgt_model *model, const char *layer)
{
    const fgti_layer *l = fgti_model_find(model, layer);
    return l && !strcmp(l->cls->name, "fighter") ? (int64_t)fgti_model_option_of(model, layer, "hops") : 0;
}

const char *fgti_model_input_of(const fgt_model *model, const char *layer)
{
    const fgti_layer *l = fgti_model_find(model, layer);
    if (!l || !l->inputs) return NULL;
    return l->input[0].from == FGTI_MODEL_INPUT ? "" : model->layer[l->input[0].from]->name;
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

/* ---- calls of the host's functions ---- */

/* ---- passes ---- */

fgti_error *fgti_workspace_sentence(fgt_workspace *ws)
{
    return ws->error;
}
