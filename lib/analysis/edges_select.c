/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects edges of a matrix by a rule. */
#include <fighter/analysis.h>
#include <math.h>

#include "analysis/matrices.h"
#include "core/context.h"
#include "core/opts.h"
#include "core/size.h"
#include "core/sort.h"
#include "model/pass/edges.h"

static const fgti_opt rule_opts[] = {
    FGTI_FIELD(fgt_edge_rule, threshold, F64, -INFINITY, INFINITY, 0),
    FGTI_FIELD(fgt_edge_rule, per_node, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_edge_rule, no_diagonal, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_edge_rule, reserved, BOOL, 0, 0, 0),
    {0},
};

/* Collects the strongest of the edges that are offered. */
typedef struct strongest {
    fgt_edge *edge; /* NULL: edges are only counted */
    int64_t   most, came;
} strongest;

static void offer(strongest *to, const fgt_edge *e)
{
    if (to->edge) fgti_sort_offer(to->edge, to->most, sizeof *e, to->came, e, fgti_edge_order, NULL);
    to->came++;
}

static bool is_edge(const fgt_edge_rule *rule, const fgt_edge *e)
{
    if (e->weight == 0 || (rule->no_diagonal && e->from == e->to)) return false;
    return rule->threshold == 0 || e->weight >= rule->threshold;
}

/* Offers edges of row t to `all`. If `row` has a limit, it first collects the strongest edges of the row, and
 * only these are offered. */
static void select_row(const fgt_view *a, const fgt_edge_rule *rule, int64_t t, strongest *row,
                       strongest *all)
{
    const int64_t columns = a->shape[1];
    row->came             = 0;
    for (int64_t j = 0; j < columns; j++) {
        const fgt_edge e = {j, t, fgti_view_get(a, t * columns + j)};
        if (is_edge(rule, &e)) offer(row->edge ? row : all, &e);
    }
    for (int64_t i = 0; row->edge && i < fgti_least(row->came, row->most); i++) offer(all, &row->edge[i]);
}

static fgt_status check_matrix(fgti_error *err, const fgt_view *a)
{
    FGTI_TRY(fgti_matrices_check(err, "a", a, false));
    if (a->rank != 2)
        return fgti_fail(err, FGT_E_SHAPE, "edges: a has the wrong rank (got %d axes, need 2)", (int)a->rank);
    for (int64_t i = 0; i < fgt_view_count(a); i++)
        if (!isfinite(fgti_view_get(a, i)))
            return fgti_fail(err, FGT_E_NONFINITE, "edges: a[%lld,%lld] is not finite",
                             (long long)(i / a->shape[1]), (long long)(i % a->shape[1]));
    return FGT_OK;
}

fgt_status fgt_edges_select(fgt_context *ctx, const fgt_view *a, const fgt_edge_rule *rule, fgt_edge *edges,
                            int64_t edge_count, int64_t *found)
{
    fgt_edge_rule r;
    if (!ctx) return FGT_E_ARG;
    fgti_error *err = &ctx->error;
    if (!a || !found) return fgti_fail(err, FGT_E_ARG, "edges: a or found is NULL");
    if (edges ? edge_count < 1 : edge_count != 0)
        return fgti_fail(err, FGT_E_ARG, "edges: edge_count is out of range (got %lld, need %s)",
                         (long long)edge_count, edges ? "at least 1" : "0 if edges is NULL");
    FGTI_TRY(fgti_opts_read(err, "fgt_edge_rule", rule, &r, sizeof r));
    FGTI_TRY(fgti_opts_check(err, "fgt_edge_rule", rule_opts, &r));
    FGTI_TRY(check_matrix(err, a));
    strongest row = {.most = fgti_least(r.per_node, a->shape[1])}, all = {.edge = edges, .most = edge_count};
    if (r.per_node) FGTI_TRY(FGTI_NEW(ctx, row.most, "edges of a node", &row.edge));
    for (int64_t t = 0; t < a->shape[0]; t++) select_row(a, &r, t, &row, &all);
    fgti_free(ctx, row.edge);
    *found = edges ? fgti_least(all.came, edge_count) : all.came;
    if (edges) fgti_sort(edges, *found, sizeof *edges, fgti_edge_order, NULL);
    return FGT_OK;
}
