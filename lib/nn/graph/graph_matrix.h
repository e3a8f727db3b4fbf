/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_GRAPH_MATRIX_H
#define FGTI_GRAPH_MATRIX_H

/* The matrices by which graph layers multiply: the matrix of a fixed graph, and random walks on the graph. */

#include "core/sparse.h"
#include "nn/layer.h"

/* A [n,n], dense or by its edges. The arrays belong to others. */
typedef struct fgti_graph_matrix {
    const fgti_real *dense;      /* row-major; NULL: A has edges */
    fgti_csr         rows;       /* A */
    fgti_csr         transposed; /* A' */
} fgti_graph_matrix;

/* The matrix of a graph, with its weights unchanged. */
static inline fgti_graph_matrix fgti_graph_matrix_of(const fgt_graph *graph)
{
    return (fgti_graph_matrix){graph->dense, graph->rows, graph->transposed};
}

/* Random walks on l->graph. P_f is A, and P_b is A', with each row divided by its sum; a row of zeros stays
 * zero. fgti_walks_plan() writes the weights of both walks to l->table. FGT_E_DATA: a weight is negative.
 * fgti_walk_of() gives one of the walks. */
fgt_status     fgti_walks_plan(fgt_context *ctx, fgti_layer *l);
fgti_graph_matrix fgti_walk_of(const fgti_layer *l, bool backward);

/* Writes all weights to w [n,n]. */
void fgti_graph_matrix_write(const fgti_graph_matrix *a, int64_t n, fgti_real *w);

#endif
