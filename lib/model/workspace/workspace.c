/* SPDX-License-Identifier: BSD-3-Clause */

/* Creates and destroys workspaces, which hold the memory of passes. */

#include "model/workspace/workspace.h"

#include <string.h>

#include "model/gradients.h"
#include "model/guard.h"
#include "model/model_impl.h"
#include "model/workspace/keep.h"
#include "model/workspace/plan.h"
#include "model/workspace/state.h"
#include "model/workspace/stream.h"
#include "model/workspace/workspace_opts.h"

/* Memory that large products share, in addition to the scratch of each worker. Fewer bytes than SHARED_LEAST
 * do not help. For threads of a single workspace, it is at most an eighth of the workspace's other memory.
 * Threads of a context have it only once. There it may be as large as all data that products can read. */
#define SHARED_LEAST (1 << 20)

static size_t shared_bytes(const fgt_model *model, const fgti_plan *plan, bool own_threads)
{
    const size_t wanted = model->ctx->blas->shared_bytes, real = sizeof(fgti_real);
    const size_t own    = (size_t)(plan->total + fgti_keep_size(model, plan->purpose)) * real;
    const size_t most   = own_threads ? own / 8 : own + (size_t)model->size * real;
    if (most < SHARED_LEAST) return 0;
    return most < wanted ? most : wanted;
}

static bool is_lent(const fgt_workspace *w)
{
    return w == &w->model->lent;
}

static void workspace_release(fgt_workspace *w)
{
    fgt_context *ctx = w->model->ctx;
    if (w->exec == &w->own_exec) fgti_exec_done(ctx, &w->own_exec);
    fgti_free(ctx, w->slot);
    fgti_free(ctx, w->memory);
    fgti_free(ctx, w->padding);
    fgti_free(ctx, w->matrices);
    fgti_keep_release(w);
}

void fgt_workspace_destroy(fgt_workspace **ws)
{
    if (!ws || !*ws) return;
    fgt_workspace *w = *ws;
    *ws              = NULL;
    if (is_lent(w)) return;
    fgt_context *ctx = w->model->ctx;
    workspace_release(w);
    fgti_free(ctx, w);
}

/* A workspace that has no memory yet, with the context's threads and error text. */
static fgt_workspace blank(fgt_model *m)
{
    return (fgt_workspace){.model = m, .exec = &m->ctx->exec, .error = &m->ctx->error};
}

void fgti_workspace_drop_own(fgt_model *model)
{
    if (model->own) workspace_release(model->own);
    model->own  = NULL;
    model->lent = blank(model);
}

/* Number of the first layer that makes a padding mask from ids; -1: no layer makes one. */
static int64_t masking(const fgt_model *m)
{
    for (int64_t i = 0; i < m->layers; i++)
        if (m->layer[i]->masks) return i;
    return -1;
}

/* Number of elements of the padding mask, including the masks for outputs of layers with a stride. */
static int64_t workspace_padding_of(const fgt_model *m, int64_t batch)
{
    int64_t tokens = m->opts.time;
    for (int64_t i = 0; i < m->layers; i++)
        if (m->layer[i]->thinned == m->layer[i]) tokens += m->layer[i]->out.time;
    return masking(m) < 0 ? 0 : fgti_mul(batch, tokens);
}

static fgt_status make_padding(fgt_workspace *w, int64_t batch)
{
    const fgt_model *m  = w->model;
    int64_t          at = batch * m->opts.time;
    w->padding_from     = masking(m);
    if (w->padding_from < 0) return FGT_OK;
    FGTI_TRY(FGTI_NEW(m->ctx, workspace_padding_of(m, batch), "padding of ids", &w->padding));
    for (int64_t i = 0; i < m->layers; i++) {
        const fgti_layer *l = m->layer[i];
        if (l->thinned != l) continue;
        w->slot[i].padding = (fgt_view){.data = w->padding + at, .rank = 2, .dtype = FGT_DTYPE_I32};
        at += batch * l->out.time;
    }
    return FGT_OK;
}

/* o->threads 0: the workspace uses the threads of the context. */
static fgt_status workspace_fill(fgt_workspace *w, fgti_purpose purpose, const fgt_workspace_opts *o)
{
    fgt_model   *m   = w->model;
    fgt_context *ctx = m->ctx;
    if (m->last < 0) return fgti_fail(&ctx->error, FGT_E_STATE, "the model has no layers");
    if (o->threads) {
        FGTI_TRY(fgti_exec_init(ctx, &w->own_exec, o->threads, NULL, ctx->blas->scratch_bytes));
        w->exec  = &w->own_exec;
        w->error = &w->own_error;
    }
    w->stream.room = o->tokens;
    w->carry       = o->tokens > 0;
    FGTI_TRY(fgti_keep_hold(w, purpose));
    FGTI_TRY(fgti_workspace_plan(w, purpose, o->batch, w->exec->workers));
    FGTI_TRY(fgti_exec_share(ctx, w->exec, shared_bytes(m, &w->plan, o->threads)));
    FGTI_TRY(fgti_alloc_dirty(ctx, w->plan.total, sizeof *w->memory, "workspace", (void **)&w->memory));
    memset(w->memory, 0, (size_t)w->plan.zeroed * sizeof *w->memory);
    return make_padding(w, o->batch);
}

static fgt_status create(fgt_model *m, fgti_purpose purpose, const fgt_workspace_opts *o, fgt_workspace **ws)
{
    FGTI_TRY(FGTI_NEW(m->ctx, 1, "workspace", ws));
    **ws               = blank(m);
    const fgt_status s = workspace_fill(*ws, purpose, o);
    if (s != FGT_OK) fgt_workspace_destroy(ws);
    return s;
}

