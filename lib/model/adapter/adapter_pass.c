/* SPDX-License-Identifier: BSD-3-Clause */
/* The work of the active adapter in passes. */
#include "model/adapter/adapter_pass.h"

#include <string.h>

#include "model/adapter_types.h"
#include "model/model_impl.h"
#include "nn/kept.h"

/* ---- the weights that layers read, and the buffers for gradients ---- */

/* The address of the adapted weights. By this address a layer finds the map. */
static fgti_real *adapter_pass_place_of(const fgt_model *m, const fgti_graft *g)
{
    return g->table ? m->weights + g->base->offset : m->tuning.effective + g->effective;
}

static fgti_low_rank map_of(const fgt_model *m, const fgti_graft *g, int64_t s)
{
    const fgti_tuning  *t = &m->tuning;
    const fgti_adapter *a = t->adapter;
    const int64_t       r = a->opts.rank, rows = fgti_low_rank_rows(r);
    const bool          drops = t->masked && !g->table;
    return (fgti_low_rank){.dw     = adapter_pass_place_of(m, g) + s * g->out * g->in,
                           .out    = g->out,
                           .in     = g->in,
                           .rank   = r,
                           .scale  = a->scale,
                           .a      = (drops ? t->masked : a->weights) + g->a + s * r * g->in,
                           .b      = a->weights + g->b + s * g->out * r,
                           .u      = t->scratch,
                           .v      = t->scratch + rows * r,
                           .packed = t->scratch + 2 * rows * r};
}

void fgti_adapter_place(fgt_model *model)
{
    fgti_tuning        *t = &model->tuning;
    const fgti_adapter *a = t->adapter;
    for (int64_t i = 0; i < model->layers; i++) {
        const fgti_layer *l     = model->layer[i];
        const bool        sinks = a && !l->cls->skips && !fgti_input_is_ids(l->cls, 0);
        for (int32_t k = 0; k < (l->shares ? 0 : l->params); k++) {
            fgti_param *p = &l->param[k];
            p->effective  = NULL;
            p->gradient   = sinks ? t->sink + (p->offset - l->param->offset) : NULL;
        }
    }
    for (int64_t i = 0; a && i < a->grafts; i++) {
        const fgti_graft *g = &a->graft[i];
        g->base->effective  = g->whole ? a->weights + g->a : adapter_pass_place_of(model, g);
        if (!g->whole && g->map >= 0) g->base->gradient = adapter_pass_place_of(model, g);
        for (int64_t s = 0; g->map >= 0 && s < g->maps; s++) t->map[g->map + s] = map_of(model, g, s);
    }
    fgti_adapter_place_gradients(model);
}

void fgti_adapter_place_gradients(fgt_model *model)
{
    const fgti_tuning  *t  = &model->tuning;
    const fgti_adapter *a  = t->adapter;
    fgti_real *const    to = a ? a->gradients : NULL;
    for (int64_t i = 0; a && i < a->grafts; i++) {
        const fgti_graft *g    = &a->graft[i];
        fgti_real *const  to_a = t->raw && !g->table ? t->raw : to;
        if (g->whole) g->base->gradient = to ? to + g->a : NULL;
        for (int64_t s = 0; g->map >= 0 && s < g->maps; s++) {
            fgti_low_rank *map = &t->map[g->map + s];
            map->da            = to ? to_a + g->a + s * a->opts.rank * g->in : NULL;
            map->db            = to ? to + g->b + s * g->out * a->opts.rank : NULL;
        }
    }
}

/* ---- W + s B A ---- */

/* W += s B A. A flipped W is stored as its transpose: W += s A'B'. */
static void adapter_pass_add_product(const fgt_context *ctx, const fgti_exec *exec, const fgti_graft *g,
                                     int64_t r, double scale, const fgti_real *a, const fgti_real *b,
                                     fgti_real *w)
{
    fgti_gemm p = g->flipped ? (fgti_gemm){.m   = g->in,
                                           .n   = g->out,
                                           .a   = a,
                                           .rsa = 1,
                                           .csa = g->in,
                                           .b   = b,
                                           .rsb = 1,
                                           .csb = r,
                                           .ldc = g->out}
                             : (fgti_gemm){.m   = g->out,
                                           .n   = g->in,
                                           .a   = b,
                                           .rsa = r,
                                           .csa = 1,
                                           .b   = a,
                                           .rsb = g->in,
                                           .csb = 1,
                                           .ldc = g->in};
    p.k         = r;
    p.alpha     = (fgti_real)scale;
    p.beta      = 1;
    p.c         = w;
    fgti_gemm_parallel(ctx->blas, exec, &p);
}

