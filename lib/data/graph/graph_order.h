/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_GRAPH_ORDER_H
#define FGTI_GRAPH_ORDER_H

#include "data/graph/graph_file.h"

/* Makes the graph from the nodes and the edges of the file. */
fgt_status fgti_graph_order(const fgti_graph_file *f, fgt_graph **graph);

#endif
