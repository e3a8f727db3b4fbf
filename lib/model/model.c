/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "core/sparse.h"
#include "model/model_impl.h"

const fgti_opt fgti_model_opts[] = {
    {"batch", offsetof(fgt_model_opts, batch), FGTI_OPT_I64, 1, FGTI_OPT_SIZE_MAX, 1},
    {"time", offsetof(fgt_model_opts, time), FGTI_OPT_I64, 1, FGTI_OPT_SIZE_MAX, 1},
    {"features", offsetof(fgt_model_opts, features), FGTI_OPT_I64, 0, FGTI_OPT_SIZE_MAX, 0},
    {"nodes", offsetof(fgt_model_opts, nodes), FGTI_OPT_I64, 1, FGTI_OPT_SIZE_MAX, 1},
    {0},
};

fgt_status fgt_model_create(fgt_context *ctx, const fgt_model_opts *opts, fgt_model **model)
{
    fgt_model_opts o;
    if (!model) return FGT_E_ARG;
    *model = NULL;
    if (!ctx) return FGT_E_ARG;
    FGTI_TRY(fgti_opts_read(&ctx->error, "model", opts, &o, sizeof o));
    FGTI_TRY(fgti_opts_check(&ctx->error, "model", fgti_model_opts, &o));
    FGTI_TRY(FGTI_NEW(ctx, 1, "model", model));
    (*model)->ctx     = ctx;
    (*model)->opts    = o;
    (*model)->version = 1;
    return FGT_OK;
}

static void layer_destroy(fgt_context *ctx, fgti_layer *l)
{
    if (!l) return;
    fgti_free(ctx, l->opts);
    fgti_free(ctx, l->name);
    fgti_free(ctx, l->param);
    fgti_free(ctx, l->table);
    fgti_graph_destroy(&l->graph);
    fgti_free(ctx, l);
}

void fgt_model_destroy(fgt_model **model)
{
    if (!model || !*model) return;
    fgt_model   *m   = *model;
    fgt_context *ctx = m->ctx;
    fgt_workspace_destroy(&m->own);
    for (int64_t i = 0; i < m->layers; i++) layer_destroy(ctx, m->layer[i]);
    fgti_free(ctx, m->layer);
    fgti_free(ctx, m->weights);
    fgti_free(ctx, m->gradients);
    fgti_free(ctx, m->touched.row);
    fgti_free(ctx, m->touched.seen);
    fgti_free(ctx, m);
    *model = NULL;
}

/* The name given, or the layer's number. */
static fgt_status name_layer(fgt_model *m, fgti_layer *l, const char *name)
{
    char number[24];
    if (!name) {
        char *p    = number + sizeof number - 1;
        *p         = 0;
        uint64_t i = l->id;
        do *--p = (char)('0' + i % 10);
        while (i /= 10);
        name = p;
    }
    /* room for a dot and the longest parameter name of any class, "self_attn.in_proj_weight" */
    if (strlen(name) > FGTI_NAME_MAX - 32)
        return fgti_fail(&m->ctx->error, FGT_E_NAME, "a name of %zu bytes is too long", strlen(name));
    for (int64_t i = 0; !m->loading && i < m->layers; i++) /* a file's names have been compared */
        if (!strcmp(m->layer[i]->name, name))
            return fgti_fail(&m->ctx->error, FGT_E_NAME, "the name \"%s\" is taken by layer %lld", name,
                             (long long)i);
    return fgti_strdup(m->ctx, name, &l->name);
}

static fgt_status read_opts(fgt_model *m, fgti_layer *l, const void *opts)
{
    FGTI_TRY(fgti_alloc(m->ctx, 1, l->cls->opts_size, "options", &l->opts));
    FGTI_TRY(fgti_opts_read(&m->ctx->error, l->cls->name, opts, l->opts, l->cls->opts_size));
    return fgti_opts_check(&m->ctx->error, l->cls->name, l->cls->opts, l->opts);
}

static fgti_shape model_out(const fgt_model *m)
{
    if (m->layers) return m->layer[m->layers - 1]->out;
    return (fgti_shape){m->opts.nodes, m->opts.time, m->opts.features};
}

static fgt_status fill_layer(fgt_model *m, fgti_layer *l, fgt_layer desc)
{
    FGTI_TRY(name_layer(m, l, desc.name));
    FGTI_TRY(read_opts(m, l, desc.opts));
    l->in = l->out = model_out(m);
    if (l->cls->takes_ids && (m->layers || m->opts.features))
        return fgti_fail(&m->ctx->error, FGT_E_STATE,
                         "ids are taken by the first layer alone, of a model with features 0");
    if (l->cls->takes_ids && m->opts.nodes > 1)
        return fgti_fail(&m->ctx->error, FGT_E_SHAPE, "ids come as [B,T], the model has %lld nodes",
                         (long long)m->opts.nodes);
    if (!l->cls->takes_ids && !l->in.width)
        return fgti_fail(&m->ctx->error, FGT_E_STATE,
                         "the model's features are 0, so its first layer must take ids");
    if (l->cls->peer) {
        const int64_t peer = l->cls->peer(l->opts);
        l->peer            = peer < m->layers ? m->layer[peer] : NULL;
    }
    return l->cls->plan(m->ctx, l);
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

static fgt_status add_layer(fgt_model *m, const fgti_class *cls, fgt_layer desc)
{
    fgti_layer *l;
    FGTI_TRY(grow(m));
    FGTI_TRY(FGTI_NEW(m->ctx, 1, "layer", &l));
    l->cls       = cls;
    l->id        = (uint64_t)m->layers;
    l->blas      = m->ctx->blas;
    l->admit     = m->loading;
    fgt_status s = fill_layer(m, l, desc);
    l->admit     = NULL;
    if (s == FGT_OK) s = fgti_params_extend(m, l);
    if (s != FGT_OK) {
        layer_destroy(m->ctx, l);
        return s;
    }
    m->layer[m->layers++] = l;
    return FGT_OK;
}

fgt_status fgt_model_add(fgt_model *model, fgt_layer layer)
{
    if (!model) return FGT_E_ARG;
    fgti_error *err = &model->ctx->error;
    if (model->sealed)
        return fgti_fail(err, FGT_E_STATE, "layers are added before the first pass, optimiser or workspace");
    const fgti_class *cls = layer.type ? fgti_class_find(layer.type) : NULL;
    if (!cls)
        return fgti_fail(err, FGT_E_UNSUPPORTED, "no layer type \"%s\"", layer.type ? layer.type : "NULL");
    const fgt_status s = add_layer(model, cls, layer);
    if (s != FGT_OK) fgti_error_prefix(err, "layer %lld (%s)", (long long)model->layers, cls->name);
    return s;
}

fgt_status fgt_layer_create(fgt_context *ctx, const fgt_model_opts *opts, fgt_layer layer, fgt_model **model)
{
    FGTI_TRY(fgt_model_create(ctx, opts, model));
    const fgt_status s = fgt_model_add(*model, fgt_named("", layer));
    if (s != FGT_OK) fgt_model_destroy(model);
    return s;
}

fgt_status fgt_model_get_output(const fgt_model *model, fgt_view *shape)
{
    if (!model || !shape) return FGT_E_ARG;
    const fgti_shape s          = model_out(model);
    *shape                      = (fgt_view){.dtype = FGTI_REAL};
    shape->shape[shape->rank++] = model->opts.batch;
    if (s.nodes != 1) shape->shape[shape->rank++] = s.nodes;
    if (s.time != 1) shape->shape[shape->rank++] = s.time;
    shape->shape[shape->rank++] = s.width;
    return FGT_OK;
}
