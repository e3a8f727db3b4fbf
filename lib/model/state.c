/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "model/model_impl.h"

static size_t bytes_of(const fgti_state *s, int64_t batch)
{
    return (size_t)(s->outer * batch * s->inner) * sizeof(fgti_real);
}

/* Copies between the start and the end of states: start = end, end = start, both zero, or only the end
 * zero. */
typedef enum move { KEEP_END, RESTORE_END, ZERO, ZERO_END } move;

static void move_states(fgt_workspace *ws, int64_t batch, move what)
{
    for (int64_t i = 0; i < ws->model->layers; i++)
        for (int32_t k = 0; k < ws->model->layer[i]->states; k++) {
            const size_t n     = bytes_of(&ws->model->layer[i]->state[k], batch);
            fgti_real   *start = ws->memory + ws->slot[i].state[k],
                      *end     = ws->memory + ws->slot[i].state_end[k];
            if (what == KEEP_END) memcpy(start, end, n);
            if (what == RESTORE_END) memcpy(end, start, n);
            if (what == ZERO) memset(start, 0, n);
            if (what == ZERO || what == ZERO_END) memset(end, 0, n);
        }
}

/* Whether a pass starts from the stored end states; otherwise it starts from zero. */
static bool starts_there(const fgt_workspace *ws)
{
    return (ws->carry || ws->given) && ws->state_batch;
}

fgt_status fgti_state_start(fgt_workspace *ws, int64_t batch)
{
    if (starts_there(ws) && ws->state_batch != batch)
        return fgti_fail(ws->error, FGT_E_STATE,
                         "the states have %lld samples, x has %lld; reset them first",
                         (long long)ws->state_batch, (long long)batch);
    move_states(ws, batch, starts_there(ws) ? KEEP_END : ZERO);
    return FGT_OK;
}

void fgti_state_end(fgt_workspace *ws, int64_t batch, bool ok)
{
    if (ok) {
        ws->state_batch = ws->ended = batch;
        ws->given = ws->resumes     = false;
        if (ws->stream.room) ws->stream.tokens += ws->in.time;
        return;
    }
    move_states(ws, batch, RESTORE_END);
    if (!starts_there(ws)) ws->state_batch = ws->ended = 0; /* zeros, but only for this batch */
}

void fgti_state_move(const fgt_workspace *from, fgt_workspace *to)
{
    const int64_t samples = from->state_batch ? from->state_batch : from->ended;
    to->carry             = from->carry;
    to->given             = from->given;
    to->state_batch       = from->state_batch;
    to->ended             = from->ended;
    to->last.batch        = from->last.batch; /* the shape of lost states can still be asked for */
    for (int64_t i = 0; i < to->model->layers; i++)
        for (int32_t k = 0; k < to->model->layer[i]->states; k++)
            memcpy(to->memory + to->slot[i].state_end[k], from->memory + from->slot[i].state_end[k],
                   bytes_of(&to->model->layer[i]->state[k], samples));
}

fgt_status fgt_model_set_carry(fgt_model *model, int32_t carry)
{
    if (!model) return FGT_E_ARG;
    FGTI_TRY(fgti_workspace_own(model, FGTI_KEEP));
    return fgti_model_seal(model, fgt_workspace_set_carry(model->own, carry));
}

fgt_status fgt_model_init_state(fgt_model *model)
{
    if (!model) return FGT_E_ARG;
    FGTI_TRY(fgti_workspace_own(model, FGTI_KEEP));
    return fgti_model_seal(model, fgt_workspace_init_state(model->own));
}

fgt_status fgt_workspace_set_carry(fgt_workspace *ws, int32_t carry)
{
    if (!ws) return FGT_E_ARG;
    if (ws->stream.room && !carry)
        return fgti_fail(ws->error, FGT_E_STATE, "a workspace with a stream always carries its states over");
    for (int64_t i = 0; carry && i < ws->model->layers; i++) {
        const fgti_layer *l = ws->model->layer[i];
        if (l->both_ways || (l->states && l->axis == FGT_AXIS_NODES))
            return fgti_fail(ws->error, FGT_E_UNSUPPORTED,
                             "layer %lld (%s) reads %s, so no state can be carried over", (long long)i,
                             l->cls->name, l->both_ways ? "time in both directions" : "along the nodes");
    }
    ws->carry = carry != 0;
    return FGT_OK;
}

fgt_status fgt_workspace_init_state(fgt_workspace *ws)
{
    if (!ws) return FGT_E_ARG;
    ws->state_batch   = 0;
    ws->stream.tokens = 0;
    ws->given = ws->resumes = false;
    return FGT_OK;
}

static fgt_status find(const fgt_model *m, fgti_error *err, const char *name, int64_t *layer, int32_t *k)
{
    char full[FGTI_NAME_MAX];
    for (*layer = 0; name && *layer < m->layers; ++*layer)
        for (*k = 0; *k < m->layer[*layer]->states; ++*k) {
            const fgti_layer *l = m->layer[*layer];
            if (l->axis == FGT_AXIS_NODES) continue; /* their sequences are nodes, whose number varies */
            snprintf(full, sizeof full, "%s%s%s", l->name, *l->name ? "." : "", l->state[*k].name);
            if (!strcmp(full, name)) return FGT_OK;
        }
    return fgti_fail(err, FGT_E_NAME, "no state \"%s\"", name ? name : "NULL");
}

