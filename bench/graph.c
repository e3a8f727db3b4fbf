/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of series on a graph: attention along time, then a convolution between the nodes. */
#include <stdlib.h>

#include "cases.h"
#include "common.h"

/* ---- an artificial graph: random points in the plane, each connected to its nearest points ---- */

enum { NEAREST = 8 };

typedef struct point {
    double x, y;
} point;

static double distance(point a, point b)
{
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

/* Inserts node j into the nearest nodes so far, which are sorted by rising distance d. */
static void offer(int64_t j, double dj, int64_t *found, int64_t *nearest, double *d)
{
    if (*found == NEAREST && dj >= d[NEAREST - 1]) return;
    int64_t at = *found < NEAREST ? (*found)++ : NEAREST - 1;
    for (; at > 0 && d[at - 1] > dj; at--) {
        d[at]       = d[at - 1];
        nearest[at] = nearest[at - 1];
    }
    d[at]       = dj;
    nearest[at] = j;
}

/* Nodes are numbered at random, so neighbours are far apart in memory, as in lists of sensors. */
static fgt_graph *made_graph(int64_t n, fgt_context *ctx)
{
    const int64_t most    = n > NEAREST ? NEAREST : n - 1;
    point        *p       = bench_room((size_t)n, sizeof *p);
    int64_t      *indptr  = bench_room((size_t)n + 1, sizeof *indptr);
    int64_t      *indices = bench_room((size_t)(n * most), sizeof *indices);
    fgt_graph    *graph;
    for (int64_t i = 0; i < n; i++) p[i] = (point){bench_uniform(), bench_uniform()};
    for (int64_t i = 0; i < n; i++) {
        double  d[NEAREST];
        int64_t found = 0, nearest[NEAREST];
        for (int64_t j = 0; j < n; j++)
            if (j != i) offer(j, distance(p[i], p[j]), &found, nearest, d);
        for (int64_t k = 0; k < most; k++) indices[i * most + k] = nearest[k];
        indptr[i + 1] = (i + 1) * most;
    }
    bench_check("graph",
                fgt_graph_create_csr(ctx, FGT_VIEW_OF(FGT_DTYPE_I64, indptr, n + 1),
                                     FGT_VIEW_OF(FGT_DTYPE_I64, indices, n * most), NULL, &graph),
                ctx);
    free(p);
    free(indptr);
    free(indices);
    return graph;
}

/* ---- models ---- */

static void add(fgt_context *ctx, fgt_model *m, fgt_layer layer)
{
    bench_check("layer", fgt_model_add(m, layer), ctx);
}

/* As in "Stochastic Parroting in Temporal Attention", section 4, with residuals: [B,N,T,D] to d, tAPE,
 * attention along time; the convolution between the nodes with the options `o`; and back to D. */
static fgt_model *model_on(const bench_case *c, fgt_context *ctx, const fgt_gcn_opts *o)
{
    fgt_model *m = bench_new_model(c, ctx);
    const fgt_linear_opts entry   = {.size = sizeof entry, .out = c->dim},
                          leave   = {.size = sizeof leave, .out = c->features};
    const fgt_position_opts  tape = {.size = sizeof tape, .kind = FGT_POSITION_TAPE};
    const fgt_attention_opts a    = {.size = sizeof a, .heads = c->heads, .attention.mode = c->attention};
    add(ctx, m, fgt_linear(&entry));
    add(ctx, m, fgt_named("tokens", fgt_position(&tape)));
    add(ctx, m, fgt_named("attention", fgt_attention(&a)));
    bench_check("residual", fgt_model_add_from(m, fgt_sum(NULL), (const char *[]){"tokens", "attention"}, 2),
                ctx);
    add(ctx, m, fgt_along(FGT_AXIS_NODES, fgt_gcn(o)));
    add(ctx, m, fgt_linear(&leave));
    return m;
}

fgt_model *bench_given_graph(const bench_case *c, fgt_context *ctx)
{
    fgt_graph *graph = made_graph(c->nodes, ctx);
    fgt_model *m     = model_on(
            c, ctx, &FGT_OPTS(fgt_gcn_opts, .graph = graph, .hops = c->hops, .diffusion = 1, .residual = 1));
    fgt_graph_destroy(&graph);
    return m;
}

fgt_model *bench_learned_graph(const bench_case *c, fgt_context *ctx)
{
    return model_on(c, ctx,
                    &FGT_OPTS(fgt_gcn_opts, .learned = 10, .hops = c->hops, .diffusion = 1, .residual = 1));
}
