/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs from CSV files: what loads must come out again as it is. The first byte chooses the options; the
 * rest is the file. */
#include <math.h>
#include <stdlib.h>

#include <fighter/base.h>
#include <fighter/experimental/graph_data.h>
#include <fighter/graph.h>

#include "../model_info.h"
#include "fuzz.h"

enum { MOST = 64, NAMES = 4 };

static void check(const fgt_graph *graph, const fgt_graph_load_opts *opts)
{
    static float  weights[MOST * MOST];
    const int64_t n = graph_nodes(graph);
    if (n < 1 || (opts->count && n != opts->count)) abort();
    if (n > MOST) return;
    if (fgt_graph_copy_weights(graph, FGT_VIEW(weights, n, n))) abort();
    for (int64_t i = 0; i < n * n; i++)
        if (!isfinite(weights[i]) || (opts->no_negative && weights[i] < 0)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[NAMES] = {"a", "b", "773869", "1"};
    if (size < 1) return 0;
    const char         *path  = fuzz_file(data + 1, size - 1);
    fgt_context        *ctx   = fuzz_context();
    fgt_graph          *graph = NULL;
    fgt_graph_load_opts opts  = {.size = sizeof opts, .no_negative = data[0] >> 1 & 1, .subset = data[0] & 1};
    opts.count                = data[0] >> 2 & 1 ? NAMES - (data[0] & 1) : 0;
    opts.names                = opts.count && data[0] >> 3 & 1 ? names : NULL;
    if (!path || !ctx) return 0;
    const bool loaded = fgt_graph_load(ctx, path, &opts, &graph) == FGT_OK;
    fuzz_count(loaded);
    if (loaded) check(graph, &opts);
    fgt_graph_destroy(&graph);
    return 0;
}
