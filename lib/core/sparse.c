/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/sparse.h"

#include <string.h>

#include "core/context.h"

/* Columns of Y that are held in registers: eight vectors of four floats. That is half of the registers of the
 * smallest vector unit (SSE2 has 16); the other half holds X and the weight. */
#define BLOCK 32

static fgt_status csr_create(fgt_context *ctx, int64_t n, int64_t edges, fgti_csr *csr)
{
    csr->n     = n;
    csr->edges = edges;
    FGTI_TRY(FGTI_NEW(ctx, n + 1, "rows of a graph", &csr->indptr));
    FGTI_TRY(FGTI_NEW(ctx, edges, "edges of a graph", &csr->indices));
    return FGTI_NEW(ctx, edges, "weights of a graph", &csr->values);
}

static void csr_destroy(fgt_context *ctx, fgti_csr *csr)
{
    fgti_free(ctx, csr->values);
    fgti_free(ctx, csr->indices);
    fgti_free(ctx, csr->indptr);
}

static fgt_status create_parts(fgt_context *ctx, bool dense, int64_t edges, fgt_graph *g)
{
    int64_t squared;
    if (!dense) {
        FGTI_TRY(csr_create(ctx, g->n, edges, &g->rows));
        FGTI_TRY(csr_create(ctx, g->n, edges, &g->transposed));
        FGTI_TRY(FGTI_NEW(ctx, 2 * g->n, "order of a graph", &g->order));
        g->rows.order = g->transposed.order = g->order;
        return FGT_OK;
    }
    if (!fgti_size_mul(g->n, g->n, &squared))
        return fgti_fail(&ctx->error, FGT_E_SIZE, "graph: %lld nodes are too many", (long long)g->n);
    return FGTI_NEW(ctx, squared, "weights of a graph", &g->dense);
}

fgt_status fgti_graph_create(fgt_context *ctx, int64_t n, bool dense, int64_t edges, fgt_graph **out)
{
    FGTI_TRY(FGTI_NEW(ctx, 1, "graph", out));
    (*out)->ctx        = ctx;
    (*out)->n          = n;
    const fgt_status s = create_parts(ctx, dense, edges, *out);
    if (s != FGT_OK) fgti_graph_destroy(out);
    return s;
}

void fgti_graph_destroy(fgt_graph **graph)
{
    if (!graph || !*graph) return;
    fgt_graph   *g   = *graph;
    fgt_context *ctx = g->ctx;
    csr_destroy(ctx, &g->transposed);
    csr_destroy(ctx, &g->rows);
    fgti_free(ctx, g->order);
    fgti_free(ctx, g->dense);
    fgti_free(ctx, g);
    *graph = NULL;
}

/* t = a', by counting sort. Rows of a are visited in order, so the columns in each row of t ascend. */
static void sparse_transpose(const fgti_csr *a, fgti_csr *t)
{
    memset(t->indptr, 0, (size_t)(a->n + 1) * sizeof *t->indptr);
    for (int64_t e = 0; e < a->edges; e++) t->indptr[a->indices[e] + 1]++;
    for (int64_t i = 0; i < a->n; i++) t->indptr[i + 1] += t->indptr[i];
    for (int64_t i = 0; i < a->n; i++) {
        for (int64_t e = a->indptr[i]; e < a->indptr[i + 1]; e++) {
            const int64_t edge = t->indptr[a->indices[e]]++;
            t->indices[edge]   = (int32_t)i;
            t->values[edge]    = a->values[e];
        }
    }
    /* the loop above moved the start of every row to the start of the next row */
    for (int64_t i = a->n; i > 0; i--) t->indptr[i] = t->indptr[i - 1];
    t->indptr[0] = 0;
}

/* A breadth-first search. `order` lists the nodes in the order in which they are found. mark[i] is the number
 * of the last search that found node i. */
typedef struct search {
    int64_t  found;
    int32_t *order, *mark, number;
} search;

static void sparse_find(search *s, int32_t node)
{
    if (s->mark[node] == s->number) return;
    s->mark[node]         = s->number;
    s->order[s->found++] = node;
}

/* Finds all nodes that paths of edges, in either direction, connect to `node`. The nearest nodes come
 * first. */
