/* SPDX-License-Identifier: BSD-3-Clause */
/* The inputs that the host gives to a pass: x, further values, and masks. They determine the shapes of all
 * layers. */
#include "model/pass/inputs.h"

#include <string.h>

#include "model/layer_kind.h"
#include "model/model_impl.h"
#include "model/pass/pass_io.h"
#include "model/views.h"
#include "nn/axis.h"

/* ---- checking ---- */

/* A tensor from the host. It may have fewer samples and fewer tokens than fit into the workspace. */
typedef struct given {
    const char *what;
    bool        ids;
    fgti_shape  most;
    int64_t     batch;
} given;

/* Reads the batch and the shape of v. Checks that they do not exceed the limits. */
static fgt_status inputs_read_shape(fgti_error *err, const given *g, const fgt_view *v, int64_t *batch,
                                    fgti_shape *s)
{
    const int32_t rank = g->ids ? 2 : g->most.nodes > 1 ? 4 : 3;
    if (!v) return fgti_fail(err, FGT_E_ARG, "%s is NULL", g->what);
    *s = (fgti_shape){g->most.nodes, 1, g->most.width};
    if (v->rank == rank)
        s->time = v->shape[g->ids ? 1 : rank - 2];
    else if (g->most.time > 1 || g->ids)
        return fgti_fail(err, FGT_E_SHAPE, "%s has the wrong rank (got %d, need %d)", g->what, v->rank, rank);
    *batch = v->rank > 0 && v->rank <= FGT_MAX_RANK ? v->shape[0] : 0;
    if (*batch < 1 || *batch > g->batch || s->time < 1 || s->time > g->most.time)
        return fgti_fail(err, FGT_E_SHAPE,
                         "%s has the wrong size (got %lld samples of %lld tokens, need at most %lld of %lld)",
                         g->what, (long long)*batch, (long long)s->time, (long long)g->batch,
                         (long long)g->most.time);
    if (!g->ids) return fgti_view_expect(err, g->what, v, *batch, *s);
    if (v->dtype != FGT_DTYPE_I32 && v->dtype != FGT_DTYPE_I64)
        return fgti_fail(err, FGT_E_SHAPE, "%s has the wrong type (got %s, need I64 or I32 ids)", g->what,
                         fgti_dtype_name(v->dtype));
    return v->data ? FGT_OK : fgti_fail(err, FGT_E_ARG, "%s has no data", g->what);
}

static fgt_status check_value(fgt_workspace *ws, const fgti_layer *l, int64_t batch, fgti_shape *out)
{
    fgti_slot  *slot = &ws->slot[l->id];
    const given g    = {l->name, l->kind == FGT_VALUE_IDS, l->out, ws->plan.batch};
    int64_t     own;
    if (fgti_mask_of(l->kind) >= 0) return FGT_OK; /* masks are checked by the layers that use them */
    if (!slot->value.data)
        return fgti_fail(ws->error, FGT_E_STATE, "\"%s\" was not set; call fgt_workspace_set_value() first",
                         l->name);
    FGTI_TRY(inputs_read_shape(ws->error, &g, &slot->value, &own, out));
    if (own == batch) return FGT_OK;
    return fgti_fail(ws->error, FGT_E_SHAPE, "\"%s\" has the wrong batch (got %lld samples, need %lld as x)",
                     l->name, (long long)own, (long long)batch);
}

static fgti_shape inputs_shape_of(const fgt_workspace *ws, int64_t from)
{
    return from == FGTI_MODEL_INPUT ? ws->in : ws->slot[from].out;
}

/* Checks that the inputs of a layer fit each other and the layer's parameters. */
static fgt_status check_inputs(fgt_workspace *ws, const fgti_layer *l)
{
    const fgti_shape first = inputs_shape_of(ws, l->input[0].from);
    for (int32_t k = 0; k < l->inputs; k++) {
        const fgti_shape in = inputs_shape_of(ws, l->input[k].from), most = fgti_along(l, l->input[k].shape);
        if (!fgti_layer_reads(l, k)) continue;
        if (in.width != most.width || in.nodes != most.nodes || in.time > most.time)
            return fgti_fail(ws->error, FGT_E_SHAPE,
                             "the input has the wrong shape (got [%lld,%lld,%lld], need [%lld,%lld,%lld] for "
                             "the parameters)",
                             (long long)in.nodes, (long long)in.time, (long long)in.width,
                             (long long)most.nodes, (long long)most.time, (long long)most.width);
        if (l->axis == FGT_AXIS_NODES && in.time != first.time)
            return fgti_fail(ws->error, FGT_E_SHAPE,
                             "input %d has the wrong number of tokens (got %lld, need %lld as the first one)",
                             k, (long long)in.time, (long long)first.time);
        /* an input is repeated only if it was planned so; otherwise a wrong length would go unnoticed */
        const bool repeated = most.time != l->input[0].shape.time && first.time % in.time == 0;
        if (l->cls->joins && in.time != first.time && !repeated)
            return fgti_fail(ws->error, FGT_E_SHAPE,
                             "input %d has the wrong number of tokens (got %lld, need %lld as the first one)",
                             k, (long long)in.time, (long long)first.time);
    }
    return FGT_OK;
}

