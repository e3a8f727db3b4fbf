/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/graph/graph_matrix.h"

#include <string.h>

/* The table holds the weights of the walk P_f, then the weights of the walk P_b. For a dense graph these are
 * two matrices. Otherwise there are four lists: P_f in the order of the edges of A, P_f' in the order of the
 * edges of A', P_b in the order of the edges of A', and P_b' in the order of the edges of A. */

static int64_t graph_matrix_weights_of(const fgt_graph *g)
{
    return g->dense ? g->n * g->n : g->rows.edges;
}

static fgt_status graph_matrix_check_weights(fgt_context *ctx, const fgt_graph *g)
{
    const fgti_real *w = g->dense ? g->dense : g->rows.values;
    for (int64_t i = 0, row = 0; i < graph_matrix_weights_of(g); i++) {
        while (i >= (g->dense ? (row + 1) * g->n : g->rows.indptr[row + 1])) row++;
        if (w[i] < 0)
            return fgti_fail(&ctx->error, FGT_E_DATA,
                             "the weight of the graph in row %lld, column %lld is %g: diffusion needs "
                             "weights that are not negative",
                             (long long)row, (long long)(g->dense ? i % g->n : g->rows.indices[i]),
                             (double)w[i]);
    }
    return FGT_OK;
}

static double inverse(double sum)
{
    return sum > 0 ? 1 / sum : 0;
}

/* Divides each row of w [n,n], or of its transpose, by the sum of the row, and writes the results to the rows
 * of p. */
static void walk_dense(int64_t n, const fgti_real *w, bool backward, fgti_real *p)
{
    const int64_t row = backward ? 1 : n, column = backward ? n : 1;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++) sum += (double)w[i * row + j * column];
        for (int64_t j = 0; j < n; j++)
            p[i * n + j] = (fgti_real)((double)w[i * row + j * column] * inverse(sum));
    }
}

static double row_sum(const fgti_csr *a, int64_t i)
{
    double sum = 0;
    for (int64_t e = a->indptr[i]; e < a->indptr[i + 1]; e++) sum += (double)a->values[e];
    return sum;
}

/* Divides the rows of a by their sums. `own` gets the weights in the order of the edges of a. `other` gets
 * them in the order of the edges of the transpose, where the rows of a are columns. f: memory for n
 * factors. */
static void walk_edges(const fgti_csr *a, const fgti_csr *transposed, double *f, fgti_real *own,
                       fgti_real *other)
{
    for (int64_t i = 0; i < a->n; i++) {
        f[i] = inverse(row_sum(a, i));
        for (int64_t e = a->indptr[i]; e < a->indptr[i + 1]; e++)
            own[e] = (fgti_real)((double)a->values[e] * f[i]);
    }
    for (int64_t e = 0; e < a->edges; e++)
        other[e] = (fgti_real)((double)transposed->values[e] * f[transposed->indices[e]]);
}

fgt_status fgti_walks_plan(fgt_context *ctx, fgti_layer *l)
{
    const fgt_graph *g = l->graph;
    const int64_t    n = graph_matrix_weights_of(g);
    double          *f;
    FGTI_TRY(graph_matrix_check_weights(ctx, g));
    FGTI_TRY(FGTI_NEW(ctx, fgti_mul(g->dense ? 2 : 4, n), "random walks", &l->table));
    FGTI_TRY(FGTI_NEW(ctx, g->n, "random walks", &f));
    for (int back = 0; back < 2; back++)
        if (g->dense)
            walk_dense(g->n, g->dense, back, l->table + back * n);
        else
            walk_edges(back ? &g->transposed : &g->rows, back ? &g->rows : &g->transposed, f,
                       l->table + 2 * back * n, l->table + (2 * back + 1) * n);
    fgti_free(ctx, f);
    return FGT_OK;
}

fgti_graph_matrix fgti_walk_of(const fgti_layer *l, bool backward)
{
    const fgt_graph *g = l->graph;
    const int64_t    n = graph_matrix_weights_of(g);
    if (g->dense) return (fgti_graph_matrix){.dense = l->table + backward * n};
    fgti_graph_matrix a    = {NULL, backward ? g->transposed : g->rows, backward ? g->rows : g->transposed};
    a.rows.values       = l->table + 2 * backward * n;
    a.transposed.values = l->table + (2 * backward + 1) * n;
    return a;
}

void fgti_graph_matrix_write(const fgti_graph_matrix *a, int64_t n, fgti_real *w)
{
    if (a->dense) {
        memcpy(w, a->dense, (size_t)(n * n) * sizeof *w);
        return;
    }
    memset(w, 0, (size_t)(n * n) * sizeof *w);
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = a->rows.indptr[i]; e < a->rows.indptr[i + 1]; e++)
            w[i * n + a->rows.indices[e]] = a->rows.values[e];
}