static search search_from(const fgt_graph *g, int32_t node, int32_t number, int32_t *order)
{
    const fgti_csr *side[] = {&g->rows, &g->transposed};
    search          s      = {.order = order, .mark = g->order + g->n, .number = number};
    sparse_find(&s, node);
    for (int64_t next = 0; next < s.found; next++)
        for (int k = 0; k < 2; k++) {
            const int64_t *at = side[k]->indptr + order[next];
            for (int64_t e = at[0]; e < at[1]; e++) sparse_find(&s, side[k]->indices[e]);
        }
    return s;
}

/* Finds the order in which products visit rows. Neighbours in the graph come soon after each other in this
 * order, so the rows of X that they need are often in the cache already. A first search from any node ends at
 * the rim of the graph. A second search begins there, and finds the nodes in the order that is used. A search
 * from the rim has few nodes at each distance (Cuthill and McKee 1969). */
static void sparse_find_order(fgt_graph *g)
{
    for (int64_t i = 0, placed = 0; i < g->n; i++) {
        if (g->order[g->n + i]) continue;
        int32_t     *order = g->order + placed;
        const search first = search_from(g, (int32_t)i, 1, order);
        placed += search_from(g, order[first.found - 1], 2, order).found;
    }
}

void fgti_graph_finish(fgt_graph *graph)
{
    if (graph->dense) return;
    sparse_transpose(&graph->rows, &graph->transposed);
    sparse_transpose(&graph->transposed, &graph->rows);
    sparse_find_order(graph);
}

fgt_status fgti_graph_copy(fgt_context *ctx, const fgt_graph *graph, fgt_graph **out)
{
    const int64_t n = graph->n, edges = graph->rows.edges;
    FGTI_TRY(fgti_graph_create(ctx, n, graph->dense != NULL, edges, out));
    if (graph->dense) {
        memcpy((*out)->dense, graph->dense, (size_t)(n * n) * sizeof *graph->dense);
        return FGT_OK;
    }
    memcpy((*out)->rows.indptr, graph->rows.indptr, (size_t)(n + 1) * sizeof *graph->rows.indptr);
    memcpy((*out)->rows.indices, graph->rows.indices, (size_t)edges * sizeof *graph->rows.indices);
    memcpy((*out)->rows.values, graph->rows.values, (size_t)edges * sizeof *graph->rows.values);
    fgti_graph_finish(*out);
    return FGT_OK;
}

/* y_c (+)= sum_e values_e x[indices_e][c] for BLOCK columns c; e runs over the edges of one row. */
static void row_block(const fgti_csr *a, int64_t row, const fgti_real *x, int64_t ldx, bool add, fgti_real *y)
{
    fgti_real sum[BLOCK];
    for (int c = 0; c < BLOCK; c++) sum[c] = add ? y[c] : 0;
    for (int64_t e = a->indptr[row]; e < a->indptr[row + 1]; e++) {
        const fgti_real  w  = a->values[e];
        const fgti_real *xe = x + a->indices[e] * ldx;
        for (int c = 0; c < BLOCK; c++) sum[c] += w * xe[c];
    }
    memcpy(y, sum, sizeof sum);
}

/* row_block() for d < BLOCK columns. */
static void row_rest(const fgti_csr *a, int64_t row, int64_t d, const fgti_real *x, int64_t ldx, bool add,
                     fgti_real *y)
{
    fgti_real sum[BLOCK];
    for (int64_t c = 0; c < d; c++) sum[c] = add ? y[c] : 0;
    for (int64_t e = a->indptr[row]; e < a->indptr[row + 1]; e++) {
        const fgti_real  w  = a->values[e];
        const fgti_real *xe = x + a->indices[e] * ldx;
        for (int64_t c = 0; c < d; c++) sum[c] += w * xe[c];
    }
    memcpy(y, sum, (size_t)d * sizeof *sum);
}

void fgti_spmm(const fgti_csr *a, int64_t begin, int64_t end, int64_t d, const fgti_real *x, int64_t ldx,
               bool add, fgti_real *y, int64_t ldy)
{
    for (int64_t i = begin; i < end; i++) {
        const int64_t row = a->order[i];
        fgti_real    *yr  = y + row * ldy;
        int64_t       c   = 0;
        for (; c + BLOCK <= d; c += BLOCK) row_block(a, row, x + c, ldx, add, yr + c);
        if (c < d) row_rest(a, row, d - c, x + c, ldx, add, yr + c);
    }
}
