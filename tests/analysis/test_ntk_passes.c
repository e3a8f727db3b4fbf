/* SPDX-License-Identifier: BSD-3-Clause */
/* The tangent kernel is made of the gradients that ordinary passes give, for layers of every family, also
 * where no training pass came before: a pass that is differentiated keeps more than a prediction. */
#include <math.h>

#include <fighter/experimental/layer.h>
#include <fighter/experimental/ntk.h>
#include <fighter/fighter.h>

#include "../model_info.h"
#include "../one_context.h"

enum { M = 3, T = 6, D = 4 };

static fgt_model *make(fgt_layer layer)
{
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = M, .time = T, .features = D, .seed = 2), &m));
    OK(fgt_model_add(m, layer));
    OK(fgt_model_add(m, fgt_pool(NULL)));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 1))));
    return m;
}

/* Gradient of the output for sample i alone, by a training pass. */
static void gradient(fgt_model *m, const float *x, int i, float *out)
{
    float    y[M], dy[M] = {0};
    fgt_view g;
    dy[i] = 1;
    OK(fgt_forward(m, FGT_VIEW(x, M, T, D), FGT_VIEW(y, M, 1)));
    OK(fgt_model_clear_gradients(m));
    OK(fgt_backward(m, FGT_VIEW(dy, M, 1), NULL));
    OK(fgt_model_get_gradients(m, &g));
    memcpy(out, g.data, (size_t)fgt_view_count(&g) * sizeof *out);
}

static void check(const char *what, fgt_layer layer)
{
    float      x[M * T * D];
    double     kernel[M * M];
    fgt_view   k = {.data = kernel, .rank = 2, .shape = {M, M}, .dtype = FGT_DTYPE_F64};
    fgt_ntk   *ntk;
    fgt_model *m = make(layer);
    for (int i = 0; i < M * T * D; i++) x[i] = (float)sin(i);
    OK(fgt_ntk_create(m, &FGT_OPTS(fgt_ntk_opts, .kind = FGT_NTK_SUM), FGT_VIEW(x, M, T, D), &ntk));
    OK(fgt_ntk_compute(ntk, NULL));
    OK(fgt_ntk_copy_kernel(ntk, &k));
    const int64_t n = model_info(m).parameters;
    float        *g = calloc((size_t)(M * n), sizeof *g);
    assert_non_null(g);
    for (int i = 0; i < M; i++) gradient(m, x, i, g + i * n);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            double sum = 0;
            for (int64_t p = 0; p < n; p++) sum += (double)g[i * n + p] * (double)g[j * n + p];
            if (!(fabs(kernel[i * M + j] - sum) <= 1e-5 * fmax(1, fabs(sum))))
                fail_msg("%s: element %d,%d is %g, not %g", what, i, j, kernel[i * M + j], sum);
        }
    free(g);
    fgt_ntk_destroy(&ntk);
    fgt_model_destroy(&m);
}

static void test_kernels(void **state)
{
    (void)state;
    check("fighter", fgt_fighter(NULL));
    check("fighter, kept", fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .attention.mode = FGT_ATTN_MODE_KEEP)));
    check("fighter, one hop", fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .hops = 1, .norm = 1)));
    check("attention", fgt_attention(NULL));
    check("transformer", fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .heads = 2, .norm_first = 1)));
    check("rnn", fgt_rnn(&FGT_OPTS(fgt_rnn_opts, .hidden = 5)));
    check("lstm", fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = 5, .layers = 2)));
    check("gru", fgt_gru(&FGT_OPTS(fgt_gru_opts, .hidden = 5, .bidirectional = 1)));
    check("s4", fgt_s4(&FGT_OPTS(fgt_s4_opts, .state = 4)));
}

