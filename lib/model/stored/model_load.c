/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/stored/model_load.h"

#include <stdio.h>
#include <string.h>

#include <fighter/graph.h>

#include "core/config.h"
#include "core/sort.h"
#include "model/adapter/adapter.h"
#include "model/adapter/adapter_choose.h"
#include "model/adapter_types.h"
#include "model/build/model.h"
#include "model/build/nodes.h"
#include "model/files/safetensors.h"
#include "model/layer_kind.h"
#include "model/model_impl.h"
#include "model/model_keys.h"
#include "model/params.h"
#include "model/stored/frozen.h"
#include "nn/host_layer.h"

static const char *meta(const fgti_st *st, const char *key, int64_t number, const char *rest)
{
    char full[64];
    if (number < 0) return fgti_st_meta(st, key);
    snprintf(full, sizeof full, "%s%lld%s", key, (long long)number, rest);
    return fgti_st_meta(st, full);
}

static bool read_u64(const char *s, uint64_t *out)
{
    *out = 0;
    if (!s || !*s) return false;
    for (; *s >= '0' && *s <= '9'; s++) {
        const uint64_t digit = (uint64_t)(*s - '0');
        if (*out > (UINT64_MAX - digit) / 10) return false;
        *out = 10 * *out + digit;
    }
    return !*s;
}

/* The tensors of a graph. They are copied, because data in a file need not be aligned. A missing tensor has
 * no data. */
enum { GRAPH_WEIGHTS, GRAPH_INDPTR, GRAPH_INDICES, GRAPH_VALUES, GRAPH_PARTS };

static fgt_status model_read_part(fgt_context *ctx, const fgti_st *st, const char *layer, int part,
                                  fgt_view *v)
{
    static const char *const names[] = {"weights", "indptr", "indices", "values"};
    const bool               whole   = part == GRAPH_INDPTR || part == GRAPH_INDICES;
    char                     name[FGTI_NAME_MAX + 32];
    snprintf(name, sizeof name, "%.*s%sgraph.%s", FGTI_NAME_MAX, layer, *layer ? "." : "", names[part]);
    const fgti_st_tensor *t = fgti_st_find(st, name);
    *v                      = (fgt_view){.dtype = whole ? FGT_DTYPE_I64 : FGTI_REAL};
    if (!t) return FGT_OK;
    const int64_t any[] = {-1, -1};
    v->rank             = part == GRAPH_WEIGHTS ? 2 : 1;
    FGTI_TRY(fgti_st_expect(ctx, st, name, v->rank, any, &t));
    memcpy(v->shape, t->shape, (size_t)v->rank * sizeof *v->shape);
    /* a node needs up to 56 bytes of memory, so the file must have at least an int64 for each node */
    if (part == GRAPH_INDPTR && t->dtype != FGTI_ST_I64)
        return fgti_fail(&ctx->error, FGT_E_FORMAT, "\"%s\" is not of type I64", name);
    FGTI_TRY(fgti_alloc(ctx, fgt_view_count(v), sizeof(int64_t), "graph", &v->data));
    return whole ? fgti_st_read_i64(ctx, st, name, v->rank, any, v->data)
                 : fgti_st_read_real(ctx, st, name, v->rank, any, v->data);
}

/* Reads a temporary graph for the options of a layer. *graph is NULL if the file has no graph for this
 * layer. */
static fgt_status read_graph(fgt_context *ctx, const fgti_st *st, const char *layer, fgt_graph **graph)
{
    fgt_view   v[GRAPH_PARTS] = {{0}};
    fgt_status s              = FGT_OK;
    for (int i = 0; s == FGT_OK && i < GRAPH_PARTS; i++) s = model_read_part(ctx, st, layer, i, &v[i]);
    if (s == FGT_OK && v[GRAPH_WEIGHTS].data)
        s = fgt_graph_create_dense(ctx, &v[GRAPH_WEIGHTS], graph);
    else if (s == FGT_OK && v[GRAPH_INDPTR].data && v[GRAPH_INDICES].data && v[GRAPH_VALUES].data)
        s = fgt_graph_create_csr(ctx, &v[GRAPH_INDPTR], &v[GRAPH_INDICES], &v[GRAPH_VALUES], graph);
    else if (s == FGT_OK && (v[GRAPH_INDPTR].data || v[GRAPH_INDICES].data || v[GRAPH_VALUES].data))
        s = fgti_fail(&ctx->error, FGT_E_FORMAT, "the graph of layer \"%s\" is missing", layer);
    for (int i = 0; i < GRAPH_PARTS; i++) fgti_free(ctx, v[i].data);
    return s;
}