/* Whether a workspace that was made for one purpose also serves another purpose. */
static bool serves(fgti_purpose made, fgti_purpose wanted)
{
    return made == wanted || made == FGTI_TRAIN;
}

/* Copies the masks and values that the host has set. */
static void move_settings(const fgt_workspace *from, fgt_workspace *to)
{
    memcpy(to->mask, from->mask, sizeof to->mask);
    for (int64_t i = 0; i < from->model->layers; i++) {
        to->slot[i].value          = from->slot[i].value;
        to->slot[i].value_gradient = from->slot[i].value_gradient;
    }
    fgti_state_move(from, to);
}

fgt_status fgti_workspace_own(fgt_model *model, fgti_purpose purpose)
{
    fgt_workspace *old = model->own, next = blank(model);
    FGTI_TRY(fgti_model_check_asking(model));
    if (old && serves(old->plan.purpose, purpose)) return FGT_OK;
    if (old) FGTI_TRY(fgti_workspace_check_busy(old));
    fgt_status s = workspace_fill(&next, purpose, &(fgt_workspace_opts){.batch = model->opts.batch});
    if (s == FGT_OK && old && old->packs) /* so that the results that predictions keep stay in memory */
        s = fgti_keep_hold(&next, FGTI_KEEP);
    if (s != FGT_OK) {
        workspace_release(&next);
        return s;
    }
    if (old) {
        move_settings(old, &next);
        workspace_release(old);
    }
    model->lent = next;
    model->own  = &model->lent;
    return FGT_OK;
}

fgt_status fgti_workspace_begin(fgt_workspace *ws)
{
    return is_lent(ws) ? fgti_workspace_own(ws->model, FGTI_KEEP) : FGT_OK;
}

fgt_status fgti_workspace_make_final(fgt_workspace *ws, fgt_status s)
{
    return is_lent(ws) ? fgti_model_make_final(ws->model, s) : s;
}

fgt_workspace *fgt_model_get_workspace(fgt_model *model)
{
    return model ? &model->lent : NULL;
}

fgt_status fgt_model_create_workspace(fgt_model *model, const fgt_workspace_opts *opts, fgt_workspace **ws)
{
    fgt_workspace_opts o;
    if (ws) *ws = NULL;
    if (!model) return FGT_E_ARG;
    if (!ws) return fgti_fail(&model->ctx->error, FGT_E_ARG, "workspace: result pointer is NULL");
    FGTI_TRY(fgti_model_check_asking(model));
    FGTI_TRY(fgti_workspace_opts_read(&model->ctx->error, opts, model->opts.batch, &o));
    FGTI_TRY(fgti_stream_check(model, o.tokens));
    return fgti_model_make_final(model, create(model, FGTI_LEAN, &o, ws));
}

fgt_status fgti_workspace_create_shared(fgt_model *model, int64_t batch, fgt_workspace **ws)
{
    *ws = NULL;
    return fgti_model_make_final(model, create(model, FGTI_LEAN, &(fgt_workspace_opts){.batch = batch}, ws));
}

static int64_t workspace_bytes_of(const fgt_workspace *w, int32_t workers)
{
    const fgt_model *m       = w->model;
    const bool       lean    = w->plan.purpose == FGTI_LEAN;
    const int64_t    scratch = workers * (int64_t)m->ctx->blas->scratch_bytes;
    const int64_t    padding = workspace_padding_of(m, w->plan.batch);
    const int64_t    more    = lean ? scratch : fgti_gradients_bytes(m);
    const int64_t    keep    = fgti_keep_size(m, w->plan.purpose);
    return (w->plan.total + keep) * (int64_t)sizeof(fgti_real) + padding * (int64_t)sizeof(int32_t) +
           (int64_t)shared_bytes(m, &w->plan, lean) +
           (int64_t)((lean ? sizeof *w : 0) + fgti_workspace_lists(m)) + more;
}

fgt_status fgti_workspace_bytes(const fgt_model *model, fgti_purpose purpose, const fgt_workspace_opts *o,
                                int64_t *bytes)
{
    const int32_t  workers = purpose == FGTI_LEAN ? o->threads : model->ctx->exec.workers;
    fgt_workspace *ws;
    *bytes = -1;
    FGTI_TRY(fgti_model_check_asking(model));
    FGTI_TRY(FGTI_NEW(model->ctx, 1, "workspace", &ws));
    ws->model          = (fgt_model *)model;
    ws->stream.room    = o->tokens;
    const fgt_status s = fgti_workspace_plan(ws, purpose, o->batch, workers);
    if (s == FGT_OK) *bytes = workspace_bytes_of(ws, workers);
    fgt_workspace_destroy(&ws);
    return s;
}

int64_t fgt_model_get_workspace_bytes(const fgt_model *model, const fgt_workspace_opts *opts)
{
    int64_t            bytes;
    fgt_workspace_opts o;
    if (!model || model->last < 0 ||
        fgti_workspace_opts_read(&model->ctx->error, opts, model->opts.batch, &o) != FGT_OK ||
        fgti_stream_check(model, o.tokens) != FGT_OK ||
        fgti_workspace_bytes(model, FGTI_LEAN, &o, &bytes) != FGT_OK)
        return -1;
    return bytes;
}

int64_t fgt_model_get_training_bytes(const fgt_model *model)
{
    int64_t bytes;
    if (!model || model->last < 0 ||
        fgti_workspace_bytes(model, FGTI_TRAIN, &(fgt_workspace_opts){.batch = model->opts.batch}, &bytes))
        return -1;
    return bytes;
}

const char *fgt_workspace_get_error(const fgt_workspace *ws)
{
    return ws ? ws->error->text : "";
}
