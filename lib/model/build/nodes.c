/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds layers to a model: names, options, and the inputs of each layer. */
#include "model/build/nodes.h"

#include <stdio.h>
#include <string.h>

#include "core/sparse.h"
#include "core/text.h"
#include "model/build/layer_fold.h"
#include "model/guard.h"
#include "model/layer_kind.h"
#include "model/model_impl.h"
#include "model/names.h"
#include "model/params.h"
#include "model/workspace/keep.h"
#include "model/workspace/plan.h"
#include "model/workspace/workspace.h"
#include "nn/axis.h"
#include "nn/host_layer.h"

void fgti_layer_destroy(fgt_context *ctx, fgti_layer *l)
{
    if (!l) return;
    fgti_free(ctx, l->opts);
    fgti_free(ctx, l->name);
    fgti_free(ctx, l->table);
    if (!l->shares) fgti_graph_destroy(&l->graph);
    if (!l->shares || l->param != l->shares->param) fgti_free(ctx, l->param);
    fgti_free(ctx, l);
}

/* ---- names ---- */

void fgti_model_set_prefix(fgt_model *model, const char *prefix)
{
    model->prefix = prefix;
}

/* Names the layer. A layer without a given name gets its number as the name. */
static fgt_status name_layer(fgt_model *m, fgti_layer *l, const char *name)
{
    char number[24], full[FGTI_NAME_MAX];
    if (!name) {
        char *p    = number + sizeof number - 1;
        *p         = 0;
        uint64_t i = l->id;
        do *--p = (char)('0' + i % 10);
        while (i /= 10);
        name = p;
    }
    if (m->prefix) {
        snprintf(full, sizeof full, "%s%s", m->prefix, name);
        name = full;
    }
    /* the rest is for a dot and the longest parameter name of any class, "self_attn.in_proj_weight" */
    if (strlen(name) > FGTI_NAME_MAX - 32)
        return fgti_fail(&m->ctx->error, FGT_E_NAME, "a name of %zu bytes is too long", strlen(name));
    if (!fgti_is_utf8(name)) return fgti_fail(&m->ctx->error, FGT_E_NAME, "the name is not UTF-8");
    const fgti_layer *same = fgti_model_find(m, name);
    if (same)
        return fgti_fail(&m->ctx->error, FGT_E_NAME, "the name \"%s\" is taken by layer %lld", name,
                         (long long)same->id);
    return fgti_strdup(m->ctx, name, &l->name);
}

/* ---- inputs ---- */

static const char *node_name_of(const fgt_model *m, int64_t from)
{
    return from == FGTI_MODEL_INPUT ? "the model's input" : m->layer[from]->name;
}

static int32_t node_kind_of(const fgt_model *m, int64_t from)
{
    if (from != FGTI_MODEL_INPUT) return m->layer[from]->kind;
    return m->opts.features ? FGT_VALUE_REAL : FGT_VALUE_IDS;
}

static fgti_shape node_shape_of(const fgt_model *m, int64_t from)
{
    if (from != FGTI_MODEL_INPUT) return m->layer[from]->out;
    return (fgti_shape){m->opts.nodes, m->opts.time, m->opts.features};
}

static fgt_status add_mask(fgt_model *m, fgti_layer *l, int64_t from)
{
    const int which = fgti_mask_of(node_kind_of(m, from));
    if (!(l->cls->masks & 1u << which))
        return fgti_fail(&m->ctx->error, FGT_E_ARG, "a layer of this type does not use a mask such as \"%s\"",
                         node_name_of(m, from));
    if (l->mask[which] >= 0)
        return fgti_fail(&m->ctx->error, FGT_E_ARG, "\"%s\" and \"%s\" are masks of one kind",
                         node_name_of(m, l->mask[which]), node_name_of(m, from));
    l->mask[which] = from;
    return FGT_OK;
}

