/* SPDX-License-Identifier: BSD-3-Clause */
/* Means of powers of A against plain products of what fgt_model_get_adjacency() gives. */
#include <math.h>

#include <fighter/fighter.h>

#include "../one_context.h"

enum { B = 3, T = 5, D = 4, HEADS = 2, POWERS = 3 };

static float x[B * T * D], y[B * T * D];

static fgt_model *make(void)
{
    fgt_model *m;
    for (int i = 0; i < B * T * D; i++) x[i] = 2 * (float)sin(i * i);
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D, .seed = 3), &m));
    OK(fgt_model_add(m, fgt_named("a", fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .heads = HEADS)))));
    OK(fgt_model_add(m, fgt_named("out", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = D)))));
    return m;
}

static void predict(fgt_model *m, int batch)
{
    OK(fgt_predict(m, FGT_VIEW(x, batch, T, D), FGT_VIEW(y, batch, T, D)));
}

/* Adds A^power of one sample and head of the last pass to sum. */
static void add_power(fgt_model *m, int sample, int head, int power, double *sum)
{
    fgt_view v;
    double   p[T * T], q[T * T];
    OK(fgt_model_get_adjacency(m, "a", &v));
    const float *a = (const float *)v.data + (sample * HEADS + head) * T * T;
    for (int i = 0; i < T * T; i++) p[i] = a[i];
    for (int k = 1; k < power; k++) {
        memset(q, 0, sizeof q);
        for (int i = 0; i < T; i++)
            for (int j = 0; j < T; j++)
                for (int l = 0; l < T; l++) q[i * T + j] += p[i * T + l] * a[l * T + j];
        memcpy(p, q, sizeof p);
    }
    for (int i = 0; i < T * T; i++) sum[i] += p[i];
}

static void check(fgt_adjacency *mean, int head, int power, const double *sum, int count)
{
    fgt_view v = {0};
    OK(fgt_adjacency_get_mean(mean, head, power, &v));
    const double *a = v.data;
    assert_int_equal(v.rank * 100 + v.shape[0] * 10 + v.shape[1], 255);
    assert_int_equal(v.dtype, FGT_DTYPE_F64);
    for (int i = 0; i < T * T; i++) {
        if (fabs(a[i] - sum[i] / count) > 1e-6)
            fail_msg("%d,%d: %g, not %g", head, power, a[i], sum[i] / count);
    }
}

/* Two passes, of the second one only a sample. */
static void test_means(void **state)
{
    (void)state;
    static double  sum[HEADS][POWERS][T * T], all[POWERS][T * T];
    fgt_model     *m = make();
    fgt_adjacency *mean;
    OK(fgt_adjacency_create(m, "a", POWERS, &mean));
    for (int pass = 0; pass < 2; pass++) {
        x[0] += 1;
        predict(m, pass ? 2 : B);
        OK(pass ? fgt_adjacency_add(mean, 1, 2) : fgt_adjacency_add(mean, 0, 0));
        for (int s = pass; s < (pass ? 2 : B); s++)
            for (int h = 0; h < HEADS; h++)
                for (int p = 0; p < POWERS; p++) {
                    add_power(m, s, h, p + 1, sum[h][p]);
                    add_power(m, s, h, p + 1, all[p]);
                }
    }
    assert_int_equal(fgt_adjacency_count_samples(mean), B + 1);
    for (int p = 0; p < POWERS; p++) {
        for (int h = 0; h < HEADS; h++) check(mean, h, p + 1, sum[h][p], B + 1);
        check(mean, -1, p + 1, all[p], (B + 1) * HEADS);
    }
    fgt_adjacency_destroy(&mean);
    assert_null(mean);
    fgt_model_destroy(&m);
}

