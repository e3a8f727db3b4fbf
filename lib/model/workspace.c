/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "model/model_impl.h"

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Reserves n elements at *at. */
static int64_t reserve(int64_t *at, int64_t n)
{
    const int64_t here = *at;
    fgti_take(NULL, at, n);
    if (*at > FGTI_HUGE) *at = FGTI_HUGE;
    return here;
}

static bool is_peer(const fgt_model *m, const fgti_layer *l)
{
    for (int64_t i = 0; i < m->layers; i++)
        if (m->layer[i]->peer == l) return true;
    return false;
}

static fgti_need need_of(const fgti_layer *l, int64_t batch)
{
    fgti_need need = {0};
    if (l->cls->size) l->cls->size(l, batch, l->in, &need);
    return need;
}

/* Start and end of every state, and for training the gradient of the start. */
static void plan_states(const fgti_layer *l, fgti_purpose purpose, int64_t batch, fgti_slot *slot,
                        int64_t *at)
{
    for (int32_t k = 0; k < l->states; k++) {
        const int64_t n     = fgti_mul(fgti_mul(l->state[k].outer, l->state[k].inner), batch);
        const int64_t start = reserve(at, n), end = reserve(at, n);
        const int64_t gradient = purpose == FGTI_TRAIN ? reserve(at, n) : 0;
        if (!slot) continue;
        slot->state[k]     = start;
        slot->state_end[k] = end;
        slot->dstate[k]    = gradient;
    }
}

/* Activations: one place each, or two in turn when lean. Caches: one place each, or a common one when lean,
 * but for those that a later layer reads too. What must start as zero comes first. */
fgt_status fgti_workspace_plan(const fgt_model *model, fgti_purpose purpose, int64_t batch, int32_t workers,
                               fgti_slot *slot, fgti_plan *plan)
{
    const fgti_shape first  = {model->opts.nodes, model->opts.time, model->opts.features};
    int64_t          widest = fgti_elements(batch, first), cache = 0, scratch = 0, arena = 0, at = 0;
    for (int64_t i = 0; i < model->layers; i++) {
        const fgti_need need = need_of(model->layer[i], batch);
        widest               = max64(widest, fgti_elements(batch, model->layer[i]->out));
        cache                = max64(cache, need.cache);
        scratch              = max64(scratch, need.scratch);
        arena                = max64(arena, need.arena);
    }
    for (int64_t i = 0; i < model->layers; i++) {
        const int64_t keep = reserve(&at, need_of(model->layer[i], batch).keep);
        if (slot) slot[i].keep = keep;
        plan_states(model->layer[i], purpose, batch, slot ? &slot[i] : NULL, &at);
    }
    *plan                = (fgti_plan){.purpose = purpose, .batch = batch, .zeroed = at};
    const bool    lean   = purpose == FGTI_LEAN;
    int64_t       x      = reserve(&at, lean ? widest : fgti_elements(batch, first));
    int64_t       other  = lean ? reserve(&at, widest) : 0;
    const int64_t common = lean ? reserve(&at, cache) : 0;
    for (int64_t i = 0; i < model->layers; i++) {
        const fgti_layer *l = model->layer[i];
        const int64_t     y = lean ? other : reserve(&at, fgti_elements(batch, l->out));
        const int64_t     c = lean && !is_peer(model, l) ? common : reserve(&at, need_of(l, batch).cache);
        if (slot) slot[i].x = x;
        if (slot) slot[i].y = y;
        if (slot) slot[i].cache = c;
        other = x;
        x     = y;
    }
    plan->scratch      = reserve(&at, scratch);
    plan->arena_stride = (arena + FGTI_ALIGN - 1) / FGTI_ALIGN * FGTI_ALIGN;
    plan->arena        = reserve(&at, fgti_mul(plan->arena_stride, workers));
    for (int i = 0; i < 2 && purpose == FGTI_TRAIN; i++) plan->gradient[i] = reserve(&at, widest);
    plan->total = at;
    if (at < FGTI_HUGE) return FGT_OK;
    return fgti_fail(&model->ctx->error, FGT_E_SIZE, "batch %lld and time %lld make a pass too large",
                     (long long)batch, (long long)model->opts.time);
}

