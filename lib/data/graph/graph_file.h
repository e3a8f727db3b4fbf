/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_GRAPH_FILE_H
#define FGTI_GRAPH_FILE_H

/* The edges of a graph in a file. Every kind of file becomes a list of edges, so the memory is proportional
 * to the number of edges. */

#include <fighter/experimental/graph_data.h>

#include "core/context.h"
#include "core/strings/words.h"
#include "data/csv/csv.h"
#include "data/csv/number.h"
#include "nn/graph/fixed_graph.h"

typedef struct fgti_file_edge {
    int64_t   line;
    int32_t   from, to; /* numbers of nodes, in the order of the file */
    fgti_real weight;
} fgti_file_edge;

typedef struct fgti_file_place {
    int64_t line, column; /* place in the file, counted from 1, for error texts */
} fgti_file_place;

typedef struct fgti_graph_file {
    fgti_csv            csv;
    locale_t            locale; /* "C" */
    fgt_graph_load_opts opts;
    fgti_words          names;  /* names of nodes in opts, numbered in the order of opts */
    bool                listed; /* the file is a list of edges, not a matrix */
    int64_t             size;   /* number of nodes in the file */
    fgti_words          nodes;  /* names of the nodes; empty for a matrix without names */
    fgti_file_place    *place;  /* [nodes]: where each name was first read */
    int64_t             place_capacity;
    fgti_file_edge     *edges;
    int64_t             count, capacity; /* numbers of edges */
} fgti_graph_file;

/* Adds a node, unless a node has this name already. Sets *node to the node's number. */
fgt_status fgti_graph_file_add_node(fgti_graph_file *f, const char *name, fgti_file_place place,
                                    int64_t *node);
fgt_status fgti_graph_file_add_edge(fgti_graph_file *f, int64_t from, int64_t to, fgti_real weight);
/* The cell of the current line as a number. */
fgti_number fgti_graph_file_number(const fgti_graph_file *f, int64_t cell, double *value);
/* The cell of the current line as a weight, which must be a finite number. */
fgt_status fgti_graph_file_weight(const fgti_graph_file *f, int64_t cell, fgti_real *weight);
/* Checks that the current line has `cells` cells. */
fgt_status fgti_graph_file_check_line(const fgti_graph_file *f, int64_t cells);

#endif