static fgt_status add_input(fgt_model *m, fgti_layer *l, int64_t from)
{
    const int32_t kind   = node_kind_of(m, from);
    const int32_t wanted = fgti_input_is_ids(l->cls, l->inputs) ? FGT_VALUE_IDS : FGT_VALUE_REAL;
    if (fgti_mask_of(kind) >= 0) return add_mask(m, l, from);
    if (l->inputs > l->cls->more_inputs)
        return fgti_fail(&m->ctx->error, FGT_E_ARG, "a layer of this type reads at most %d layers",
                         l->cls->more_inputs + 1);
    if (kind != wanted && from == FGTI_MODEL_INPUT)
        return fgti_fail(&m->ctx->error, FGT_E_STATE,
                         kind == FGT_VALUE_IDS
                             ? "features of the model is 0, so its input is ids"
                             : "the layer needs ids: a model with features 0, or an fgt_value()");
    if (kind != wanted)
        return fgti_fail(&m->ctx->error, FGT_E_SHAPE, "\"%s\" holds %s, need %s", node_name_of(m, from),
                         kind == FGT_VALUE_IDS ? "ids" : "numbers",
                         kind == FGT_VALUE_IDS ? "numbers" : "ids");
    l->input[l->inputs++] = (fgti_edge){from, node_shape_of(m, from)};
    return FGT_OK;
}

/* Checks the inputs of a layer with several inputs. The numbers of nodes and tokens of each input must divide
 * those numbers of the first input. An input with fewer nodes or tokens is repeated. */
static fgt_status check_joined(fgt_model *m, const fgti_layer *l)
{
    for (int32_t k = 1; l->cls->joins && k < l->inputs; k++) {
        const fgti_shape *a = &l->input[0].shape, *b = &l->input[k].shape;
        if (a->time % b->time == 0 && a->nodes % b->nodes == 0) continue;
        return fgti_fail(
            &m->ctx->error, FGT_E_SHAPE,
            "\"%s\" has the wrong size (got %lld nodes and %lld tokens, need %lld and %lld as \"%s\")",
            node_name_of(m, l->input[k].from), (long long)b->nodes, (long long)b->time, (long long)a->nodes,
            (long long)a->time, node_name_of(m, l->input[0].from));
    }
    return FGT_OK;
}

/* Finds the layer whose effect a layer of this class reverses. It is the second input or, without a second
 * input, the nearest layer of the right class before this one. */
static fgt_status find_peer(fgt_model *m, fgti_layer *l)
{
    if (!l->cls->peer) return FGT_OK;
    const int64_t named = l->inputs > 1 ? l->input[1].from : FGTI_MODEL_INPUT;
    int64_t       i     = l->inputs > 1 ? named : m->layers - 1;
    while (l->inputs < 2 && i >= 0 && m->layer[i]->cls != l->cls->peer) {
        const fgti_layer *same = m->layer[i--];
        if (same->cls != l->cls || same->inputs > 1) continue;
        i = (int64_t)same->peer->id; /* a layer of the same class has already found the nearest layer */
    }
    if (i < 0 || m->layer[i]->cls != l->cls->peer)
        return fgti_fail(&m->ctx->error, FGT_E_ARG,
                         l->inputs > 1 ? "\"%s\" is not a %s layer" : "%sthere is no %s layer before it",
                         l->inputs > 1 ? node_name_of(m, named) : "", l->cls->peer->name);
    l->peer = m->layer[i];
    return FGT_OK;
}

