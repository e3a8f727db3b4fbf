/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "model/model_impl.h"

/* ---- views and shapes ---- */

/* What a view of [B,N,T,D] is called when an axis N or T of length 1 is left out. */
static fgt_status expect(fgti_error *err, const char *what, const fgt_view *v, int64_t batch, fgti_shape s)
{
    const int64_t axes[]  = {s.nodes, s.time, s.width};
    int64_t       want[4] = {batch}, have[FGT_MAX_RANK];
    int32_t       n = 1, m = 0;
    for (int i = 0; i < 3; i++)
        if (axes[i] != 1 || i == 2) want[n++] = axes[i];
    fgt_view squeezed;
    if (v && v->rank > 0 && v->rank <= FGT_MAX_RANK) {
        squeezed = *v;
        for (int32_t i = 0; i < v->rank; i++)
            if (i == 0 || i == v->rank - 1 || v->shape[i] != 1) have[m++] = v->shape[i];
        memcpy(squeezed.shape, have, (size_t)m * sizeof *have);
        squeezed.rank = m;
        /* with D == 1 and another axis longer, the caller may leave D out */
        if (s.width == 1 && m == n - 1) squeezed.shape[squeezed.rank++] = 1;
        if (fgti_view_check(NULL, what, &squeezed, FGTI_REAL, n, want) == FGT_OK) return FGT_OK;
    }
    return fgti_view_check(err, what, v, FGTI_REAL, n, want);
}

/* Batch and tokens of the input, each within what is planned. */
static fgt_status read_input(fgt_workspace *ws, const fgt_view *x, int64_t *batch, fgti_shape *s)
{
    const fgt_model *m    = ws->model;
    const bool       ids  = !m->opts.features;
    const int32_t    rank = ids ? 2 : m->opts.nodes > 1 ? 4 : 3;
    if (!x) return fgti_fail(ws->error, FGT_E_ARG, "x is NULL");
    *s = (fgti_shape){m->opts.nodes, 1, m->opts.features};
    if (x->rank == rank)
        s->time = x->shape[ids ? 1 : rank - 2];
    else if (m->opts.time > 1 || ids)
        return fgti_fail(ws->error, FGT_E_SHAPE, "x has rank %d, expected %d", x->rank, rank);
    *batch = x->rank > 0 && x->rank <= FGT_MAX_RANK ? x->shape[0] : 0;
    if (*batch < 1 || *batch > ws->plan.batch || s->time < 1 || s->time > m->opts.time)
        return fgti_fail(
            ws->error, FGT_E_SHAPE, "x has %lld samples of %lld tokens, planned are up to %lld of %lld",
            (long long)*batch, (long long)s->time, (long long)ws->plan.batch, (long long)m->opts.time);
    if (!ids) return expect(ws->error, "x", x, *batch, *s);
    if (x->dtype != FGT_I32 && x->dtype != FGT_I64)
        return fgti_fail(ws->error, FGT_E_SHAPE, "x holds %s, expected I64 or I32 ids",
                         fgti_dtype_name(x->dtype));
    return x->data ? FGT_OK : fgti_fail(ws->error, FGT_E_ARG, "x has no data");
}

/* Ids beyond 32 bits become -1, which the layer reports. */
static void copy_ids(fgt_workspace *ws, const fgt_view *x)
{
    const int64_t n = x->shape[0] * x->shape[1];
    for (int64_t i = 0; i < n; i++) {
        const int64_t id =
            x->dtype == FGT_I64 ? ((const int64_t *)x->data)[i] : ((const int32_t *)x->data)[i];
        ws->ids[i] = id < 0 || id > INT32_MAX ? -1 : (int32_t)id;
    }
}

/* The padding mask that the ids imply, unless the host has set one. */
static void mask_ids(fgt_workspace *ws, const fgt_view *x)
{
    const int64_t id = ws->model->layer[0]->mask_id, n = x->shape[0] * x->shape[1];
    for (int64_t i = 0; i < n; i++) ws->padding[i] = ws->ids[i] == id;
    ws->padding_view = (fgt_view){ws->padding, {x->shape[0], x->shape[1]}, 2, FGT_I32};
    if (!ws->has_input[FGT_INPUT_KEY_PADDING]) ws->last.input[FGT_INPUT_KEY_PADDING] = &ws->padding_view;
}

