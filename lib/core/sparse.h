/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SPARSE_H
#define FGTI_SPARSE_H

/* Fixed graphs, and products with their matrices. lib/nn/graph/fixed_graph.c checks a caller's data and makes
 * graphs from them. */

#include <stdbool.h>

#include "core/alloc.h"
#include "core/tensor.h"

/* A square matrix compressed by rows. The columns of a row are in ascending order. */
typedef struct fgti_csr {
    int64_t        n, edges;
    int64_t       *indptr;  /* [n+1]: row i has the edges indptr[i] .. indptr[i+1]-1 */
    int32_t       *indices; /* [edges]: column of each edge */
    fgti_real     *values;  /* [edges] */
    const int32_t *order;   /* [n]: see fgt_graph.order */
} fgti_csr;

/* A graph, either as a dense matrix or as a list of edges. It never changes after it is made. */
struct fgt_graph {
    fgt_context *ctx;
    int64_t      n;
    fgti_real   *dense;      /* A [n,n], row-major; NULL: the graph has edges */
    fgti_csr     rows;       /* A */
    fgti_csr     transposed; /* A', for the backward pass */
    int32_t     *order;      /* [n]: all nodes, neighbours near each other; then memory for n more numbers,
                              * which is used only while the order is made */
};

/* Allocates a graph with all weights 0, either dense or with `edges` edges. The caller fills the arrays in
 * `rows` before fgti_graph_finish(). n <= 2^31-1. */
fgt_status fgti_graph_create(fgt_context *ctx, int64_t n, bool dense, int64_t edges, fgt_graph **out);
/* Sorts each row of `rows`, fills `transposed` and finds the order. It does nothing for a dense graph. */
void fgti_graph_finish(fgt_graph *graph);
fgt_status fgti_graph_copy(fgt_context *ctx, const fgt_graph *graph, fgt_graph **out);
/* Sets *graph to NULL. Both graph and *graph may be NULL. */
void fgti_graph_destroy(fgt_graph **graph);

/* Computes Y = A X, or Y += A X with `add`, for the rows order[begin] .. order[end-1] of Y, on this thread. X
 * and Y are [n,d], and their rows are ldx and ldy elements apart. With &graph->transposed the product is A'
 * X. For a range of columns, pass pointers to the first column, and the number of columns as d. Each element
 * is summed in the order of its row's edges, so the bits do not depend on the order of the rows or on how the
 * caller splits the work. */
void fgti_spmm(const fgti_csr *a, int64_t begin, int64_t end, int64_t d, const fgti_real *x, int64_t ldx,
               bool add, fgti_real *y, int64_t ldy);

#endif