/* Checks that the wanted states still exist. New start states overwrite the end of the last pass, and a
 * failed pass leaves zeros. A start state that was not set or carried has no gradient. */
static fgt_status check_left(const fgt_workspace *ws, fgti_error *err, const char *name, bool gradient)
{
    if (gradient && !ws->last.states)
        return fgti_fail(err, FGT_E_STATE,
                         "%s has no gradient: no state was set or carried over before the last pass", name);
    if (!gradient && !ws->ended)
        return fgti_fail(err, FGT_E_STATE,
                         "the states of the last pass are gone: new states were set, or the pass failed");
    return FGT_OK;
}

/* Number of samples of the states that copy_out() copies; 0 if no pass has made any. Overwritten states still
 * have a shape. */
static int64_t samples_of(const fgt_workspace *ws, bool gradient)
{
    if (!ws || (gradient && !ws->returned)) return 0;
    return gradient || !ws->ended ? ws->last.batch : ws->ended;
}

/* Copies the gradient of the start of the last pass, or its end. ws NULL: no pass was run. */
static fgt_status copy_out(const fgt_model *model, const fgt_workspace *ws, fgti_error *err, const char *name,
                           bool gradient, fgt_view *value)
{
    int64_t layer;
    int32_t k;
    FGTI_TRY(find(model, err, name, &layer, &k));
    const int64_t batch = samples_of(ws, gradient);
    if (!batch)
        return fgti_fail(err, FGT_E_STATE, "model: no %s pass was run yet",
                         gradient ? "backward" : "forward");
    const fgti_state *s     = &model->layer[layer]->state[k];
    const fgt_view    shape = {.shape = {s->outer, batch, s->inner}, .rank = 3, .dtype = FGTI_REAL};
    if (!value) return fgti_fail(err, FGT_E_ARG, "%s: value is NULL", name);
    if (!value->data) {
        *value = shape;
        return FGT_OK;
    }
    FGTI_TRY(check_left(ws, err, name, gradient));
    FGTI_TRY(fgti_view_check(err, name, value, FGTI_REAL, 3, shape.shape));
    memcpy(value->data, ws->memory + (gradient ? ws->slot[layer].dstate[k] : ws->slot[layer].state_end[k]),
           bytes_of(s, batch));
    return FGT_OK;
}

fgt_status fgt_model_get_state(fgt_model *model, const char *name, fgt_view *value)
{
    return model ? copy_out(model, model->own, &model->ctx->error, name, false, value) : FGT_E_ARG;
}

fgt_status fgt_model_get_state_gradient(fgt_model *model, const char *name, fgt_view *value)
{
    return model ? copy_out(model, model->own, &model->ctx->error, name, true, value) : FGT_E_ARG;
}

fgt_status fgt_workspace_get_state(fgt_workspace *ws, const char *name, fgt_view *value)
{
    int64_t layer;
    int32_t k;
    if (!ws) return FGT_E_ARG;
    if (fgti_stream_find(ws, name, &layer, &k)) return fgti_stream_get(ws, name, layer, k, value);
    return copy_out(ws->model, ws, ws->error, name, false, value);
}

/* Without carry, the states that are not set start from zero, not from the end of the last pass. The start of
 * the last pass is kept: fgt_backward() may still follow. */
fgt_status fgti_state_begin(fgt_workspace *ws, const char *name, int64_t batch)
{
    if (batch < 1 || batch > ws->plan.batch)
        return fgti_fail(ws->error, FGT_E_SHAPE, "%s has %lld samples, at most %lld are planned", name,
                         (long long)batch, (long long)ws->plan.batch);
    const bool fresh = (!ws->carry && !ws->given) || !ws->state_batch;
    if (!fresh && ws->state_batch != batch)
        return fgti_fail(ws->error, FGT_E_STATE, "%s has %lld samples, the other states have %lld", name,
                         (long long)batch, (long long)ws->state_batch);
    if (fresh) {
        move_states(ws, batch, ZERO_END);
        ws->ended = 0;
    }
    return FGT_OK;
}

fgt_status fgt_workspace_set_state(fgt_workspace *ws, const char *name, const fgt_view *value)
{
    int64_t layer;
    int32_t k;
    if (!ws) return FGT_E_ARG;
    if (fgti_stream_find(ws, name, &layer, &k)) return fgti_stream_set(ws, name, layer, k, value);
    FGTI_TRY(find(ws->model, ws->error, name, &layer, &k));
    const fgti_state *s = &ws->model->layer[layer]->state[k];
    FGTI_TRY(fgti_view_check(ws->error, name, value, FGTI_REAL, 3, (int64_t[]){s->outer, -1, s->inner}));
    const int64_t batch = value->shape[1];
    FGTI_TRY(fgti_state_begin(ws, name, batch));
    memcpy(ws->memory + ws->slot[layer].state_end[k], value->data, bytes_of(s, batch));
    ws->state_batch = batch;
    ws->given       = true;
    return FGT_OK;
}

fgt_status fgt_model_set_state(fgt_model *model, const char *name, const fgt_view *value)
{
    int64_t layer;
    int32_t k;
    if (!model) return FGT_E_ARG;
    FGTI_TRY(find(model, &model->ctx->error, name, &layer, &k)); /* before a workspace is created for it */
    FGTI_TRY(fgti_workspace_own(model, FGTI_KEEP));
    return fgti_model_seal(model, fgt_workspace_set_state(model->own, name, value));
}