/* Reads numbers of earlier layers, which blanks separate. *count stays -1 if the file does not list any. */
static fgt_status model_read_edges(fgt_context *ctx, const fgti_st *st, int64_t i, int32_t *count,
                                   int64_t *from)
{
    const char *p = meta(st, FGTI_FILE_LAYER, i, ".from");
    for (*count = p ? 0 : -1; p && *p; p += *p == ' ') {
        double v;
        if (*count == FGTI_INPUTS_MAX + FGT_MASK_COUNT || !fgti_number_read(&p, &v) || (*p && *p != ' ') ||
            !(v >= FGTI_MODEL_INPUT && v < (double)i) || v != (double)(int64_t)v)
            return fgti_fail(&ctx->error, FGT_E_FORMAT,
                             "layer %lld: wrong list of inputs (got \"%.60s\", "
                             "need numbers of earlier layers, or -1)",
                             (long long)i, meta(st, FGTI_FILE_LAYER, i, ".from"));
        from[(*count)++] = (int64_t)v;
    }
    if (*count) return FGT_OK;
    return fgti_fail(&ctx->error, FGT_E_FORMAT, "layer %lld has no input", (long long)i);
}

static fgt_status read_shares(const fgti_st *st, int64_t i, const fgt_model *m, const fgti_class *cls,
                              const fgti_layer **shares)
{
    const char *text = meta(st, FGTI_FILE_LAYER, i, ".shares");
    uint64_t    number;
    *shares = NULL;
    if (!text) return FGT_OK;
    if (read_u64(text, &number) && number < (uint64_t)i && m->layer[number]->cls == cls &&
        !m->layer[number]->shares) {
        *shares = m->layer[number];
        return FGT_OK;
    }
    return fgti_fail(&m->ctx->error, FGT_E_FORMAT,
                     "layer %lld: wrong layer to share (got \"%.20s\", "
                     "need the number of an earlier layer of its type)",
                     (long long)i, text);
}

static fgt_status read_axis(fgt_context *ctx, const fgti_st *st, int64_t i, int32_t *axis)
{
    const char *text = meta(st, FGTI_FILE_LAYER, i, FGTI_FILE_AXIS);
    *axis            = text ? FGT_AXIS_NODES : FGT_AXIS_TIME;
    if (!text || !strcmp(text, FGTI_FILE_NODES)) return FGT_OK;
    return fgti_fail(&ctx->error, FGT_E_FORMAT,
                     "layer %lld: unknown axis (got \"%.20s\", need " FGTI_FILE_NODES ")", (long long)i,
                     text);
}

/* Checks that a file of format 1 is a chain of layers. Versions of the library that know only format 1 read
 * every such file as a chain. */
static fgt_status check_chain(fgt_context *ctx, const fgti_st *st, int64_t i, const fgti_class *cls)
{
    if (strcmp(fgti_st_meta(st, "fighter.format"), FGTI_FILE_CHAIN)) return FGT_OK;
    if (!cls->is_value && !meta(st, FGTI_FILE_LAYER, i, ".from") &&
        !meta(st, FGTI_FILE_LAYER, i, ".shares") && !meta(st, FGTI_FILE_LAYER, i, FGTI_FILE_AXIS))
        return FGT_OK;
    return fgti_fail(&ctx->error, FGT_E_FORMAT,
                     "layer %lld: not part of a chain, as format " FGTI_FILE_CHAIN " requires", (long long)i);
}

/* Changes the status of an error in the host's arguments to FGT_E_FORMAT, because here the arguments come
 * from the file. */
static fgt_status file_status(fgt_status s)
{
    const bool odd = s == FGT_E_ARG || s == FGT_E_SHAPE || s == FGT_E_STATE || s == FGT_E_NAME;
    return odd || s == FGT_E_UNSUPPORTED || s == FGT_E_DATA ? FGT_E_FORMAT : s;
}

