/* SPDX-License-Identifier: BSD-3-Clause */

/* Runs a pass: forward, backward and predict, layer by layer. */

#include "model/pass/pass.h"

#include <string.h>

#include "model/adapter/adapter_pass.h"
#include "model/adapter_types.h"
#include "model/gradients.h"
#include "model/guard.h"
#include "model/layer_kind.h"
#include "model/model_impl.h"
#include "model/pass/inputs.h"
#include "model/pass/pass_io.h"
#include "model/predictor/predictor_follow.h"
#include "model/views.h"
#include "model/workspace/plan.h"
#include "model/workspace/state.h"
#include "model/workspace/stream.h"
#include "nn/axis.h"

/* ---- the arguments of a layer ---- */

static fgti_run pass_run_of(fgt_workspace *ws, bool dropout, bool differentiable, int64_t batch)
{
    const fgt_model   *m = ws->model;
    const fgti_tuning *t = m->follows ? fgti_follower_tuning(m) : &m->tuning;
    return (fgti_run){.blas           = m->ctx->blas,
                      .vec            = m->ctx->vec,
                      .exec           = ws->exec,
                      .error          = ws->error,
                      .products       = m->ctx->products,
                      .bf16           = differentiable && m->ctx->precision == FGT_PRECISION_BF16,
                      .training       = dropout,
                      .differentiable = differentiable,
                      .seed           = m->opts.seed,
                      .step           = ws->step,
                      .batch          = batch,
                      .version        = m->version,
                      .low_rank       = t->map,
                      .low_ranks      = t->adapter ? t->adapter->maps : 0,
                      .keeping        = &ws->model->keep.lock,
                      .states         = ws->carry || ws->given,
                      .stream         = ws->stream.room ? &ws->stream : NULL};
}

/* ---- forward ---- */

static fgt_status run_layer(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const bool steps = run->stream && l->cls->step && l->axis == FGT_AXIS_TIME;
    return steps ? l->cls->step(run, l, io) : fgti_axis_forward(run, l, io);
}

static fgt_status run_layers(fgt_workspace *ws)
{
    const fgt_model *m = ws->model;
    for (int64_t i = 0; i < m->layers; i++) {
        if (m->layer[i]->cls->is_value) continue;
        const fgti_io    io  = fgti_pass_io(ws, i);
        const fgti_run   run = fgti_pass_run(ws, i);
        const fgt_status s   = run_layer(&run, m->layer[i], &io);
        if (s == FGT_OK) continue;
        fgti_error_prefix(ws->error, "layer %lld (%s)", (long long)i, m->layer[i]->cls->name);
        return s;
    }
    return FGT_OK;
}

static void forget_seeds(fgt_workspace *ws)
{
    for (int64_t i = 0; i < ws->model->layers; i++) ws->slot[i].seed.data = NULL;
}

fgt_status fgti_pass_forward(fgt_workspace *ws, bool dropout, bool differentiable, const fgt_view *x,
                             const fgt_view *y)
{
    const int64_t last  = ws->model->last;
    int64_t       batch = 0;
    FGTI_TRY(fgti_workspace_check_busy(ws));
    ws->passed = ws->differentiable = ws->returned = false; /* because the old shapes are lost in any case */
    ws->masks_changed = 0;
    FGTI_TRY(fgti_inputs_check(ws, x, &batch));
    const fgti_shape out = ws->slot[last].out;
    FGTI_TRY(fgti_view_expect(ws->error, "y", y, batch, out));
    if (dropout) FGTI_TRY(fgti_gradients_need(ws->model));
    FGTI_TRY(fgti_stream_start(ws));
    FGTI_TRY(fgti_state_start(ws, batch));
    /* A lean pass does not set `final`, because other passes may use the model at the same time. */
    if (ws->plan.purpose != FGTI_LEAN) ws->model->final = true;
    if (ws->model->follows)
        fgti_follower_update(ws);
    else
        fgti_adapter_refresh(ws->model, ws, dropout);
    ws->last = pass_run_of(ws, dropout, differentiable, batch);
    forget_seeds(ws);
    fgti_pass_lift_red_zones(ws);
    fgti_inputs_copy(ws, x);
    ws->busy           = true;
    const fgt_status s = run_layers(ws);
    ws->busy           = false;
    fgti_state_end(ws, batch, s == FGT_OK);
    if (s != FGT_OK) return s;
    memcpy(y->data, ws->memory + ws->tensor[last + 1].at,
           (size_t)fgti_elements(batch, out) * sizeof(fgti_real));
    ws->passed         = true;
    ws->differentiable = differentiable;
    return FGT_OK;
}

fgt_status fgt_workspace_predict(fgt_workspace *ws, const fgt_view *x, const fgt_view *y)
{
    if (!ws) return FGT_E_ARG;
    return ws == &ws->model->lent ? fgt_predict(ws->model, x, y) : fgti_pass_forward(ws, false, false, x, y);
}

