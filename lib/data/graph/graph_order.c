/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts the nodes of a file in the order of the caller's names. */
#include "data/graph/graph_order.h"

#include <stdio.h>
#include <string.h>

/* Reads the number of a node, written with digits only; -1: the text is not a number below n. */
static int64_t index_of(const char *s, int64_t n)
{
    int64_t i = 0;
    if (!*s) return -1;
    for (; *s >= '0' && *s <= '9' && i < n; s++) i = 10 * i + (*s - '0');
    return *s || i >= n ? -1 : i;
}

static fgt_status fail_at_node(const fgti_graph_file *f, int64_t node, const char *what)
{
    char                  buf[FGTI_SHOW];
    const fgti_file_place at = f->place[node];
    return fgti_csv_fail(&f->csv, FGT_E_NAME, at.line, "column %lld: \"%s\" is not among %s",
                         (long long)at.column, fgti_show(fgti_strings_get(&f->nodes.texts, node), buf), what);
}

/* Sets map[i] to the index of the file's node i among the names; -1: the node is left out. */
static fgt_status order_by_names(const fgti_graph_file *f, int64_t known, int32_t *map)
{
    char  text[80], buf[FGTI_SHOW];
    bool *seen;
    snprintf(text, sizeof text, "the %lld names of nodes", (long long)f->opts.count);
    for (int64_t i = 0; i < f->size; i++)
        if (map[i] < 0 && !f->opts.subset) return fail_at_node(f, i, text);
    if (known == f->opts.count) return FGT_OK;
    FGTI_TRY(FGTI_NEW(f->csv.ctx, f->opts.count, "nodes of a graph", &seen));
    for (int64_t i = 0; i < f->size; i++)
        if (map[i] >= 0) seen[map[i]] = true;
    int64_t i = 0;
    while (seen[i]) i++;
    fgti_free(f->csv.ctx, seen);
    return fgti_fail(&f->csv.ctx->error, FGT_E_NAME, "%.300s: no node is called \"%s\"", f->csv.path,
                     fgti_show(f->opts.names[i], buf));
}

static fgt_status order_by_numbers(const fgti_graph_file *f, int32_t *map)
{
    char text[120];
    snprintf(text, sizeof text, "%sthe numbers of nodes, 0..%lld", f->opts.names ? "the names, nor of " : "",
             (long long)f->opts.count - 1);
    for (int64_t i = 0; i < f->size; i++) {
        map[i] = (int32_t)index_of(fgti_strings_get(&f->nodes.texts, i), f->opts.count);
        if (map[i] < 0) return fail_at_node(f, i, text);
    }
    return FGT_OK;
}

static fgt_status graph_order_check_size(const fgti_graph_file *f)
{
    fgti_error *err   = &f->csv.ctx->error;
    const bool  plain = !f->listed && !f->nodes.texts.count;
    if (f->listed && !f->opts.count)
        return fgti_fail(err, FGT_E_DATA,
                         "%.300s: a list of edges does not tell how many nodes there are, and `count` is 0",
                         f->csv.path);
    if (!plain || !f->opts.count || f->size == f->opts.count) return FGT_OK;
    return fgti_fail(err, FGT_E_SHAPE, "%.300s: wrong number of nodes (got %lld, need %lld)", f->csv.path,
                     (long long)f->size, (long long)f->opts.count);
}

static fgt_status order_nodes(const fgti_graph_file *f, int32_t *map)
{
    const fgti_strings *nodes = &f->nodes.texts;
    int64_t             known = 0;
    for (int64_t i = 0; i < f->size; i++) {
        map[i] = (int32_t)i; /* a matrix without names */
        if (!nodes->count) continue;
        map[i] = (int32_t)fgti_words_find(&f->names, fgti_strings_get(nodes, i), fgti_strings_size(nodes, i));
        known += map[i] >= 0;
    }
    if (!nodes->count) return FGT_OK;
    return f->listed && !known ? order_by_numbers(f, map) : order_by_names(f, known, map);
}

/* The name of a node, or its number if the caller gives no names. */
static const char *graph_order_name_of(const fgti_graph_file *f, int64_t node, char buf[FGTI_SHOW])
{
    if (f->opts.names) return fgti_show(f->opts.names[node], buf);
    snprintf(buf, FGTI_SHOW, "%lld", (long long)node);
    return buf;
}

static fgt_status check_edges(const fgti_graph_file *f, const int32_t *map)
{
    char from[FGTI_SHOW], to[FGTI_SHOW];
    bool leads = f->opts.count < 2; /* a graph of two or more nodes needs an edge between two different
                                     * nodes */
    for (int64_t e = 0; e < f->count; e++) {
        const fgti_file_edge *x = &f->edges[e];
        const int32_t         i = map[x->from], j = map[x->to];
        if (i < 0 || j < 0) continue;
        leads = leads || (i != j && x->weight != 0);
        if (x->weight < 0 && f->opts.no_negative)
            return fgti_csv_fail(&f->csv, FGT_E_DATA, x->line,
                                 "the weight from \"%s\" to \"%s\" is out of range (got %g, need 0 or more)",
                                 graph_order_name_of(f, i, from), graph_order_name_of(f, j, to),
                                 (double)x->weight);
    }
    if (leads) return FGT_OK;
    return fgti_fail(&f->csv.ctx->error, FGT_E_DATA, "%.300s: no edge leads from a node to another one",
                     f->csv.path);
}