static fgt_status read_layer(fgt_context *ctx, const fgti_st *st, int64_t i, fgt_model *m)
{
    const char *type = meta(st, FGTI_FILE_LAYER, i, ".type"), *name = meta(st, FGTI_FILE_LAYER, i, ".name");
    const char *opts = meta(st, FGTI_FILE_LAYER, i, ".opts");
    if (!type || !name || !opts)
        return fgti_fail(&ctx->error, FGT_E_FORMAT, "the description of layer %lld is missing", (long long)i);
    const fgti_class *cls = fgti_class_of(ctx, type);
    if (!cls)
        return fgti_fail(&ctx->error, FGT_E_VERSION, "layer type \"%.40s\" is %s", type,
                         strchr(type, '.') ? "not registered; see fgt_context_add_layer()"
                                           : "from a later version");
    void             *o;
    fgt_graph        *graph = NULL;
    const fgti_opt   *g     = fgti_class_graph(cls);
    const fgti_layer *shares;
    int64_t           from[FGTI_INPUTS_MAX + FGT_MASK_COUNT];
    int32_t           count, axis;
    FGTI_TRY(check_chain(ctx, st, i, cls));
    FGTI_TRY(read_axis(ctx, st, i, &axis));
    FGTI_TRY(model_read_edges(ctx, st, i, &count, from));
    FGTI_TRY(read_shares(st, i, m, cls, &shares));
    if (shares) g = NULL;
    FGTI_TRY(fgti_alloc(ctx, 1, cls->opts_size, "options", &o));
    memcpy(o, &cls->opts_size, sizeof cls->opts_size);
    fgt_status s = fgti_config_read(&ctx->error, cls->opts, opts, o);
    if (s == FGT_OK && g) s = read_graph(ctx, st, name, &graph);
    if (s == FGT_OK && g) memcpy((char *)o + g->offset, &graph, sizeof graph);
    const fgt_layer desc = {.type = cls->name, .opts = o, .name = name, .axis = axis};
    if (s == FGT_OK) s = fgti_model_add_edges(m, desc, count, from, shares);
    fgt_graph_destroy(&graph);
    fgti_free(ctx, o);
    return file_status(s);
}

/* Checks that the file has no tensor that the model does not need. */
static fgt_status check_no_others(const fgti_st *st, const fgt_model *m)
{
    const fgti_layer *layer;
    const fgti_param *p;
    bool             *ours;
    int64_t           other = 0;
    FGTI_TRY(FGTI_NEW(m->ctx, st->count, "tensors of the file", &ours));
    for (int64_t i = 0; (p = fgti_param_at(m, i, &layer)); i++) {
        const fgti_st_tensor *t = fgti_st_find(st, p->full_name);
        if (t) ours[t - st->tensors] = true;
    }
    while (other < st->count && ours[other]) other++;
    fgti_free(m->ctx, ours);
    if (other == st->count) return FGT_OK;
    return fgti_fail(&m->ctx->error, FGT_E_NAME, "%.120s: tensor \"%.100s\" is not in the model", st->path,
                     st->tensors[other].name);
}

fgt_status fgti_model_check_weights(const fgt_model *m, const fgti_st *st, bool strict)
{
    const fgti_layer *layer;
    const fgti_param *p;
    if (strict) FGTI_TRY(check_no_others(st, m));
    for (int64_t i = 0; (p = fgti_param_at(m, i, &layer)); i++)
        FGTI_TRY(fgti_st_check_real(m->ctx, st, p->full_name, p->rank, p->shape));
    const fgti_adapter *a = m->tuning.adapter;
    for (int64_t i = 0; a && !strict && i < a->params; i++)
        FGTI_TRY(fgti_st_check_real(m->ctx, st, a->param[i].full_name, a->param[i].rank, a->param[i].shape));
    return FGT_OK;
}

/* Reads the parameters of the active adapter, if the file has them. A file that has only the base model does
 * not. */
static fgt_status model_read_adapter(fgt_model *m, const fgti_st *st)
{
    const fgti_adapter *a = m->tuning.adapter;
    for (int64_t i = 0; a && i < a->params; i++) {
        const fgti_param *p = &a->param[i];
        if (fgti_st_find(st, p->full_name))
            FGTI_TRY(fgti_st_load_real(m->ctx, st, p->full_name, p->rank, p->shape, a->weights + p->offset));
    }
    return FGT_OK;
}

