/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes edges as text. */
#include <fighter/analysis.h>
#include <math.h>

#include "analysis/node_name.h"
#include "core/context.h"
#include "core/opts.h"
#include "model/files/file_output.h"

/* Line widths in points that Graphviz draws for the strongest edge and for an edge of weight 0. */
#define WIDEST    4.0
#define NARROWEST 0.1

static fgt_status edge_file_put_number(fgti_text *t, double v)
{
    char number[FGTI_NUMBER_TEXT_MAX];
    return fgti_text_put(t, fgti_number_text(v, number));
}

/* Appends the text `before`, the name of a node (or its number if it has no name), and the text `after`. */
static fgt_status edge_file_put_name(fgti_text *t, const fgt_edge_list *l, fgt_edges_format format,
                                     const char *before, int64_t node, const char *after)
{
    FGTI_TRY(fgti_text_put(t, before));
    if (l->names && l->names[node])
        FGTI_TRY(fgti_name_put(t, format, l->names[node]));
    else
        FGTI_TRY(edge_file_put_number(t, (double)node));
    return fgti_text_put(t, after);
}

/* ---- CSV ---- */

static fgt_status put_csv(fgti_text *t, const fgt_edge_list *l)
{
    FGTI_TRY(fgti_text_put(t, "Source,Target,Weight,SourceName,TargetName\n"));
    for (int64_t i = 0; i < l->edge_count; i++) {
        const fgt_edge *e = &l->edges[i];
        FGTI_TRY(edge_file_put_number(t, (double)e->from));
        FGTI_TRY(fgti_text_put(t, ","));
        FGTI_TRY(edge_file_put_number(t, (double)e->to));
        FGTI_TRY(fgti_text_put(t, ","));
        FGTI_TRY(edge_file_put_number(t, e->weight));
        FGTI_TRY(edge_file_put_name(t, l, FGT_EDGES_FORMAT_CSV, ",\"", e->from, "\",\""));
        FGTI_TRY(edge_file_put_name(t, l, FGT_EDGES_FORMAT_CSV, "", e->to, "\"\n"));
    }
    return FGT_OK;
}

/* ---- DOT ---- */

static double greatest_weight(const fgt_edge_list *l)
{
    double most = 0;
    for (int64_t i = 0; i < l->edge_count; i++) {
        const double w = fabs(l->edges[i].weight);
        most           = w > most ? w : most;
    }
    return most;
}

static fgt_status put_dot_edge(fgti_text *t, const fgt_edge *e, double most)
{
    const double width = most > 0 ? rint(100 * WIDEST * (fabs(e->weight) / most)) / 100 : 0;
    FGTI_TRY(fgti_text_put(t, "  n"));
    FGTI_TRY(edge_file_put_number(t, (double)e->from));
    FGTI_TRY(fgti_text_put(t, " -> n"));
    FGTI_TRY(edge_file_put_number(t, (double)e->to));
    FGTI_TRY(fgti_text_put(t, " [penwidth="));
    FGTI_TRY(edge_file_put_number(t, width > NARROWEST ? width : NARROWEST));
    FGTI_TRY(fgti_text_put(t, ", tooltip=\""));
    FGTI_TRY(edge_file_put_number(t, e->weight));
    return fgti_text_put(t, "\"];\n");
}

static fgt_status put_dot(fgti_text *t, const fgt_edge_list *l)
{
    const double most = greatest_weight(l);
    FGTI_TRY(fgti_text_put(t, "digraph attention {\n  charset=\"UTF-8\";\n"));
    if (l->title) {
        FGTI_TRY(fgti_text_put(t, "  label=\""));
        FGTI_TRY(fgti_name_put(t, FGT_EDGES_FORMAT_DOT, l->title));
        FGTI_TRY(fgti_text_put(t, "\";\n"));
    }
    for (int64_t i = 0; i < l->node_count; i++) {
        FGTI_TRY(fgti_text_put(t, "  n"));
        FGTI_TRY(edge_file_put_number(t, (double)i));
        FGTI_TRY(edge_file_put_name(t, l, FGT_EDGES_FORMAT_DOT, " [label=\"", i, "\"];\n"));
    }
    for (int64_t i = 0; i < l->edge_count; i++) FGTI_TRY(put_dot_edge(t, &l->edges[i], most));
    return fgti_text_put(t, "}\n");
}

