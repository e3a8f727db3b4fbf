/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include <fighter/graph.h>

#include "core/context.h"
#include "core/opts.h"
#include "core/sparse.h"

static bool has_loop(const fgti_csr *a, int64_t i)
{
    for (int64_t e = a->indptr[i]; e < a->indptr[i + 1]; e++)
        if (a->indices[e] == i) return true;
    return false;
}

/* Sets b = a + I. The arrays of b have room for the self loops that a does not have. */
static void add_loops(const fgti_csr *a, fgti_csr *b)
{
    int64_t at = 0;
    for (int64_t i = 0; i < a->n; i++) {
        if (!has_loop(a, i)) {
            b->indices[at]  = (int32_t)i;
            b->values[at++] = 1;
        }
        for (int64_t e = a->indptr[i]; e < a->indptr[i + 1]; e++) {
            b->indices[at]  = a->indices[e];
            b->values[at++] = a->values[e] + (a->indices[e] == i);
        }
        b->indptr[i + 1] = at;
    }
}

/* Copies a graph, with or without self loops. The caller must call fgti_graph_finish() on it. */
static fgt_status graph_norm_copy(const fgt_graph *graph, bool loops, fgt_graph **out)
{
    const int64_t n = graph->n;
    if (!loops || graph->dense) {
        FGTI_TRY(fgti_graph_copy(graph->ctx, graph, out));
        for (int64_t i = 0; loops && i < n; i++) (*out)->dense[i * n + i] += 1;
        return FGT_OK;
    }
    int64_t edges = graph->rows.edges;
    for (int64_t i = 0; i < n; i++) edges += !has_loop(&graph->rows, i);
    FGTI_TRY(fgti_graph_create(graph->ctx, n, false, edges, out));
    add_loops(&graph->rows, &(*out)->rows);
    return FGT_OK;
}

/* Returns the weights of row i: its edges, or its elements if the graph is dense. *count is their number, and
 * *begin is the number of the first one. */
static void graph_norm_row_of(const fgt_graph *g, int64_t i, int64_t *begin, int64_t *count,
                              fgti_real **values)
{
    *begin  = g->dense ? i * g->n : g->rows.indptr[i];
    *count  = g->dense ? g->n : g->rows.indptr[i + 1] - *begin;
    *values = (g->dense ? g->dense : g->rows.values) + *begin;
}

static int64_t column_of(const fgt_graph *g, int64_t begin, int64_t k)
{
    return g->dense ? k : g->rows.indices[begin + k];
}

/* out_i = sum_j a_ij, in_j = sum_i a_ij, in double. */
static void sums(const fgt_graph *g, double *out, double *in)
{
    int64_t    begin, count;
    fgti_real *a;
    for (int64_t i = 0; i < g->n; i++) {
        graph_norm_row_of(g, i, &begin, &count, &a);
        for (int64_t k = 0; k < count; k++) {
            out[i] += a[k];
            in[column_of(g, begin, k)] += a[k];
        }
    }
}

/* Turns the sums into factors of rows and columns. The factor of a node without edges does not matter. */
static fgt_status factors(fgti_error *err, int64_t n, int32_t norm, double *out, double *in)
{
    for (int64_t i = 0; i < n; i++) {
        const double least = norm == FGT_GRAPH_NORM_ROW || out[i] < in[i] ? out[i] : in[i];
        if (least < 0)
            return fgti_fail(err, FGT_E_DATA,
                             "graph: the weights of node %lld sum to %g, which cannot be normalised",
                             (long long)i, least);
        if (norm == FGT_GRAPH_NORM_ROW) {
            out[i] = out[i] > 0 ? 1 / out[i] : 0;
            in[i]  = 1;
        } else {
            out[i] = out[i] > 0 ? 1 / sqrt(out[i]) : 0;
            in[i]  = in[i] > 0 ? 1 / sqrt(in[i]) : 0;
        }
    }
    return FGT_OK;
}

static fgt_status graph_norm_scale(fgt_graph *g, int32_t norm)
{
    double    *out;
    int64_t    begin, count;
    fgti_real *a;
    FGTI_TRY(FGTI_NEW(g->ctx, 2 * g->n, "sums of weights", &out));
    double *in = out + g->n;
    sums(g, out, in);
    const fgt_status s = factors(&g->ctx->error, g->n, norm, out, in);
    for (int64_t i = 0; s == FGT_OK && i < g->n; i++) {
        graph_norm_row_of(g, i, &begin, &count, &a);
        for (int64_t k = 0; k < count; k++) a[k] = (fgti_real)(a[k] * out[i] * in[column_of(g, begin, k)]);
    }
    fgti_free(g->ctx, out);
    return s;
}

enum { NORMS = 3 }; /* number of enumerators */
_Static_assert(FGT_GRAPH_NORM_SYMMETRIC == NORMS - 1, "count of enumerators");

fgt_status fgt_graph_create_normalised(const fgt_graph *graph, int32_t norm, int32_t self_loops,
                                       fgt_graph **normal)
{
    if (normal) *normal = NULL;
    if (!graph) return FGT_E_ARG;
    fgti_error *err = &graph->ctx->error;
    if (!normal) return fgti_fail(err, FGT_E_ARG, "graph: the result pointer is NULL");
    if (norm < 0 || norm >= NORMS)
        return fgti_fail(err, FGT_E_ARG, "graph: norm is out of range (got %d, need 0 .. %d)", (int)norm,
                         NORMS - 1);
    FGTI_TRY(graph_norm_copy(graph, self_loops != 0, normal));
    const fgt_status s = norm == FGT_GRAPH_NORM_NONE ? FGT_OK : graph_norm_scale(*normal, norm);
    if (s != FGT_OK) {
        fgti_graph_destroy(normal);
        return s;
    }
    fgti_graph_finish(*normal);
    return FGT_OK;
}
