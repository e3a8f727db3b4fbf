/* SPDX-License-Identifier: BSD-3-Clause */
/* The table's lines: what attention does. */
#include <fighter/experimental/hops.h>
#include <fighter/experimental/sensitivity.h>
#include <fighter/experimental/tracker.h>

#include "../model_info.h"
#include "entries.h"

static fgt_status statistics(world *w)
{
    double out[B];
    for (int k = FGT_STATISTIC_DIRICHLET; k < FGT_STATISTIC_COUNT; k++) {
        TRY(fgt_statistic_compute(w->ctx, (int32_t)k, NULL, FGT_VIEW(sample_x, B, T, D), out));
        SEE(w, out);
        see_text(w, fgt_statistic_get_name((int32_t)k));
    }
    return FGT_OK;
}

static fgt_status adjacency(world *w)
{
    float    y[B * T * OUT];
    fgt_view v;
    MAKE(adjacency, fgt_adjacency_create(w->fresh.model, "0", 2, &w->made.adjacency));
    TRY(fgt_predict(w->fresh.model, FGT_VIEW(sample_x, B, T, D), FGT_VIEW(y, B, T, OUT)));
    TRY(fgt_adjacency_add(w->made.adjacency, 0, 0));
    TRY(fgt_adjacency_get_mean(w->made.adjacency, -1, 2, &v));
    see_view(w, &v);
    SEE(w, (int64_t){fgt_adjacency_count_samples(w->made.adjacency)});
    return FGT_OK;
}

static fgt_status hops(world *w)
{
    float    y[B * T * OUT];
    double   norms[B * 2], shares[B * 2], tokens[B * T];
    fgt_view v;
    TRY(fgt_predict(w->fresh.model, FGT_VIEW(sample_x, B, T, D), FGT_VIEW(y, B, T, OUT)));
    TRY(fgt_hops_get_shape(w->fresh.model, "0", &v));
    v.data = norms;
    TRY(fgt_hops_compute(w->fresh.model, "0", &v, FGT_VIEW_OF(FGT_DTYPE_F64, shares, B, 2)));
    SEE(w, norms);
    SEE(w, shares);
    SEE(w, (int64_t){layer_hops(w->fresh.model, "0")});
    TRY(fgt_importance_compute(w->fresh.model, "0", FGT_VIEW(sample_x, B, T, D), NULL,
                               FGT_VIEW_OF(FGT_DTYPE_F64, tokens, B, T), NULL));
    SEE(w, tokens);
    return FGT_OK;
}

static fgt_status see_bytes(void *user, const void *data, int64_t size)
{
    see(user, data, (size_t)size);
    return FGT_OK;
}

static fgt_status track(world *w)
{
    const fgt_writer   writer = {.size = sizeof writer, .write = see_bytes, .user = w};
    const fgt_progress p      = {.size = sizeof p, .epoch = 1, .step = 2, .epoch_done = 1};
    fgt_tracker_row    row    = {.size = sizeof row};
    MAKE(tracker, fgt_tracker_create(w->fresh.model, &FGT_OPTS(fgt_tracker_opts, .powers = 2, .hops = 1),
                                     FGT_VIEW(sample_x, B, T, D), &w->made.tracker));
    TRY(fgt_tracker_record(w->made.tracker, &p));
    TRY(fgt_tracker_get_row(w->made.tracker, fgt_tracker_count_rows(w->made.tracker) - 1, &row));
    SEE(w, row.value);
    TRY(fgt_tracker_save(w->made.tracker, &FGT_OPTS(fgt_output, .writer = &writer)));
    return fgt_tracker_save(w->made.tracker,
                            FGT_TO_FILE(in(w, "out"))); /* last: whatever fails, the old file is there */
}

/* ---- edges ---- */

enum { NODES = 3, EDGES = 4 };

static const double        matrix[NODES * NODES] = {0.5, 0.25, 0.25, 0.125, 0.75, 0.125, 0, 1, 0};
static const fgt_edge      some_edges[EDGES]     = {{1, 2, 1}, {1, 1, 0.75}, {0, 0, 0.5}, {1, 0, 0.25}};
static const char *const   node_names[NODES]     = {"load", "\"a\" & <b>", NULL};
static const fgt_edge_list edge_list             = {.size       = sizeof edge_list,
                                                    .edges      = some_edges,
                                                    .edge_count = EDGES,
                                                    .names      = node_names,
                                                    .node_count = NODES,
                                                    .title      = "attention"};

static fgt_status select_edges(world *w)
{
    fgt_edge edges[EDGES];
    int64_t  count;
    TRY(fgt_edges_select(w->ctx, FGT_VIEW_OF(FGT_DTYPE_F64, matrix, NODES, NODES),
                         &FGT_OPTS(fgt_edge_rule, .per_node = 2), edges, EDGES, &count));
    see(w, edges, (size_t)count * sizeof *edges);
    return FGT_OK;
}

