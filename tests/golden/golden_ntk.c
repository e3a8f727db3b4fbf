/* SPDX-License-Identifier: BSD-3-Clause */
/* Empirical neural tangent kernels. */
#include <fighter/experimental/convert.h>
#include <fighter/experimental/ntk.h>
#include <string.h>

#include "../model_info.h"
#include "golden.h"

/* The kernel of the model on "input", as floats. */
static float *kernel_of(golden *g, fgt_model *m, golden_shape in, int32_t kind)
{
    const fgt_view x = golden_view(in, golden_floats(g, "input"));
    fgt_ntk       *ntk;
    fgt_view       v = {0};
    golden_ok(g, fgt_ntk_create(m, &FGT_OPTS(fgt_ntk_opts, .kind = kind), &x, &ntk));
    fgt_status s = fgt_ntk_compute(ntk, NULL);
    if (s == FGT_OK) s = fgt_ntk_get_kernel_shape(ntk, &v);
    const int64_t n = fgt_view_count(&v);
    double       *k = golden_memory(g, n, sizeof *k);
    float        *f = golden_memory(g, n, sizeof *f);
    v.data          = k;
    if (s == FGT_OK) s = fgt_ntk_copy_kernel(ntk, &v);
    fgt_ntk_destroy(&ntk);
    golden_ok(g, s);
    for (int64_t i = 0; i < n; i++) f[i] = (float)k[i];
    return f;
}

/* Derivative of output element a of sample i by all parameters; afterwards golden_gradient() has it. */
static void derive(golden *g, fgt_model *m, golden_shape in, int64_t i, int64_t a, int64_t outputs)
{
    const fgt_view x = golden_view(in, golden_floats(g, "input"));
    fgt_view       y;
    y         = model_info(m).output;
    float *dy = golden_memory(g, fgt_view_count(&y), sizeof *dy);
    y.data    = dy;
    golden_ok(g, fgt_forward(m, &x, &y));
    memset(dy, 0, (size_t)fgt_view_count(&y) * sizeof *dy);
    dy[i * outputs + a] = 1;
    golden_ok(g, fgt_model_clear_gradients(m));
    golden_ok(g, fgt_backward(m, &y, NULL));
}

/* ---- A S Wv: one head without output projection ---- */

/* Puts a [in,out] gradient that the model has as [out,in] in place. */
static float *put_turned(float *row, const float *grad, int64_t in, int64_t out)
{
    for (int64_t i = 0; i < in; i++)
        for (int64_t j = 0; j < out; j++) *row++ = grad[j * in + i];
    return row;
}

static void check_jacobian(golden *g, fgt_model *m, golden_shape in, int64_t keys)
{
    const int64_t d = in.width, each = 2 * d * keys + d;
    float        *j = golden_memory(g, in.batch * in.time * each, sizeof *j), *row = j;
    for (int64_t i = 0; i < in.batch; i++)
        for (int64_t t = 0; t < in.time; t++) {
            derive(g, m, in, i, t, in.time);
            row = put_turned(row, golden_gradient(g, m, "fighter.q_proj.weight"), d, keys);
            row = put_turned(row, golden_gradient(g, m, "fighter.k_proj.weight"), d, keys);
            memcpy(row, golden_gradient(g, m, "fighter.hop_weight") + d, (size_t)d * sizeof *row);
            row += d;
        }
    golden_gradient_is(g, "jacobian", in.batch * in.time * each, j);
}

/* Ours has a weight more, W_0 of the tokens themselves, which is 0 but has derivatives: df(S)_a/dW_0 = S_a.
 * Takes its part <scale sum_a S_i,a, scale sum_b S_j,b>, for a trace sum_a <S_i,a, S_j,a>, off the kernel. */
