/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrices of attention and of graphs in the last pass. */
#include "model/pass/pass_matrices.h"

#include "model/adapter/adapter_pass.h"
#include "model/layer_kind.h"
#include "model/model_impl.h"
#include "model/names.h"
#include "model/pass/pass_io.h"
#include "nn/axis.h"

/* Most nodes of a sparse graph that is written out as a dense matrix of 64 MB. */
#define WRITTEN_OUT 4096

static fgt_status pass_matrices_reserve(fgt_workspace *ws, int64_t elements)
{
    fgt_context *ctx = ws->model->ctx;
    if (elements <= ws->matrices_capacity) return FGT_OK;
    fgti_free(ctx, ws->matrices);
    ws->matrices          = NULL;
    ws->matrices_capacity = 0;
    FGTI_TRY(FGTI_NEW(ctx, elements, "matrices of a layer", &ws->matrices));
    ws->matrices_capacity = elements;
    return FGT_OK;
}

static bool has_adjacency(const fgti_layer *l)
{
    return fgti_layer_adjacency(l) != FGT_ADJACENCY_NONE;
}

/* Checks that the masks of the pass are still set. Attention that does not keep A computes A again with these
 * masks. If A is kept, only the mask of factors after the softmax matters, because it decides which of two
 * arrays is A. */
static fgt_status check_masks(const fgt_workspace *ws, fgti_error *err, const fgti_layer *l)
{
    const uint32_t changed = ws->masks_changed & l->cls->masks;
    const bool     kept    = fgti_routes[l->route].matrices == FGTI_MATRICES_KEPT;
    if (!(kept ? changed & 1u << FGT_MASK_DIAG_SCALE : changed)) return FGT_OK;
    return fgti_fail(err, FGT_E_STATE,
                     "layer \"%.60s\": a mask that its matrices depend on was set or removed after the pass",
                     l->name);
}

/* The run for reading matrices. If the weights have changed since layers computed results from them, these
 * results are computed again. Another workspace may have computed them since the last pass. */
static fgti_run run_of_matrices(const fgt_workspace *ws, const fgti_layer *l)
{
    fgti_run run = fgti_pass_run(ws, (int64_t)l->id);
    run.version  = ws->model->version;
    return run;
}

fgt_status fgti_adjacency_find(fgt_model *model, const char *name, const fgti_layer **layer, fgt_view *v)
{
    fgti_error *err = &model->ctx->error;
    FGTI_TRY(fgti_model_need(model, err, name, layer));
    const fgti_layer *l = *layer;
    if (!has_adjacency(l)) {
        fgti_fail(err, FGT_E_UNSUPPORTED, "layer \"%.60s\" (%.60s) has neither attention nor a graph", name,
                  l->cls->name);
        return fgti_model_list(model, err, FGT_E_UNSUPPORTED, has_adjacency);
    }
    if (!model->own || !model->own->passed) return fgti_fail(err, FGT_E_STATE, "model: no pass was run yet");
    FGTI_TRY(check_masks(model->own, err, l));
    fgti_adapter_update(model->own);
    const fgti_io  io  = fgti_pass_io(model->own, (int64_t)l->id);
    const fgti_run run = run_of_matrices(model->own, l);
    *v                 = (fgt_view){.rank = 4, .dtype = FGTI_REAL};
    return fgti_axis_adjacency(&run, l, &io, v->shape, NULL);
}

fgt_status fgt_model_get_adjacency(fgt_model *model, const char *layer, fgt_view *a)
{
    const fgti_layer *l;
    fgt_view          v;
    fgti_csr          edges;
    if (!model) return FGT_E_ARG;
    fgti_error *err = &model->ctx->error;
    if (!layer || !a) return fgti_fail(err, FGT_E_ARG, "layer or view is NULL");
    FGTI_TRY(fgti_adjacency_find(model, layer, &l, &v));
    if (v.shape[2] > WRITTEN_OUT && l->cls->edges && l->cls->edges(l, 0, &edges))
        return fgti_fail(err, FGT_E_SIZE,
                         "layer \"%.60s\": the graph has %lld nodes and %lld edges; beyond %d nodes it is "
                         "not written out as a matrix, and fgt_model_get_edges() gives its edges",
                         layer, (long long)edges.n, (long long)edges.edges, WRITTEN_OUT);
    fgt_workspace *ws = model->own;
    FGTI_TRY(pass_matrices_reserve(ws, fgt_view_count(&v)));
    const fgti_io  io  = fgti_pass_io(ws, (int64_t)l->id);
    const fgti_run run = run_of_matrices(ws, l);
    v.data             = ws->matrices;
    FGTI_TRY(fgti_axis_adjacency(&run, l, &io, v.shape, v.data));
    *a = v;
    return FGT_OK;
}