void fgti_adapter_add(const fgt_context *ctx, const fgti_exec *exec, const fgti_adapter *a,
                      const fgti_graft *g, const fgti_real *factor, const fgti_real *w, fgti_real *to)
{
    const int64_t r = a->opts.rank;
    if (to != w) memcpy(to, w, (size_t)g->base->count * sizeof *to);
    if (g->table) {
        const fgti_low_rank map = {
            .out = g->out, .in = g->in, .rank = r, .scale = a->scale, .a = factor, .b = a->weights + g->b};
        fgti_low_rank_table(exec, ctx->vec, &map, to);
        return;
    }
    for (int64_t s = 0; s < g->maps; s++)
        adapter_pass_add_product(ctx, exec, g, r, a->scale, factor + s * r * g->in,
                                 a->weights + g->b + s * g->out * r, to + s * g->out * g->in);
}

/* Writes A times the factors of dropout: columns that this pass drops become zero, and the other columns are
 * scaled. */
static void mask_columns(const fgti_tuning *t, int64_t graft)
{
    const fgti_adapter *a    = t->adapter;
    const fgti_graft   *g    = &a->graft[graft];
    const fgti_rng      rng  = fgti_rng_of(a->opts.seed, FGTI_STREAM_ADAPTER, (uint64_t)graft, t->draw);
    const double        p    = t->draw ? a->opts.dropout : 0;
    fgti_real          *keep = t->column + g->column;
    for (int64_t j = 0; j < g->in; j++)
        keep[j] = (fgti_real)(p > 0 && fgti_rng_uniform(rng, (uint64_t)j) < p ? 0 : 1 / (1 - p));
    for (int64_t i = 0; i < g->maps * a->opts.rank; i++)
        for (int64_t j = 0; j < g->in; j++)
            t->masked[g->a + i * g->in + j] = keep[j] * a->weights[g->a + i * g->in + j];
}

static void make_effective(const fgt_model *m, const fgti_exec *exec)
{
    const fgti_tuning  *t = &m->tuning;
    const fgti_adapter *a = t->adapter;
    for (int64_t i = 0; i < a->grafts; i++) {
        const fgti_graft *g = &a->graft[i];
        if (g->whole || g->table) continue;
        if (t->masked) mask_columns(t, i);
        fgti_adapter_add(m->ctx, exec, a, g, (t->masked ? t->masked : a->weights) + g->a,
                         m->weights + g->base->offset, t->effective + g->effective);
    }
}

/* Number of the draw of dropout for a pass; see fgti_tuning. */
static uint64_t draw_of(const fgti_tuning *t, uint64_t step, bool training)
{
    return training && t->masked ? step + 1 : 0;
}

static void adapter_pass_make_again(fgt_model *m, const fgti_exec *exec)
{
    if (m->tuning.version == m->version) return;
    make_effective(m, exec);
    m->tuning.version = m->version;
}

/* Brings the adapted weights up to date. Workspaces in other threads wait, so that all read the same weights.
 * A new draw of dropout changes the adapted weights but not the version of the weights. */
void fgti_adapter_refresh(fgt_model *m, const fgt_workspace *ws, bool training)
{
    fgti_tuning   *t    = &m->tuning;
    const uint64_t draw = draw_of(t, ws->step, training);
    if (!t->adapter) return;
    fgti_kept_lock(&m->keep.lock, ws->exec);
    if (t->draw != draw) {
        t->draw = draw;
        m->version++;
    }
    adapter_pass_make_again(m, ws->exec);
    fgti_kept_unlock(&m->keep.lock, ws->exec);
}

void fgti_adapter_update(fgt_workspace *ws)
{
    fgt_model *m = ws->model;
    if (!m->tuning.adapter) return;
    fgti_kept_lock(&m->keep.lock, ws->exec);
    adapter_pass_make_again(m, ws->exec);
    fgti_kept_unlock(&m->keep.lock, ws->exec);
}

fgt_status fgti_adapter_check_draw(const fgt_workspace *ws)
{
    const fgti_tuning *t = &ws->model->tuning;
    if (t->draw == draw_of(t, ws->last.step, ws->last.training)) return FGT_OK;
    return fgti_fail(ws->error, FGT_E_STATE,
                     "adapter \"%.60s\": a prediction after fgt_forward() has removed its dropout; "
                     "fgt_backward() needs a new fgt_forward()",
                     t->adapter->name);
}

