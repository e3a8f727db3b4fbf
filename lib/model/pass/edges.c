/* SPDX-License-Identifier: BSD-3-Clause */
/* The strongest edges of a layer's matrix. */
#include "model/pass/edges.h"

#include <math.h>
#include <stddef.h>

#include "core/opts.h"
#include "core/sort.h"
#include "model/model_impl.h"
#include "model/pass/pass_matrices.h"

/* One of a layer's matrices, [rows, columns]. */
typedef struct matrix {
    const fgti_real *a; /* NULL: the entries are in `edges` instead */
    fgti_csr         edges;
    int64_t          rows, columns;
    bool             no_diagonal;
} matrix;

int fgti_edge_order(const void *p, const void *q, const void *arg)
{
    const fgt_edge *a = p, *b = q;
    (void)arg;
    if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
    if (a->to != b->to) return a->to < b->to ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

/* Selects one matrix of a layer. `all` is a view with the shape of all its matrices. */
static fgt_status choose_matrix(fgti_error *err, const fgt_view *all, fgt_edges_opts *o, matrix *m)
{
    const fgti_opt table[] = {
        FGTI_FIELD(fgt_edges_opts, sample, I64, 0, (double)(all->shape[0] - 1), 0),
        FGTI_FIELD(fgt_edges_opts, head, I64, 0, (double)(all->shape[1] - 1), 0),
        FGTI_FIELD(fgt_edges_opts, no_diagonal, BOOL, 0, 1, 0),
        FGTI_FIELD(fgt_edges_opts, reserved, BOOL, 0, 0, 0),
        {0},
    };
    FGTI_TRY(fgti_opts_check(err, "fgt_edges_opts", table, o));
    *m = (matrix){.rows = all->shape[2], .columns = all->shape[3], .no_diagonal = o->no_diagonal != 0};
    return FGT_OK;
}

/* Reads the entries of the matrix. If the layer has a list of edges, they are read, otherwise all
 * elements. */
static fgt_status read_matrix(fgt_model *model, const char *layer, const fgti_layer *l,
                              const fgt_edges_opts *o, matrix *m)
{
    fgt_view all;
    if (l->cls->edges && l->cls->edges(l, o->head, &m->edges)) return FGT_OK;
    FGTI_TRY(fgt_model_get_adjacency(model, layer, &all));
    m->a = (const fgti_real *)all.data + (o->sample * all.shape[1] + o->head) * m->rows * m->columns;
    for (int64_t i = 0; i < m->rows * m->columns; i++)
        if (!isfinite(m->a[i]))
            return fgti_fail(&model->ctx->error, FGT_E_NONFINITE, "A[%lld,%lld] is not finite",
                             (long long)(i / m->columns), (long long)(i % m->columns));
    return FGT_OK;
}

/* Finds the k largest entries. Returns the number found, at most k. */
static int64_t find_edges(const matrix *m, int64_t k, fgt_edge *edges)
{
    int64_t came = 0;
    for (int64_t t = 0; t < m->rows; t++) {
        const int64_t first = m->a ? t * m->columns : m->edges.indptr[t];
        const int64_t count = m->a ? m->columns : m->edges.indptr[t + 1] - first;
        for (int64_t i = first; i < first + count; i++) {
            const fgt_edge e = {m->a ? i - first : m->edges.indices[i], t,
                                (double)(m->a ? m->a[i] : m->edges.values[i])};
            if (e.weight == 0 || (m->no_diagonal && e.from == t)) continue;
            fgti_sort_offer(edges, k, sizeof e, came++, &e, fgti_edge_order, NULL);
        }
    }
    if (came > k) came = k;
    fgti_sort(edges, came, sizeof *edges, fgti_edge_order, NULL);
    return came;
}

fgt_status fgt_model_get_edges(fgt_model *model, const char *layer, const fgt_edges_opts *opts,
                               fgt_edge *edges, int64_t edge_count, int64_t *found)
{
    fgt_edges_opts    o;
    fgt_view          all;
    const fgti_layer *l;
    matrix            m;
    if (!model) return FGT_E_ARG;
    fgti_error *err = &model->ctx->error;
    if (!layer || !edges || !found) return fgti_fail(err, FGT_E_ARG, "edges: layer, edges or found is NULL");
    if (edge_count < 1)
        return fgti_fail(err, FGT_E_ARG, "edge_count is out of range (got %lld, need at least 1)",
                         (long long)edge_count);
    FGTI_TRY(fgti_opts_read(err, "fgt_edges_opts", opts, &o, sizeof o));
    FGTI_TRY(fgti_adjacency_find(model, layer, &l, &all));
    FGTI_TRY(choose_matrix(err, &all, &o, &m));
    FGTI_TRY(read_matrix(model, layer, l, &o, &m));
    *found = find_edges(&m, edge_count, edges);
    return FGT_OK;
}
