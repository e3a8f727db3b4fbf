/* SPDX-License-Identifier: BSD-3-Clause */
/* Square matrices. The first line may hold names of the nodes, and so may the first column. */
#include "data/graph/graph_square.h"

#include <string.h>

typedef struct square {
    fgti_graph_file *f;
    fgti_strings     first;  /* the cells of the first line */
    int64_t          line;   /* the number of the first line */
    bool             named;  /* the first line holds names, because some cells are not numbers */
    int64_t          corner; /* 1: lines begin with the name of a node, and the first line with a title; 0:
                              * they do not */
    bool            *seen;   /* [nodes]: some line begins with this name */
    int64_t          rows;   /* rows read so far */
} square;

/* Keeps the cells of the first line as texts, because numbers may also be names. */
static fgt_status keep_first_line(square *q)
{
    const fgti_csv *csv = &q->f->csv;
    double          ignored;
    q->line  = csv->line;
    q->named = csv->cells[0].size == 0;
    for (int64_t i = 0; i < csv->count; i++) {
        q->named = q->named || fgti_graph_file_number(q->f, i, &ignored) == FGTI_NUMBER_TEXT;
        FGTI_TRY(fgti_strings_add(csv->ctx, &q->first, fgti_csv_cell(csv, i), csv->cells[i].size));
    }
    q->f->size = csv->count;
    return FGT_OK;
}

static bool is_name(const square *q, int64_t i)
{
    return fgti_words_find(&q->f->names, fgti_strings_get(&q->first, i), fgti_strings_size(&q->first, i)) >=
           0;
}

/* Whether the current line, the first line with weights, begins with a name. The name is a text, or a number
 * that the line of names repeats further to the right. */
static bool has_corner(const square *q)
{
    double      ignored;
    const char *begin = fgti_csv_cell(&q->f->csv, 0);
    if (is_name(q, 0)) return false;
    if (!*fgti_strings_get(&q->first, 0)) return true;
    if (fgti_graph_file_number(q->f, 0, &ignored) == FGTI_NUMBER_TEXT) return true;
    for (int64_t i = 1; i < q->first.count; i++)
        if (!strcmp(fgti_strings_get(&q->first, i), begin)) return true;
    return false;
}

static fgt_status name_nodes(square *q)
{
    fgti_graph_file *f = q->f;
    char             buf[FGTI_SHOW];
    int64_t          node;
    for (int64_t i = q->corner; i < q->first.count; i++) {
        const char *name = fgti_strings_get(&q->first, i);
        FGTI_TRY(fgti_graph_file_add_node(f, name, (fgti_file_place){q->line, i + 1}, &node));
        if (node != i - q->corner)
            return fgti_csv_fail(&f->csv, FGT_E_DATA, q->line,
                                 "columns %lld and %lld both have the name \"%s\"",
                                 (long long)f->place[node].column, (long long)i + 1, fgti_show(name, buf));
    }
    f->size = f->nodes.texts.count;
    return FGTI_NEW(f->csv.ctx, f->size, "nodes of a graph", &q->seen);
}

/* Finds the node to which the current line belongs. */
static fgt_status graph_square_find_row(square *q, int64_t *row)
{
    const fgti_csv *csv = &q->f->csv;
    char            buf[FGTI_SHOW];
    *row = q->rows;
    if (!q->corner) return FGT_OK;
    const char *name = fgti_csv_cell(csv, 0);
    *row             = fgti_words_find(&q->f->nodes, name, csv->cells[0].size);
    if (*row < 0)
        return fgti_csv_fail(csv, FGT_E_NAME, csv->line, "column 1: \"%s\" is no name of the first line",
                             fgti_show(name, buf));
    if (q->seen[*row])
        return fgti_csv_fail(csv, FGT_E_DATA, csv->line, "column 1: \"%s\" has a line already",
                             fgti_show(name, buf));
    q->seen[*row] = true;
    return FGT_OK;
}

static fgt_status graph_square_read_row(square *q)
{
    fgti_graph_file *f = q->f;
    int64_t          row;
    fgti_real        weight;
    FGTI_TRY(fgti_graph_file_check_line(f, q->first.count));
    FGTI_TRY(graph_square_find_row(q, &row));
    q->rows++;
    for (int64_t i = 0; i < f->size; i++) {
        FGTI_TRY(fgti_graph_file_weight(f, i + q->corner, &weight));
        /* The first line may turn out to hold names, so one more row than nodes is allowed. */
        if (weight != 0 && row <= f->size) FGTI_TRY(fgti_graph_file_add_edge(f, row, i, weight));
    }
    return FGT_OK;
}

/* Takes the numbers of the first line as names, if the file has one line too many for a matrix and one of
 * these numbers is a name that the caller gave. */
static fgt_status take_numbers_as_names(square *q)
{
    fgti_graph_file *f     = q->f;
    bool             known = false;
    int64_t          first = 0;
    for (int64_t i = 0; i < q->first.count && !known; i++) known = is_name(q, i);
    if (q->named || !known || q->rows != f->size + 1) return FGT_OK;
    while (first < f->count && f->edges[first].from == 0) first++;
    f->count -= first;
    memmove(f->edges, f->edges + first, (size_t)f->count * sizeof *f->edges);
    for (int64_t e = 0; e < f->count; e++) f->edges[e].from--;
    q->rows--;
    return name_nodes(q);
}

static fgt_status graph_square_read_rows(square *q)
{
    fgti_csv *csv = &q->f->csv;
    bool      more;
    FGTI_TRY(keep_first_line(q));
    if (q->named && !q->f->opts.names)
        return fgti_csv_fail(
            csv, FGT_E_DATA, q->line,
            "not all of it are numbers; if these are names of nodes, their order must be given");
    if (!q->named) FGTI_TRY(graph_square_read_row(q));
    FGTI_TRY(fgti_csv_next_filled(csv, &more));
    if (q->named) {
        q->corner = more && has_corner(q);
        FGTI_TRY(name_nodes(q));
    }
    while (more) {
        FGTI_TRY(graph_square_read_row(q));
        FGTI_TRY(fgti_csv_next_filled(csv, &more));
    }
    FGTI_TRY(take_numbers_as_names(q));
    if (q->rows == q->f->size) return FGT_OK;
    return fgti_fail(&csv->ctx->error, FGT_E_FORMAT,
                     "%.300s: wrong number of lines (got %lld, need %lld, the weights of a line)", csv->path,
                     (long long)q->rows, (long long)q->f->size);
}

fgt_status fgti_graph_read_square(fgti_graph_file *f)
{
    square           q = {.f = f};
    const fgt_status s = graph_square_read_rows(&q);
    fgti_strings_done(f->csv.ctx, &q.first);
    fgti_free(f->csv.ctx, q.seen);
    return s;
}