static void test_refused(void **state)
{
    (void)state;
    fgt_view       v;
    fgt_model     *m    = make();
    fgt_adjacency *mean = (void *)m;
    assert_int_equal(fgt_adjacency_create(NULL, NULL, 0, &mean), FGT_E_ARG);
    assert_null(mean);
    REFUSED(fgt_adjacency_create(m, NULL, 0, &mean), FGT_E_ARG, "layer is not given");
    REFUSED(fgt_adjacency_create(m, NULL, 0, NULL), FGT_E_ARG, "adjacency is NULL");
    REFUSED(fgt_adjacency_create(m, "b", 0, &mean), FGT_E_NAME, "\"b\"");
    REFUSED(fgt_adjacency_create(m, "out", 0, &mean), FGT_E_UNSUPPORTED, "\"out\" (linear)");
    REFUSED(fgt_adjacency_create(m, "a", -1, &mean), FGT_E_ARG, "powers");
    OK(fgt_adjacency_create(m, "a", 0, &mean));
    REFUSED(fgt_adjacency_add(mean, 0, 0), FGT_E_STATE, "no pass");
    REFUSED(fgt_adjacency_get_mean(mean, 0, 1, &v), FGT_E_STATE, "nothing was added");
    predict(m, B);
    REFUSED(fgt_adjacency_add(mean, B, B), FGT_E_ARG, "of 3");
    REFUSED(fgt_adjacency_add(mean, -1, 1), FGT_E_ARG, "of 3");
    REFUSED(fgt_adjacency_add(mean, 1, INT64_MAX), FGT_E_ARG, "of 3");
    OK(fgt_adjacency_add(mean, 0, 0));
    REFUSED(fgt_adjacency_get_mean(mean, HEADS, 1, &v), FGT_E_ARG, "head is out of range (got 2, of 2)");
    REFUSED(fgt_adjacency_get_mean(mean, -2, 1, &v), FGT_E_ARG, "(got -2, of 2)");
    REFUSED(fgt_adjacency_get_mean(mean, 0, 2, &v), FGT_E_ARG, "power is out of range (got 2, need 1 .. 1)");
    REFUSED(fgt_adjacency_get_mean(mean, 0, 1, NULL), FGT_E_ARG, "mean is NULL");
    OK(fgt_predict(m, FGT_VIEW(x, B, T - 1, D), FGT_VIEW(y, B, T - 1, D)));
    REFUSED(fgt_adjacency_add(mean, 0, 0), FGT_E_SHAPE,
            "A has the wrong shape (got [4,4], need [5,5] as before)");
    x[0] = NAN;
    OK(fgt_predict(m, FGT_VIEW(x, B, T, D), FGT_VIEW(y, B, T, D)));
    REFUSED(fgt_adjacency_add(mean, 0, 0), FGT_E_NONFINITE, "not finite");
    x[0] = 0;
    assert_int_equal(fgt_adjacency_count_samples(mean), B);
    fgt_adjacency_destroy(&mean);
    fgt_model_destroy(&m);
}

/* A power that is too large is refused before anything is added. One that only may be is not. */
static void test_large(void **state)
{
    (void)state;
    float          g[2][9] = {{0, 1e5f, 0, 0, 0, 1e5f, 0, 0, 0}}, in[3] = {1, 2, 3}, out[3];
    fgt_view       v;
    fgt_graph     *graph;
    fgt_model     *m;
    fgt_adjacency *mean;
    for (int i = 0; i < 9; i++) g[1][i] = 1e5f;
    for (int k = 0; k < 2; k++) {
        OK(fgt_graph_create_dense(ctx, FGT_VIEW(g[k], 3, 3), &graph));
        OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .time = 3, .features = 1), &m));
        OK(fgt_model_add(m, fgt_named("g", fgt_gcn(&FGT_OPTS(fgt_gcn_opts, .graph = graph, .hops = 1)))));
        OK(fgt_predict(m, FGT_VIEW(in, 1, 3, 1), FGT_VIEW(out, 1, 3, 1)));
        OK(fgt_adjacency_create(m, "g", 10, &mean));
        if (k) {
            REFUSED(fgt_adjacency_add(mean, 0, 0), FGT_E_NONFINITE, "layer \"g\": A^8 is not finite");
            assert_int_equal(fgt_adjacency_count_samples(mean), 0);
        } else {
            OK(fgt_adjacency_add(mean, 0, 0));
            OK(fgt_adjacency_get_mean(mean, 0, 10, &v));
            for (int i = 0; i < 9; i++) assert_true(((const double *)v.data)[i] == 0);
        }
        fgt_adjacency_destroy(&mean);
        fgt_model_destroy(&m);
        fgt_graph_destroy(&graph);
    }
}

