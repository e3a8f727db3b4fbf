/* SPDX-License-Identifier: BSD-3-Clause */
/* fgt_fighter_create_folded(): the same output as the encoder block, refusals, failing allocations. */
#include <math.h>

#include <fighter/experimental/convert.h>
#include <fighter/model.h>

#include "../model_info.h"
#include "../one_context.h"

/* No two widths are equal. */
enum { B = 2, N = 3, T = 7, D = 5, K = 4, V = 6, H = 9 };

static float wq[D * K], wk[D * K], wv[D * V], w1[V * H];
static float x[B * N * T * D], y[B * N * T * H], want[B * N * T * H];

static const fgt_model_opts shape = {.size = sizeof shape, .batch = B, .time = T, .nodes = N};


static void fill(float *a, int n, unsigned seed)
{
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223; /* Numerical Recipes */
        a[i] = (float)(seed >> 8) / 8388608 - 1;
    }
}

static int open_context(void **state)
{
    fill(wq, D * K, 1), fill(wk, D * K, 2), fill(wv, D * V, 3), fill(w1, V * H, 4), fill(x, B * N * T * D, 5);
    return test_open(state);
}

static fgt_status fold(const fgt_model_opts *opts, int32_t act, fgt_model **model)
{
    return fgt_fighter_create_folded(ctx, opts, FGT_VIEW(wq, D, K), FGT_VIEW(wk, D, K), FGT_VIEW(wv, D, V),
                                     FGT_VIEW(w1, V, H), act, model);
}

/* to [m,n] = a [m,k] b [k,n] */
static void product(int m, int k, int n, const double *a, const float *b, double *to)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            to[i * n + j] = 0;
            for (int p = 0; p < k; p++) to[i * n + j] += a[i * k + p] * b[p * n + j];
        }
}

/* want = tanh(A x wv w1) of one group, step by step in double; token 0 sees itself alone when causal */
static void encoder(const float *in, bool causal, float *out)
{
    double xd[T * D], q[T * K], k[T * K], v[T * V], u[T * H], mixed[T * V];
    for (int i = 0; i < T * D; i++) xd[i] = in[i];
    product(T, D, K, xd, wq, q);
    product(T, D, K, xd, wk, k);
    product(T, D, V, xd, wv, v);
    memset(mixed, 0, sizeof mixed);
    for (int t = 0; t < T; t++) {
        double a[T], sum = 0;
        for (int s = 0; s < T; s++) {
            double score = 0;
            for (int i = 0; i < K; i++) score += q[t * K + i] * k[s * K + i];
            sum += a[s] = causal && s > t ? 0 : exp(score / sqrt(K));
        }
        for (int s = 0; s < T; s++)
            for (int i = 0; i < V; i++) mixed[t * V + i] += a[s] / sum * v[s * V + i];
    }
    product(T, V, H, mixed, w1, u);
    for (int i = 0; i < T * H; i++) out[i] = (float)tanh(u[i]);
}

static void test_same_output(void **state)
{
    (void)state;
    static int32_t later[T * T];
    for (int causal = 0; causal < 2; causal++) {
        fgt_model *m = NULL;
        assert_int_equal(fold(&shape, FGT_ACT_TANH, &m), FGT_OK);
        for (int i = 0; i < T * T; i++) later[i] = i % T > i / T;
        const fgt_view *mask = causal ? FGT_VIEW_OF(FGT_DTYPE_I32, later, T, T) : NULL;
        assert_int_equal(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_ATTENTION, mask),
                         FGT_OK);
        assert_int_equal(fgt_predict(m, FGT_VIEW(x, B, N, T, D), FGT_VIEW(y, B, N, T, H)), FGT_OK);
        for (int g = 0; g < B * N; g++) encoder(x + g * T * D, causal, want + g * T * H);
        for (int i = 0; i < B * N * T * H; i++) assert_true(fabsf(y[i] - want[i]) <= 1e-6f);
        fgt_model_destroy(&m);
    }
}

