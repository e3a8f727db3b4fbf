/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_GRAPH_LIST_H
#define FGTI_GRAPH_LIST_H

#include "data/graph/graph_file.h"

/* Whether the first line is the header of a list of edges. */
bool fgti_graph_is_list(const fgti_graph_file *f);
/* Reads a list of edges up to the end of the file. The first line has been read already. */
fgt_status fgti_graph_read_list(fgti_graph_file *f);

#endif
