/* SPDX-License-Identifier: BSD-3-Clause */
/* Adapters of a model: adding, activating, merging and removing them. */
#include "model/adapter/adapter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/sort.h"
#include "model/adapter/adapter_choose.h"
#include "model/adapter/adapter_pass.h"
#include "model/adapter_types.h"
#include "model/guard.h"
#include "model/model_impl.h"
#include "model/params.h"

#define BELOW_ONE (1 - 0x1p-24)
#define RANK      8

const fgti_opt fgti_adapter_opts[] = {
    FGTI_FIELD(fgt_adapter_opts, alpha, F64, 0, FGTI_ALPHA_MOST, 0),
    FGTI_FIELD(fgt_adapter_opts, dropout, F64, 0, BELOW_ONE, 0),
    FGTI_FIELD(fgt_adapter_opts, rank, I64, 1, 1 << 16, RANK),
    {0},
};

/* ---- creation ---- */

/* Calls `choice` for every parameter of the base model. Counts the parameters that the adapter changes. If
 * `graft` is given, also writes these parameters to it. */
static fgt_status list_grafts(fgt_model *m, fgti_adapter *a, const fgti_graft_choice *choice,
                              fgti_graft *graft)
{
    fgti_graft_kind kind;
    a->grafts = 0;
    for (int64_t i = 0; i < m->layers; i++) {
        fgti_layer *l = m->layer[i];
        for (int32_t k = 0; k < (l->shares ? 0 : l->params); k++) {
            FGTI_TRY(choice->of(choice->user, l, &l->param[k], &kind));
            if (kind == FGTI_GRAFT_NONE) continue;
            if (graft)
                graft[a->grafts] = (fgti_graft){
                    .base = &l->param[k], .layer = l, .whole = kind == FGTI_GRAFT_WHOLE, .map = -1};
            a->grafts++;
        }
    }
    return FGT_OK;
}

static fgt_status add_param(fgti_adapter *a, const fgti_graft *g, const char *name, int32_t rank,
                            const int64_t *shape, int64_t *offset)
{
    fgti_param *p = &a->param[a->params];
    *p            = (fgti_param){.rank = rank, .count = 1, .offset = a->size, .zero_row = -1};
    for (int32_t i = 0; i < rank; i++) {
        p->shape[i] = shape[i];
        p->count    = fgti_mul(p->count, shape[i]);
    }
    if (p->count >= FGTI_HUGE || a->size >= FGTI_HUGE)
        return fgti_fail(&a->ctx->error, FGT_E_SIZE, "adapter \"%.60s\" is too large", a->name);
    char module[FGTI_NAME_MAX];
    fgti_adapter_module(g->base, module);
    const char *dot = strrchr(g->base->full_name, '.');
    const char *leaf = dot ? dot + 1 : g->base->full_name;
    if (g->whole)
        snprintf(module, sizeof module, "%.*s", (int)(dot ? dot - g->base->full_name : 0),
                 g->base->full_name);
    const int n = snprintf(p->full_name, sizeof p->full_name, "%s%s%s%s", module, *module ? "." : "", name,
                           g->whole ? leaf : "");
    if (n < 0 || (size_t)n >= sizeof p->full_name)
        return fgti_fail(&a->ctx->error, FGT_E_NAME,
                         "adapter \"%.60s\": the parameter name %.60s.%s is too long", a->name, module, name);
    *offset = a->size;
    a->size += p->count;
    a->params++;
    return FGT_OK;
}

/* Adds the factors A and B for a table of embeddings. A lookup adds rows of A'B', so the whole W + s A'B' is
 * never stored. */
static fgt_status add_table(fgti_adapter *a, fgti_graft *g)
{
    const int64_t r = a->opts.rank;
    FGTI_TRY(add_param(a, g, "lora_embedding_A", 2, (int64_t[]){r, g->in}, &g->a));
    FGTI_TRY(add_param(a, g, "lora_embedding_B", 2, (int64_t[]){g->out, r}, &g->b));
    g->table = true;
    g->map   = a->maps++;
    return FGT_OK;
}