/* ---- backward ---- */

/* Whether any of the layer's parameters needs a gradient. */
static bool learns(const fgt_workspace *ws, const fgti_layer *l)
{
    for (int32_t i = 0; i < l->params; i++)
        if (ws->model->tuning.adapter ? l->param[i].effective != NULL : ws->aside || !l->param[i].frozen)
            return true;
    return false;
}

static bool ends_at(const fgt_workspace *ws, int64_t layer)
{
    return ws->until_gradient && ws->until == layer;
}

/* The host's buffer for the gradient of an fgt_value() layer; NULL: the host does not want it. */
static const fgt_view *value_gradient(const fgt_workspace *ws, const fgti_layer *l)
{
    const fgt_view *v = &ws->slot[l->id].value_gradient;
    return l->cls->is_value && v->data && !ws->aside ? v : NULL;
}

static bool pass_is_wanted(const fgt_workspace *ws, const fgti_layer *l)
{
    if (learns(ws, l) || (l->states && ws->last.states)) return true;
    if (l->cls->is_value) return value_gradient(ws, l) != NULL;
    bool wanted = l->peer && ws->tensor[l->peer->id + 1].wanted;
    for (int32_t k = 0; k < l->inputs; k++) wanted |= ws->tensor[l->input[k].from + 1].wanted;
    return wanted;
}

/* Marks the tensors whose gradients are needed. From such a tensor a path leads back to parameters, or to an
 * input whose gradient is wanted. */
static void find_wanted(fgt_workspace *ws, bool dx)
{
    ws->tensor[0].wanted  = dx;
    ws->tensor[0].arrived = false;
    for (int64_t i = 0; i < ws->model->layers; i++) {
        ws->tensor[i + 1].wanted  = ends_at(ws, i) || pass_is_wanted(ws, ws->model->layer[i]);
        ws->tensor[i + 1].arrived = false;
    }
}

/* Adds the host's gradient of a layer's output to the gradients from the layers that read the output. */
static void seed(fgt_workspace *ws, int64_t layer, const fgt_view *gradient)
{
    fgti_tensor  *t  = &ws->tensor[layer + 1];
    const int64_t n  = fgti_elements(ws->last.batch, ws->slot[layer].out);
    fgti_real    *to = ws->memory + t->gradient;
    if (t->arrived)
        fgti_add(&ws->last, n, gradient->data, to);
    else
        memcpy(to, gradient->data, (size_t)n * sizeof *to);
    t->arrived = true;
}

/* If a later layer reverses the effect of a layer, the layer gets a gradient from that later layer, too. So
 * it runs even if no gradient has reached its output. */
static void arrive_beside(fgt_workspace *ws, int64_t layer)
{
    fgti_tensor *t = &ws->tensor[layer + 1];
    if (!ws->slot[layer].undone || t->arrived) return;
    memset(ws->memory + t->gradient, 0,
           (size_t)fgti_elements(ws->last.batch, ws->slot[layer].out) * sizeof(fgti_real));
    t->arrived = true;
}

/* Sets where the layer writes the gradients of its inputs. The first layer that writes the gradient of a
 * tensor uses the tensor's own buffer. Later ones use a spare buffer, which is then added. */
static void place_gradients(fgt_workspace *ws, const fgti_layer *l, const int64_t *spare)
{
    for (int32_t k = 0; k < l->inputs; k++) {
        const fgti_tensor *t    = &ws->tensor[l->input[k].from + 1];
        bool               mine = !t->arrived;
        for (int32_t j = 0; j < k; j++) mine &= l->input[j].from != l->input[k].from;
        if (!t->wanted || fgti_input_is_ids(l->cls, k) || !fgti_layer_reads(l, k)) continue;
        ws->input[k].dx = ws->memory + (mine ? t->gradient : spare[k]);
    }
}

static void add_gradients(fgt_workspace *ws, const fgti_layer *l)
{
    for (int32_t k = 0; k < l->inputs; k++) {
        const fgti_operand *in = &ws->input[k];
        fgti_tensor      *t  = &ws->tensor[l->input[k].from + 1];
        fgti_real        *to = ws->memory + t->gradient;
        if (!in->dx) continue;
        if (in->dx != to) fgti_add(&ws->last, fgti_elements(ws->last.batch, in->shape), in->dx, to);
        t->arrived = true;
    }
}