/* The shapes of this pass, layer by layer. */
static fgt_status infer(fgt_workspace *ws, fgti_shape in)
{
    const fgt_model *m = ws->model;
    for (int64_t i = 0; i < m->layers; i++) {
        const fgti_layer *l   = m->layer[i];
        fgti_shape        out = in;
        fgt_status        s   = FGT_OK;
        if (l->cls->shape) s = l->cls->shape(ws->error, l, in, &out);
        if (s == FGT_OK && (in.width != l->in.width || in.nodes != l->in.nodes || in.time > l->in.time))
            s = fgti_fail(ws->error, FGT_E_SHAPE,
                          "the input is [%lld,%lld,%lld], the parameters are for [%lld,%lld,%lld]",
                          (long long)in.nodes, (long long)in.time, (long long)in.width,
                          (long long)l->in.nodes, (long long)l->in.time, (long long)l->in.width);
        if (s != FGT_OK) {
            fgti_error_prefix(ws->error, "layer %lld (%s)", (long long)i, l->cls->name);
            return s;
        }
        ws->slot[i].in  = in;
        ws->slot[i].out = out;
        in              = out;
    }
    return FGT_OK;
}

/* ---- passes ---- */

fgti_io fgti_pass_io(const fgt_workspace *ws, int64_t layer)
{
    const fgt_model  *m  = ws->model;
    const fgti_slot  *s  = &ws->slot[layer];
    const fgti_layer *l  = m->layer[layer];
    fgti_io           io = {.in           = s->in,
                            .out          = s->out,
                            .x            = ws->memory + s->x,
                            .y            = ws->memory + s->y,
                            .ids          = ws->ids,
                            .weights      = m->weights,
                            .gradients    = m->gradients,
                            .touched      = &ws->model->touched,
                            .cache        = ws->memory + s->cache,
                            .peer_cache   = l->peer ? ws->memory + ws->slot[l->peer->id].cache : NULL,
                            .keep         = ws->memory + s->keep,
                            .scratch      = ws->memory + ws->plan.scratch,
                            .arena        = ws->memory + ws->plan.arena,
                            .arena_stride = ws->plan.arena_stride};
    for (int32_t k = 0; k < l->states; k++) {
        io.state[k]     = ws->memory + s->state[k];
        io.state_end[k] = ws->memory + s->state_end[k];
        io.dstate[k]    = ws->memory + s->dstate[k];
    }
    return io;
}

static fgti_run run_of(fgt_workspace *ws, bool training, int64_t batch)
{
    const fgt_model *m   = ws->model;
    fgti_run         run = {.blas     = m->ctx->blas,
                            .vec      = m->ctx->vec,
                            .exec     = ws->exec,
                            .error    = ws->error,
                            .training = training,
                            .products = m->ctx->products,
                            .seed     = m->opts.seed,
                            .step     = ws->step,
                            .batch    = batch,
                            .version  = m->version,
                            .states   = ws->carry || ws->given};
    for (int i = 0; i < FGT_INPUT_COUNT; i++) {
        run.input[i]          = ws->has_input[i] ? &ws->input[i] : NULL;
        run.input_gradient[i] = ws->has_gradient[i] ? &ws->input_gradient[i] : NULL;
    }
    return run;
}

static fgt_status run_layers(fgt_workspace *ws)
{
    const fgt_model *m = ws->model;
    for (int64_t i = 0; i < m->layers; i++) {
        const fgti_io    io = fgti_pass_io(ws, i);
        const fgt_status s  = m->layer[i]->cls->forward(&ws->last, m->layer[i], &io);
        if (s == FGT_OK) continue;
        fgti_error_prefix(ws->error, "layer %lld (%s)", (long long)i, m->layer[i]->cls->name);
        return s;
    }
    return FGT_OK;
}

fgt_status fgti_pass_forward(fgt_workspace *ws, bool training, const fgt_view *x, const fgt_view *y)
{
    const fgt_model *m     = ws->model;
    const fgti_slot *end   = &ws->slot[m->layers - 1];
    int64_t          batch = 0;
    fgti_shape       in;
    FGTI_TRY(read_input(ws, x, &batch, &in));
    FGTI_TRY(infer(ws, in));
    FGTI_TRY(expect(ws->error, "y", y, batch, end->out));
    FGTI_TRY(fgti_state_start(ws, batch));
    ws->passed = ws->differentiable = false;
    ws->last                        = run_of(ws, training, batch);
    if (m->opts.features)
        memcpy(ws->memory + ws->slot[0].x, x->data, (size_t)fgti_elements(batch, in) * sizeof(fgti_real));
    else
        copy_ids(ws, x);
    if (ws->padding) mask_ids(ws, x);
    const fgt_status s = run_layers(ws);
    fgti_state_end(ws, batch, s == FGT_OK);
    if (s != FGT_OK) return s;
    memcpy(y->data, ws->memory + end->y, (size_t)fgti_elements(batch, end->out) * sizeof(fgti_real));
    ws->passed         = true;
    ws->differentiable = training;
    return FGT_OK;
}

