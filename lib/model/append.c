/* SPDX-License-Identifier: BSD-3-Clause */
/* A model as a part of another one. */
#include <stdio.h>
#include <string.h>

#include "model/model_impl.h"

typedef struct copy {
    fgt_model  *to;
    const char *prefix;
    int64_t    *number; /* that each layer has in `to` */
    void       *opts;   /* room for those of any layer */
} copy;

/* An input of the host's that is there already, under the same name. */
static bool find_value(const copy *c, const fgti_layer *l, fgt_status *s)
{
    const fgti_layer *have = l->cls->is_value ? fgti_model_find(c->to, l->name) : NULL;
    if (!have) return false;
    c->number[l->id] = (int64_t)have->id;
    if (have->cls != l->cls || memcmp(&have->out, &l->out, sizeof l->out) || have->kind != l->kind)
        *s = fgti_fail(&c->to->ctx->error, FGT_E_SHAPE, "the values \"%s\" differ", l->name);
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

static fgt_status append(const copy *c, const fgti_layer *l)
{
    fgt_status      s = FGT_OK;
    char            name[FGTI_NAME_MAX];
    int64_t         from[FGTI_INPUTS_MAX + FGT_MASK_COUNT];
    const fgti_opt *graph = fgti_class_graph(l->cls);
    if (find_value(c, l, &s)) return s;
    const int n = snprintf(name, sizeof name, "%s%s", l->cls->is_value ? "" : c->prefix, l->name);
    if (n >= (int)sizeof name)
        return fgti_fail(&c->to->ctx->error, FGT_E_NAME, "the name \"%.100s\" is too long", name);
    memcpy(c->opts, l->opts, l->cls->opts_size);
    memcpy(c->opts, &l->cls->opts_size, sizeof l->cls->opts_size);
    if (graph) memcpy((char *)c->opts + graph->offset, &l->graph, sizeof l->graph);
    const fgt_layer   desc   = {.type = l->cls->name, .opts = c->opts, .name = name, .axis = l->axis};
    const fgti_layer *shares = l->shares ? c->to->layer[c->number[l->shares->id]] : NULL;
    c->number[l->id]         = c->to->layers;
    return fgti_model_add_edges(c->to, desc, find_inputs(c, l, from), from, shares);
}

static void copy_weights(const copy *c, const fgt_model *m)
{
    if (c->to->loading) return;
    for (int64_t i = 0; i < m->layers; i++) {
        const fgti_layer *from = m->layer[i], *to = c->to->layer[c->number[i]];
        for (int32_t k = 0; k < (from->shares ? 0 : from->params); k++) {
            const fgti_param *a = &from->param[k];
            fgti_param       *b = &to->param[k];
            memcpy(c->to->weights + b->offset, m->weights + a->offset, (size_t)a->count * sizeof *m->weights);
            b->frozen = a->frozen;
        }
    }
}

fgt_status fgti_model_append(fgt_model *model, const fgt_model *more, const char *prefix)
{
    copy       c    = {.to = model, .prefix = prefix};
    size_t     most = 0;
    fgt_status s    = FGTI_NEW(model->ctx, more->layers, "numbers of layers", &c.number);
    for (int64_t i = 0; i < more->layers; i++)
        if (more->layer[i]->cls->opts_size > most) most = more->layer[i]->cls->opts_size;
    if (s == FGT_OK) s = fgti_alloc(model->ctx, 1, most, "options", &c.opts);
    for (int64_t i = 0; s == FGT_OK && i < more->layers; i++) s = append(&c, more->layer[i]);
    if (s == FGT_OK) copy_weights(&c, more);
    fgti_model_changed(model);
    fgti_free(model->ctx, c.opts);
    fgti_free(model->ctx, c.number);
    return s;
}
