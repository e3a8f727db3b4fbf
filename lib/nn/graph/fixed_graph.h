/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FIXED_GRAPH_H
#define FGTI_FIXED_GRAPH_H

/* Makes fixed graphs from arrays in memory. Graphs from files and from correlations use some of these
 * functions. */

#include <fighter/graph.h>

#include "core/sparse.h"

/* Checks a number of nodes. */
fgt_status fgti_graph_check_nodes(fgti_error *err, int64_t n);
/* Makes a graph from the weights w [n,n], F32 or F64. The caller has checked the view and n. FGT_E_DATA: a
 * weight is not finite. With `dense` the graph is dense; otherwise fgti_graph_wants_dense() decides. */
fgt_status fgti_graph_from_weights(fgt_context *ctx, const fgt_view *w, bool dense, fgt_graph **graph);

/* Whether a graph with `edges` weights other than 0 is stored as a matrix; false: by its edges. */
bool fgti_graph_wants_dense(int64_t n, int64_t edges);
/* Whether a has an edge twice. The rows of a are sorted. *row, *column: the first such edge. */
bool fgti_csr_find_double(const fgti_csr *a, int64_t *row, int64_t *column);

#endif