/* What large products want beside a worker's scratch, an eighth of the rest at most; below SHARED_LEAST there
 * is nothing to gain. */
#define SHARED_LEAST (1 << 20)

static size_t shared_bytes(const fgt_model *model, const fgti_plan *plan)
{
    const size_t wanted = model->ctx->blas->shared_bytes;
    const size_t most   = (size_t)plan->total * sizeof(fgti_real) / 8;
    if (most < SHARED_LEAST) return 0;
    return most < wanted ? most : wanted;
}

void fgt_workspace_destroy(fgt_workspace **ws)
{
    if (!ws || !*ws) return;
    fgt_workspace *w   = *ws;
    fgt_context   *ctx = w->model->ctx;
    if (w->exec == &w->own_exec) fgti_exec_done(ctx, &w->own_exec);
    fgti_free(ctx, w->slot);
    fgti_free(ctx, w->memory);
    fgti_free(ctx, w->ids);
    fgti_free(ctx, w->padding);
    fgti_free(ctx, w->matrices);
    fgti_free(ctx, w);
    *ws = NULL;
}

static fgt_status fill(fgt_workspace *w, fgti_purpose purpose, int64_t batch)
{
    fgt_model   *m   = w->model;
    fgt_context *ctx = m->ctx;
    w->exec          = &ctx->exec;
    w->error         = &ctx->error;
    if (purpose == FGTI_LEAN) {
        FGTI_TRY(fgti_exec_init(ctx, &w->own_exec, 1, NULL, ctx->blas->scratch_bytes));
        w->exec  = &w->own_exec;
        w->error = &w->own_error;
    }
    FGTI_TRY(FGTI_NEW(ctx, m->layers, "workspace", &w->slot));
    FGTI_TRY(fgti_workspace_plan(m, purpose, batch, w->exec->workers, w->slot, &w->plan));
    const size_t shared = purpose == FGTI_LEAN ? shared_bytes(m, &w->plan) : 0;
    if (shared) FGTI_TRY(fgti_exec_share(ctx, &w->own_exec, shared));
    FGTI_TRY(fgti_alloc_dirty(ctx, w->plan.total, sizeof *w->memory, "workspace", (void **)&w->memory));
    memset(w->memory, 0, (size_t)w->plan.zeroed * sizeof *w->memory);
    if (m->opts.features) return FGT_OK;
    const int64_t tokens = fgti_mul(batch, m->opts.time);
    FGTI_TRY(FGTI_NEW(ctx, tokens, "ids", &w->ids));
    return m->layer[0]->masks ? FGTI_NEW(ctx, tokens, "padding of ids", &w->padding) : FGT_OK;
}

static fgt_status create(fgt_model *m, fgti_purpose purpose, int64_t batch, fgt_workspace **ws)
{
    if (!m->layers) return fgti_fail(&m->ctx->error, FGT_E_STATE, "the model has no layers");
    FGTI_TRY(FGTI_NEW(m->ctx, 1, "workspace", ws));
    (*ws)->model       = m;
    const fgt_status s = fill(*ws, purpose, batch);
    if (s != FGT_OK) fgt_workspace_destroy(ws);
    return s;
}

fgt_status fgti_workspace_own(fgt_model *model, fgti_purpose purpose)
{
    fgt_workspace *ws, *old = model->own;
    if (old && old->plan.purpose >= purpose) return FGT_OK;
    FGTI_TRY(create(model, purpose, model->opts.batch, &ws));
    if (old) {
        memcpy(ws->input, old->input, sizeof ws->input);
        memcpy(ws->has_input, old->has_input, sizeof ws->has_input);
        memcpy(ws->input_gradient, old->input_gradient, sizeof ws->input_gradient);
        memcpy(ws->has_gradient, old->has_gradient, sizeof ws->has_gradient);
        fgti_state_move(old, ws);
        fgt_workspace_destroy(&model->own);
    }
    model->own    = ws;
    model->sealed = true;
    return FGT_OK;
}

