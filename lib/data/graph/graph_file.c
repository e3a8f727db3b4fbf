/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/graph/graph_file.h"

#include <math.h>
#include <string.h>

fgt_status fgti_graph_file_add_node(fgti_graph_file *f, const char *name, fgti_file_place place,
                                    int64_t *node)
{
    fgt_context  *ctx = f->csv.ctx;
    const int64_t n   = f->nodes.texts.count;
    if (!*name)
        return fgti_csv_fail(&f->csv, FGT_E_DATA, place.line, "column %lld: a node without a name",
                             (long long)place.column);
    FGTI_TRY(fgti_grow(ctx, "nodes of a graph", sizeof *f->place, n, n + 1, 2 * n + 16, &f->place_capacity,
                       (void **)&f->place));
    FGTI_TRY(fgti_words_add(ctx, &f->nodes, name, (int64_t)strlen(name), node));
    if (*node == n) f->place[n] = place;
    return FGT_OK;
}

fgt_status fgti_graph_file_add_edge(fgti_graph_file *f, int64_t from, int64_t to, fgti_real weight)
{
    FGTI_TRY(fgti_grow(f->csv.ctx, "edges of a file", sizeof *f->edges, f->count, f->count + 1,
                       2 * f->count + 64, &f->capacity, (void **)&f->edges));
    f->edges[f->count++] =
        (fgti_file_edge){.line = f->csv.line, .from = (int32_t)from, .to = (int32_t)to, .weight = weight};
    return FGT_OK;
}

fgti_number fgti_graph_file_number(const fgti_graph_file *f, int64_t cell, double *value)
{
    return fgti_number_parse(f->locale, fgti_csv_cell(&f->csv, cell), f->csv.cells[cell].size, value);
}

fgt_status fgti_graph_file_weight(const fgti_graph_file *f, int64_t cell, fgti_real *weight)
{
    char   buf[FGTI_SHOW];
    double w = INFINITY;
    switch (fgti_graph_file_number(f, cell, &w)) {
    case FGTI_NUMBER_MISSING:
        return fgti_csv_fail(&f->csv, FGT_E_DATA, f->csv.line, "column %lld: no weight", (long long)cell + 1);
    case FGTI_NUMBER_TEXT:
        return fgti_csv_fail(&f->csv, FGT_E_DATA, f->csv.line, "column %lld: \"%s\" is no weight",
                             (long long)cell + 1, fgti_show(fgti_csv_cell(&f->csv, cell), buf));
    case FGTI_NUMBER:
    case FGTI_NUMBER_INFINITE: break;
    }
    if (!isfinite((fgti_real)w))
        return fgti_csv_fail(&f->csv, FGT_E_DATA, f->csv.line, "column %lld: the weight %s is not finite",
                             (long long)cell + 1, fgti_show(fgti_csv_cell(&f->csv, cell), buf));
    *weight = (fgti_real)w;
    return FGT_OK;
}

fgt_status fgti_graph_file_check_line(const fgti_graph_file *f, int64_t cells)
{
    if (f->csv.count == cells) return FGT_OK;
    return fgti_csv_fail(&f->csv, FGT_E_FORMAT, f->csv.line, "wrong number of cells (got %lld, need %lld)",
                         (long long)f->csv.count, (long long)cells);
}