static void test_default_is_relu(void **state)
{
    (void)state;
    fgt_model *m = NULL;
    assert_int_equal(fold(&shape, FGT_ACT_DEFAULT, &m), FGT_OK);
    assert_int_equal(fgt_predict(m, FGT_VIEW(x, B, N, T, D), FGT_VIEW(y, B, N, T, H)), FGT_OK);
    for (int i = 0; i < B * N * T * H; i++) assert_true(y[i] >= 0);
    fgt_model_destroy(&m);
}

static void test_more_layers(void **state)
{
    (void)state;
    const fgt_linear_opts out = {.size = sizeof out, .out = 2};
    fgt_model            *m   = NULL;
    fgt_view              v   = {0};
    assert_int_equal(fold(&shape, FGT_ACT_RELU, &m), FGT_OK);
    assert_int_equal(fgt_model_add(m, fgt_linear(&out)), FGT_OK);
    v = model_info(m).output;
    assert_int_equal(v.shape[v.rank - 1], 2);
    assert_int_equal(model_info(m).tensors, 5);
    fgt_model_destroy(&m);
}

static void test_refusals(void **state)
{
    (void)state;
    const fgt_view      *q = FGT_VIEW(wq, D, K), *k = FGT_VIEW(wk, D, K), *v = FGT_VIEW(wv, D, V);
    const fgt_view      *u    = FGT_VIEW(w1, V, H);
    const fgt_model_opts wide = {.size = sizeof wide, .features = D + 1};
    const fgt_model_opts neg  = {.size = sizeof neg, .time = -1};
    fgt_model           *m    = (fgt_model *)&shape;
    assert_int_equal(fgt_fighter_create_folded(NULL, NULL, q, k, v, u, FGT_ACT_RELU, &m), FGT_E_ARG);
    assert_null(m);
    assert_int_equal(fgt_fighter_create_folded(ctx, NULL, q, k, v, u, FGT_ACT_RELU, NULL), FGT_E_ARG);
/* Refused with these words, and no model. */
#define NO_MODEL(status, words, ...)                                               \
    m = (fgt_model *)&shape;                                                       \
    REFUSED(fgt_fighter_create_folded(ctx, __VA_ARGS__, &m), (status), (words)); \
    assert_null(m)
    NO_MODEL(FGT_E_ARG, "wq", NULL, NULL, k, v, u, FGT_ACT_RELU);
    NO_MODEL(FGT_E_SHAPE, "wk", NULL, q, FGT_VIEW(wk, K, D), v, u, FGT_ACT_RELU);
    NO_MODEL(FGT_E_SHAPE, "wv", NULL, q, k, FGT_VIEW(wv, V, D), u, FGT_ACT_RELU);
    NO_MODEL(FGT_E_SHAPE, "w1", NULL, q, k, v, FGT_VIEW(w1, H, V), FGT_ACT_RELU);
    NO_MODEL(FGT_E_SHAPE, "wq has the wrong width", &wide, q, k, v, u, FGT_ACT_RELU);
    NO_MODEL(FGT_E_ARG, "time", &neg, q, k, v, u, FGT_ACT_RELU);
    NO_MODEL(FGT_E_ARG, "act", NULL, q, k, v, u, (int32_t)99);
    w1[3] = INFINITY;
    NO_MODEL(FGT_E_NONFINITE, "hop_weight", NULL, q, k, v, u, FGT_ACT_RELU);
    fill(w1, V * H, 4);
    wk[0] = NAN;
    NO_MODEL(FGT_E_NONFINITE, "k_proj", NULL, q, k, v, u, FGT_ACT_RELU);
    fill(wk, D * K, 2);
#undef NO_MODEL
}

static void test_nomem(void **state)
{
    (void)state;
    const int64_t live = memory.live;
    fgt_model    *m    = NULL;
    fgt_status    s;
    SWEEP(&memory, s, 3, fold(&shape, FGT_ACT_RELU, &m))
    {
        assert_null(m);
        NOTHING_LEAKS;
    }
    fgt_model_destroy(&m);
    assert_int_equal(memory.live, live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_output), cmocka_unit_test(test_default_is_relu),
        cmocka_unit_test(test_more_layers), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_nomem),
    };
    return cmocka_run_group_tests(tests, open_context, test_close);
}
