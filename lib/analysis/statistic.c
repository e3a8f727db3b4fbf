/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/matrix.h"

#include <fighter/analysis.h>
#include <fighter/experimental/tracker.h>
#include <math.h>
#include <stddef.h>

#include "analysis/matrices.h"
#include "analysis/statistic_matrix.h"
#include "analysis/statistic_values.h"
#include "core/context.h"
#include "core/opts.h"
#include "core/size.h"

/* Larger numbers are refused, because their squares or sums of squares could overflow a double. */
#define GREATEST 1e100

/* Indexed by fgt_statistic. */
static const fgti_statistic_kind kinds[] = {
    {"diagonal", fgti_statistic_diagonal, true, true, false, false},
    {"diagonal_expected", fgti_statistic_diagonal_expected, true, true, false, false},
    {"entropy", fgti_statistic_entropy, true, false, false, false},
    {"entropy_normalised", fgti_statistic_entropy_normalised, true, false, false, false},
    {"distance", fgti_statistic_distance, true, true, false, false},
    {"first", fgti_statistic_first, true, false, false, false},
    {"dirichlet", fgti_statistic_dirichlet, false, false, true, true},
    {"mad", fgti_statistic_mad, false, false, true, true},
    {"cosine", fgti_statistic_cosine, false, false, false, true},
    {"rank", fgti_statistic_rank, false, false, false, true},
    {"rank_one", fgti_statistic_rank_one, false, false, false, true},
};
_Static_assert(sizeof kinds / sizeof *kinds == FGT_STATISTIC_COUNT, "count of statistics");

static const fgti_opt statistic_opts[] = {
    FGTI_FIELD(fgt_statistic_opts, first, I64, 1, FGTI_OPT_SIZE_MAX, 1),
    {0},
};

static const fgti_statistic_kind *statistic_find(int32_t statistic)
{
    return statistic >= 0 && statistic < FGT_STATISTIC_COUNT ? &kinds[statistic] : NULL;
}

const char *fgt_statistic_get_name(int32_t statistic)
{
    const fgti_statistic_kind *k = statistic_find(statistic);
    if ((int)statistic == FGT_HOP_MEASURE_NORM) return "hop_norm";
    if ((int)statistic == FGT_HOP_MEASURE_SHARE) return "hop_share";
    return k ? k->name : NULL;
}

/* ---- views ---- */

static fgt_status check_entries(fgti_error *err, const char *what, const fgt_view *v, bool weights)
{
    const int64_t n = fgt_view_count(v);
    for (int64_t i = 0; i < n; i++) {
        const double a = fgti_view_get(v, i);
        if (!isfinite(a))
            return fgti_fail(err, FGT_E_NONFINITE, "%s: element %lld is not finite", what, (long long)i);
        if (fabs(a) > GREATEST)
            return fgti_fail(err, FGT_E_DATA, "%s: element %lld is out of range (got %g, need within 1e100)",
                             what, (long long)i, a);
        if (weights && a < 0)
            return fgti_fail(err, FGT_E_DATA,
                             "%s: element %lld is out of range (got %g, need weights of 0 or more)", what,
                             (long long)i, a);
    }
    return FGT_OK;
}

/* ---- the matrices of a view, each a task ---- */

typedef struct job {
    const fgti_statistic_kind *kind;
    const fgt_view            *x, *graph;
    int64_t                    rows, columns, first;
    bool                       one_graph; /* one graph serves all matrices */
    double                    *memory;    /* `each` elements for each of the workers */
    int64_t                    each;
    double                    *out;
} job;

static void compute_one(void *arg, int64_t task, int32_t worker)
{
    const job    *j = arg;
    const int64_t n = j->rows * j->columns, g = j->graph ? j->rows * j->rows : 0;
    double       *x = j->memory + worker * j->each, *graph = x + n;
    for (int64_t i = 0; i < n; i++) x[i] = fgti_view_get(j->x, task * n + i);
    for (int64_t i = 0; i < g; i++) graph[i] = fgti_view_get(j->graph, (j->one_graph ? 0 : task * g) + i);
    const fgti_matrix m = {.rows    = j->rows,
                           .columns = j->columns,
                           .x       = x,
                           .graph   = g ? graph : NULL,
                           .first   = j->first,
                           .work    = graph + g};
    j->out[task]        = j->kind->of(&m);
}

static fgt_status compute_all(fgt_context *ctx, job *j, int64_t count)
{
    const int64_t work = j->kind->work ? fgti_statistic_work(j->rows, j->columns) : 0;
    j->each            = j->rows * (j->columns + (j->graph ? j->rows : 0)) + work;
    FGTI_TRY(FGTI_NEW(ctx, fgti_mul(ctx->exec.workers, j->each), "matrices in double", &j->memory));
    fgti_parallel(&ctx->exec, count, compute_one, j);
    fgti_free(ctx, j->memory);
    return FGT_OK;
}

/* Checks that there is one graph for all matrices, or one graph for each matrix. */
static fgt_status statistic_check_graph(fgt_context *ctx, job *j, int64_t count)
{
    const fgt_view *g   = j->graph;
    fgti_error     *err = &ctx->error;
    if (!j->kind->graph) return fgti_fail(err, FGT_E_ARG, "statistic %s does not use a graph", j->kind->name);
    FGTI_TRY(fgti_matrices_check(err, "graph", g, true));
    const int64_t nodes = g->shape[g->rank - 1], graphs = fgt_view_count(g) / nodes / nodes;
    if (nodes != j->rows || (graphs != 1 && graphs != count))
        return fgti_fail(
            err, FGT_E_SHAPE,
            "graph: wrong number or size of matrices (got %lld of %lld nodes, need 1 or %lld of %lld)",
            (long long)graphs, (long long)nodes, (long long)count, (long long)j->rows);
    j->one_graph = graphs == 1;
    return check_entries(err, "graph", g, true);
}

fgt_status fgt_statistic_compute(fgt_context *ctx, int32_t statistic, const fgt_statistic_opts *opts,
                                 const fgt_view *x, double *out)
{
    fgt_statistic_opts o;
    if (!ctx) return FGT_E_ARG;
    fgti_error *err = &ctx->error;
    job         j   = {.kind = statistic_find(statistic), .x = x, .out = out};
    if (!j.kind)
        return fgti_fail(err, FGT_E_ARG, "unknown statistic (got %d, need an fgt_statistic)", (int)statistic);
    if (!x || !out) return fgti_fail(err, FGT_E_ARG, "statistic %s: x or out is NULL", j.kind->name);
    FGTI_TRY(fgti_opts_read(err, "fgt_statistic_opts", opts, &o, sizeof o));
    FGTI_TRY(fgti_opts_check(err, "fgt_statistic_opts", statistic_opts, &o));
    FGTI_TRY(fgti_matrices_check(err, j.kind->weights ? "A" : "x", x, j.kind->square));
    FGTI_TRY(check_entries(err, j.kind->weights ? "A" : "x", x, j.kind->weights));
    j.rows              = x->shape[x->rank - 2];
    j.columns           = x->shape[x->rank - 1];
    j.first             = o.first;
    j.graph             = o.graph;
    const int64_t count = fgt_view_count(x) / j.rows / j.columns;
    if (j.graph) FGTI_TRY(statistic_check_graph(ctx, &j, count));
    return compute_all(ctx, &j, count);
}