static fgt_status node_read_edges(fgt_model *m, fgti_layer *l, int32_t count, const int64_t *from)
{
    for (int i = 0; i < FGT_MASK_COUNT; i++) l->mask[i] = -1;
    if (l->cls->is_value) {
        if (count > 0)
            return fgti_fail(&m->ctx->error, FGT_E_ARG, "a value cannot read a layer: the host sets it");
        l->in = (fgti_shape){m->opts.nodes, m->opts.time, m->opts.features};
        return FGT_OK;
    }
    for (int32_t i = 0; i < count; i++) FGTI_TRY(add_input(m, l, from[i]));
    if (!l->inputs) {
        if (count > 0)
            return fgti_fail(&m->ctx->error, FGT_E_ARG, "the layer reads only masks, and needs an input");
        FGTI_TRY(add_input(m, l, m->last));
    }
    l->in = l->input[0].shape;
    if (fgti_input_is_ids(l->cls, 0) && l->in.nodes > 1)
        return fgti_fail(&m->ctx->error, FGT_E_SHAPE,
                         "ids are [B,T], so the model must have one node (got %lld)", (long long)l->in.nodes);
    FGTI_TRY(check_joined(m, l));
    return find_peer(m, l);
}

bool fgti_layer_is_chained(const fgt_model *model, const fgti_layer *l)
{
    int64_t before = (int64_t)l->id - 1;
    if (l->cls->is_value) return true;
    while (before >= 0 && model->layer[before]->cls->is_value) before--;
    for (int i = 0; i < FGT_MASK_COUNT; i++)
        if (l->mask[i] >= 0) return false;
    return l->inputs == 1 && l->input[0].from == before;
}

/* ---- shared parameters ---- */

/* Gives the layer the parameters of another layer of its class. The shapes must be equal. The parameters are
 * not copied, so that a small file with many such layers cannot need much memory. */
static fgt_status node_share(fgt_model *m, fgti_layer *l, const fgti_layer *owner)
{
    for (int32_t i = 0; i < l->params; i++) {
        const fgti_param *mine = &l->param[i], *its = &owner->param[i];
        if (l->params == owner->params && mine->rank == its->rank &&
            !memcmp(mine->shape, its->shape, (size_t)mine->rank * sizeof *mine->shape))
            continue;
        return fgti_fail(&m->ctx->error, FGT_E_SHAPE,
                         "with this input the parameters would not have the shape of \"%s\"", its->full_name);
    }
    fgti_free(m->ctx, l->param);
    l->param = owner->param;
    return FGT_OK;
}

/* ---- adding ---- */

static fgt_status nodes_read_opts(fgt_model *m, fgti_layer *l, const void *opts)
{
    FGTI_TRY(fgti_alloc(m->ctx, 1, l->cls->opts_size, "options", &l->opts));
    FGTI_TRY(fgti_opts_read(&m->ctx->error, l->cls->name, opts, l->opts, l->cls->opts_size));
    return fgti_opts_check(&m->ctx->error, l->cls->name, l->cls->opts, l->opts);
}

/* Checks that a padding mask is made only from ids that are the model's own input. */
static fgt_status check_masking(const fgt_model *m, const fgti_layer *l)
{
    if (!l->masks || l->input[0].from == FGTI_MODEL_INPUT) return FGT_OK;
    return fgti_fail(&m->ctx->error, FGT_E_UNSUPPORTED,
                     "mask_padding needs the model's input, not \"%s\"; set a padding mask instead",
                     node_name_of(m, l->input[0].from));
}

/* Refuses sizes that no memory could hold. They would overflow in the layers that read this output. */
static fgt_status check_output(const fgt_model *m, const fgti_layer *l)
{
    const fgti_shape s = l->out;
    if (l->cls->is_value || fgti_elements(1, s) < FGTI_HUGE) return FGT_OK;
    return fgti_fail(&m->ctx->error, FGT_E_SIZE, "its output [%lld,%lld,%lld] is too large",
                     (long long)s.nodes, (long long)s.time, (long long)s.width);
}

static fgt_status choose_axis(fgt_model *m, fgti_layer *l, int32_t axis)
{
    if (axis == FGT_AXIS_TIME) return FGT_OK;
    if (axis != FGT_AXIS_NODES)
        return fgti_fail(&m->ctx->error, FGT_E_ARG, "axis is wrong (got %d, need an fgt_axis)", axis);
    FGTI_TRY(fgti_axis_check(&m->ctx->error, l->cls));
    l->axis = axis;
    for (int32_t k = 0; k < l->inputs; k++) l->input[k].shape = fgti_along(l, l->input[k].shape);
    l->in = l->input[0].shape;
    return FGT_OK;
}