static void take_off(golden *g, golden_shape in, float *k, int64_t rows, double scale, bool trace)
{
    const float *x = golden_floats(g, "input");
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < rows; j++) {
            const int64_t each = in.batch * in.time / rows;
            double        part = 0;
            for (int64_t a = 0; a < each; a++)
                for (int64_t b = trace ? a : 0; b < (trace ? a + 1 : each); b++)
                    for (int64_t c = 0; c < in.width; c++)
                        part += (double)x[(i * each + a) * in.width + c] * x[(j * each + b) * in.width + c];
            k[i * rows + j] = (float)(k[i * rows + j] - scale * scale * part);
        }
}

static void run_attention(golden *g, golden_shape in)
{
    static const struct {
        const char *tensor;
        int32_t     kind;
    } kernels[] = {{"ntk_elements", FGT_NTK_ELEMENTS},
                   {"ntk_mean", FGT_NTK_MEAN},
                   {"ntk_sum", FGT_NTK_SUM},
                   {"ntk_trace", FGT_NTK_TRACE}};
    const int64_t        d = in.width, keys = golden_need(g, "param.wq")->shape[1];
    const float          one  = 1;
    const fgt_model_opts opts = {.size = sizeof opts, .batch = in.batch, .time = in.time};
    golden_ok(g, fgt_fighter_create_folded(g->ctx, &opts, FGT_VIEW(golden_floats(g, "param.wq"), d, keys),
                                           FGT_VIEW(golden_floats(g, "param.wk"), d, keys),
                                           FGT_VIEW(golden_floats(g, "param.wv"), d, 1), FGT_VIEW(&one, 1, 1),
                                           FGT_ACT_NONE, &g->model[g->models]));
    fgt_model *m = g->model[g->models++];
    /* the kernels first: they must not need what another pass left in memory */
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const bool    all  = kernels[i].kind == FGT_NTK_ELEMENTS;
        const int64_t rows = all ? in.batch * in.time : in.batch;
        float        *k    = kernel_of(g, m, in, kernels[i].kind);
        take_off(g, in, k, rows, kernels[i].kind == FGT_NTK_MEAN ? 1 / (double)in.time : 1,
                 kernels[i].kind == FGT_NTK_TRACE);
        golden_gradient_is(g, kernels[i].tensor, rows * rows, k);
    }
    golden_forward(g, m, in);
    check_jacobian(g, m, in, keys);
}

/* ---- readout of the mean of Fighter layers ---- */

static void run_fighter(golden *g, golden_shape in)
{
    fgt_model *m = golden_model(g, in);
    int64_t    heads;
    golden_add_fighter(g, m, &heads);
    golden_ok(g, fgt_model_add(m, fgt_named("pool", fgt_pool(NULL))));
    const fgt_linear_opts out = {.size = sizeof out, .out = 1, .no_bias = 1};
    golden_ok(g, fgt_model_add(m, fgt_named("readout", fgt_linear(&out))));
    golden_parameters(g, m);
    golden_gradient_is(g, "ntk", in.batch * in.batch, kernel_of(g, m, in, FGT_NTK_TRACE)); /* as above */
    golden_forward(g, m, in);

    const int64_t each = model_info(m).parameters;
    float        *j    = golden_memory(g, in.batch * each, sizeof *j), *row = j;
    for (int64_t i = 0; i < in.batch; i++) {
        derive(g, m, in, i, 0, 1);
        for (int64_t p = 0; p < model_info(m).tensors; p++) {
            const char *name = parameter_name(m, p);
            fgt_view    v    = {0};
            golden_ok(g, parameter_shape(m, name, &v));
            memcpy(row, golden_gradient(g, m, name), (size_t)fgt_view_count(&v) * sizeof *row);
            row += fgt_view_count(&v);
        }
    }
    golden_gradient_is(g, "jacobian", in.batch * each, j);
}

void golden_empirical_ntk(golden *g)
{
    const golden_shape in = golden_fold(golden_need(g, "input"));
    if (golden_has(g, "param.wv"))
        run_attention(g, in);
    else if (golden_has(g, "param.layers.0.hop_weight"))
        run_fighter(g, in);
    else
        golden_skip(g, "kernel of another model");
}