/* Adds the factors A and B, with as many axes as W. A convolution has A [r,D,k] and B [H,r,1], as in PEFT. */
static fgt_status add_factors(fgti_adapter *a, fgti_graft *g)
{
    const fgti_param *w    = g->base;
    const int64_t     r    = a->opts.rank;
    const bool        conv = w->rank == 3 && g->maps == 1 && w->count / w->shape[0] == g->in && !g->flipped;
    const int64_t     a2[] = {r, g->in}, b2[] = {g->out, r};
    const int64_t     a3[] = {g->maps, r, g->in}, b3[] = {g->maps, g->out, r};
    const int64_t     ac[] = {r, w->shape[1], w->shape[2]}, bc[] = {g->out, r, 1};
    FGTI_TRY(add_param(a, g, "lora_A.weight", w->rank, conv ? ac : w->rank == 3 ? a3 : a2, &g->a));
    FGTI_TRY(add_param(a, g, "lora_B.weight", w->rank, conv ? bc : w->rank == 3 ? b3 : b2, &g->b));
    g->effective = a->effective;
    fgti_take(NULL, &a->effective, w->count);
    g->column = a->columns;
    a->columns += g->in;
    if (!g->layer->cls->skips) return FGT_OK;
    g->map = a->maps;
    a->maps += g->maps;
    return FGT_OK;
}

static int adapter_by_name(const void *a, const void *b, const void *unused)
{
    (void)unused;
    return strcmp((*(const fgti_param *const *)a)->full_name, (*(const fgti_param *const *)b)->full_name);
}

/* Checks that names differ. A model file holds the base model and the adapter together, and each tensor is
 * found by its name. */
static fgt_status adapter_check_names(const fgt_model *m, const fgti_adapter *a)
{
    const fgti_param **all;
    const fgti_layer  *layer;
    const int64_t      base = fgti_params_count(m), count = base + a->params;
    fgt_status         s    = FGT_OK;
    FGTI_TRY(FGTI_NEW(a->ctx, count, "names of parameters", &all));
    for (int64_t i = 0; i < count; i++) all[i] = i < base ? fgti_param_at(m, i, &layer) : &a->param[i - base];
    fgti_sort(all, count, sizeof *all, adapter_by_name, NULL);
    for (int64_t i = 1; s == FGT_OK && i < count; i++)
        if (!adapter_by_name(&all[i - 1], &all[i], NULL))
            s = fgti_fail(&a->ctx->error, FGT_E_NAME, "adapter \"%.60s\": the parameter name \"%s\" is taken",
                          a->name, all[i]->full_name);
    fgti_free(a->ctx, all);
    return s;
}

static fgt_status adapter_add_params(const fgt_model *m, fgti_adapter *a)
{
    FGTI_TRY(FGTI_NEW(a->ctx, 2 * a->grafts, "adapter", &a->param));
    for (int64_t i = 0; i < a->grafts; i++) {
        fgti_graft *g = &a->graft[i];
        g->param      = a->params;
        if (g->whole) {
            FGTI_TRY(add_param(a, g, "modules_to_save.", g->base->rank, g->base->shape, &g->a));
            continue;
        }
        fgti_adapter_set_sizes(g);
        FGTI_TRY(fgti_adapter_is_table(g->layer) ? add_table(a, g) : add_factors(a, g));
    }
    return adapter_check_names(m, a);
}

/* Draws A like the weight of a linear map, and sets B to zero. For a table A is zero and B is normal, as in
 * PEFT. Then the first step already changes the rows that it has seen. */
static void draw_factors(const fgti_adapter *a, const fgti_graft *g, fgti_rng rng)
{
    const double range = fgti_fan_in(g->in);
    fgti_real   *to    = a->weights + (g->table ? g->b : g->a);
    for (int64_t k = 0; k < a->param[g->param + g->table].count; k++)
        to[k] = (fgti_real)(g->table ? fgti_rng_normal(rng, (uint64_t)k)
                                     : range * (2 * fgti_rng_uniform(rng, (uint64_t)k) - 1));
}

