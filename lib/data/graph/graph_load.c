/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/graph/graph_load.h"

#include <math.h>
#include <string.h>

#include "core/opts.h"

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
    return fgti_csv_fail(&f->csv, FGT_E_FORMAT, f->csv.line, "%lld cells, expected %lld",
                         (long long)f->csv.count, (long long)cells);
}

static fgt_status read_names(fgti_graph_file *f)
{
    fgt_context *ctx = f->csv.ctx;
    char         buf[FGTI_SHOW];
    int64_t      number;
    for (int64_t i = 0; f->opts.names && i < f->opts.count; i++) {
        const char *name = f->opts.names[i];
        if (!name) return fgti_fail(&ctx->error, FGT_E_ARG, "graph: name %lld is NULL", (long long)i);
        FGTI_TRY(fgti_words_add(ctx, &f->names, name, (int64_t)strlen(name), &number));
        if (number != i)
            return fgti_fail(&ctx->error, FGT_E_ARG, "graph: nodes %lld and %lld both have the name \"%s\"",
                             (long long)number, (long long)i, fgti_show(name, buf));
    }
    return FGT_OK;
}

static fgt_status read_opts(fgti_error *err, const fgt_graph_load_opts *opts, fgt_graph_load_opts *o)
{
    static const fgti_opt table[] = {
        FGTI_FIELD(fgt_graph_load_opts, count, I64, 0, INT32_MAX, 0),
        FGTI_FIELD(fgt_graph_load_opts, no_negative, BOOL, 0, 1, 0),
        FGTI_FIELD(fgt_graph_load_opts, subset, BOOL, 0, 1, 0),
        {0},
    };
    FGTI_TRY(fgti_opts_read(err, "fgt_graph_load_opts", opts, o, sizeof *o));
    FGTI_TRY(fgti_opts_check(err, "fgt_graph_load_opts", table, o));
    if (o->names && !o->count) return fgti_fail(err, FGT_E_ARG, "graph: there are names, but count is 0");
    return FGT_OK;
}

static fgt_status load(fgti_graph_file *f, const char *path, fgt_graph **graph)
{
    bool more;
    FGTI_TRY(read_names(f));
    FGTI_TRY(fgti_csv_open(f->csv.ctx, path, 0, &f->csv));
    fgti_csv_detect(&f->csv, ",;\t|");
    FGTI_TRY(fgti_csv_next_filled(&f->csv, &more));
    if (!more) return fgti_fail(&f->csv.ctx->error, FGT_E_FORMAT, "%.300s: the file is empty", path);
    f->listed = fgti_graph_is_list(f);
    FGTI_TRY(f->listed ? fgti_graph_read_list(f) : fgti_graph_read_square(f));
    return fgti_graph_order(f, graph);
}

fgt_status fgt_graph_load(fgt_context *ctx, const char *path, const fgt_graph_load_opts *opts,
                          fgt_graph **graph)
{
    fgti_graph_file f = {.csv = {.ctx = ctx}};
    if (graph) *graph = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!path || !graph) return fgti_fail(&ctx->error, FGT_E_ARG, "graph: path or result pointer is NULL");
    FGTI_TRY(read_opts(&ctx->error, opts, &f.opts));
    f.locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (f.locale == (locale_t)0) return fgti_fail(&ctx->error, FGT_E_NOMEM, "no memory for the locale \"C\"");
    const fgt_status s = load(&f, path, graph);
    fgti_csv_close(&f.csv);
    fgti_words_done(ctx, &f.names);
    fgti_words_done(ctx, &f.nodes);
    fgti_free(ctx, f.place);
    fgti_free(ctx, f.edges);
    freelocale(f.locale);
    return s;
}
