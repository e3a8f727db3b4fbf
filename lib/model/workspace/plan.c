/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of a workspace's memory. */
#include "model/workspace/plan.h"

#include "model/layer_kind.h"
#include "model/model_impl.h"
#include "model/workspace/keep.h"
#include "model/workspace/placement.h"
#include "nn/axis.h"

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

fgti_need fgti_workspace_need(const fgti_layer *l, int64_t batch)
{
    fgti_need need = {0};
    if (l->cls->size) l->cls->size(l, batch, l->in, &need);
    fgti_axis_size(l, batch, &need);
    return need;
}

/* ---- the layout ---- */

/* The state of the planning. It includes scratch memory for the lifetimes of tensors. */
typedef struct planner {
    const fgt_model *m;
    fgt_workspace   *ws;
    int64_t          batch, at, lives;
    fgti_life       *life;
    int64_t         *size, *busy;
} planner;

/* Reserves n elements, and returns their offset. */
static int64_t plan_reserve(planner *p, int64_t n)
{
    const int64_t here = p->at;
    fgti_take(NULL, &p->at, n);
    if (p->at > FGTI_HUGE) p->at = FGTI_HUGE;
    if (FGTI_RED_ZONE) p->ws->gap[p->ws->gaps++] = here + n;
    return here;
}

/* Number of the tensor that a layer writes (fgti_tensor). */
static int64_t tensor_of(int64_t layer)
{
    return layer + 1;
}

/* Number of elements of a tensor. An id takes as much space as a number. A mask takes no space, because it is
 * read from the host's memory. */
static int64_t elements_of(const planner *p, int64_t tensor)
{
    const fgt_model *m  = p->m;
    const fgti_shape in = {m->opts.nodes, m->opts.time, m->opts.features ? m->opts.features : 1};
    if (!tensor) return fgti_elements(p->batch, in);
    const fgti_layer *l = m->layer[tensor - 1];
    if (l->kind == FGT_VALUE_IDS) return fgti_mul(p->batch, l->out.time);
    return l->kind == FGT_VALUE_REAL ? fgti_elements(p->batch, l->out) : 0;
}

static void count_readers(const planner *p)
{
    for (int64_t i = 0; i < p->m->layers; i++) {
        const fgti_layer *l = p->m->layer[i];
        if (l->peer) p->ws->slot[l->peer->id].undone = true;
        for (int32_t k = 0; k < l->inputs; k++) {
            fgti_tensor *t = &p->ws->tensor[tensor_of(l->input[k].from)];
            if (!fgti_layer_reads(l, k)) continue;
            t->readers++;
            t->last = i;
        }
    }
}

/* Reserves the start and the end of each state of a layer. For training also reserves the gradient of the
 * start. */
static void plan_states(planner *p, const fgti_layer *l, fgti_slot *slot)
{
    const bool training = p->ws->plan.purpose == FGTI_TRAIN;
    for (int32_t k = 0; k < l->states; k++) {
        const int64_t n    = fgti_mul(fgti_mul(l->state[k].outer, l->state[k].inner), p->batch);
        slot->state[k]     = plan_reserve(p, n);
        slot->state_end[k] = plan_reserve(p, n);
        slot->dstate[k]    = training ? plan_reserve(p, n) : 0;
    }
}

/* Reserves the pasts of a layer in a stream. They are not zeroed, because each row is written before it is
 * read. */
static void plan_pasts(planner *p, const fgti_layer *l, fgti_slot *slot)
{
    const int64_t rows = fgti_mul(fgti_mul(p->batch, l->in.nodes), p->ws->stream.room);
    for (int32_t k = 0; p->ws->stream.room && k < l->pasts; k++) {
        const int64_t width = fgti_mul(l->past[k].parts, l->past[k].width);
        slot->past[k]       = plan_reserve(p, fgti_mul(rows, width) + FGTI_PAST_AHEAD);
    }
}