/* A call that failed leaves the mean without a shape. */
static void test_other_tokens(void **state)
{
    (void)state;
    float          scale[B * HEADS * T];
    fgt_adjacency *mean;
    fgt_view       v = {0};
    fgt_model     *m = make();
    for (int i = 0; i < B * HEADS * T; i++) scale[i] = 1e20f;
    OK(fgt_adjacency_create(m, "a", POWERS, &mean));
    OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_DIAG_SCALE, FGT_VIEW(scale, B, HEADS, T)));
    predict(m, B);
    REFUSED(fgt_adjacency_add(mean, 0, 0), FGT_E_NONFINITE, "is not finite");
    OK(fgt_workspace_set_mask(fgt_model_get_workspace(m), FGT_MASK_DIAG_SCALE, NULL));
    OK(fgt_predict(m, FGT_VIEW(x, B, T - 1, D), FGT_VIEW(y, B, T - 1, D)));
    OK(fgt_adjacency_add(mean, 0, 0));
    OK(fgt_adjacency_get_mean(mean, 0, 1, &v));
    assert_int_equal(v.shape[1], T - 1);
    predict(m, B);
    REFUSED(fgt_adjacency_add(mean, 0, 0), FGT_E_SHAPE, "need [4,4] as before");
    assert_int_equal(fgt_adjacency_count_samples(mean), B);
    fgt_adjacency_destroy(&mean);
    fgt_model_destroy(&m);
}

/* Cross attention has no powers, even if it reads as many tokens as it has. */
static void check_cross(int64_t n)
{
    static float   memory_of[B * 7 * D];
    fgt_view       v;
    fgt_model     *m;
    fgt_adjacency *one, *two;
    for (int i = 0; i < B * 7 * D; i++) memory_of[i] = (float)cos(i);
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D), &m));
    OK(fgt_model_add(m, fgt_named("kv", fgt_value(&FGT_OPTS(fgt_value_opts, .time = n, .features = D)))));
    OK(fgt_model_add_from(m, fgt_named("a", fgt_attention(NULL)), (const char *[]){"", "kv"}, 2));
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "kv", FGT_VIEW(memory_of, B, n, D), NULL));
    predict(m, B);
    OK(fgt_adjacency_create(m, "a", 0, &one));
    OK(fgt_adjacency_create(m, "a", 2, &two));
    OK(fgt_adjacency_add(one, 0, 0));
    OK(fgt_adjacency_get_mean(one, -1, 1, &v));
    const double *a = v.data;
    for (int t = 0; t < T; t++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++) sum += a[t * n + j];
        assert_true(fabs(sum - 1) < 1e-5);
    }
    REFUSED(fgt_adjacency_add(two, 0, 0), FGT_E_ARG,
            n == T ? "A is [5,5] and has no powers: its rows" : "A is [5,7] and has no powers: its rows");
    fgt_adjacency_destroy(&one);
    fgt_adjacency_destroy(&two);
    fgt_model_destroy(&m);
}

static void test_cross(void **state)
{
    (void)state;
    check_cross(7);
    check_cross(T);
}

static void test_no_memory(void **state)
{
    (void)state;
    fgt_model     *m = make();
    fgt_adjacency *mean;
    fgt_status     s;
    SWEEP(&memory, s, 2, fgt_adjacency_create(m, "a", 2, &mean))
    {
        assert_null(mean);
        NOTHING_LEAKS;
    }
    predict(m, B);
    SWEEP(&memory, s, 2, fgt_adjacency_add(mean, 0, 0))
    assert_int_equal(fgt_adjacency_count_samples(mean), 0);
    const int64_t calls = memory.calls;
    OK(fgt_adjacency_add(mean, 0, 0)); /* allocates nothing any more */
    assert_int_equal(memory.calls, calls);
    fgt_adjacency_destroy(&mean);
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(test_means), WITH_CONTEXT(test_refused),
                                       WITH_CONTEXT(test_large), WITH_CONTEXT(test_cross),
                                       WITH_CONTEXT(test_other_tokens), WITH_CONTEXT(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