static fgt_status node_plan(fgt_model *m, fgti_layer *l)
{
    m->asking++;
    const fgt_status s = l->cls->plan(m->ctx, l);
    m->asking--;
    return s;
}

static fgt_status fill_layer(fgt_model *m, fgti_layer *l, fgt_layer desc, int32_t count, const int64_t *from)
{
    FGTI_TRY(fgti_reserved_check(&m->ctx->error, "fgt_layer", desc.reserved));
    FGTI_TRY(name_layer(m, l, desc.name));
    FGTI_TRY(nodes_read_opts(m, l, desc.opts));
    FGTI_TRY(node_read_edges(m, l, count, from));
    FGTI_TRY(choose_axis(m, l, desc.axis));
    if (m->folds) fgti_layer_offer_fold(m, l);
    l->out = l->in;
    if (l->cls->plan)
        FGTI_TRY(node_plan(m, l));
    else if (l->cls->shape)
        FGTI_TRY(l->cls->shape(&m->ctx->error, l, l->in, &l->out));
    fgti_layer_take_fold(l);
    l->out = fgti_along(l, l->out);
    if (l->inputs && l->input[0].from >= 0) l->thinned = m->layer[l->input[0].from]->thinned;
    if (l->cls->stride && l->cls->stride(l) && l->axis == FGT_AXIS_TIME) l->thinned = l;
    FGTI_TRY(check_output(m, l));
    return check_masking(m, l);
}

static fgt_status grow(fgt_model *m)
{
    if (m->layers < m->capacity) return FGT_OK;
    fgti_layer  **bigger;
    const int64_t capacity = m->capacity ? 2 * m->capacity : 8;
    FGTI_TRY(FGTI_NEW(m->ctx, capacity, "layers", &bigger));
    if (m->layers) memcpy(bigger, m->layer, (size_t)m->layers * sizeof *bigger);
    fgti_free(m->ctx, m->layer);
    m->layer    = bigger;
    m->capacity = capacity;
    return FGT_OK;
}

/* Adds the names of a layer and of its own parameters. If the layer is not added, call node_forget(). */
static fgt_status node_remember(fgt_model *m, const fgti_layer *l)
{
    int64_t number;
    FGTI_TRY(fgti_words_add(m->ctx, &m->names, l->name, (int64_t)strlen(l->name), &number));
    for (int32_t i = 0; !l->shares && i < l->params; i++) {
        const char *name = l->param[i].full_name;
        FGTI_TRY(fgti_words_add(m->ctx, &m->param_names, name, (int64_t)strlen(name), &number));
        if (number != l->first_param + i) /* layer "a.b" with parameter "weight" and layer "a" with "b.weight"
                                           * give the same name */
            return fgti_fail(&m->ctx->error, FGT_E_NAME, "the parameter name \"%s\" is taken", name);
    }
    return FGT_OK;
}

static void node_forget(fgt_model *m, const fgti_layer *l)
{
    fgti_words_cut(&m->names, m->layers);
    fgti_words_cut(&m->param_names, l->first_param);
}