/* Frozen parameters are part of the kernel like all others. */
static void test_frozen(void **state)
{
    (void)state;
    float      x[M * T * D];
    double     kernel[2][M * M];
    fgt_model *m = make(fgt_fighter(NULL));
    for (int i = 0; i < M * T * D; i++) x[i] = (float)sin(i);
    for (int frozen = 0; frozen < 2; frozen++) {
        fgt_view k = {.data = kernel[frozen], .rank = 2, .shape = {M, M}, .dtype = FGT_DTYPE_F64};
        fgt_ntk *ntk;
        if (frozen) OK(fgt_model_set_frozen(m, "0.", 1));
        OK(fgt_ntk_create(m, &FGT_OPTS(fgt_ntk_opts, .kind = FGT_NTK_SUM), FGT_VIEW(x, M, T, D), &ntk));
        OK(fgt_ntk_compute(ntk, NULL));
        OK(fgt_ntk_copy_kernel(ntk, &k));
        fgt_ntk_destroy(&ntk);
    }
    assert_memory_equal(kernel[0], kernel[1], sizeof kernel[0]);
    fgt_model_destroy(&m);
}

/* So are they of the check of gradients, where nothing below them asks for any. */
static void test_frozen_check(void **state)
{
    (void)state;
    const int32_t       ids[M * T] = {1, 2, 0, 4, 3, 1, 2, 2, 4};
    const fgt_view      x          = {(void *)ids, {M, T}, 2, FGT_DTYPE_I32};
    fgt_gradient_report r          = {.size = sizeof r};
    fgt_model          *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = M, .time = T, .seed = 2), &m));
    OK(fgt_model_add(m, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = 5, .out = D))));
    OK(fgt_model_add(m, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .act = FGT_ACT_GELU))));
    OK(fgt_model_set_frozen(m, "0.", 1));
    OK(fgt_model_check_gradient(m, &x, NULL, &r));
    if (!(r.error < 0.02)) fail_msg("%s: %g", r.worst, r.error);
    fgt_model_destroy(&m);
}

/* A model without parameters has no arrays to save and restore; its gradient of x is checked. */
static void test_no_parameters(void **state)
{
    (void)state;
    float               x[M * T * D];
    fgt_gradient_report r = {.size = sizeof r};
    fgt_model          *m;
    for (int i = 0; i < M * T * D; i++) x[i] = (float)sin(i);
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = M, .time = T, .features = D, .seed = 2), &m));
    OK(fgt_model_add(m, fgt_activation(&FGT_OPTS(fgt_activation_opts, .kind = FGT_ACT_TANH))));
    OK(fgt_model_check_gradient(m, FGT_VIEW(x, M, T, D), NULL, &r));
    if (!(r.error < 0.02) || strcmp(r.worst, "x") != 0) fail_msg("%s: %g", r.worst, r.error);
    fgt_model_destroy(&m);
}

/* x may have fewer tokens than planned. */
static void test_fewer_tokens(void **state)
{
    (void)state;
    float               x[2 * (T - 1) * D];
    fgt_gradient_report r = {.size = sizeof r};
    fgt_ntk            *ntk;
    fgt_model          *m;
    for (int i = 0; i < 2 * (T - 1) * D; i++) x[i] = (float)sin(i);
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = M, .time = T, .features = D, .seed = 2), &m));
    OK(fgt_model_add(m, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .act = FGT_ACT_GELU))));
    OK(fgt_model_check_gradient(m, FGT_VIEW(x, 2, T - 1, D), NULL, &r));
    if (!(r.error < 0.02)) fail_msg("%s: %g", r.worst, r.error);
    OK(fgt_ntk_create(m, NULL, FGT_VIEW(x, 2, T - 1, D), &ntk));
    OK(fgt_ntk_compute(ntk, NULL));
    fgt_ntk_destroy(&ntk);
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_frozen),
        cmocka_unit_test(test_frozen_check),
        cmocka_unit_test(test_no_parameters),
        cmocka_unit_test(test_fewer_tokens),
    };
    return cmocka_run_group_tests(tests, test_open, test_close);
}