fgt_status fgt_forward(fgt_model *model, const fgt_view *x, const fgt_view *y)
{
    if (!model) return FGT_E_ARG;
    FGTI_TRY(fgti_workspace_own(model, FGTI_TRAIN));
    FGTI_TRY(fgti_gradients_need(model));
    FGTI_TRY(fgti_pass_forward(model->own, true, x, y));
    model->own->step++;
    return FGT_OK;
}

fgt_status fgt_predict(fgt_model *model, const fgt_view *x, const fgt_view *y)
{
    if (!model) return FGT_E_ARG;
    FGTI_TRY(fgti_workspace_own(model, FGTI_KEEP));
    return fgti_pass_forward(model->own, false, x, y);
}

fgt_status fgt_workspace_predict(fgt_workspace *ws, const fgt_view *x, const fgt_view *y)
{
    return ws ? fgti_pass_forward(ws, false, x, y) : FGT_E_ARG;
}

fgt_status fgt_backward(fgt_model *model, const fgt_view *dy, const fgt_view *dx)
{
    if (!model) return FGT_E_ARG;
    fgt_workspace *ws = model->own;
    if (!ws || !ws->differentiable)
        return fgti_fail(&model->ctx->error, FGT_E_STATE,
                         "fgt_backward() follows an fgt_forward() and uses it up");
    const int64_t    last = model->layers - 1, batch = ws->last.batch;
    const fgti_slot *end = &ws->slot[last], *start = &ws->slot[0];
    FGTI_TRY(expect(ws->error, "dy", dy, batch, end->out));
    if (dx && !model->opts.features) return fgti_fail(ws->error, FGT_E_UNSUPPORTED, "ids have no gradient");
    if (dx) FGTI_TRY(expect(ws->error, "dx", dx, batch, start->in));
    fgti_real *g[2] = {ws->memory + ws->plan.gradient[0], ws->memory + ws->plan.gradient[1]};
    memcpy(g[last & 1], dy->data, (size_t)fgti_elements(batch, end->out) * sizeof *g[0]);
    for (int64_t i = last; i >= 0; i--) {
        fgti_io io = fgti_pass_io(ws, i);
        io.dy      = g[i & 1];
        io.dx      = i || dx ? g[!(i & 1)] : NULL;
        FGTI_TRY(model->layer[i]->cls->backward(&ws->last, model->layer[i], &io));
    }
    if (dx) memcpy(dx->data, g[1], (size_t)fgti_elements(batch, start->in) * sizeof *g[0]);
    ws->differentiable = false;
    return FGT_OK;
}

/* For n elements of attention matrices. */
static fgt_status make_room(fgt_workspace *ws, int64_t n)
{
    fgt_context *ctx = ws->model->ctx;
    if (n <= ws->matrices_room) return FGT_OK;
    fgti_free(ctx, ws->matrices);
    ws->matrices      = NULL;
    ws->matrices_room = 0;
    FGTI_TRY(FGTI_NEW(ctx, n, "attention matrices", &ws->matrices));
    ws->matrices_room = n;
    return FGT_OK;
}

fgt_status fgt_model_get_adjacency(fgt_model *model, const char *layer, fgt_view *a)
{
    if (!model) return FGT_E_ARG;
    fgti_error *err = &model->ctx->error;
    if (!layer || !a) return fgti_fail(err, FGT_E_ARG, "layer or view is NULL");
    int64_t i = 0;
    while (i < model->layers && strcmp(model->layer[i]->name, layer)) i++;
    if (i == model->layers) return fgti_fail(err, FGT_E_NAME, "no layer \"%s\"", layer);
    const fgti_layer *l = model->layer[i];
    if (!l->cls->adjacency)
        return fgti_fail(err, FGT_E_UNSUPPORTED, "layer \"%s\" (%s) has no attention", layer, l->cls->name);
    if (!model->own || !model->own->passed) return fgti_fail(err, FGT_E_STATE, "there was no pass yet");
    fgt_workspace *ws = model->own;
    const fgti_io  io = fgti_pass_io(ws, i);
    fgt_view       v  = {.rank = 4, .dtype = FGTI_REAL};
    FGTI_TRY(l->cls->adjacency(&ws->last, l, &io, v.shape, NULL));
    FGTI_TRY(make_room(ws, fgt_view_count(&v)));
    v.data = ws->matrices;
    FGTI_TRY(l->cls->adjacency(&ws->last, l, &io, v.shape, v.data));
    *a = v;
    return FGT_OK;
}