static fgt_status read_batch(const fgt_model *model, const fgt_workspace_opts *opts, int64_t *batch)
{
    fgt_workspace_opts o;
    FGTI_TRY(fgti_opts_read(&model->ctx->error, "workspace", opts, &o, sizeof o));
    if (o.batch < 0)
        return fgti_fail(&model->ctx->error, FGT_E_ARG, "workspace: batch is %lld", (long long)o.batch);
    *batch = o.batch ? o.batch : model->opts.batch;
    return FGT_OK;
}

fgt_status fgt_workspace_create(fgt_model *model, const fgt_workspace_opts *opts, fgt_workspace **ws)
{
    int64_t batch = 0;
    if (!ws) return FGT_E_ARG;
    *ws = NULL;
    if (!model) return FGT_E_ARG;
    FGTI_TRY(read_batch(model, opts, &batch));
    FGTI_TRY(create(model, FGTI_LEAN, batch, ws));
    model->sealed = true;
    return FGT_OK;
}

int64_t fgt_workspace_size(const fgt_model *model, const fgt_workspace_opts *opts)
{
    fgti_plan plan;
    int64_t   batch = 0;
    if (!model || !model->layers || read_batch(model, opts, &batch) != FGT_OK) return -1;
    if (fgti_workspace_plan(model, FGTI_LEAN, batch, 1, NULL, &plan) != FGT_OK) return -1;
    const int64_t tokens = model->opts.features ? 0 : fgti_mul(batch, model->opts.time);
    const int64_t ids    = model->layer[0]->masks ? 2 * tokens : tokens; /* and their padding */
    return plan.total * (int64_t)sizeof(fgti_real) + ids * (int64_t)sizeof(int32_t) +
           (int64_t)model->ctx->blas->scratch_bytes + (int64_t)shared_bytes(model, &plan) +
           (int64_t)sizeof(fgt_workspace) + model->layers * (int64_t)sizeof(fgti_slot);
}

const char *fgt_workspace_error(const fgt_workspace *ws)
{
    return ws ? ws->error->text : "";
}

static fgt_status set_input(fgt_workspace *ws, fgti_error *err, fgt_input input, const fgt_view *value,
                            const fgt_view *gradient)
{
    if ((int)input < 0 || input >= FGT_INPUT_COUNT)
        return fgti_fail(err, FGT_E_ARG, "no side input %d", (int)input);
    if (gradient && input != FGT_INPUT_MEMORY)
        return fgti_fail(err, FGT_E_ARG, "side input %d has no gradient", (int)input);
    if (gradient && value)
        FGTI_TRY(fgti_view_check(err, "the gradient", gradient, value->dtype, value->rank, value->shape));
    ws->differentiable      = false; /* the backward pass would read it again */
    ws->has_input[input]    = value != NULL;
    ws->has_gradient[input] = value && gradient;
    if (value) ws->input[input] = *value;
    if (gradient) ws->input_gradient[input] = *gradient;
    return FGT_OK;
}

fgt_status fgt_model_set_input(fgt_model *model, fgt_input input, const fgt_view *value,
                               const fgt_view *gradient)
{
    if (!model) return FGT_E_ARG;
    FGTI_TRY(fgti_workspace_own(model, FGTI_KEEP));
    return set_input(model->own, &model->ctx->error, input, value, gradient);
}

fgt_status fgt_workspace_set_input(fgt_workspace *ws, fgt_input input, const fgt_view *value)
{
    return ws ? set_input(ws, ws->error, input, value, NULL) : FGT_E_ARG;
}