/* ---- GraphML ---- */

static fgt_status put_graphml_edge(fgti_text *t, const fgt_edge *e)
{
    FGTI_TRY(fgti_text_put(t, "    <edge source=\"n"));
    FGTI_TRY(edge_file_put_number(t, (double)e->from));
    FGTI_TRY(fgti_text_put(t, "\" target=\"n"));
    FGTI_TRY(edge_file_put_number(t, (double)e->to));
    FGTI_TRY(fgti_text_put(t, "\"><data key=\"weight\">"));
    FGTI_TRY(edge_file_put_number(t, e->weight));
    return fgti_text_put(t, "</data></edge>\n");
}

static fgt_status put_graphml(fgti_text *t, const fgt_edge_list *l)
{
    FGTI_TRY(fgti_text_put(t,
                           "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                           "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
                           "  <key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n"
                           "  <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n"
                           "  <graph id=\"attention\" edgedefault=\"directed\">\n"));
    if (l->title) {
        FGTI_TRY(fgti_text_put(t, "    <desc>"));
        FGTI_TRY(fgti_name_put(t, FGT_EDGES_FORMAT_GRAPHML, l->title));
        FGTI_TRY(fgti_text_put(t, "</desc>\n"));
    }
    for (int64_t i = 0; i < l->node_count; i++) {
        FGTI_TRY(fgti_text_put(t, "    <node id=\"n"));
        FGTI_TRY(edge_file_put_number(t, (double)i));
        FGTI_TRY(edge_file_put_name(t, l, FGT_EDGES_FORMAT_GRAPHML, "\"><data key=\"label\">", i,
                                    "</data></node>\n"));
    }
    for (int64_t i = 0; i < l->edge_count; i++) FGTI_TRY(put_graphml_edge(t, &l->edges[i]));
    return fgti_text_put(t, "  </graph>\n</graphml>\n");
}

/* ---- files ---- */

static fgt_status (*const forms[])(fgti_text *t, const fgt_edge_list *l) = {put_csv, put_dot, put_graphml};
enum { FORMS = sizeof forms / sizeof *forms };

static fgt_status edge_file_check_list(fgti_error *err, const fgt_edge_list *l)
{
    if (l->edge_count < 0 || l->node_count < 0 || (l->edge_count && !l->edges))
        return fgti_fail(err, FGT_E_ARG, "edges: counts or edges are wrong (got %lld edges, %lld nodes)",
                         (long long)l->edge_count, (long long)l->node_count);
    for (int64_t i = 0; i < l->edge_count; i++) {
        const fgt_edge *e = &l->edges[i];
        if (e->from < 0 || e->to < 0 || e->from >= l->node_count || e->to >= l->node_count)
            return fgti_fail(err, FGT_E_ARG,
                             "edges: edge %lld is out of range (got %lld to %lld, need below %lld nodes)",
                             (long long)i, (long long)e->from, (long long)e->to, (long long)l->node_count);
        if (!isfinite(e->weight))
            return fgti_fail(err, FGT_E_NONFINITE, "edges: the weight of edge %lld is not finite",
                             (long long)i);
    }
    return FGT_OK;
}

fgt_status fgt_edges_save(fgt_context *ctx, const fgt_edge_list *list, int32_t format,
                          const fgt_output *output)
{
    fgt_edge_list l;
    fgti_output   out;
    fgti_text     t = {.ctx = ctx};
    if (!ctx) return FGT_E_ARG;
    fgti_error *err = &ctx->error;
    FGTI_TRY(fgti_output_to(err, output, &out));
    if (!list) return fgti_fail(err, FGT_E_ARG, "edges: list is NULL");
    if (format < 0 || format >= FORMS)
        return fgti_fail(err, FGT_E_ARG, "edges: unknown format (got %d, need an fgt_edges_format)", format);
    FGTI_TRY(fgti_opts_read(err, "fgt_edge_list", list, &l, sizeof l));
    FGTI_TRY(edge_file_check_list(err, &l));
    fgt_status s = forms[format](&t, &l);
    if (s == FGT_OK) s = fgti_output_whole(ctx, &out, t.s, t.length);
    fgti_text_done(&t);
    return s;
}
