/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_GRAPH_H
#define FGTI_GRAPH_H

/* Functions for graphs from memory and for graphs from files. */

#include <fighter/graph_data.h>

#include "core/context.h"
#include "core/sparse.h"

/* Whether a graph with `edges` weights other than 0 is stored as a matrix; false: by its edges. */
bool fgti_graph_wants_dense(int64_t n, int64_t edges);
/* Whether an edge is twice in a, whose rows are sorted. *row, *column: the first such edge. */
bool fgti_csr_find_double(const fgti_csr *a, int64_t *row, int64_t *column);

#endif