static void adapter_draw(const fgt_model *m, fgti_adapter *a)
{
    for (int64_t i = 0; i < a->grafts; i++) {
        const fgti_graft *g     = &a->graft[i];
        const fgti_rng    rng   = fgti_rng_of(a->opts.seed, FGTI_STREAM_ADAPTER, (uint64_t)i, 0);
        if (g->whole)
            memcpy(a->weights + g->a, m->weights + g->base->offset,
                   (size_t)g->base->count * sizeof *a->weights);
        else
            draw_factors(a, g, rng);
    }
}

void fgti_adapter_free(fgti_adapter **adapter)
{
    fgti_adapter *a = *adapter;
    if (!a) return;
    fgti_free(a->ctx, a->name);
    fgti_free(a->ctx, a->graft);
    fgti_free(a->ctx, a->param);
    fgti_free(a->ctx, a->weights);
    fgti_free(a->ctx, a->gradients);
    fgti_free(a->ctx, a);
    *adapter = NULL;
}

static fgt_status adapter_fill(fgt_model *m, fgti_adapter *a, const fgti_graft_choice *choice, int64_t most)
{
    const fgti_graft_choice own = {fgti_adapter_choose, a};
    FGTI_TRY(fgti_strdup(a->ctx, a->opts.name, &a->name));
    a->opts.name = a->name;
    if (!choice) choice = &own;
    FGTI_TRY(list_grafts(m, a, choice, NULL));
    FGTI_TRY(FGTI_NEW(a->ctx, a->grafts, "adapter", &a->graft));
    FGTI_TRY(list_grafts(m, a, choice, a->graft));
    if (choice == &own) FGTI_TRY(fgti_adapter_check_patterns(a));
    a->opts.pattern = a->opts.whole = NULL;
    FGTI_TRY(adapter_add_params(m, a));
    if (a->size > most)
        return fgti_fail(&a->ctx->error, FGT_E_FORMAT,
                         "adapter \"%.60s\" has %lld parameters with rank %lld, more than the file", a->name,
                         (long long)a->size, (long long)a->opts.rank);
    FGTI_TRY(FGTI_NEW(a->ctx, a->size, "adapter", &a->weights));
    adapter_draw(m, a);
    return FGT_OK;
}

fgt_status fgti_adapter_make(fgt_model *model, const fgt_adapter_opts *opts, const fgti_graft_choice *choice,
                             int64_t most, fgti_adapter **adapter)
{
    FGTI_TRY(FGTI_NEW(model->ctx, 1, "adapter", adapter));
    (*adapter)->ctx    = model->ctx;
    (*adapter)->opts   = *opts;
    (*adapter)->scale  = opts->alpha / (double)opts->rank;
    const fgt_status s = adapter_fill(model, *adapter, choice, most);
    if (s != FGT_OK) fgti_adapter_free(adapter);
    return s;
}

static fgti_adapter *adapter_find(const fgt_model *m, const char *name)
{
    fgti_adapter *a = m->adapters;
    while (a && strcmp(a->name, name) != 0) a = a->next;
    return a;
}

fgt_status fgti_adapter_read_opts(fgt_model *model, const fgt_adapter_opts *in, fgt_adapter_opts *o)
{
    fgti_error *err = &model->ctx->error;
    FGTI_TRY(fgti_opts_read(err, "adapter", in, o, sizeof *o));
    FGTI_TRY(fgti_opts_check(err, "adapter", fgti_adapter_opts, o));
    if (o->alpha == 0) o->alpha = (double)o->rank;
    if (model->last < 0) return fgti_fail(err, FGT_E_STATE, "adapter: the model has no layers");
    if (!o->name || !*o->name) return fgti_fail(err, FGT_E_ARG, "adapter: name is not given");
    if (strlen(o->name) >= FGTI_NAME_MAX || !fgti_is_utf8(o->name))
        return fgti_fail(err, FGT_E_NAME, "adapter: the name \"%.60s\" is too long or not UTF-8", o->name);
    if (adapter_find(model, o->name))
        return fgti_fail(err, FGT_E_NAME, "adapter: the name \"%.60s\" is taken", o->name);
    return FGT_OK;
}

void fgti_adapter_append(fgt_model *model, fgti_adapter *adapter)
{
    fgti_adapter **end = &model->adapters;
    while (*end) end = &(*end)->next;
    *end            = adapter;
    adapter->serial = ++model->serials;
    model->final    = true;
}