static fgti_need need_of(const planner *p, const fgti_layer *l)
{
    fgti_need need = fgti_workspace_need(l, p->batch);
    if (p->ws->stream.room && l->cls->step_size && l->axis == FGT_AXIS_TIME)
        l->cls->step_size(l, p->batch, l->in, p->ws->stream.room, &need);
    return need;
}

static void live(planner *p, int64_t first, int64_t last, int64_t size, int64_t *place)
{
    p->life[p->lives++] = (fgti_life){.first = first, .last = last, .size = size, .place = place};
}

/* Assigns buffers to all tensors for which live() was called. */
static void place_lives(planner *p)
{
    const int64_t buffers = fgti_place(p->lives, p->life, p->size, p->busy);
    for (int64_t b = 0; b < buffers; b++) p->busy[b] = plan_reserve(p, p->size[b]);
    for (int64_t i = 0; i < p->lives; i++) *p->life[i].place = p->busy[p->life[i].buffer];
    p->lives = 0;
}

/* The last step in which a tensor is needed. A tensor that no layer reads is needed until the end, because
 * the host may read it. */
static int64_t last_step(const planner *p, int64_t tensor)
{
    return p->ws->tensor[tensor].readers ? p->ws->tensor[tensor].last : p->m->layers;
}

/* Places values and caches. In a lean workspace values share buffers. All caches share one place there,
 * except caches that a later layer reads. In other workspaces each value and cache has its own place. Layer i
 * runs in step i. The host's inputs exist before step 0. */
static void plan_values(planner *p)
{
    const fgt_model *m     = p->m;
    fgt_workspace   *ws    = p->ws;
    const bool       lean  = ws->plan.purpose == FGTI_LEAN;
    int64_t          cache = 0;
    for (int64_t i = 0; i < m->layers; i++)
        cache = max64(cache, need_of(p, m->layer[i]).cache);
    live(p, -1, last_step(p, 0), elements_of(p, 0), &ws->tensor[0].at);
    for (int64_t i = 0; lean && i < m->layers; i++)
        if (m->layer[i]->cls->is_value)
            live(p, -1, last_step(p, i + 1), elements_of(p, i + 1), &ws->tensor[i + 1].at);
    for (int64_t i = 0; lean && i < m->layers; i++)
        if (!m->layer[i]->cls->is_value)
            live(p, i, last_step(p, i + 1), elements_of(p, i + 1), &ws->tensor[i + 1].at);
    place_lives(p);
    const int64_t common = lean ? plan_reserve(p, cache) : 0;
    for (int64_t i = 0; i < m->layers; i++) {
        const bool own = !lean || ws->slot[i].undone;
        if (!lean) ws->tensor[i + 1].at = plan_reserve(p, elements_of(p, i + 1));
        ws->slot[i].cache = own ? plan_reserve(p, need_of(p, m->layer[i]).cache) : common;
    }
}

/* Places gradients. In the backward pass layer i runs in step layers - 1 - i. The last reader of a tensor
 * runs first, and writes the tensor's gradient. Each earlier reader writes to a spare buffer, which is then
 * added. */
static void plan_gradients(planner *p)
{
    const fgt_model *m     = p->m;
    fgt_workspace   *ws    = p->ws;
    int64_t         *spare = ws->spare + fgti_model_edges(m);
    for (int64_t i = m->layers - 1; i >= 0; i--) {
        const int64_t step = m->layers - 1 - i;
        spare -= m->layer[i]->inputs;
        if (!ws->tensor[i + 1].readers)
            live(p, step, step, elements_of(p, i + 1), &ws->tensor[i + 1].gradient);
        for (int32_t k = 0; k < m->layer[i]->inputs; k++) {
            fgti_tensor  *t     = &ws->tensor[tensor_of(m->layer[i]->input[k].from)];
            const int64_t maker = m->layer[i]->input[k].from, n = elements_of(p, maker + 1);
            if (fgti_input_is_ids(m->layer[i]->cls, k) || !fgti_layer_reads(m->layer[i], k)) continue;
            if (t->arrived)
                live(p, step, step, n, &spare[k]);
            else
                live(p, step, maker < 0 ? m->layers : m->layers - 1 - maker, n, &t->gradient);
            t->arrived = true;
        }
    }
    place_lives(p);
}

