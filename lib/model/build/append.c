/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies a model, or a part of it, into another model. */
#include "model/build/append.h"

#include <stdio.h>
#include <string.h>

#include "model/build/nodes.h"
#include "model/guard.h"
#include "model/layer_kind.h"
#include "model/model_impl.h"
#include "model/names.h"

typedef struct copy {
    fgt_model  *to;
    const char *prefix;
    float       dropout; /* dropout of all copied layers; negative: each layer keeps its own */
    int64_t    *number;  /* for each layer, the number of its copy in `to`; -1: it is not copied */
    void       *opts;    /* memory for the options of any layer */
} copy;

/* Finds an input of the host in `to` that has the same name. */
static bool append_find_value(const copy *c, const fgti_layer *l, fgt_status *s)
{
    const fgti_layer *have = l->cls->is_value ? fgti_model_find(c->to, l->name) : NULL;
    if (!have) return false;
    c->number[l->id] = (int64_t)have->id;
    if (have->cls != l->cls || memcmp(&have->out, &l->out, sizeof l->out) || have->kind != l->kind)
        *s = fgti_fail(&c->to->ctx->error, FGT_E_SHAPE,
                       "input \"%s\" differs from the input of this name in the other model", l->name);
    return true;
}

static int32_t find_inputs(const copy *c, const fgti_layer *l, int64_t *from)
{
    int32_t count = 0;
    for (int32_t k = 0; k < l->inputs; k++) {
        const int64_t i = l->input[k].from;
        from[count++]   = i == FGTI_MODEL_INPUT ? i : c->number[i];
    }
    for (int32_t k = 0; k < FGT_MASK_COUNT; k++)
        if (l->mask[k] >= 0) from[count++] = c->number[l->mask[k]];
    return count;
}

static void set_dropout(const copy *c, const fgti_layer *l)
{
    const char *const name = strcmp(l->cls->name, "dropout") != 0 ? "dropout" : "p";
    for (const fgti_opt *o = l->cls->opts; c->dropout >= 0 && o && o->name; o++)
        if (!strcmp(o->name, name) && o->kind == FGTI_OPT_F32)
            memcpy((char *)c->opts + o->offset, &c->dropout, sizeof c->dropout);
}

/* Copies the parameters that the layer owns, and whether they are frozen. */
static void append_copy_weights(const copy *c, const fgt_model *m, const fgti_layer *from)
{
    const fgti_layer *to = c->to->layer[c->number[from->id]];
    if (c->to->loading) return;
    for (int32_t k = 0; k < (from->shares ? 0 : from->params); k++) {
        const fgti_param *a = &from->param[k];
        fgti_param       *b = &to->param[k];
        memcpy(c->to->weights + b->offset, m->weights + a->offset, (size_t)a->count * sizeof *m->weights);
        b->frozen = a->frozen;
    }
}

static fgt_status append(const copy *c, const fgt_model *m, const fgti_layer *l)
{
    fgt_status      s = FGT_OK;
    char            name[FGTI_NAME_MAX];
    int64_t         from[FGTI_INPUTS_MAX + FGT_MASK_COUNT];
    const fgti_opt *graph = fgti_class_graph(l->cls);
    if (append_find_value(c, l, &s)) return s;
    const int n = snprintf(name, sizeof name, "%s%s", l->cls->is_value ? "" : c->prefix, l->name);
    if (n >= (int)sizeof name)
        return fgti_fail(&c->to->ctx->error, FGT_E_NAME, "the name \"%.100s\" is too long", name);
    memcpy(c->opts, l->opts, l->cls->opts_size);
    memcpy(c->opts, &l->cls->opts_size, sizeof l->cls->opts_size);
    if (graph) memcpy((char *)c->opts + graph->offset, &l->graph, sizeof l->graph);
    set_dropout(c, l);
    const fgt_layer   desc   = {.type = l->cls->name, .opts = c->opts, .name = name, .axis = l->axis};
    const fgti_layer *shares = l->shares ? c->to->layer[c->number[l->shares->id]] : NULL;
    c->number[l->id]         = c->to->layers;
    FGTI_TRY(fgti_model_add_edges(c->to, desc, find_inputs(c, l, from), from, shares));
    append_copy_weights(c, m, l);
    return FGT_OK;
}

static fgt_status copy_init(copy *c, const fgt_model *m)
{
    size_t most = 0;
    for (int64_t i = 0; i < m->layers; i++)
        if (m->layer[i]->cls->opts_size > most) most = m->layer[i]->cls->opts_size;
    ((fgt_model *)m)->asking++; /* so that plan() of its layers cannot use the model */
    FGTI_TRY(FGTI_NEW(c->to->ctx, m->layers, "numbers of layers", &c->number));
    return fgti_alloc(c->to->ctx, 1, most, "options", &c->opts);
}

static void copy_done(copy *c, const fgt_model *m)
{
    ((fgt_model *)m)->asking--;
    fgti_model_changed(c->to);
    fgti_free(c->to->ctx, c->opts);
    fgti_free(c->to->ctx, c->number);
}

fgt_status fgti_model_append(fgt_model *model, const fgt_model *more, const char *prefix)
{
    copy       c = {.to = model, .prefix = prefix, .dropout = -1};
    fgt_status s = copy_init(&c, more);
    for (int64_t i = 0; s == FGT_OK && i < more->layers; i++) s = append(&c, more, more->layer[i]);
    copy_done(&c, more);
    return s;
}

/* ---- a part of a model ---- */

/* Sets number[i] to 0 for layer `last` and for all layers that it depends on, and to -1 for the other
 * layers. */
static void mark_needed(const fgt_model *m, int64_t last, int64_t *number)
{
    for (int64_t i = 0; i < m->layers; i++) number[i] = i == last ? 0 : -1;
    for (int64_t i = last; i >= 0; i--) {
        const fgti_layer *l = m->layer[i];
        if (number[i] < 0) continue;
        for (int32_t k = 0; k < l->inputs; k++)
            if (l->input[k].from != FGTI_MODEL_INPUT) number[l->input[k].from] = 0;
        for (int32_t k = 0; k < FGT_MASK_COUNT; k++)
            if (l->mask[k] >= 0) number[l->mask[k]] = 0;
        if (l->shares) number[l->shares->id] = 0;
    }
}

fgt_status fgti_model_append_part(fgt_model *model, const fgt_model *more, const fgti_model_part *part)
{
    copy              c = {.to = model, .prefix = "", .dropout = part->dropout};
    const fgti_layer *last, *at = NULL;
    FGTI_TRY(fgti_model_need(more, &model->ctx->error, part->last, &last));
    if (part->at) FGTI_TRY(fgti_model_need(more, &model->ctx->error, part->at, &at));
    fgt_status s = copy_init(&c, more);
    if (s == FGT_OK) mark_needed(more, (int64_t)last->id, c.number);
    for (int64_t i = 0; s == FGT_OK && i <= (int64_t)last->id; i++) {
        const fgti_layer *l = more->layer[i];
        if (c.number[i] == 0) s = append(&c, more, l);
        if (s != FGT_OK || l != at) continue;
        s            = part->behind(model, part->user);
        c.number[i]  = model->last;
    }
    copy_done(&c, more);
    return s;
}
