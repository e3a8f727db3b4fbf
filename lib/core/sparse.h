/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SPARSE_H
#define FGTI_SPARSE_H

/* Fixed graphs and the products of their matrices. What makes graphs from a caller's data, and
 * checks those, is lib/data/graph.c. */

#include <stdbool.h>

#include "core/alloc.h"
#include "core/tensor.h"

/* Square matrix compressed by rows; the columns of a row rise. */
typedef struct fgti_csr {
    int64_t    n, edges;
    int64_t   *indptr;  /* [n+1]: row i has the edges indptr[i] .. indptr[i+1]-1 */
    int32_t   *indices; /* [edges]: their columns */
    fgti_real *values;  /* [edges] */
} fgti_csr;

/* Constant once made. */
struct fgt_graph {
    fgt_context *ctx;
    int64_t      n;
    fgti_real   *dense;      /* A [n,n], row-major; NULL: kept by edges, as follows */
    fgti_csr     rows;       /* A */
    fgti_csr     transposed; /* A', for the backward pass */
};

/* Room for a graph with all weights 0: dense, or with so many edges whose arrays in `rows` the
 * caller fills before fgti_graph_finish(). n <= 2^31-1. */
fgt_status fgti_graph_create(fgt_context *ctx, int64_t n, bool dense, int64_t edges, fgt_graph **out);
/* Sorts every row of `rows` and fills `transposed`; nothing to do for a dense graph. */
void fgti_graph_finish(fgt_graph *graph);
fgt_status fgti_graph_copy(fgt_context *ctx, const fgt_graph *graph, fgt_graph **out);
/* Takes the handle's address, nulls it, accepts NULL. */
void fgti_graph_destroy(fgt_graph **graph);

/* Y = A X, or Y += A X, for the rows begin .. end-1 of Y alone, on this thread. X and Y [n,d] with rows
 * at distance ldx and ldy. With &graph->transposed it is A' X. For a range of columns pass the
 * pointers to the first one and their number as d. Each element is summed in the order of its row's
 * edges, so the bits do not depend on how the caller splits the work. */
void fgti_spmm(const fgti_csr *a, int64_t begin, int64_t end, int64_t d, const fgti_real *x, int64_t ldx,
               bool add, fgti_real *y, int64_t ldy);

#endif
