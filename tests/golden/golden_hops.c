/* SPDX-License-Identifier: BSD-3-Clause */
/* Terms of Fighter layers, and the importance of tokens. */
#include <fighter/analysis.h>
#include <fighter/experimental/hops.h>

#include "golden.h"

static const float *as_floats(golden *g, int64_t n, const double *v)
{
    float *f = golden_memory(g, n, sizeof *f);
    for (int64_t i = 0; i < n; i++) f[i] = (float)v[i];
    return f;
}

static void check_terms(golden *g, fgt_model *m, int l)
{
    const char *layer = golden_name(g, "layers.%d", l);
    fgt_view    norms;
    golden_ok(g, fgt_hops_get_shape(m, layer, &norms));
    const int64_t n      = fgt_view_count(&norms);
    double       *shares = golden_memory(g, n, sizeof *shares);
    norms.data           = golden_memory(g, n, sizeof(double));
    golden_ok(g, fgt_hops_compute(m, layer, &norms,
                                  FGT_VIEW_OF(FGT_DTYPE_F64, shares, norms.shape[0], norms.shape[1])));
    golden_forward_is(g, golden_name(g, "norm.%d", l), n, as_floats(g, n, norms.data));
    golden_forward_is(g, golden_name(g, "share.%d", l), n, as_floats(g, n, shares));
}

static void check_importance(golden *g, fgt_model *m, int l, const fgt_view *x, const fgt_view *dy)
{
    const char   *layer = golden_name(g, "layers.%d", l);
    const int64_t attn  = golden_need(g, golden_name(g, "param.%s.q_proj.weight", layer))->shape[0];
    fgt_view      norms;
    golden_ok(g, fgt_importance_get_shape(m, layer, x, &norms));
    const int64_t n       = fgt_view_count(&norms);
    double       *vectors = golden_memory(g, n * attn, sizeof *vectors);
    norms.data            = golden_memory(g, n, sizeof(double));
    golden_ok(
        g, fgt_importance_compute(m, layer, x, dy, &norms,
                                  FGT_VIEW_OF(FGT_DTYPE_F64, vectors, norms.shape[0], norms.shape[1], attn)));
    golden_gradient_is(g, golden_name(g, "importance.%d", l), n, as_floats(g, n, norms.data));
    golden_gradient_is(g, golden_name(g, "vector.%d", l), n * attn, as_floats(g, n * attn, vectors));
}

void golden_hops(golden *g)
{
    const golden_shape in     = golden_fold(golden_need(g, "input"));
    fgt_model         *m      = golden_model(g, in);
    int64_t            heads  = 1;
    const int          layers = golden_add_fighter(g, m, &heads);
    const fgt_view     x      = golden_view(in, golden_floats(g, "input"));
    const int64_t      width  = golden_need(g, "output")->shape[2];
    const fgt_view     dy     = *FGT_VIEW(golden_floats(g, "grad_output"), in.batch, in.time, width);
    golden_parameters(g, m);
    golden_forward(g, m, in);
    for (int l = 0; l < layers; l++) check_terms(g, m, l);
    for (int l = 0; l < layers; l++) check_importance(g, m, l, &x, &dy);
}