/* Refuses an edge that the file has twice. The error names both lines. */
static fgt_status fail_double(const fgti_graph_file *f, const int32_t *map, int64_t row, int64_t column)
{
    char    from[FGTI_SHOW], to[FGTI_SHOW];
    int64_t line[2] = {0}, n = 0;
    for (int64_t e = 0; e < f->count && n < 2; e++)
        if (map[f->edges[e].from] == row && map[f->edges[e].to] == column) line[n++] = f->edges[e].line;
    return fgti_csv_fail(
        &f->csv, FGT_E_DATA, line[1], "the edge from \"%s\" to \"%s\" is given twice, first in line %lld",
        graph_order_name_of(f, row, from), graph_order_name_of(f, column, to), (long long)line[0]);
}

/* Makes a graph of the file's edges, including edges of weight 0. Edges of nodes that are left out are
 * dropped. */
static fgt_status make_edges(const fgti_graph_file *f, const int32_t *map, int64_t n, fgt_graph **graph)
{
    int64_t count = 0, row, column;
    for (int64_t e = 0; e < f->count; e++) count += map[f->edges[e].from] >= 0 && map[f->edges[e].to] >= 0;
    FGTI_TRY(fgti_graph_create(f->csv.ctx, n, false, count, graph));
    fgti_csr *a = &(*graph)->rows;
    for (int64_t e = 0; e < f->count; e++)
        if (map[f->edges[e].from] >= 0 && map[f->edges[e].to] >= 0) a->indptr[map[f->edges[e].from] + 1]++;
    for (int64_t i = 0; i < n; i++) a->indptr[i + 1] += a->indptr[i];
    for (int64_t e = f->count - 1; e >= 0; e--) { /* backwards, because each row is filled from its end */
        const int32_t i = map[f->edges[e].from], j = map[f->edges[e].to];
        if (i < 0 || j < 0) continue;
        const int64_t at = --a->indptr[i + 1];
        a->indices[at]   = j;
        a->values[at]    = f->edges[e].weight;
    }
    for (int64_t i = 0; i < n; i++) a->indptr[i] = a->indptr[i + 1];
    a->indptr[n] = count;
    fgti_graph_finish(*graph);
    return fgti_csr_find_double(a, &row, &column) ? fail_double(f, map, row, column) : FGT_OK;
}

/* Makes the final form of the graph, which is a matrix or a list without weights of 0. */
static fgt_status graph_order_store(fgt_context *ctx, const fgti_csr *a, fgt_graph **graph)
{
    int64_t edges = 0;
    for (int64_t e = 0; e < a->edges; e++) edges += a->values[e] != 0;
    const bool dense = fgti_graph_wants_dense(a->n, edges);
    FGTI_TRY(fgti_graph_create(ctx, a->n, dense, edges, graph));
    fgti_csr *b = &(*graph)->rows;
    for (int64_t i = 0, at = 0; i < a->n; i++) {
        for (int64_t e = a->indptr[i]; e < a->indptr[i + 1]; e++) {
            if (dense) {
                (*graph)->dense[i * a->n + a->indices[e]] = a->values[e];
            } else if (a->values[e] != 0) {
                b->values[at]    = a->values[e];
                b->indices[at++] = a->indices[e];
            }
        }
        if (!dense) b->indptr[i + 1] = at;
    }
    fgti_graph_finish(*graph);
    return FGT_OK;
}

static fgt_status make_graph(const fgti_graph_file *f, const int32_t *map, fgt_graph **graph)
{
    fgt_graph    *all = NULL;
    const int64_t n   = f->opts.count ? f->opts.count : f->size;
    FGTI_TRY(check_edges(f, map));
    fgt_status s = make_edges(f, map, n, &all);
    if (s == FGT_OK) s = graph_order_store(f->csv.ctx, &all->rows, graph);
    fgti_graph_destroy(&all);
    return s;
}

fgt_status fgti_graph_order(const fgti_graph_file *f, fgt_graph **graph)
{
    int32_t *map;
    FGTI_TRY(graph_order_check_size(f));
    FGTI_TRY(FGTI_NEW(f->csv.ctx, f->size, "nodes of a graph", &map));
    fgt_status s = order_nodes(f, map);
    if (s == FGT_OK) s = make_graph(f, map, graph);
    fgti_free(f->csv.ctx, map);
    return s;
}