static fgt_status layer_backward(fgt_workspace *ws, int64_t i, const int64_t *spare)
{
    const fgti_layer *l   = ws->model->layer[i];
    fgti_io           io  = fgti_pass_io(ws, i);
    fgti_run          run = fgti_pass_run(ws, i);
    io.dy                 = ws->memory + ws->tensor[i + 1].gradient;
    io.spares             = !ws->aside;
    place_gradients(ws, l, spare);
    io.dx = io.input->dx;
    fgti_adapter_begin(ws->model, l);
    const fgt_status s = fgti_axis_backward(&run, l, &io);
    if (s != FGT_OK) {
        fgti_error_prefix(ws->error, "layer %lld (%s)", (long long)i, l->cls->name);
        return s;
    }
    fgti_adapter_collect(ws->model, l, &run);
    add_gradients(ws, l);
    return FGT_OK;
}

/* Copies the gradient of an input to the host. It is zero if nothing depends on the input. */
static void pass_copy_out(const fgt_workspace *ws, int64_t tensor, fgti_shape s, const fgt_view *to)
{
    const size_t bytes = (size_t)fgti_elements(ws->last.batch, s) * sizeof(fgti_real);
    if (ws->tensor[tensor].arrived)
        memcpy(to->data, ws->memory + ws->tensor[tensor].gradient, bytes);
    else
        memset(to->data, 0, bytes);
}

/* Sets the state gradients of a skipped layer to zero, because the layer has no influence on the loss. */
static void clear_state_gradients(const fgt_workspace *ws, const fgti_layer *l)
{
    for (int32_t k = 0; k < l->states; k++)
        memset(ws->memory + ws->slot[l->id].dstate[k], 0,
               (size_t)(l->state[k].outer * ws->last.batch * l->state[k].inner) * sizeof(fgti_real));
}

/* Tells the watcher from which element of the slabs on the gradients are complete. Parameters are in the
 * order of their layers. Layers that share parameters come after the layer that owns them. */
static void tell_ready(const fgt_model *m, const fgti_layer *l)
{
    if (!m->watch.ready || !l->params || l->shares) return;
    m->watch.ready(m->watch.user, m->tuning.adapter ? fgti_adapter_from(m, l) : l->param[0].offset);
}

static fgt_status pass_backward(fgt_workspace *ws, const fgt_view *dy, const fgt_view *dx)
{
    const fgt_model *m     = ws->model;
    const int64_t   *spare = ws->spare + fgti_model_edges(m);
    find_wanted(ws, dx != NULL);
    for (int64_t i = m->layers - 1; i >= 0; i--) {
        const fgti_layer *l = m->layer[i];
        spare -= l->inputs;
        if (i == m->last && dy) seed(ws, i, dy);
        if (ws->slot[i].seed.data) seed(ws, i, &ws->slot[i].seed);
        if (value_gradient(ws, l)) pass_copy_out(ws, i + 1, ws->slot[i].out, value_gradient(ws, l));
        if (ends_at(ws, i)) {
            pass_copy_out(ws, i + 1, ws->slot[i].out, ws->until_gradient);
            return FGT_OK;
        }
        arrive_beside(ws, i);
        if (l->cls->is_value) continue;
        if (ws->tensor[i + 1].arrived && ws->tensor[i + 1].wanted)
            FGTI_TRY(layer_backward(ws, i, spare));
        else
            clear_state_gradients(ws, l);
        tell_ready(m, l);
    }
    if (dx) pass_copy_out(ws, 0, ws->in, dx);
    return FGT_OK;
}

static bool has_seed(const fgt_workspace *ws)
{
    for (int64_t i = 0; i < ws->model->layers; i++)
        if (ws->slot[i].seed.data) return true;
    return false;
}

fgt_status fgti_pass_backward(fgt_model *model, const fgt_view *dy, const fgt_view *dx)
{
    fgt_workspace *ws = model->own;
    if (ws) FGTI_TRY(fgti_workspace_check_busy(ws));
    /* a pass without dropout belongs to an analysis, which may have ended before its backward pass */
    if (!ws || !ws->differentiable || ws->last.training == ws->aside)
        return fgti_fail(&model->ctx->error, FGT_E_STATE,
                         "fgt_backward() needs a new fgt_forward() before it");
    if (dy || !has_seed(ws))
        FGTI_TRY(fgti_view_expect(ws->error, "dy", dy, ws->last.batch, ws->slot[model->last].out));
    if (dx && !model->opts.features)
        return fgti_fail(ws->error, FGT_E_UNSUPPORTED,
                         "fgt_backward: dx is wrong (need NULL, because ids have no gradient)");
    if (dx) FGTI_TRY(fgti_view_expect(ws->error, "dx", dx, ws->last.batch, ws->in));
    FGTI_TRY(fgti_adapter_check_draw(ws));
    ws->differentiable = false; /* also after a failure, because layers have overwritten their caches */
    ws->busy           = true;
    const fgt_status s = pass_backward(ws, dy, dx);
    ws->busy           = false;
    forget_seeds(ws);
    ws->returned = s == FGT_OK && !ws->until_gradient;
    return s;
}