static fgt_status infer(fgt_workspace *ws, const fgti_layer *l, int64_t batch)
{
    fgti_slot *slot = &ws->slot[l->id];
    if (l->cls->is_value) return check_value(ws, l, batch, &slot->out);
    const fgti_shape in = inputs_shape_of(ws, l->input[0].from);
    slot->out           = in;
    if (l->cls->shape) {
        FGTI_TRY(l->cls->shape(ws->error, l, fgti_along(l, in), &slot->out));
        slot->out = fgti_along(l, slot->out);
    }
    return check_inputs(ws, l);
}

fgt_status fgti_inputs_check(fgt_workspace *ws, const fgt_view *x, int64_t *batch)
{
    const fgt_model *m = ws->model;
    const given g = {"x", !m->opts.features, {m->opts.nodes, m->opts.time, m->opts.features}, ws->plan.batch};
    FGTI_TRY(inputs_read_shape(ws->error, &g, x, batch, &ws->in));
    for (int64_t i = 0; i < m->layers; i++) {
        const fgt_status s = infer(ws, m->layer[i], *batch);
        if (s == FGT_OK) continue;
        fgti_error_prefix(ws->error, "layer %lld (%s)", (long long)i, m->layer[i]->cls->name);
        return s;
    }
    return FGT_OK;
}

/* ---- copying ---- */

/* Converts ids to 32 bits. An id that does not fit becomes -1, which the layer reports. */
static void copy_ids(const fgt_view *x, int32_t *ids)
{
    const int64_t n = x->shape[0] * x->shape[1];
    for (int64_t i = 0; i < n; i++) {
        const int64_t id =
            x->dtype == FGT_DTYPE_I64 ? ((const int64_t *)x->data)[i] : ((const int32_t *)x->data)[i];
        ids[i] = id < 0 || id > INT32_MAX ? -1 : (int32_t)id;
    }
}

static void inputs_copy(fgt_workspace *ws, int64_t tensor, bool ids, fgti_shape s, const fgt_view *v)
{
    fgti_real *to = ws->memory + ws->tensor[tensor].at;
    if (ids)
        copy_ids(v, (int32_t *)to);
    else
        memcpy(to, v->data, (size_t)fgti_elements(v->shape[0], s) * sizeof *to);
}

/* Makes the padding mask from the ids in x. */
static void mask_ids(fgt_workspace *ws, const fgti_layer *l, const fgt_view *x)
{
    const int32_t *ids = (const int32_t *)(ws->memory + ws->tensor[0].at);
    for (int64_t i = 0; i < x->shape[0] * x->shape[1]; i++) ws->padding[i] = ids[i] == l->mask_id;
    ws->padding_view = (fgt_view){ws->padding, {x->shape[0], x->shape[1]}, 2, FGT_DTYPE_I32};
}

/* Makes the padding mask for the output of a layer with a stride. The layer's input should have one token for
 * each id. If it has more tokens, the last id counts for the rest. */
static void thin_padding(fgt_workspace *ws, const fgti_layer *l)
{
    const fgt_view *from   = fgti_pass_padding(ws, l);
    fgt_view       *to     = &ws->slot[l->id].padding;
    const int64_t   stride = l->cls->stride(l), t = from->shape[1], thin = ws->slot[l->id].out.time;
    if (!ws->padding || !from->data) return;
    to->shape[0] = from->shape[0];
    to->shape[1] = thin;
    for (int64_t b = 0; b < to->shape[0]; b++)
        for (int64_t s = 0; s < thin; s++)
            ((int32_t *)to->data)[b * thin + s] =
                ((const int32_t *)from->data)[b * t + fgti_least(s * stride, t - 1)];
}

void fgti_inputs_copy(fgt_workspace *ws, const fgt_view *x)
{
    const fgt_model *m = ws->model;
    inputs_copy(ws, 0, !m->opts.features, ws->in, x);
    for (int64_t i = 0; i < m->layers; i++)
        if (m->layer[i]->masks) mask_ids(ws, m->layer[i], x);
    /* in the order of the layers: a layer with a stride may come before the embedding, and its readers after
     * it */
    for (int64_t i = 0; i < m->layers; i++) {
        const fgti_layer *l = m->layer[i];
        if (l->thinned == l) thin_padding(ws, l);
        if (l->cls->is_value && fgti_mask_of(l->kind) < 0)
            inputs_copy(ws, i + 1, l->kind == FGT_VALUE_IDS, ws->slot[i].out, &ws->slot[i].value);
    }
}