fgt_status fgti_model_read_weights(fgt_model *m, const fgti_st *st)
{
    m->version++;
    for (int64_t l = 0; l < m->layers; l++)
        for (int32_t i = 0; !m->layer[l]->shares && i < m->layer[l]->params; i++) {
            const fgti_param *p = &m->layer[l]->param[i];
            FGTI_TRY(fgti_st_load_real(m->ctx, st, p->full_name, p->rank, p->shape, m->weights + p->offset));
        }
    return model_read_adapter(m, st);
}

static fgt_status read_model_opts(fgt_context *ctx, const fgti_st *st, const fgt_model_opts *over,
                                  fgt_model_opts *o)
{
    const char    *format = fgti_st_meta(st, "fighter.format"), *text = fgti_st_meta(st, "fighter.model");
    *o = (fgt_model_opts){.size = sizeof *o};
    if (!format)
        return fgti_fail(&ctx->error, FGT_E_FORMAT,
                         "not a fighter model: \"fighter.format\" is missing; to load only weights, as "
                         "PyTorch writes them, call fgt_model_load_weights()");
    if (strcmp(format, FGTI_FILE_CHAIN) && strcmp(format, FGTI_FILE_EDGES))
        return fgti_fail(&ctx->error, FGT_E_VERSION,
                         "unknown model format (got %.20s, need " FGTI_FILE_CHAIN " or " FGTI_FILE_EDGES ")",
                         format);
    if (!text || !read_u64(fgti_st_meta(st, FGTI_FILE_SEED), &o->seed))
        return fgti_fail(&ctx->error, FGT_E_FORMAT,
                         "\"fighter.model\" or \"fighter.seed\" is missing or malformed");
    FGTI_TRY(fgti_config_read(&ctx->error, fgti_model_opts, text, o));
    if (over->batch) o->batch = over->batch;
    if (over->time) o->time = over->time;
    return FGT_OK;
}

/* Remembers which tensors of the file belong to parameters of the layers. No tensor may belong to two
 * parameters. */
typedef struct claims {
    fgt_context   *ctx;
    const fgti_st *st;
    bool          *taken; /* [tensors of the file] */
} claims;

static fgt_status model_claim(void *user, const fgti_param *p)
{
    claims               *c = user;
    const fgti_st_tensor *t = fgti_st_find(c->st, p->full_name);
    char                  have[FGTI_SHAPE_TEXT], want[FGTI_SHAPE_TEXT];
    if (!t) return fgti_fail(&c->ctx->error, FGT_E_FORMAT, "no tensor \"%s\" in the file", p->full_name);
    if (c->taken[t - c->st->tensors])
        return fgti_fail(&c->ctx->error, FGT_E_FORMAT, "the parameter name \"%s\" is taken", p->full_name);
    if (t->rank != p->rank || memcmp(t->shape, p->shape, (size_t)p->rank * sizeof *p->shape))
        return fgti_fail(&c->ctx->error, FGT_E_FORMAT, "tensor \"%s\": wrong shape (got %s, need %s)",
                         p->full_name, fgti_shape_text(t->rank, t->shape, have),
                         fgti_shape_text(p->rank, p->shape, want));
    c->taken[t - c->st->tensors] = true;
    return FGT_OK;
}

