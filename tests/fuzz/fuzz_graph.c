/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs from CSV files: what loads must come out again as it is. */
#include <math.h>
#include <stdlib.h>

#include <fighter/base.h>
#include <fighter/data.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 64 };
    static float weights[MOST * MOST];
    const char  *path  = fuzz_file(data, size);
    fgt_context *ctx   = fuzz_context();
    fgt_graph   *graph = NULL;
    if (!path || !ctx || fgt_graph_load(ctx, path, &graph)) return 0;
    const int64_t n = fgt_graph_count_nodes(graph);
    if (n < 1) abort();
    if (n <= MOST) {
        if (fgt_graph_get(graph, FGT_VIEW(weights, n, n))) abort();
        for (int64_t i = 0; i < n * n; i++)
            if (!isfinite(weights[i])) abort();
    }
    fgt_graph_destroy(&graph);
    return 0;
}
