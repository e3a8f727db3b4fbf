/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_GRAPH_DATA_H
#define FIGHTER_EXPERIMENTAL_GRAPH_DATA_H

/** @file graph_data.h
 *  Fixed graphs for the layers of graph.h, from the correlations of series and from files.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Makes a graph between the columns of a table. The weight between two columns is |Pearson correlation| in
 *  rows begin .. end-1 (the training rows), if this is above the threshold, else 0. The weight of a column
 *  with itself is 1. Then the rows of the matrix are scaled to sum 1. Missing values are replaced by the mean
 *  of their column. The graph is stored by its edges if at most 1 weight in 16 is not 0.
 *  Shapes   values [R,C] of F32 or F64 -> C nodes
 *  Units    threshold: a correlation, 0 <= threshold < 1
 *  Cost     rows C^2 flop
 *  Owner    *graph is the caller's
 *  Errors   FGT_E_ARG NULL, threshold, rows; FGT_E_SHAPE; FGT_E_DATA an infinite value, or a column without a
 *           value; FGT_E_SIZE; FGT_E_NOMEM. On error *graph is NULL */
FGT_API FGT_MUST fgt_status fgt_graph_create_correlation(fgt_context *ctx, const fgt_view *values,
                                                         int64_t begin, int64_t end, double threshold,
                                                         fgt_graph **graph);

typedef struct fgt_graph_load_opts {
    size_t             size;
    const char *const *names;       /**< names of the nodes in the host's order, such as names of columns;
                                         NULL: no names */
    int64_t            count;       /**< N, number of nodes. 0, only with names NULL: N is the size of the
                                         matrix */
    int32_t            no_negative; /**< 1: no weight may be negative */
    int32_t            subset;      /**< 1: nodes that are not in `names` are left out, with their edges; 0:
                                         they are refused */
} fgt_graph_load_opts;

/** Reads a graph from a CSV file, which may be gzip-compressed. The first line decides the form:
 *    list    from,to or from,to,weight; then a line for each edge, in any order. A node without edges to
 *            others may have a line to itself with weight 0
 *    named   the names of the nodes (not all numbers), after one more cell if lines begin with names; then a
 *            line of weights for each node, in the order of the names if lines do not begin with names
 *    plain   numbers: N lines of N weights, in the host's order. With one more line, and a first line that
 *            holds some of `names`, the matrix is a named one
 *  Columns of a list may also be called source or src, target or dst, cost or distance, in capitals or not.
 *  Weights are not changed. So first turn distances d into weights that fall with d, such as exp(-d^2/s^2).
 *  Edges of a list without a weight have weight 1; weight 0 means no edge.
 *  A[i,j] is the weight with which node i reads node j (fgt_graph_create_dense()): the entry in line i and
 *  column j, or the weight of the edge from i to j. Nodes are put in the order of `names`, and the file must
 *  have all names. Names are compared as texts, even if they look like numbers. If no node of a list is in
 *  `names`, and all nodes are numbers 0 .. N-1, the numbers are positions in the order of `names`, and nodes
 *  may be absent.
 *  The graph is stored by its edges if at most 1 weight in 16 is not 0.
 *  Source   lists: the files of distances of PEMS and METR-LA, Li et al. 2018
 *  Shapes   N nodes
 *  Units    as in the file
 *  Cost     linear in the cells of the file; memory linear in its edges
 *  Owner    opts NULL: the file is a plain matrix of any size. names are only read; *graph is the caller's
 *  Errors   FGT_E_IO no such file, a directory, unreadable; FGT_E_FORMAT empty, not as many lines as
 *           weights in a line, lines of different lengths, an unknown column in a list, and quotes, gzip
 *           streams, long lines and zero bytes that fgt_table_load() refuses; FGT_E_NAME a node of the file
 *           that is not in `names`, or a name of `names` that is not in the file (the error text has the
 *           name); FGT_E_SHAPE a plain matrix of another size than `count`; FGT_E_DATA a weight that is
 *           missing, not a finite number, or negative with no_negative, a node or an edge given twice, no
 *           edge between two nodes with `count` above 1, names without `names`, a list without `count`;
 *           FGT_E_ARG NULL, a name in `names` that is NULL or there twice, names without count;
 *           FGT_E_UNSUPPORTED gzip, built without zlib; FGT_E_VERSION; FGT_E_SIZE; FGT_E_NOMEM. On error
 *           *graph is NULL */
FGT_API FGT_MUST fgt_status fgt_graph_load(fgt_context *ctx, const char *path,
                                           const fgt_graph_load_opts *opts, fgt_graph **graph);

#ifdef __cplusplus
}
#endif
#endif
