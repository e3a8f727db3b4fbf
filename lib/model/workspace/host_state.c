/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's calls for states. States can be carried over from pass to pass, and be read and set by name.
 * Recurrent layers have states (state.c); a stream has pasts (stream.c). */
#include <stdio.h>
#include <string.h>

#include "model/model_impl.h"
#include "model/workspace/state.h"
#include "model/workspace/stream.h"
#include "model/workspace/workspace.h"

static fgt_status set_carry(fgt_workspace *ws, bool carry)
{
    if (ws->stream.room && !carry)
        return fgti_fail(ws->error, FGT_E_STATE, "a workspace with a stream always carries its states over");
    for (int64_t i = 0; carry && i < ws->model->layers; i++) {
        const fgti_layer *l = ws->model->layer[i];
        if (l->both_ways || (l->states && l->axis == FGT_AXIS_NODES))
            return fgti_fail(ws->error, FGT_E_UNSUPPORTED,
                             "layer %lld (%s) reads %s, so no state can be carried over", (long long)i,
                             l->cls->name, l->both_ways ? "time in both directions" : "along the nodes");
    }
    ws->carry = carry;
    return FGT_OK;
}

fgt_status fgt_workspace_set_stateful(fgt_workspace *ws, int32_t carry)
{
    if (!ws) return FGT_E_ARG;
    FGTI_TRY(fgti_workspace_begin(ws));
    return fgti_workspace_make_final(ws, set_carry(ws, carry != 0));
}

fgt_status fgt_workspace_begin_series(fgt_workspace *ws, int64_t tokens)
{
    if (!ws) return FGT_E_ARG;
    if (tokens && !ws->stream.room)
        return fgti_fail(ws->error, FGT_E_STATE, "the workspace has no stream: it was created with tokens 0");
    if (tokens < 0 || tokens > ws->stream.room)
        return fgti_fail(ws->error, FGT_E_SIZE,
                         "stream: the number of tokens is out of range (got %lld, need 0 .. %lld)",
                         (long long)tokens, (long long)ws->stream.room);
    FGTI_TRY(fgti_workspace_begin(ws));
    ws->state_batch   = 0;
    ws->given         = false;
    ws->stream.tokens = tokens;
    ws->resumes       = tokens > 0;
    for (int64_t i = 0; tokens && i < ws->model->layers; i++)
        memset(ws->slot[i].past_set, 0, sizeof ws->slot[i].past_set);
    return fgti_workspace_make_final(ws, FGT_OK);
}

/* ---- by name ---- */

static fgt_status host_state_find(const fgt_model *m, fgti_error *err, const char *name, int64_t *layer,
                                  int32_t *k)
{
    char full[FGTI_NAME_MAX];
    for (*layer = 0; name && *layer < m->layers; ++*layer)
        for (*k = 0; *k < m->layer[*layer]->states; ++*k) {
            const fgti_layer *l = m->layer[*layer];
            if (l->axis == FGT_AXIS_NODES)
                continue; /* their sequences run along the nodes, whose number varies */
            snprintf(full, sizeof full, "%s%s%s", l->name, *l->name ? "." : "", l->state[*k].name);
            if (!strcmp(full, name)) return FGT_OK;
        }
    return fgti_fail(err, FGT_E_NAME, "no state \"%s\"", name ? name : "NULL");
}

/* Checks that the states that the host wants to read still exist. New start states overwrite the end states
 * of the last pass, and a failed pass leaves zeros. A start state that was neither set nor carried over has
 * no gradient. */
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

/* Number of samples in the copy of a state; 0: no pass has made any states yet. States that were overwritten
 * still have a shape. */
static int64_t samples_of(const fgt_workspace *ws, bool gradient)
{
    if (gradient && !ws->returned) return 0;
    return gradient || !ws->ended ? ws->last.batch : ws->ended;
}

static fgt_view host_state_shape_of(const fgti_state *s, int64_t batch)
{
    return (fgt_view){.shape = {s->outer, batch, s->inner}, .rank = 3, .dtype = FGTI_REAL};
}

