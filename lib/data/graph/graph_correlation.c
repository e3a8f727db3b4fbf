/* SPDX-License-Identifier: BSD-3-Clause */

/* Makes a graph from the correlations between the columns of a table. */

#include <fighter/experimental/graph_data.h>

#include <math.h>

#include "core/context.h"
#include "core/size.h"
#include "data/scaler.h"
#include "data/table.h"
#include "nn/graph/fixed_graph.h"

/* Adds products to r: r_ij += sum of z_i z_j, where z = x - mean and i <= j. */
static void graph_add_products(const fgt_view *v, int64_t begin, int64_t end, const double *mean,
                               const double *dev, double *z, double *r)
{
    const int64_t n = v->shape[1];
    for (int64_t row = begin; row < end; row++) {
        for (int64_t i = 0; i < n; i++) {
            const double d = fgti_view_get(v, row * n + i) - mean[i];
            z[i]           = isnan(d) || dev[i] == 0 ? 0 : d;
        }
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i; j < n; j++) r[i * n + j] += z[i] * z[j];
    }
}

/* a_ij = |r_ij| / sqrt(r_ii r_jj) if this value is above the threshold, otherwise 0; a_ii = 1. Then each row
 * is divided by its sum. */
static void make_weights(int64_t n, double threshold, double *dev, double *r)
{
    for (int64_t i = 0; i < n; i++) dev[i] = sqrt(r[i * n + i]);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = i + 1; j < n; j++) {
            const double both = dev[i] * dev[j], w = both > 0 ? fabs(r[i * n + j]) / both : 0;
            r[i * n + j] = r[j * n + i] = w > threshold ? w : 0;
        }
        r[i * n + i] = 1;
    }
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++) sum += r[i * n + j];
        for (int64_t j = 0; j < n; j++) r[i * n + j] /= sum;
    }
}

/* work: [n,n + 3] */
static fgt_status graph_correlate(fgt_context *ctx, const fgt_view *v, int64_t begin, int64_t end,
                                  double threshold, double *work, fgt_graph **graph)
{
    const int64_t n = v->shape[1];
    double       *r = work, *mean = r + n * n, *dev = mean + n, *z = dev + n;
    FGTI_TRY(fgti_columns_fit(ctx, v, begin, end, NULL, mean, dev));
    graph_add_products(v, begin, end, mean, dev, z, r);
    make_weights(n, threshold, dev, r);
    return fgti_graph_from_weights(ctx, FGT_VIEW_OF(FGT_DTYPE_F64, r, n, n), false, graph);
}

fgt_status fgt_graph_create_correlation(fgt_context *ctx, const fgt_view *values, int64_t begin, int64_t end,
                                        double threshold, fgt_graph **graph)
{
    int64_t size;
    double *work;
    if (graph) *graph = NULL;
    if (!ctx) return FGT_E_ARG;
    fgti_error *err = &ctx->error;
    if (!graph) return fgti_fail(err, FGT_E_ARG, "graph: the result pointer is NULL");
    if (!(threshold >= 0 && threshold < 1))
        return fgti_fail(err, FGT_E_ARG,
                         "graph: threshold is out of range (got %g, need at least 0 and below 1)", threshold);
    FGTI_TRY(fgti_view_check_rows(err, "values", values, begin, end));
    FGTI_TRY(fgti_graph_check_nodes(err, values->shape[1]));
    if (!fgti_size_mul(values->shape[1], values->shape[1] + 3, &size))
        return fgti_fail(err, FGT_E_SIZE, "graph: %lld nodes are too many", (long long)values->shape[1]);
    FGTI_TRY(FGTI_NEW(ctx, size, "correlations", &work));
    const fgt_status s = graph_correlate(ctx, values, begin, end, threshold, work, graph);
    fgti_free(ctx, work);
    return s;
}
