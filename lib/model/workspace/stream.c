/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams. The passes of such a workspace continue in all layers where the last pass ended. A recurrent layer
 * continues from its states (state.c). A layer with attention or a convolution keeps pasts, which this file
 * handles. */
#include "model/workspace/stream.h"

#include <stdio.h>
#include <string.h>

#include "model/model_impl.h"
#include "model/workspace/state.h"

/* ---- which models can ---- */

/* Whether a stream can repeat an input that has fewer tokens than the first input. It can if the input is a
 * value with one token. An input from other layers may depend on all tokens, so it cannot be repeated. */
static bool repeats(const fgt_model *m, const fgti_layer *l)
{
    for (int32_t k = 1; l->cls->joins && k < l->inputs; k++) {
        const int64_t from = l->input[k].from, time = l->input[k].shape.time;
        if (time == l->in.time) continue;
        if (time != 1 || from < 0 || !m->layer[from]->cls->is_value) return false;
    }
    return true;
}

/* Returns why a layer cannot be part of a stream; NULL: it can. A layer along the nodes handles each token by
 * itself, so it can unless it has states. */
static const char *misfit(const fgt_model *m, const fgti_layer *l, int64_t room)
{
    if (l->axis == FGT_AXIS_NODES) return l->states ? "has states along the nodes" : NULL;
    if (!l->cls->step && !l->cls->streams) return "mixes tokens of all times";
    if (l->both_ways) return "reads time in both directions";
    if (l->fold_map || l->wanted) return "is made for whole passes: make the predictor with `exact`";
    if (!repeats(m, l)) return "repeats the tokens of an input";
    const char *why = l->cls->step_misfit ? l->cls->step_misfit(l, room) : NULL;
    if (!why && l->pasts && l->in.time != m->opts.time) return "has another number of tokens than the model";
    return why;
}

fgt_status fgti_stream_check(const fgt_model *model, int64_t room)
{
    for (int64_t i = 0; room && i < model->layers; i++) {
        const fgti_layer *l   = model->layer[i];
        const char       *why = misfit(model, l, room);
        if (why)
            return fgti_fail(&model->ctx->error, FGT_E_UNSUPPORTED,
                             "layer %lld (%s, \"%s\") cannot be part of a stream: it %s", (long long)i,
                             l->cls->name, l->name, why);
    }
    return FGT_OK;
}

/* ---- passes ---- */

static fgt_status check_pasts(const fgt_workspace *ws)
{
    for (int64_t i = 0; i < ws->model->layers; i++)
        for (int32_t k = 0; k < ws->model->layer[i]->pasts; k++)
            if (!ws->slot[i].past_set[k])
                return fgti_fail(ws->error, FGT_E_STATE,
                                 "the stream has %lld tokens, but state %s.%s was not set",
                                 (long long)ws->stream.tokens, ws->model->layer[i]->name,
                                 ws->model->layer[i]->past[k].name);
    return FGT_OK;
}

fgt_status fgti_stream_start(const fgt_workspace *ws)
{
    const fgti_stream *s = &ws->stream;
    if (!s->room) return FGT_OK;
    if (ws->in.time > s->room - s->tokens)
        return fgti_fail(ws->error, FGT_E_SIZE,
                         "the stream is full (got %lld more tokens, need at most %lld after %lld)",
                         (long long)ws->in.time, (long long)(s->room - s->tokens), (long long)s->tokens);
    return ws->resumes ? check_pasts(ws) : FGT_OK;
}

/* ---- reading and setting ---- */

bool fgti_stream_find(const fgt_workspace *ws, const char *name, int64_t *layer, int32_t *k)
{
    char full[FGTI_NAME_MAX];
    if (!ws->stream.room || !name) return false;
    for (*layer = 0; *layer < ws->model->layers; ++*layer)
        for (*k = 0; *k < ws->model->layer[*layer]->pasts; ++*k) {
            const fgti_layer *l = ws->model->layer[*layer];
            snprintf(full, sizeof full, "%s%s%s", l->name, *l->name ? "." : "", l->past[*k].name);
            if (!strcmp(full, name)) return true;
        }
    return false;
}

/* Copies between the host's [tokens,B,N parts width] and the rows of each part of a past. */
static void stream_copy(const fgt_workspace *ws, int64_t layer, int32_t k, int64_t batch, fgti_real *host,
                        bool out)
{
    const fgti_layer *l     = ws->model->layer[layer];
    const int64_t     width = l->past[k].width, parts = batch * l->in.nodes * l->past[k].parts;
    fgti_real        *past = ws->memory + ws->slot[layer].past[k];
    for (int64_t p = 0; p < parts; p++)
        for (int64_t t = 0; t < ws->stream.tokens; t++) {
            fgti_real *row = past + (p * ws->stream.room + t) * width, *at = host + (t * parts + p) * width;
            memcpy(out ? at : row, out ? row : at, (size_t)width * sizeof *row);
        }
}

static int64_t inner_of(const fgt_workspace *ws, int64_t layer, int32_t k)
{
    const fgti_layer *l = ws->model->layer[layer];
    return l->in.nodes * l->past[k].parts * l->past[k].width;
}

fgt_status fgti_stream_shape(const fgt_workspace *ws, const char *name, int64_t layer, int32_t k,
                             fgt_view *shape)
{
    if (!ws->stream.tokens || !ws->state_batch || (ws->resumes && !ws->slot[layer].past_set[k]))
        return fgti_fail(ws->error, FGT_E_STATE, "%s: the stream has no tokens yet", name);
    *shape = (fgt_view){
        .shape = {ws->stream.tokens, ws->state_batch, inner_of(ws, layer, k)}, .rank = 3, .dtype = FGTI_REAL};
    return FGT_OK;
}

fgt_status fgti_stream_copy(const fgt_workspace *ws, const char *name, int64_t layer, int32_t k,
                            const fgt_view *out)
{
    fgt_view want;
    FGTI_TRY(fgti_stream_shape(ws, name, layer, k, &want));
    FGTI_TRY(fgti_view_check(ws->error, name, out, FGTI_REAL, 3, want.shape));
    stream_copy(ws, layer, k, ws->state_batch, out->data, true);
    return FGT_OK;
}

fgt_status fgti_stream_set(fgt_workspace *ws, const char *name, int64_t layer, int32_t k,
                           const fgt_view *value)
{
    if (!ws->stream.tokens)
        return fgti_fail(ws->error, FGT_E_STATE,
                         "%s: the stream has no tokens; call fgt_workspace_begin_series() first", name);
    FGTI_TRY(fgti_view_check(ws->error, name, value, FGTI_REAL, 3,
                             (int64_t[]){ws->stream.tokens, -1, inner_of(ws, layer, k)}));
    FGTI_TRY(fgti_state_begin(ws, name, value->shape[1]));
    stream_copy(ws, layer, k, value->shape[1], value->data, false);
    ws->state_batch             = value->shape[1];
    ws->slot[layer].past_set[k] = true;
    return FGT_OK;
}

int64_t fgt_workspace_get_tokens(const fgt_workspace *ws)
{
    return ws ? ws->stream.tokens : 0;
}
