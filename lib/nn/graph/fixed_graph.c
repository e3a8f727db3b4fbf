/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "nn/graph/fixed_graph.h"

/* A graph is stored by its edges if at most one weight in SPARSE is not 0. The products of fgti_spmm() reach
 * about 10 GFLOP/s, small dense products about 165 (one core with AVX-512, 64 columns). */
#define SPARSE 16

fgt_status fgti_graph_check_nodes(fgti_error *err, int64_t n)
{
    if (n < 1) return fgti_fail(err, FGT_E_SHAPE, "graph: there are no nodes (need at least 1)");
    if (n > INT32_MAX) return fgti_fail(err, FGT_E_SIZE, "graph: %lld nodes are too many", (long long)n);
    return FGT_OK;
}

bool fgti_graph_wants_dense(int64_t n, int64_t edges)
{
    return edges > n * n / SPARSE;
}

static fgt_status fixed_graph_check_weight(fgti_error *err, int64_t row, int64_t column, double w)
{
    if (isfinite((fgti_real)w)) return FGT_OK;
    return fgti_fail(err, FGT_E_DATA, "graph: the weight in row %lld, column %lld is %g", (long long)row,
                     (long long)column, w);
}

fgt_status fgti_graph_from_weights(fgt_context *ctx, const fgt_view *w, bool dense, fgt_graph **graph)
{
    const int64_t n     = w->shape[0];
    int64_t       edges = 0;
    for (int64_t i = 0; i < n * n; i++) {
        FGTI_TRY(fixed_graph_check_weight(&ctx->error, i / n, i % n, fgti_view_get(w, i)));
        edges += fgti_view_get(w, i) != 0;
    }
    dense = dense || fgti_graph_wants_dense(n, edges);
    FGTI_TRY(fgti_graph_create(ctx, n, dense, edges, graph));
    fgti_csr *a = &(*graph)->rows;
    for (int64_t i = 0, e = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            const double x = fgti_view_get(w, i * n + j);
            if (dense) {
                (*graph)->dense[i * n + j] = (fgti_real)x;
            } else if (x != 0) {
                a->values[e]    = (fgti_real)x;
                a->indices[e++] = (int32_t)j;
            }
        }
        if (!dense) a->indptr[i + 1] = e;
    }
    fgti_graph_finish(*graph);
    return FGT_OK;
}

fgt_status fgt_graph_create_dense(fgt_context *ctx, const fgt_view *weights, fgt_graph **graph)
{
    if (graph) *graph = NULL;
    if (!ctx) return FGT_E_ARG;
    fgti_error *err = &ctx->error;
    if (!graph) return fgti_fail(err, FGT_E_ARG, "graph: the result pointer is NULL");
    const int64_t square[] = {-1, weights ? weights->shape[0] : 0};
    FGTI_TRY(fgti_view_check_number(err, "weights", weights, 2, square));
    FGTI_TRY(fgti_graph_check_nodes(err, weights->shape[0]));
    return fgti_graph_from_weights(ctx, weights, true, graph);
}

static int64_t node(const fgt_view *indices, int64_t e)
{
    const void *p = indices->data;
    return indices->dtype == FGT_DTYPE_I64 ? ((const int64_t *)p)[e] : ((const int32_t *)p)[e];
}

