/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_GRAPH_SQUARE_H
#define FGTI_GRAPH_SQUARE_H

#include "data/graph/graph_file.h"

/* Reads a square matrix up to the end of the file. The first line has been read already. */
fgt_status fgti_graph_read_square(fgti_graph_file *f);

#endif