static fgt_status node_add_layer(fgt_model *m, const fgti_class *cls, fgt_layer desc, int32_t count,
                                 const int64_t *from, const fgti_layer *shares)
{
    fgti_layer *l;
    FGTI_TRY(grow(m));
    FGTI_TRY(FGTI_NEW(m->ctx, 1, "layer", &l));
    l->cls       = cls;
    l->id        = (uint64_t)m->layers;
    l->first_param = fgti_params_count(m);
    l->blas      = m->ctx->blas;
    l->predicts  = m->predicts;
    l->half      = m->half;
    l->bf16      = m->bf16;
    l->shares    = shares;
    l->admit     = shares ? NULL : m->loading;
    fgt_status s = fill_layer(m, l, desc, count, from);
    l->admit     = NULL;
    if (s == FGT_OK) s = node_remember(m, l);
    if (s == FGT_OK) s = shares ? node_share(m, l, shares) : fgti_params_extend(m, l);
    if (s != FGT_OK) {
        node_forget(m, l);
        fgti_layer_destroy(m->ctx, l);
        return s;
    }
    m->asking++; /* so that memory() cannot use the model */
    const fgti_need need = fgti_workspace_need(l, 1);
    fgti_keep_add(m, l, &need);
    m->asking--;
    if (!cls->is_value) m->last = m->layers;
    m->layer[m->layers++] = l;
    return FGT_OK;
}

fgt_status fgti_model_add_edges(fgt_model *model, fgt_layer desc, int32_t count, const int64_t *from,
                                const fgti_layer *shares)
{
    fgti_error *err = &model->ctx->error;
    if (model->final)
        return fgti_fail(err, FGT_E_STATE,
                         "a layer cannot be added after the first pass, mask, value, state, optimiser or "
                         "workspace");
    FGTI_TRY(fgti_model_check_asking(model));
    fgti_workspace_drop_own(model); /* the workspace is left from a pass that was refused */
    const fgti_class *cls = shares ? shares->cls : desc.type ? fgti_class_of(model->ctx, desc.type) : NULL;
    if (!cls)
        return fgti_fail(err, FGT_E_UNSUPPORTED, "no layer type \"%.60s\"", desc.type ? desc.type : "NULL");
    if (shares) desc.opts = shares->opts;
    const fgt_status s = node_add_layer(model, cls, desc, count, from, shares);
    if (s != FGT_OK) fgti_error_prefix(err, "layer %lld (%s)", (long long)model->layers, cls->name);
    return s;
}

/* The layer that fgt_shared() names; NULL: the layer has its own parameters. */
static fgt_status node_find_shared(const fgt_model *m, fgt_layer desc, const fgti_layer **shares)
{
    *shares = NULL;
    if (!desc.type || strcmp(desc.type, FGTI_SHARED) != 0) return FGT_OK;
    FGTI_TRY(fgti_model_need(m, &m->ctx->error, desc.opts, shares));
    if ((*shares)->shares) *shares = (*shares)->shares;
    return FGT_OK;
}

fgt_status fgt_model_add(fgt_model *model, fgt_layer layer)
{
    const fgti_layer *shares;
    if (!model) return FGT_E_ARG;
    FGTI_TRY(node_find_shared(model, layer, &shares));
    return fgti_model_add_edges(model, layer, 0, NULL, shares);
}

fgt_status fgt_model_add_from(fgt_model *model, fgt_layer layer, const char *const *from, int32_t count)
{
    const fgti_layer *shares, *read;
    int64_t           number[FGTI_INPUTS_MAX + FGT_MASK_COUNT];
    if (!model) return FGT_E_ARG;
    fgti_error *err = &model->ctx->error;
    if (count < 1 || !from)
        return fgti_fail(err, FGT_E_ARG, "fgt_model_add_from: no input is given (need at least one layer)");
    if (count > FGTI_INPUTS_MAX + FGT_MASK_COUNT)
        return fgti_fail(err, FGT_E_ARG, "fgt_model_add_from: too many inputs (got %d, at most %d)", count,
                         FGTI_INPUTS_MAX);
    for (int32_t i = 0; i < count; i++) {
        number[i] = FGTI_MODEL_INPUT;
        if (from[i] && !*from[i]) continue;
        FGTI_TRY(fgti_model_need(model, err, from[i], &read));
        number[i] = (int64_t)read->id;
    }
    FGTI_TRY(node_find_shared(model, layer, &shares));
    return fgti_model_add_edges(model, layer, count, number, shares);
}
