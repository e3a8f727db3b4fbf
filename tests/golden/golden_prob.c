/* SPDX-License-Identifier: BSD-3-Clause */
/* ProbSparse attention, its keys by FGT_MASK_SAMPLED_KEYS. */
#include <math.h>
#include <string.h>

#include "golden.h"

void golden_set_keys(golden *g, fgt_model *m)
{
    const fgti_st_tensor *t      = golden_need(g, "sample_idx");
    const double         *given  = golden_doubles(g, "sample_idx");
    int32_t              *sample = golden_memory(g, golden_count(t), sizeof *sample);
    for (int64_t i = 0; i < golden_count(t); i++) sample[i] = (int32_t)given[i];
    if (t->rank != 2) golden_fail(g, "sample_idx has rank %d", t->rank);
    golden_ok(g, fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_SAMPLED_KEYS,
                                        FGT_VIEW_OF(FGT_DTYPE_I32, sample, t->shape[0], t->shape[1])));
}

/* The file's choice is that of its own measure, of which the library shows nothing. */
static void check_order(golden *g, const double *measure, const bool *chosen, int64_t n)
{
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        if (chosen[i]) least = fmin(least, measure[i]);
        if (!chosen[i]) most = fmax(most, measure[i]);
    }
    if (!(most < least)) golden_fail(g, "top_idx and sparsity do not agree");
}

/* A of all queries but those in top_idx is the mean, or all ones up to the token itself. */
static void check_choice(golden *g, fgt_model *m, bool causal)
{
    fgt_view a;
    golden_ok(g, fgt_model_get_adjacency(m, "", &a));
    const int64_t pairs = a.shape[0] * a.shape[1], tq = a.shape[2], tk = a.shape[3];
    const int64_t n   = golden_count(golden_need(g, "top_idx")) / pairs;
    const double *top = golden_doubles(g, "top_idx"), *measure = golden_doubles(g, "sparsity");
    bool         *chosen = golden_memory(g, tq, sizeof *chosen);
    for (int64_t p = 0; p < pairs; p++) {
        memset(chosen, 0, (size_t)tq * sizeof *chosen);
        for (int64_t k = 0; k < n; k++) chosen[(int64_t)top[p * n + k]] = true;
        check_order(g, measure + p * tq, chosen, tq);
        for (int64_t i = 0; i < tq * tk; i++) {
            const int64_t query = i / tk, key = i % tk;
            const double  want = causal ? key <= query : 1 / (double)tk;
            const double  got  = ((const float *)a.data)[p * tq * tk + i];
            if (!chosen[query] && fabs(got - want) > 1e-6)
                golden_fail(g, "query %lld of pair %lld is not in top_idx, but was chosen", (long long)query,
                            (long long)p);
        }
    }
}

void golden_prob_attention(golden *g)
{
    const golden_shape       in   = golden_fold(golden_need(g, "input"));
    const bool               bias = golden_has(g, "param.query_projection.bias");
    const fgt_attention_opts o    = {.size               = sizeof o,
                                     .heads              = (int64_t)golden_number(g, "heads", 1),
                                     .no_bias            = !bias,
                                     .attention.causal   = golden_flag(g, "mask_flag"),
                                     .attention.attender = FGT_ATTENDER_PROB,
                                     .attention.factor   = (int32_t)golden_number(g, "factor", 5)};
    if (golden_has(g, "input_kv")) golden_skip(g, "ProbSparse attention to a memory");
    fgt_model *m = golden_layer(g, in, fgt_attention(&o));
    golden_set_projections(g, m, "", in.width);
    golden_set_keys(g, m);
    golden_forward(g, m, in);
    if (golden_has(g, "top_idx")) check_choice(g, m, o.attention.causal);
    if (golden_backward(g, m, in)) golden_check_projections(g, m, "", in.width);
    /* what another program computes, which leaves out a transpose */
    if (golden_has(g, "output_tslib")) golden_doubles(g, "output_tslib");
}
