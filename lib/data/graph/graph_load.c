/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a graph from a file. */
#include <string.h>

#include "core/opts.h"
#include "data/csv/first_block.h"
#include "data/graph/graph_list.h"
#include "data/graph/graph_order.h"
#include "data/graph/graph_square.h"

static fgt_status graph_read_names(fgti_graph_file *f)
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

static fgt_status graph_read_opts(fgti_error *err, const fgt_graph_load_opts *opts, fgt_graph_load_opts *o)
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

static fgt_status graph_read(fgti_graph_file *f, const char *path, fgt_graph **graph)
{
    bool more;
    FGTI_TRY(graph_read_names(f));
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
    FGTI_TRY(graph_read_opts(&ctx->error, opts, &f.opts));
    f.locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (f.locale == (locale_t)0) return fgti_fail(&ctx->error, FGT_E_NOMEM, "no memory for the locale \"C\"");
    const fgt_status s = graph_read(&f, path, graph);
    fgti_csv_close(&f.csv);
    fgti_words_done(ctx, &f.names);
    fgti_words_done(ctx, &f.nodes);
    fgti_free(ctx, f.place);
    fgti_free(ctx, f.edges);
    freelocale(f.locale);
    return s;
}