fgt_status fgti_adapter_slab(fgt_model *model, fgti_real **slab)
{
    fgt_context        *ctx = model->ctx;
    const fgti_adapter *a   = model->tuning.adapter;
    *slab                   = NULL;
    if (!a) return FGT_OK;
    FGTI_TRY(fgti_alloc_dirty(ctx, model->size, sizeof **slab, "adapted weights", (void **)slab));
    memcpy(*slab, model->weights, (size_t)model->size * sizeof **slab);
    for (int64_t i = 0; i < a->grafts; i++) {
        const fgti_graft *g = &a->graft[i];
        fgti_real        *w = *slab + g->base->offset;
        if (g->whole)
            memcpy(w, a->weights + g->a, (size_t)g->base->count * sizeof *w);
        else
            fgti_adapter_add(ctx, &ctx->exec, a, g, a->weights + g->a, w, w);
    }
    return FGT_OK;
}

/* ---- gradients ---- */

static const fgti_layer *owner_of(const fgti_layer *l)
{
    return l->shares ? l->shares : l;
}

void fgti_adapter_begin(const fgt_model *model, const fgti_layer *l)
{
    const fgti_tuning  *t = &model->tuning;
    const fgti_adapter *a = t->adapter;
    if (!a) return;
    for (int64_t i = 0; i < a->grafts; i++) {
        const fgti_graft *g = &a->graft[i];
        if (g->whole || g->layer != owner_of(l)) continue;
        if (g->map < 0) memset(g->base->gradient, 0, (size_t)g->base->count * sizeof(fgti_real));
        if (t->raw) memset(t->raw + g->a, 0, (size_t)a->param[g->param].count * sizeof *t->raw);
    }
}

/* dB += s dW A', dA += s B'dW */
static void adapter_pass_project(const fgti_adapter *a, const fgti_graft *g, int64_t s, const fgti_run *run,
                                 const fgti_real *factor, fgti_real *da)
{
    const int64_t    r = a->opts.rank, size = g->out * g->in;
    const int64_t    row = g->flipped ? 1 : g->in, column = g->flipped ? g->out : 1;
    const fgti_real *dw = g->base->gradient + s * size, *b = a->weights + g->b + s * g->out * r;
    const fgti_gemm  to_b = {.m     = g->out,
                             .n     = r,
                             .k     = g->in,
                             .alpha = (fgti_real)a->scale,
                             .beta  = 1,
                             .a     = dw,
                             .rsa   = row,
                             .csa   = column,
                             .b     = factor,
                             .rsb   = 1,
                             .csb   = g->in,
                             .c     = a->gradients + g->b + s * g->out * r,
                             .ldc   = r};
    const fgti_gemm  to_a = {.m = r, .n = g->in, .k = g->out, .alpha = (fgti_real)a->scale, .beta = 1, .a = b,
                             .rsa = 1, .csa = r, .b = dw, .rsb = row, .csb = column, .c = da, .ldc = g->in};
    fgti_gemm_parallel(run->blas, run->exec, &to_b);
    fgti_gemm_parallel(run->blas, run->exec, &to_a);
}

/* dA += the gradient of the masked A, times the mask. */
static void unmask(const fgti_tuning *t, const fgti_graft *g)
{
    const fgti_adapter *a = t->adapter;
    for (int64_t i = 0; i < a->param[g->param].count; i++)
        a->gradients[g->a + i] += t->column[g->column + i % g->in] * t->raw[g->a + i];
}

void fgti_adapter_collect(const fgt_model *model, const fgti_layer *l, const fgti_run *run)
{
    const fgti_tuning  *t = &model->tuning;
    const fgti_adapter *a = t->adapter;
    for (int64_t i = 0; a && i < a->grafts; i++) {
        const fgti_graft *g = &a->graft[i];
        if (g->whole || g->layer != owner_of(l)) continue;
        for (int64_t s = 0; g->map < 0 && s < g->maps; s++) {
            const int64_t at = g->a + s * a->opts.rank * g->in;
            adapter_pass_project(a, g, s, run, (t->masked ? t->masked : a->weights) + at,
                                 (t->raw ? t->raw : a->gradients) + at);
        }
        if (t->raw && !g->table) unmask(t, g);
    }
}

int64_t fgti_adapter_from(const fgt_model *model, const fgti_layer *l)
{
    const fgti_adapter *a = model->tuning.adapter;
    int64_t             i = 0;
    while (i < a->grafts && a->graft[i].layer->id < l->id) i++;
    return i < a->grafts ? a->graft[i].a : a->size;
}