static void plan_all(planner *p, int32_t workers)
{
    const fgt_model *m       = p->m;
    fgti_plan       *plan    = &p->ws->plan;
    int64_t          scratch = 0, arena = 0;
    count_readers(p);
    for (int64_t i = 0; i < m->layers; i++) {
        const fgti_need need = need_of(p, m->layer[i]);
        scratch              = max64(scratch, need.scratch);
        if (plan->purpose == FGTI_TRAIN) scratch = max64(scratch, need.backward);
        arena                = max64(arena, need.arena);
        plan_states(p, m->layer[i], &p->ws->slot[i]);
    }
    plan->zeroed = p->at;
    for (int64_t i = 0; i < m->layers; i++) plan_pasts(p, m->layer[i], &p->ws->slot[i]);
    plan_values(p);
    plan->scratch      = plan_reserve(p, scratch);
    plan->arena_stride = fgti_round_up(arena, FGTI_ALIGN);
    plan->arena        = plan_reserve(p, fgti_mul(plan->arena_stride, workers));
    if (plan->purpose == FGTI_TRAIN) plan_gradients(p);
    plan->total = p->at;
}

int64_t fgti_model_edges(const fgt_model *m)
{
    int64_t edges = 0;
    for (int64_t i = 0; i < m->layers; i++) edges += m->layer[i]->inputs;
    return edges;
}

/* Upper bound of the number of values, or of gradients and their spare buffers. */
static int64_t most_lives(const fgt_model *m)
{
    return fgti_model_edges(m) + m->layers + 2;
}

/* Upper bound of the number of parts in a workspace: a cache and a value for each layer, three parts for each
 * state, the pasts of each layer, the buffers, and four more. */
static int64_t most_parts(const fgt_model *m)
{
    return m->layers * (2 + 3 * FGTI_MAX_STATES + FGTI_MAX_PASTS) + most_lives(m) + 4;
}

/* Bytes of the slots, tensors, spare offsets and gaps. One allocation holds them all. */
size_t fgti_workspace_lists(const fgt_model *m)
{
    return (size_t)m->layers * sizeof(fgti_slot) + (size_t)(m->layers + 1) * sizeof(fgti_tensor) +
           (size_t)fgti_model_edges(m) * sizeof(int64_t) +
           (size_t)(FGTI_RED_ZONE ? most_parts(m) : 0) * sizeof(int64_t);
}

fgt_status fgti_workspace_plan(fgt_workspace *ws, fgti_purpose purpose, int64_t batch, int32_t workers)
{
    const fgt_model *m    = ws->model;
    fgt_context     *ctx  = m->ctx;
    const int64_t    most = most_lives(m);
    planner          p    = {.m = m, .ws = ws, .batch = batch};
    ws->plan              = (fgti_plan){.purpose = purpose, .batch = batch};
    FGTI_TRY(fgti_alloc(ctx, 1, fgti_workspace_lists(m), "workspace", (void **)&ws->slot));
    ws->tensor   = (fgti_tensor *)(ws->slot + m->layers);
    ws->spare    = (int64_t *)(ws->tensor + m->layers + 1);
    ws->gap      = ws->spare + fgti_model_edges(m);
    fgt_status s = FGTI_NEW(ctx, most, "workspace", &p.life);
    if (s == FGT_OK) s = FGTI_NEW(ctx, 2 * most, "workspace", &p.size);
    if (s == FGT_OK) {
        p.busy = p.size + most;
        ws->model->asking++;
        plan_all(&p, workers);
        ws->model->asking--;
    }
    fgti_free(ctx, p.life);
    fgti_free(ctx, p.size);
    if (s != FGT_OK || ws->plan.total + fgti_keep_size(m, purpose) < FGTI_HUGE) return s;
    return fgti_fail(&ctx->error, FGT_E_SIZE, "batch %lld and time %lld make a pass too large",
                     (long long)batch, (long long)m->opts.time);
}