fgt_status fgt_model_add_adapter(fgt_model *model, const fgt_adapter_opts *opts)
{
    fgt_adapter_opts o;
    fgti_adapter    *a;
    if (!model) return FGT_E_ARG;
    FGTI_TRY(fgti_model_check_idle(model, "fgt_model_add_adapter"));
    FGTI_TRY(fgti_adapter_read_opts(model, opts, &o));
    FGTI_TRY(fgti_adapter_make(model, &o, NULL, FGTI_HUGE, &a));
    fgti_adapter_append(model, a);
    return FGT_OK;
}

/* ---- the active adapter ---- */

static void free_tuning(fgt_context *ctx, fgti_tuning *t)
{
    fgti_free(ctx, t->effective);
    fgti_free(ctx, t->sink);
    fgti_free(ctx, t->scratch);
    fgti_free(ctx, t->column);
    fgti_free(ctx, t->masked);
    fgti_free(ctx, t->raw);
    fgti_free(ctx, t->map);
    *t = (fgti_tuning){0};
}

/* Number of elements of `sink`, the buffer for gradients that are ignored. It serves one layer at a time. */
static int64_t sink_size(const fgt_model *m)
{
    int64_t most = 0;
    for (int64_t i = 0; i < m->layers; i++) {
        const fgti_layer *l = m->layer[i];
        if (!l->params || l->cls->skips || fgti_input_is_ids(l->cls, 0)) continue;
        const fgti_param *last = &l->param[l->params - 1];
        const int64_t     size = last->offset + last->count - l->param->offset;
        if (size > most) most = size;
    }
    return most;
}

/* Number of elements of the scratch for low-rank gradients. adapter_pass.c divides this scratch. */
static int64_t scratch_size(const fgti_adapter *a)
{
    int64_t widest = 0;
    for (int64_t i = 0; i < a->grafts; i++) {
        const fgti_graft *g    = &a->graft[i];
        const int64_t     wide = g->out > g->in || g->table ? g->out : g->in;
        if (!g->whole && g->map >= 0 && wide > widest) widest = wide;
    }
    return widest ? fgti_low_rank_scratch(a->opts.rank, widest) : 0;
}

static fgt_status make_tuning(const fgt_model *m, fgti_adapter *a, fgti_tuning *t)
{
    fgt_context *ctx   = m->ctx;
    const bool   drops = a->opts.dropout > 0;
    t->adapter         = a;
    FGTI_TRY(FGTI_NEW(ctx, a->effective, "adapted weights", &t->effective));
    FGTI_TRY(FGTI_NEW(ctx, sink_size(m), "gradients of an adapted layer", &t->sink));
    FGTI_TRY(FGTI_NEW(ctx, scratch_size(a), "gradients of an adapter", &t->scratch));
    FGTI_TRY(FGTI_NEW(ctx, a->maps, "adapter", &t->map));
    if (!drops) return FGT_OK;
    FGTI_TRY(FGTI_NEW(ctx, a->columns, "dropout of an adapter", &t->column));
    FGTI_TRY(FGTI_NEW(ctx, a->size, "dropout of an adapter", &t->masked));
    return FGTI_NEW(ctx, a->size, "dropout of an adapter", &t->raw);
}

static fgt_status activate(fgt_model *m, fgti_adapter *a)
{
    fgti_tuning t = {0};
    if (a) {
        const fgt_status s = make_tuning(m, a, &t);
        if (s != FGT_OK) {
            free_tuning(m->ctx, &t);
            return s;
        }
    }
    free_tuning(m->ctx, &m->tuning);
    m->tuning = t;
    fgti_adapter_place(m);
    fgti_model_changed(m);
    if (m->own) m->own->differentiable = false;
    return FGT_OK;
}

fgt_status fgti_adapter_find(const fgt_model *model, const char *name, fgti_adapter **adapter)
{
    *adapter = name ? adapter_find(model, name) : NULL;
    if (*adapter) return FGT_OK;
    return fgti_fail(&model->ctx->error, FGT_E_NAME, "the model has no adapter \"%.60s\"",
                     name ? name : "NULL");
}