static fgt_status check_csr(fgti_error *err, const fgt_view *indptr, const fgt_view *indices,
                            const fgt_view *values)
{
    const int32_t type = indices && indices->dtype == FGT_DTYPE_I64 ? FGT_DTYPE_I64 : FGT_DTYPE_I32;
    FGTI_TRY(fgti_view_check(err, "indptr", indptr, FGT_DTYPE_I64, 1, (const int64_t[]){-1}));
    FGTI_TRY(fgti_view_check(err, "indices", indices, type, 1, (const int64_t[]){-1}));
    if (values) FGTI_TRY(fgti_view_check_number(err, "values", values, 1, indices->shape));
    const int64_t *p = indptr->data, n = indptr->shape[0] - 1, edges = indices->shape[0];
    FGTI_TRY(fgti_graph_check_nodes(err, n));
    for (int64_t i = 0; i < n; i++)
        if (p[i] > p[i + 1])
            return fgti_fail(err, FGT_E_DATA, "graph: indptr falls from %lld to %lld at node %lld",
                             (long long)p[i], (long long)p[i + 1], (long long)i);
    if (p[0] != 0 || p[n] != edges)
        return fgti_fail(err, FGT_E_DATA,
                         "graph: indptr has the wrong ends (got %lld and %lld, need 0 and %lld)",
                         (long long)p[0], (long long)p[n], (long long)edges);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t e = p[i]; e < p[i + 1]; e++) {
            const int64_t j = node(indices, e);
            if (j < 0 || j >= n)
                return fgti_fail(err, FGT_E_DATA,
                                 "graph: the node of edge %lld is out of range (got %lld, need 0 .. %lld)",
                                 (long long)e, (long long)j, (long long)n - 1);
            if (values) FGTI_TRY(fixed_graph_check_weight(err, i, j, fgti_view_get(values, e)));
        }
    }
    return FGT_OK;
}

/* Rows are sorted, so the entries of an edge that is given twice are neighbours. */
bool fgti_csr_find_double(const fgti_csr *a, int64_t *row, int64_t *column)
{
    for (int64_t i = 0; i < a->n; i++) {
        for (int64_t e = a->indptr[i] + 1; e < a->indptr[i + 1]; e++) {
            if (a->indices[e] != a->indices[e - 1]) continue;
            *row    = i;
            *column = a->indices[e];
            return true;
        }
    }
    return false;
}

static fgt_status check_double(fgti_error *err, const fgti_csr *a)
{
    int64_t row, column;
    if (!fgti_csr_find_double(a, &row, &column)) return FGT_OK;
    return fgti_fail(err, FGT_E_DATA, "graph: the edge from %lld to %lld is given twice", (long long)row,
                     (long long)column);
}

fgt_status fgt_graph_create_csr(fgt_context *ctx, const fgt_view *indptr, const fgt_view *indices,
                                const fgt_view *values, fgt_graph **graph)
{
    if (graph) *graph = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!graph) return fgti_fail(&ctx->error, FGT_E_ARG, "graph: the result pointer is NULL");
    FGTI_TRY(check_csr(&ctx->error, indptr, indices, values));
    const int64_t n = indptr->shape[0] - 1, edges = indices->shape[0];
    FGTI_TRY(fgti_graph_create(ctx, n, false, edges, graph));
    fgti_csr *a = &(*graph)->rows;
    memcpy(a->indptr, indptr->data, (size_t)(n + 1) * sizeof *a->indptr);
    for (int64_t e = 0; e < edges; e++) {
        a->indices[e] = (int32_t)node(indices, e);
        a->values[e]  = values ? (fgti_real)fgti_view_get(values, e) : 1;
    }
    fgti_graph_finish(*graph);
    const fgt_status s = check_double(&ctx->error, a);
    if (s != FGT_OK) fgti_graph_destroy(graph);
    return s;
}

void fgt_graph_destroy(fgt_graph **graph)
{
    fgti_graph_destroy(graph);
}

fgt_status fgt_graph_get_size(const fgt_graph *graph, int64_t *nodes, int64_t *edges)
{
    if (nodes) *nodes = graph ? graph->n : 0;
    if (edges) *edges = !graph ? 0 : graph->dense ? graph->n * graph->n : graph->rows.edges;
    return graph ? FGT_OK : FGT_E_ARG;
}

fgt_status fgt_graph_copy_weights(const fgt_graph *graph, const fgt_view *weights)
{
    if (!graph) return FGT_E_ARG;
    const int64_t   n = graph->n;
    const fgti_csr *a = &graph->rows;
    FGTI_TRY(fgti_view_check_number(&graph->ctx->error, "weights", weights, 2, (const int64_t[]){n, n}));
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = i * n; j < (i + 1) * n; j++)
            fgti_view_set(weights, j, graph->dense ? graph->dense[j] : 0);
        if (graph->dense) continue;
        for (int64_t e = a->indptr[i]; e < a->indptr[i + 1]; e++)
            fgti_view_set(weights, i * n + a->indices[e], a->values[e]);
    }
    return FGT_OK;
}
