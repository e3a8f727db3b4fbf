/* SPDX-License-Identifier: BSD-3-Clause */
/* The Jacobian of one head of attention: its blocks by backward passes, its paths in closed form. */
#include <fighter/experimental/convert.h>
#include <fighter/experimental/sensitivity.h>

#include "golden.h"

/* Tokens, and the widths of x, keys and values. */
typedef struct sizes {
    int64_t t, d, k, v;
} sizes;

/* The head as a Fighter layer, with the case's mask and residual. */
static fgt_model *make_model(golden *g, sizes n)
{
    const int64_t d = n.d, v = n.v;
    float   *one = golden_memory(g, v * v, sizeof *one), *hops = golden_memory(g, 2 * d * v, sizeof *hops);
    int32_t *mask             = golden_memory(g, n.t * n.t, sizeof *mask),
            *diagonal         = golden_memory(g, n.t, sizeof *mask);
    const fgt_model_opts opts = {.size = sizeof opts, .batch = 1, .time = n.t};
    for (int64_t i = 0; i < v; i++) one[i * v + i] = 1;
    golden_ok(g, fgt_fighter_create_folded(g->ctx, &opts, FGT_VIEW(golden_floats(g, "param.wq"), d, n.k),
                                           FGT_VIEW(golden_floats(g, "param.wk"), d, n.k),
                                           FGT_VIEW(golden_floats(g, "param.wv"), d, v), FGT_VIEW(one, v, v),
                                           FGT_ACT_NONE, &g->model[g->models]));
    fgt_model *m   = g->model[g->models++];
    fgt_view   hop = *FGT_VIEW(hops, 2, d, v);
    golden_ok(g, fgt_model_copy_parameter(m, "fighter.hop_weight", &hop));
    for (int64_t i = 0; golden_flag(g, "residual") && i < d; i++) hops[i * v + i] += 1;
    golden_ok(g, fgt_model_set_parameter(m, "fighter.hop_weight", &hop));
    for (int64_t i = 0; i < n.t; i++) {
        diagonal[i] = 1;
        for (int64_t j = i + 1; j < n.t; j++) mask[i * n.t + j] = 1;
    }
    if (golden_flag(g, "causal"))
        golden_ok(g, fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_ATTENTION,
                                            FGT_VIEW_OF(FGT_DTYPE_I32, mask, n.t, n.t)));
    if (golden_flag(g, "diag_mask"))
        golden_ok(g, fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_DIAG_DROP,
                                            FGT_VIEW_OF(FGT_DTYPE_I32, diagonal, n.t)));
    return m;
}

static const float *as_floats(golden *g, int64_t n, const double *v)
{
    float *f = golden_memory(g, n, sizeof *f);
    for (int64_t i = 0; i < n; i++) f[i] = (float)v[i];
    return f;
}

/* By products of vectors with the Jacobian, one for each output element. */
static void check_model(golden *g, fgt_model *m, sizes n, const fgt_view *x)
{
    static const char *const tensor[] = {"jacobian_norm", "jacobian_spectral_norm"};
    const int64_t            all      = n.t * n.t * n.v * n.d;
    float                   *blocks   = golden_memory(g, all, sizeof *blocks);
    double                  *norms    = golden_memory(g, n.t * n.t, sizeof *norms);
    fgt_view                 j        = *FGT_VIEW(blocks, 1, n.t, n.t, n.v, n.d),
             v                        = *FGT_VIEW_OF(FGT_DTYPE_F64, norms, 1, n.t, n.t);
    golden_ok(g, fgt_jacobian_compute(m, x, NULL, &j));
    golden_gradient_is(g, "jacobian", all, blocks);
    for (int32_t norm = 0; norm < 2; norm++) {
        const fgt_sensitivity_opts o = {.size = sizeof o, .norm = norm};
        golden_ok(g, fgt_sensitivity_compute(m, x, &o, &v, NULL));
        golden_forward_is(g, tensor[norm], n.t * n.t, as_floats(g, n.t * n.t, norms));
    }
}

/* In closed form, from the attention matrix of the file. */
static void check_paths(golden *g, sizes n)
{
    static const char *const name[] = {"value_path", "key_path", "query_path", "jacobian"};
    const int64_t            all = n.t * n.t * n.v * n.d, t2 = n.t * n.t;
    double *blocks = golden_memory(g, all, sizeof *blocks), *norms = golden_memory(g, t2, sizeof *norms);
    const fgt_attention_head head = {.size     = sizeof head,
                                     .x        = FGT_VIEW(golden_floats(g, "input"), n.t, n.d),
                                     .a        = FGT_VIEW(golden_floats(g, "attention"), n.t, n.t),
                                     .wq       = FGT_VIEW(golden_floats(g, "param.wq"), n.d, n.k),
                                     .wk       = FGT_VIEW(golden_floats(g, "param.wk"), n.d, n.k),
                                     .wv       = FGT_VIEW(golden_floats(g, "param.wv"), n.d, n.v),
                                     .residual = golden_flag(g, "residual")};
    for (int path = FGT_ATTENTION_PATH_VALUE; path <= FGT_ATTENTION_PATH_TOTAL; path++) {
        golden_ok(g, fgt_attention_path_compute(g->ctx, &head, (int32_t)path, FGT_SENSITIVITY_NORM_FROBENIUS,
                                                FGT_VIEW_OF(FGT_DTYPE_F64, norms, n.t, n.t),
                                                FGT_VIEW_OF(FGT_DTYPE_F64, blocks, n.t, n.t, n.v, n.d)));
        golden_forward_is(g, name[path], all, as_floats(g, all, blocks));
        golden_forward_is(g, golden_name(g, "%s_norm", name[path]), t2, as_floats(g, t2, norms));
    }
    golden_ok(g, fgt_attention_path_compute(g->ctx, &head, FGT_ATTENTION_PATH_TOTAL,
                                            FGT_SENSITIVITY_NORM_SPECTRAL,
                                            FGT_VIEW_OF(FGT_DTYPE_F64, norms, n.t, n.t), NULL));
    golden_forward_is(g, "jacobian_spectral_norm", t2, as_floats(g, t2, norms));
}

void golden_sensitivity(golden *g)
{
    const fgti_st_tensor *in = golden_need(g, "input");
    const sizes           n  = {in->shape[0], in->shape[1], golden_need(g, "param.wk")->shape[1],
                                golden_need(g, "param.wv")->shape[1]};
    const fgt_view        x  = *FGT_VIEW(golden_floats(g, "input"), 1, n.t, n.d);
    float                *y  = golden_memory(g, n.t * n.v, sizeof *y);
    fgt_model            *m  = make_model(g, n);
    fgt_view              a;
    golden_ok(g, fgt_predict(m, &x, FGT_VIEW(y, 1, n.t, n.v)));
    golden_forward_is(g, "output", n.t * n.v, y);
    golden_ok(g, fgt_model_get_adjacency(m, "fighter", &a));
    golden_forward_is(g, "attention", n.t * n.t, a.data);
    check_model(g, m, n, &x);
    check_paths(g, n);
}