fgt_status fgt_model_set_adapter(fgt_model *model, const char *name)
{
    fgti_adapter *a = NULL;
    if (!model) return FGT_E_ARG;
    FGTI_TRY(fgti_model_check_idle(model, "fgt_model_set_adapter"));
    if (name) FGTI_TRY(fgti_adapter_find(model, name, &a));
    return a == model->tuning.adapter ? FGT_OK : activate(model, a);
}

int64_t fgt_model_count_adapters(const fgt_model *model)
{
    int64_t n = 0;
    for (const fgti_adapter *a = model ? model->adapters : NULL; a; a = a->next) n++;
    return n;
}

static int64_t adapter_bytes_of(const fgt_model *m, const fgti_adapter *a)
{
    const bool drops = a->opts.dropout > 0;
    int64_t    n     = 2 * a->size + a->effective + sink_size(m) + scratch_size(a);
    if (drops) n += a->columns + 2 * a->size;
    return n * (int64_t)sizeof(fgti_real);
}

fgt_status fgt_model_get_adapter(const fgt_model *model, int64_t i, fgt_adapter_info *info)
{
    if (!model) return FGT_E_ARG;
    fgti_error         *err  = &model->ctx->error;
    const fgti_adapter *a    = model->adapters;
    int64_t             maps = 0;
    if (!info) return fgti_fail(err, FGT_E_ARG, "fgt_model_get_adapter: info is NULL");
    for (int64_t k = 0; a && k < i; k++) a = a->next;
    if (!a || i < 0)
        return fgti_fail(err, FGT_E_ARG, "adapter is out of range (got %lld, need below %lld)", (long long)i,
                         (long long)fgt_model_count_adapters(model));
    for (int64_t k = 0; k < a->grafts; k++) maps += a->graft[k].maps;
    const fgt_adapter_info out = {.size       = sizeof out,
                                  .name       = a->name,
                                  .alpha      = a->opts.alpha,
                                  .dropout    = a->opts.dropout,
                                  .rank       = a->opts.rank,
                                  .parameters = a->size,
                                  .maps       = maps,
                                  .bytes      = adapter_bytes_of(model, a),
                                  .active     = a == model->tuning.adapter};
    return fgti_result_write(err, "fgt_adapter_info", &out, sizeof out, info);
}

static void drop(fgt_model *m, fgti_adapter *a)
{
    fgti_adapter **at = &m->adapters;
    if (a == m->tuning.adapter) (void)activate(m, NULL); /* needs no memory here, so it cannot fail */
    while (*at != a) at = &(*at)->next;
    *at = a->next;
    fgti_adapter_free(&a);
}

fgt_status fgt_model_remove_adapter(fgt_model *model, const char *name)
{
    fgti_adapter *a;
    if (!model) return FGT_E_ARG;
    FGTI_TRY(fgti_model_check_idle(model, "fgt_model_remove_adapter"));
    FGTI_TRY(fgti_adapter_find(model, name, &a));
    drop(model, a);
    return FGT_OK;
}

void fgti_adapter_free_all(fgt_model *model)
{
    free_tuning(model->ctx, &model->tuning);
    while (model->adapters) {
        fgti_adapter *a = model->adapters;
        model->adapters = a->next;
        fgti_adapter_free(&a);
    }
}

fgt_status fgt_model_merge_adapter(fgt_model *model, const char *name)
{
    fgti_adapter *a;
    if (!model) return FGT_E_ARG;
    FGTI_TRY(fgti_model_check_idle(model, "fgt_model_merge_adapter"));
    FGTI_TRY(fgti_adapter_find(model, name, &a));
    if (!fgti_all_finite(a->size, a->weights))
        return fgti_fail(&model->ctx->error, FGT_E_NONFINITE,
                         "adapter \"%.60s\": a weight is NaN or infinite", a->name);
    for (int64_t i = 0; i < a->grafts; i++) {
        const fgti_graft *g = &a->graft[i];
        fgti_real        *w = model->weights + g->base->offset;
        if (g->whole)
            memcpy(w, a->weights + g->a, (size_t)g->base->count * sizeof *w);
        else
            fgti_adapter_add(model->ctx, &model->ctx->exec, a, g, a->weights + g->a, w, w);
    }
    drop(model, a);
    fgti_model_changed(model);
    return FGT_OK;
}