/* Copies the gradient of the states with which the last pass started, or the states with which it ended. */
static fgt_status host_state_copy_out(const fgt_workspace *ws, const char *name, bool gradient,
                                      const fgt_view *out)
{
    int64_t layer;
    int32_t k;
    FGTI_TRY(host_state_find(ws->model, ws->error, name, &layer, &k));
    const int64_t batch = samples_of(ws, gradient);
    if (!batch)
        return fgti_fail(ws->error, FGT_E_STATE, "model: no %s pass was run yet",
                         gradient ? "backward" : "forward");
    const fgti_state *s    = &ws->model->layer[layer]->state[k];
    const fgti_slot  *slot = &ws->slot[layer];
    const fgt_view    want = host_state_shape_of(s, batch);
    FGTI_TRY(check_left(ws, ws->error, name, gradient));
    FGTI_TRY(fgti_view_check(ws->error, name, out, FGTI_REAL, 3, want.shape));
    memcpy(out->data, ws->memory + (gradient ? slot->dstate[k] : slot->state_end[k]),
           fgti_state_bytes(s, batch));
    return FGT_OK;
}

fgt_status fgt_workspace_get_state_shape(fgt_workspace *ws, const char *name, fgt_view *shape)
{
    int64_t layer;
    int32_t k;
    if (!ws) return FGT_E_ARG;
    if (!shape) return fgti_fail(ws->error, FGT_E_ARG, "state shape: shape is NULL");
    if (fgti_stream_find(ws, name, &layer, &k)) return fgti_stream_shape(ws, name, layer, k, shape);
    FGTI_TRY(host_state_find(ws->model, ws->error, name, &layer, &k));
    const int64_t batch = samples_of(ws, false);
    if (!batch) return fgti_fail(ws->error, FGT_E_STATE, "model: no forward pass was run yet");
    *shape = host_state_shape_of(&ws->model->layer[layer]->state[k], batch);
    return FGT_OK;
}

fgt_status fgt_workspace_copy_state(fgt_workspace *ws, const char *name, const fgt_view *out)
{
    int64_t layer;
    int32_t k;
    if (!ws) return FGT_E_ARG;
    if (fgti_stream_find(ws, name, &layer, &k)) return fgti_stream_copy(ws, name, layer, k, out);
    return host_state_copy_out(ws, name, false, out);
}

fgt_status fgt_workspace_copy_state_gradient(fgt_workspace *ws, const char *name, const fgt_view *out)
{
    return ws ? host_state_copy_out(ws, name, true, out) : FGT_E_ARG;
}

static fgt_status set_state(fgt_workspace *ws, const char *name, int64_t layer, int32_t k,
                            const fgt_view *value)
{
    const fgti_state *s = &ws->model->layer[layer]->state[k];
    FGTI_TRY(fgti_view_check(ws->error, name, value, FGTI_REAL, 3, (int64_t[]){s->outer, -1, s->inner}));
    const int64_t batch = value->shape[1];
    FGTI_TRY(fgti_state_begin(ws, name, batch));
    memcpy(ws->memory + ws->slot[layer].state_end[k], value->data, fgti_state_bytes(s, batch));
    ws->state_batch = batch;
    ws->given       = true;
    return FGT_OK;
}

fgt_status fgt_workspace_set_state(fgt_workspace *ws, const char *name, const fgt_view *value)
{
    int64_t layer;
    int32_t k;
    if (!ws) return FGT_E_ARG;
    if (fgti_stream_find(ws, name, &layer, &k)) return fgti_stream_set(ws, name, layer, k, value);
    FGTI_TRY(host_state_find(ws->model, ws->error, name, &layer, &k)); /* before memory is allocated for the
                                                                        * state */
    FGTI_TRY(fgti_workspace_begin(ws));
    return fgti_workspace_make_final(ws, set_state(ws, name, layer, k, value));
}