static fgt_status save_edges(world *w)
{
    return fgt_edges_save(w->ctx, &edge_list, FGT_EDGES_FORMAT_GRAPHML, FGT_TO_FILE(in(w, "out")));
}

static fgt_status save_edges_to(world *w)
{
    const fgt_writer writer = {.size = sizeof writer, .write = see_bytes, .user = w};
    TRY(fgt_edges_save(w->ctx, &edge_list, FGT_EDGES_FORMAT_CSV, &FGT_OPTS(fgt_output, .writer = &writer)));
    return fgt_edges_save(w->ctx, &edge_list, FGT_EDGES_FORMAT_DOT, &FGT_OPTS(fgt_output, .writer = &writer));
}

/* ---- sensitivity ---- */

static fgt_status sensitivity(world *w)
{
    double                     norms[B * T * T], errors[B * T * T];
    float                      jacobian[B * T * OUT * D];
    fgt_view                   n = *FGT_VIEW_OF(FGT_DTYPE_F64, norms, B, T, T);
    fgt_view                   j = *FGT_VIEW(jacobian, B, 1, T, OUT, D);
    const fgt_view x = *FGT_VIEW(sample_x, B, T, D), e = *FGT_VIEW_OF(FGT_DTYPE_F64, errors, B, T, T);
    const fgt_sensitivity_opts o = {.size = sizeof o, .probes = 3};
    TRY(fgt_sensitivity_compute(w->fresh.model, &x, &o, &n, &e));
    SEE(w, norms);
    SEE(w, errors);
    TRY(fgt_sensitivity_compute(
        w->fresh.model, &x,
        &FGT_OPTS(fgt_sensitivity_opts, .from = "0", .norm = FGT_SENSITIVITY_NORM_SPECTRAL), &n, NULL));
    SEE(w, norms);
    TRY(fgt_jacobian_compute(w->fresh.model, &x, &FGT_OPTS(fgt_sensitivity_opts, .count = 1), &j));
    SEE(w, jacobian);
    return FGT_OK;
}

static fgt_status paths(world *w)
{
    static const float       weight[D * D] = {1, 0, 0.5f, -1, 0.25f, 0, 0.5f, 0.5f, 2};
    double                   norms[NODES * NODES];
    fgt_attention_path_bounds bounds = {.size = sizeof bounds};
    const fgt_view           square = *FGT_VIEW(weight, D, D);
    const fgt_attention_head  head   = {.size = sizeof head,
                                        .x    = FGT_VIEW(sample_x, NODES, D),
                                        .a    = FGT_VIEW_OF(FGT_DTYPE_F64, matrix, NODES, NODES),
                                        .wq   = &square,
                                        .wk   = &square,
                                        .wv   = &square};
    const fgt_view            n      = *FGT_VIEW_OF(FGT_DTYPE_F64, norms, NODES, NODES);
    TRY(fgt_attention_path_compute(w->ctx, &head, FGT_ATTENTION_PATH_TOTAL, FGT_SENSITIVITY_NORM_SPECTRAL, &n,
                                   NULL));
    SEE(w, norms);
    TRY(fgt_attention_path_compute_bounds(w->ctx, &head, FGT_SENSITIVITY_NORM_FROBENIUS, &bounds));
    SEE(w, bounds);
    return FGT_OK;
}

static const entry entries[] = {
    {"fgt_statistic_compute fgt_statistic_get_name", statistics, 0},
    {"fgt_adjacency_create fgt_adjacency_destroy fgt_adjacency_add fgt_adjacency_count_samples "
     "fgt_adjacency_get_mean",
     adjacency, CHAIN},
    {"fgt_sensitivity_compute fgt_sensitivity_get_shape fgt_jacobian_compute fgt_jacobian_get_shape",
     sensitivity, CHAIN},
    {"fgt_hops_compute fgt_hops_get_shape fgt_importance_compute "
     "fgt_importance_get_shape",
     hops, CHAIN},
    {"fgt_attention_path_compute fgt_attention_path_compute_bounds", paths, 0},
    {"fgt_tracker_create fgt_tracker_destroy fgt_tracker_record fgt_tracker_count_rows fgt_tracker_get_row "
     "fgt_tracker_save",
     track, CHAIN | WRITES},
    {"fgt_edges_select", select_edges, 0},
    {"fgt_edges_save", save_edges, WRITES},
    {"fgt_edges_save", save_edges_to, 0},
};

const entry_table analysis_entries = {entries, LENGTH(entries)};
