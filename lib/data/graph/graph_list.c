/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of edges: one line per edge, with its two nodes and perhaps its weight. */
#include "data/graph/graph_list.h"

#include <strings.h>

enum { FROM, TO, WEIGHT, PARTS };

static const char *const spellings[PARTS][5] = {
    [FROM]   = {"from", "source", "src"},
    [TO]     = {"to", "target", "dst"},
    [WEIGHT] = {"weight", "cost", "distance"},
};

/* The part of an edge that a header cell names; PARTS: the cell names no part. */
static int graph_list_part_of(const char *cell)
{
    for (int part = 0; part < PARTS; part++)
        for (const char *const *s = spellings[part]; *s; s++)
            if (!strcasecmp(cell, *s)) return part;
    return PARTS;
}

/* Finds the cell of each part of an edge; -1: not found. */
static void find_parts(const fgti_csv *csv, int64_t cell[PARTS])
{
    for (int part = 0; part < PARTS; part++) cell[part] = -1;
    for (int64_t i = csv->count - 1; i >= 0; i--) {
        const int part = graph_list_part_of(fgti_csv_cell(csv, i));
        if (part < PARTS) cell[part] = i;
    }
}

bool fgti_graph_is_list(const fgti_graph_file *f)
{
    int64_t cell[PARTS];
    find_parts(&f->csv, cell);
    return cell[FROM] >= 0 && cell[TO] >= 0;
}

/* Refuses a header with columns that are not read, because the user may have meant such a column as a
 * weight. */
static fgt_status check_header(const fgti_csv *csv, const int64_t cell[PARTS])
{
    char buf[FGTI_SHOW];
    for (int64_t i = 0; i < csv->count; i++)
        if (i != cell[FROM] && i != cell[TO] && i != cell[WEIGHT])
            return fgti_csv_fail(
                csv, FGT_E_FORMAT, csv->line,
                "column %lld: a list of edges has one column for each of from, to and weight, "
                "and none that is called \"%s\" besides",
                (long long)i + 1, fgti_show(fgti_csv_cell(csv, i), buf));
    return FGT_OK;
}

static fgt_status read_node(fgti_graph_file *f, int64_t cell, int64_t *node)
{
    const fgti_file_place place = {f->csv.line, cell + 1};
    return fgti_graph_file_add_node(f, fgti_csv_cell(&f->csv, cell), place, node);
}

fgt_status fgti_graph_read_list(fgti_graph_file *f)
{
    const int64_t cells = f->csv.count;
    int64_t       cell[PARTS], from, to;
    bool          more;
    find_parts(&f->csv, cell);
    FGTI_TRY(check_header(&f->csv, cell));
    for (;;) {
        fgti_real weight = 1;
        FGTI_TRY(fgti_csv_next_filled(&f->csv, &more));
        if (!more) break;
        FGTI_TRY(fgti_graph_file_check_line(f, cells));
        FGTI_TRY(read_node(f, cell[FROM], &from));
        FGTI_TRY(read_node(f, cell[TO], &to));
        if (cell[WEIGHT] >= 0) FGTI_TRY(fgti_graph_file_weight(f, cell[WEIGHT], &weight));
        FGTI_TRY(fgti_graph_file_add_edge(f, from, to, weight));
    }
    f->size = f->nodes.texts.count;
    return FGT_OK;
}
