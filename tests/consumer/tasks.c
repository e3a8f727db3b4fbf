/* SPDX-License-Identifier: BSD-3-Clause */
/* Somebody else's program, built outside this tree against the installed library fighter-tasks and the engine
 * that it needs: a graph from the correlations of standardised series. No libm: the flags are pkg-config's
 * alone. */
#include <stdio.h>

#include <fighter/experimental/graph_data.h>
#include <fighter/fighter.h>
#include <fighter/tasks.h>

enum { ROWS = 24, COLUMNS = 3 };

/* A saw-tooth, its mirror image, and a series that has nothing to do with them. */
static void fill(double series[ROWS][COLUMNS])
{
    for (int t = 0; t < ROWS; t++) {
        series[t][0] = t % 12;
        series[t][1] = 100 - 7 * (t % 12);
        series[t][2] = t < 12 ? 1 : -1;
    }
}

static fgt_status run(fgt_context *ctx, fgt_scaler **scaler, fgt_graph **graph)
{
    static double   series[ROWS][COLUMNS], weights[COLUMNS][COLUMNS];
    const fgt_view *values = FGT_VIEW_OF(FGT_DTYPE_F64, series, ROWS, COLUMNS);
    fill(series);
    fgt_status s = fgt_scaler_create(ctx, COLUMNS, scaler);
    if (!s) s = fgt_scaler_fit(*scaler, values, 0, ROWS);
    if (!s) s = fgt_scaler_transform(*scaler, values, values);
    if (!s) s = fgt_graph_create_correlation(ctx, values, 0, ROWS, 0.5, graph);
    if (!s) s = fgt_graph_copy_weights(*graph, FGT_VIEW_OF(FGT_DTYPE_F64, weights, COLUMNS, COLUMNS));
    if (!s && !(weights[0][1] > 0.49 && weights[0][1] < 0.51 && weights[0][2] == 0)) {
        fprintf(stderr, "the weights are %g and %g\n", weights[0][1], weights[0][2]);
        s = FGT_E_DATA;
    }
    return s;
}

int main(void)
{
    fgt_context *ctx    = NULL;
    fgt_scaler  *scaler = NULL;
    fgt_graph   *graph  = NULL;
    int64_t      nodes  = 0;
    fgt_status   s      = fgt_context_create(NULL, &ctx);
    if (!s) s = run(ctx, &scaler, &graph);
    if (!s) s = fgt_graph_get_size(graph, &nodes, NULL);
    if (s)
        fprintf(stderr, "%s: %s\n", fgt_status_get_name(s), fgt_context_get_error(ctx));
    else
        printf("a graph of %lld series\n", (long long)nodes);
    fgt_graph_destroy(&graph);
    fgt_scaler_destroy(&scaler);
    fgt_context_destroy(&ctx);
    return s != FGT_OK;
}
