/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of attention matrices and of values. */
#include <fighter/analysis.h>

#include "golden.h"

static fgt_view view_of(golden *g, const char *tensor)
{
    const fgti_st_tensor *t = golden_need(g, tensor);
    fgt_view              v = {.data = golden_floats(g, tensor), .rank = t->rank, .dtype = FGT_DTYPE_F32};
    if (t->rank > FGT_MAX_RANK) golden_skip(g, "%s has too many axes", tensor);
    for (int32_t i = 0; i < t->rank; i++) v.shape[i] = t->shape[i];
    return v;
}

/* Every tensor "statistic.<name>" has a number for each matrix of "input". */
void golden_statistics(golden *g)
{
    const fgt_view x     = view_of(g, "input");
    const int64_t  count = fgt_view_count(&x) / x.shape[x.rank - 1] / x.shape[x.rank - 2];
    double        *out   = golden_memory(g, count, sizeof *out);
    float         *got   = golden_memory(g, count, sizeof *got);
    fgt_view       graph;
    if (golden_has(g, "graph")) graph = view_of(g, "graph");
    for (int32_t k = 0; k < FGT_STATISTIC_COUNT; k++) {
        const char              *name  = golden_name(g, "statistic.%s", fgt_statistic_get_name(k));
        const bool               takes = k == FGT_STATISTIC_DIRICHLET || k == FGT_STATISTIC_MAD;
        const fgt_statistic_opts opts  = {.size  = sizeof opts,
                                          .graph = takes && golden_has(g, "graph") ? &graph : NULL,
                                          .first = (int64_t)golden_number(g, "first", 0)};
        if (!golden_has(g, name)) continue;
        golden_ok(g, fgt_statistic_compute(g->ctx, k, &opts, &x, out));
        for (int64_t i = 0; i < count; i++) got[i] = (float)out[i];
        golden_forward_is(g, name, count, got);
    }
}