static int model_by_text(const void *a, const void *b, const void *unused)
{
    (void)unused;
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Checks that no two layers have the same name. This is faster than in fgt_model_add(), which compares each
 * name with all earlier names. */
static fgt_status check_layer_names(fgt_context *ctx, const fgti_st *st, int64_t layers)
{
    const char  **names;
    const int64_t count = layers < st->meta_count ? layers : st->meta_count;
    fgt_status    s     = FGT_OK;
    FGTI_TRY(FGTI_NEW(ctx, count, "names of layers", &names));
    for (int64_t i = 0; s == FGT_OK && i < layers; i++) {
        const char *name = meta(st, FGTI_FILE_LAYER, i, ".name");
        if (name)
            names[i] = name;
        else
            s = fgti_fail(&ctx->error, FGT_E_FORMAT, "the description of layer %lld is missing",
                          (long long)i);
    }
    if (s == FGT_OK) fgti_sort(names, count, sizeof *names, model_by_text, NULL);
    for (int64_t i = 1; s == FGT_OK && i < count; i++)
        if (!strcmp(names[i - 1], names[i]))
            s = fgti_fail(&ctx->error, FGT_E_FORMAT, "two layers are called \"%.100s\"", names[i]);
    fgti_free(ctx, names);
    return s;
}

/* Reads the layers. Before memory is allocated for a parameter or for the tables of its layer, the parameter
 * is compared with the file. Weights are read directly into the slab and are not drawn first. */
static fgt_status read_layers(fgt_context *ctx, const fgti_st *st, fgt_model *m)
{
    claims           c      = {.ctx = ctx, .st = st};
    const fgti_admit admit  = {model_claim, &c};
    uint64_t         layers = 0;
    if (!read_u64(fgti_st_meta(st, "fighter.layers"), &layers) || layers > INT64_MAX)
        return fgti_fail(&ctx->error, FGT_E_FORMAT, "\"fighter.layers\" is missing or malformed");
    FGTI_TRY(check_layer_names(ctx, st, (int64_t)layers));
    FGTI_TRY(FGTI_NEW(ctx, st->count, "claims on tensors", &c.taken));
    fgt_status s = FGT_OK;
    m->loading   = &admit;
    for (uint64_t i = 0; s == FGT_OK && i < layers; i++) s = read_layer(ctx, st, (int64_t)i, m);
    m->loading = NULL;
    fgti_free(ctx, c.taken);
    if (s == FGT_OK) s = fgti_params_allocate(m);
    return s == FGT_OK ? fgti_model_read_weights(m, st) : s;
}

/* Makes an adapter. Its number of parameters is limited, because in the file each of them has at least two
 * bytes. */
static fgt_status make_adapter(fgt_model *model, const fgt_adapter_opts *o, const fgti_st *st,
                               fgti_adapter **a)
{
    fgt_adapter_opts  checked;
    fgti_graft_choice choice = {fgti_adapter_choose_named, NULL};
    fgti_graft_kind  *kind;
    FGTI_TRY(fgti_adapter_read_opts(model, o, &checked));
    FGTI_TRY(fgti_adapter_read_names(model, fgti_st_meta(st, FGTI_FILE_ADAPTED),
                                     fgti_st_meta(st, FGTI_FILE_WHOLE), &kind));
    choice.user        = kind;
    const fgt_status s = fgti_adapter_make(model, &checked, &choice, st->size / 2, a);
    fgti_free(model->ctx, kind);
    return s;
}

/* Makes the adapter that the file has, and activates it. Does nothing if the file has no adapter. */
static fgt_status restore_adapter(fgt_model *model, const fgti_st *st)
{
    fgti_error      *err  = &model->ctx->error;
    fgt_adapter_opts o    = {.size = sizeof o};
    const char      *text = fgti_st_meta(st, FGTI_FILE_ADAPTER);
    fgti_adapter    *a;
    if (!text) return FGT_OK;
    FGTI_TRY(fgti_config_read(err, fgti_adapter_opts, text, &o));
    o.name = fgti_st_meta(st, FGTI_FILE_ADAPTER ".name");
    if (!o.name || !read_u64(fgti_st_meta(st, FGTI_FILE_ADAPTER ".seed"), &o.seed))
        return fgti_fail(err, FGT_E_FORMAT,
                         "\"" FGTI_FILE_ADAPTER "\": name or seed is missing or malformed");
    FGTI_TRY(make_adapter(model, &o, st, &a));
    fgti_adapter_append(model, a);
    FGTI_TRY(fgt_model_set_adapter(model, o.name));
    for (int64_t i = 0; i < a->params; i++)
        FGTI_TRY(
            fgti_st_check_real(model->ctx, st, a->param[i].full_name, a->param[i].rank, a->param[i].shape));
    return model_read_adapter(model, st);
}

fgt_status fgti_model_load_from(fgt_context *ctx, const fgti_st *st, const fgt_model_opts *opts,
                                fgt_model **model)
{
    fgt_model_opts o;
    *model       = NULL;
    fgt_status s = read_model_opts(ctx, st, opts, &o);
    if (s == FGT_OK) s = fgt_model_create(ctx, &o, model);
    if (s == FGT_OK) s = read_layers(ctx, st, *model);
    if (s == FGT_OK) s = file_status(restore_adapter(*model, st));
    if (s == FGT_OK) s = fgti_frozen_read(*model, fgti_st_meta(st, FGTI_FILE_FROZEN));
    if (s == FGT_OK) return FGT_OK;
    if (!fgti_st_names(&ctx->error, st->path)) fgti_error_prefix(&ctx->error, "%.120s", st->path);
    fgt_model_destroy(model);
    return s == FGT_E_SHAPE ? FGT_E_FORMAT : s;
}
