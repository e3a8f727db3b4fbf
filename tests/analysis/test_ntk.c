/* SPDX-License-Identifier: BSD-3-Clause */
/* Tangent kernels against formulas, and that looking at them leaves no trace in a training. */
#include <fighter/experimental/adapter.h>
#include <fighter/experimental/ntk.h>
#include <stdlib.h>

#include "../train/small_models.h"

enum { M = 4, D = 3, O = 2 };


static float inputs[M * D];

static void fill(void)
{
    for (int i = 0; i < M * D; i++) inputs[i] = noise(5, i);
}

/* y = x W' + b: df_a/dW_a = x, df_a/db_a = 1, nothing else. */
static double dot(int i, int j)
{
    double sum = 1;
    for (int c = 0; c < D; c++) sum += (double)inputs[i * D + c] * (double)inputs[j * D + c];
    return sum;
}

static void test_linear(void **state)
{
    (void)state;
    const double scale[] = {O, 1.0 / O, O};
    double       k[M * O * M * O];
    fgt_model   *m = new_linear(ctx, M + 1, 1, D, O);
    fill();
    static const int32_t kinds[] = {FGT_NTK_TRACE, FGT_NTK_MEAN, FGT_NTK_SUM, FGT_NTK_ELEMENTS};
    for (size_t n = 0; n < sizeof kinds / sizeof *kinds; n++) {
        const int32_t kind = kinds[n];
        fgt_ntk       *ntk;
        fgt_ntk_report r = {.size = sizeof r};
        fgt_view       v = {0};
        OK(fgt_ntk_create(m, &FGT_OPTS(fgt_ntk_opts, .kind = kind), FGT_VIEW(inputs, M, 1, D), &ntk));
        OK(fgt_ntk_get_kernel_shape(ntk, &v));
        v.data = k;
        REFUSED(fgt_ntk_copy_kernel(ntk, &v), FGT_E_STATE, "no kernel");
        OK(fgt_ntk_compute(ntk, &r));
        v.data = k;
        OK(fgt_ntk_copy_kernel(ntk, &v));
        assert_int_equal(fgt_view_count(&v), kind == FGT_NTK_ELEMENTS ? M * O * M * O : M * M);
        const int rows   = kind == FGT_NTK_ELEMENTS ? M * O : M, each = rows / M;
        double    square = 0;
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++) {
                const double factor = kind == FGT_NTK_ELEMENTS ? i % O == j % O : scale[kind];
                const double want   = factor * dot(i / each, j / each);
                near(k[i * rows + j], want, 1e-6, "kernel");
                square += want * want;
            }
        near(r.norm, sqrt(square), 1e-5, "norm");
        assert_true(r.steps == 1 && isnan(r.change) && r.reference == 0);
        fgt_ntk_destroy(&ntk);
    }
    fgt_model_destroy(&m);
}

/* f = v w'x: with v = 0 the kernel is (w'x_i)(w'x_j), so doubling w quadruples it. */
static void test_change(void **state)
{
    (void)state;
    fgt_model           *m;
    fgt_ntk             *ntk;
    fgt_ntk_report       r  = {.size = sizeof r};
    const fgt_model_opts mo = {.size = sizeof mo, .batch = M, .features = D, .seed = 1};
    fill();
    OK(fgt_model_create(ctx, &mo, &m));
    const fgt_linear_opts one = {.size = sizeof one, .out = 1, .no_bias = 1};
    OK(fgt_model_add(m, fgt_named("in", fgt_linear(&one))));
    OK(fgt_model_add(m, fgt_named("out", fgt_linear(&one))));
    OK(fgt_model_set_parameter(m, "out.weight", FGT_VIEW(&(float){0}, 1, 1)));
    OK(fgt_ntk_create(m, NULL, FGT_VIEW(inputs, M, 1, D), &ntk));
    float w[D] = {0.5f, -1, 2};
    OK(fgt_model_set_parameter(m, "in.weight", FGT_VIEW(w, 1, D)));
    OK(fgt_ntk_compute(ntk, &r));
    const double first = r.norm;
    for (int c = 0; c < D; c++) w[c] *= 2;
    OK(fgt_model_set_parameter(m, "in.weight", FGT_VIEW(w, 1, D)));
    OK(fgt_ntk_compute(ntk, &r));
    near(r.norm, 4 * first, 1e-5 * first, "norm");
    near(r.change, 3, 1e-6, "change");
    near(r.reference, 3, 1e-6, "change from the first");
    OK(fgt_ntk_compute(ntk, &r));
    assert_true(r.steps == 3 && r.change == 0 && r.reference > 2);

    double   k[M][M];
    fgt_view v = *FGT_VIEW_OF(FGT_DTYPE_F64, k, M, M);
    OK(fgt_ntk_copy_kernel(ntk, &v));
    OK(fgt_ntk_set_kernel(ntk, &v));
    OK(fgt_ntk_compute(ntk, &r));
    assert_true(r.reference == 0);
    k[1][1] = NAN;
    REFUSED(fgt_ntk_set_kernel(ntk, &v), FGT_E_NONFINITE, "element 5");
    REFUSED(fgt_ntk_set_kernel(ntk, FGT_VIEW_OF(FGT_DTYPE_F64, k, M * M)), FGT_E_SHAPE, "kernel");
    REFUSED(fgt_ntk_copy_kernel(ntk, FGT_VIEW(k, M, M)), FGT_E_SHAPE, "kernel");
    REFUSED(fgt_ntk_copy_kernel(ntk, FGT_VIEW_OF(FGT_DTYPE_F64, NULL, M, M)), FGT_E_ARG, "no data");
    REFUSED(fgt_ntk_get_kernel_shape(ntk, NULL), FGT_E_ARG, "shape is NULL");
    fgt_ntk_destroy(&ntk);
    fgt_model_destroy(&m);
}

/* ---- learning rates ---- */

static fgt_ntk_bound bound_of(fgt_model *m, int32_t kind, double smoothness, double *k)
{
    fgt_ntk      *ntk;
    fgt_ntk_bound b = {.size = sizeof b};
    fgt_view      v = {0};
    OK(fgt_ntk_create(m, &FGT_OPTS(fgt_ntk_opts, .kind = kind), FGT_VIEW(inputs, M, 1, D), &ntk));
    REFUSED(fgt_ntk_get_bound(ntk, smoothness, &b), FGT_E_STATE, "no kernel");
    OK(fgt_ntk_compute(ntk, NULL));
    OK(fgt_ntk_get_bound(ntk, smoothness, &b));
    OK(fgt_ntk_get_kernel_shape(ntk, &v));
    v.data = k;
    OK(fgt_ntk_copy_kernel(ntk, &v));
    fgt_ntk_destroy(&ntk);
    return b;
}

/* The largest eigenvalue of k [n,n], by powers. */
static double eigenvalue_of(const double *k, int n)
{
    double v[M * O], w[M * O], value = 0;
    for (int i = 0; i < n; i++) v[i] = 1 + 0.1 * i;
    for (int step = 0; step < 3000; step++) {
        double square = 0;
        for (int i = 0; i < n; i++) {
            w[i] = 0;
            for (int j = 0; j < n; j++) w[i] += k[i * n + j] * v[j];
            square += w[i] * w[i];
        }
        value = sqrt(square);
        for (int i = 0; i < n; i++) v[i] = w[i] / value;
    }
    return value;
}

static void test_bound(void **state)
{
    (void)state;
    static const int32_t kinds[] = {FGT_NTK_TRACE, FGT_NTK_MEAN, FGT_NTK_SUM, FGT_NTK_ELEMENTS};
    double               k[M * O * M * O], most = 0;
    fgt_model           *m = new_linear(ctx, M + 1, 1, D, O);
    fill();
    for (int i = 0; i < M; i++) most = dot(i, i) > most ? dot(i, i) : most;
    for (size_t n = 0; n < sizeof kinds / sizeof *kinds; n++) {
        const fgt_ntk_bound b    = bound_of(m, kinds[n], 0.25, k);
        const int           rows = kinds[n] == FGT_NTK_ELEMENTS ? M * O : M;
        near(b.largest, kinds[n] == FGT_NTK_MEAN ? most / O : most * O, 1e-5, "largest");
        near(b.rate, 1 / (0.5 * b.largest), 1e-9, "rate");
        for (int i = 0; i < rows * rows; i++) assert_true(fabs(k[i]) <= b.largest * (1 + 1e-12));
        if (kinds[n] == FGT_NTK_TRACE) {
            assert_true(isnan(b.eigenvalue) && isnan(b.critical));
            continue;
        }
        near(b.eigenvalue, eigenvalue_of(k, rows), 1e-9 * b.eigenvalue, "eigenvalue");
        near(b.critical, 2 * M / (0.25 * b.eigenvalue), 1e-9 * b.critical, "critical");
        assert_true(b.critical >= 4 * b.rate * (1 - 1e-12));
    }
    fgt_model_destroy(&m);
}

/* The loss after so many steps of gradient descent on the mean of squared errors, over the first loss. */
static double descend(fgt_model *m, double rate, int steps)
{
    float    y[M * O], dy[M * O];
    double   first = 0, loss = 0;
    fgt_view w = {0}, g = {0};
    for (int step = 0; step <= steps; step++) {
        OK(fgt_model_clear_gradients(m));
        OK(fgt_forward(m, FGT_VIEW(inputs, M, 1, D), FGT_VIEW(y, M, 1, O)));
        loss = 0;
        for (int i = 0; i < M * O; i++) {
            const double e = (double)y[i] - cos(i);
            loss += e * e / (M * O);
            dy[i] = (float)(2 * e / (M * O));
        }
        if (step == 0) first = loss;
        OK(fgt_backward(m, FGT_VIEW(dy, M, 1, O), NULL));
        OK(fgt_model_get_weights(m, &w));
        OK(fgt_model_get_gradients(m, &g));
        for (int64_t i = 0; i < fgt_view_count(&w); i++)
            ((float *)w.data)[i] -= (float)rate * ((const float *)g.data)[i];
    }
    return loss / first;
}

/* A linear model is what `critical` is exact for: just below it the loss falls, and just above it grows. */
static void test_descent(void **state)
{
    (void)state;
    double k[M * O * M * O];
    fill();
    for (int i = 0; i < 3; i++) {
        fgt_model          *m        = new_linear(ctx, M + 1, 1, D, O);
        const fgt_ntk_bound b        = bound_of(m, FGT_NTK_ELEMENTS, 2.0 / O, k);
        const double        rate[]   = {b.rate, 0.97 * b.critical, 1.03 * b.critical};
        const double        relative = descend(m, rate[i], 200);
        assert_true(i < 2 ? relative < 0.9 : relative > 10);
        fgt_model_destroy(&m);
    }
}

static void test_bound_refusals(void **state)
{
    (void)state;
    fgt_ntk      *ntk;
    fgt_ntk_bound b = {.size = sizeof b};
    fgt_status    s;
    fgt_model    *m = new_linear(ctx, M + 1, 1, D, O);
    fill();
    OK(fgt_ntk_create(m, &FGT_OPTS(fgt_ntk_opts, .kind = FGT_NTK_ELEMENTS), FGT_VIEW(inputs, M, 1, D), &ntk));
    OK(fgt_ntk_compute(ntk, NULL));
    assert_int_equal(fgt_ntk_get_bound(NULL, 1, &b), FGT_E_ARG);
    REFUSED(fgt_ntk_get_bound(ntk, 1, NULL), FGT_E_ARG, "bound is NULL");
    REFUSED(fgt_ntk_get_bound(ntk, 0, &b), FGT_E_ARG, "smoothness is out of range (got 0");
    REFUSED(fgt_ntk_get_bound(ntk, (double)NAN, &b), FGT_E_ARG, "smoothness");
    REFUSED(fgt_ntk_get_bound(ntk, (double)INFINITY, &b), FGT_E_ARG, "smoothness");
    REFUSED(fgt_ntk_get_bound(ntk, 1, &(fgt_ntk_bound){0}), FGT_E_VERSION, "size");
    b.rate = -1;
    SWEEP(&memory, s, 1, fgt_ntk_get_bound(ntk, 1, &b))
    {
        assert_true(b.rate == -1);
        NOTHING_LEAKS;
    }
    assert_true(b.rate > 0);
    fgt_ntk_destroy(&ntk);
    fgt_model_destroy(&m);
}

/* ---- during training ---- */

struct watcher {
    fgt_ntk *ntk; /* NULL: does not look */
    double   change[8];
    int64_t  calls[8];
};

static int watch(void *user, const fgt_progress *p)
{
    struct watcher *w = user;
    fgt_ntk_report  r = {.size = sizeof r};
    if (!w->ntk || !p->epoch_done) return 0;
    OK(fgt_ntk_compute(w->ntk, &r));
    w->change[p->epoch] = r.change;
    w->calls[p->epoch]  = memory.calls;
    return 0;
}

static fgt_status ids_get(void *user, const int64_t *index, int64_t n, const fgt_view *x, const fgt_view *t)
{
    (void)user;
    for (int64_t i = 0; i < n * 6; i++) ((int64_t *)x->data)[i] = (index[i / 6] * 5 + i % 6) % 12;
    for (int64_t i = 0; i < n; i++) ((int64_t *)t->data)[i] = index[i] % 3;
    return FGT_OK;
}

static fgt_model *new_text(fgt_context *c)
{
    fgt_model           *m;
    const fgt_model_opts mo = {.size = sizeof mo, .batch = 5, .time = 6, .seed = 1};
    OK_OF(c, fgt_model_create(c, &mo, &m));
    OK_OF(c, fgt_model_add(m, fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = 20, .out = 8))));
    OK_OF(c, fgt_model_add(m, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .heads = 2, .dropout = 0.3f))));
    OK_OF(c, fgt_model_add(m, fgt_pool(NULL)));
    OK_OF(c, fgt_model_add(m, fgt_dropout(&FGT_OPTS(fgt_dropout_opts, .p = 0.5f))));
    OK_OF(c, fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 3))));
    return m;
}

static const int64_t ids[M][6] = {
    {0, 1, 2, 3, 4, 5}, {9, 9, 9, 9, 9, 9}, {19, 18, 17, 16, 15, 14}, {7, 1, 7, 1, 7, 1}};

static void test_leaves_no_trace(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int look = 0; look < 2; look++) {
        fgt_model           *m = new_text(ctx);
        struct watcher       w = {0};
        const fgt_source     source = {.size = sizeof source, .count = 30, .get = ids_get};
        const fgt_loss_opts  loss = {.size = sizeof loss, .kind = FGT_LOSS_CROSS_ENTROPY};
        const fgt_optim_opts optim = {.size = sizeof optim, .lr = 0.02};
        const fgt_fit_opts   o      = {.size         = sizeof o,
                                       .train        = &source,
                                       .loss         = &loss,
                                       .optim        = &optim,
                                       .training     = {.epochs = 5, .progress = watch, .user = &w},
                                       .target_dtype = FGT_DTYPE_I64};
        if (look) OK(fgt_ntk_create(m, NULL, FGT_VIEW_OF(FGT_DTYPE_I64, ids, M, 6), &w.ntk));
        OK(fgt_model_fit(m, &o, NULL));
        hash[look] = fgt_model_get_hash(m);
        for (int e = 2; look && e <= 5; e++) {
            assert_true(w.change[e] > 1e-4 && w.change[e] < 10);
            assert_int_equal(w.calls[e], w.calls[1]); /* and nothing is allocated */
        }
        fgt_ntk_destroy(&w.ntk);
        fgt_model_destroy(&m);
    }
    assert_true(hash[0] == hash[1]);
}

/* Gradients that a host has summed up wait for their step. */
static void test_keeps_gradients(void **state)
{
    (void)state;
    static float y[M][1][O], before[O][D], after[O][D];
    fgt_model   *m = new_linear(ctx, M, 1, D, O);
    fgt_ntk     *ntk;
    fill();
    OK(fgt_ntk_create(m, NULL, FGT_VIEW(inputs, M, 1, D), &ntk));
    OK(fgt_forward(m, FGT_VIEW(inputs, M, 1, D), FGT_VIEW(y, M, O)));
    OK(fgt_backward(m, FGT_VIEW(y, M, O), NULL));
    OK(fgt_model_copy_gradient(m, "weight", FGT_VIEW(before, O, D)));
    OK(fgt_forward(m, FGT_VIEW(inputs, M, 1, D), FGT_VIEW(y, M, O)));
    OK(fgt_ntk_compute(ntk, NULL));
    OK(fgt_model_copy_gradient(m, "weight", FGT_VIEW(after, O, D)));
    assert_memory_equal(before, after, sizeof before);
    REFUSED(fgt_backward(m, FGT_VIEW(y, M, O), NULL), FGT_E_STATE, "needs a new fgt_forward");
    fgt_ntk_destroy(&ntk);
    fgt_model_destroy(&m);
}

/* The values are those of the creation, whatever is set later, and their gradients are the host's. */
static void test_values(void **state)
{
    (void)state;
    static const char *const both[] = {"", "v"};
    float                    one[M * D], other[M * D], dv[M * D] = {7, 7};
    fgt_ntk_report           r = {.size = sizeof r};
    fgt_ntk                 *ntk, *none;
    fgt_model               *m;
    fill();
    for (int i = 0; i < M * D; i++) one[i] = other[i] = noise(6, i);
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = M, .features = D), &m));
    OK(fgt_model_add(m, fgt_named("v", fgt_value(&FGT_OPTS(fgt_value_opts, .features = D)))));
    OK(fgt_model_add_from(m, fgt_sum(NULL), both, 2));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = O))));
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "v", FGT_VIEW(one, M, 1, D),
                               FGT_VIEW(dv, M, 1, D)));
    OK(fgt_ntk_create(m, NULL, FGT_VIEW(inputs, M, 1, D), &ntk));
    OK(fgt_ntk_compute(ntk, NULL));
    assert_true(dv[0] == 7 && dv[1] == 7 && dv[2] == 0);
    one[0] = other[1] = 100; /* as the memory of a batch that is filled again */
    for (int k = 0; k < 3; k++) {
        if (k)
            OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "v",
                                       k == 1 ? FGT_VIEW(other, M, 1, D) : NULL, NULL));
        OK(fgt_ntk_compute(ntk, &r));
        assert_true(r.change == 0);
    }
    REFUSED(fgt_ntk_create(m, NULL, FGT_VIEW(inputs, M, 1, D), &none), FGT_E_STATE, "was not set");
    fgt_ntk_destroy(&ntk);
    fgt_model_destroy(&m);
}

/* Another adapter has other parameters, and more or fewer of them. */
static void test_adapters(void **state)
{
    (void)state;
    fgt_model *m = new_linear(ctx, M, 1, D, O);
    fgt_ntk   *ntk[2];
    fill();
    OK(fgt_model_add_adapter(m, &FGT_OPTS(fgt_adapter_opts, .name = "a", .rank = 1)));
    for (int k = 0; k < 2; k++) {
        OK(fgt_model_set_adapter(m, k ? "a" : NULL));
        OK(fgt_ntk_create(m, NULL, FGT_VIEW(inputs, M, 1, D), &ntk[k]));
        OK(fgt_ntk_compute(ntk[k], NULL));
    }
    REFUSED(fgt_ntk_compute(ntk[0], NULL), FGT_E_STATE, "the active adapter has changed since");
    OK(fgt_model_set_adapter(m, NULL));
    REFUSED(fgt_ntk_compute(ntk[1], NULL), FGT_E_STATE, "the active adapter has changed since");
    OK(fgt_ntk_compute(ntk[0], NULL));
    for (int k = 0; k < 2; k++) fgt_ntk_destroy(&ntk[k]);
    fgt_model_destroy(&m);
}

static void test_threads(void **state)
{
    (void)state;
    double k[3][M][M];
    for (int i = 0; i < 3; i++) {
        test_memory   mem;
        fgt_context  *c = test_context(&mem, i + 1);
        fgt_model    *m = new_text(c);
        fgt_ntk      *ntk;
        OK_OF(c, fgt_ntk_create(m, NULL, FGT_VIEW_OF(FGT_DTYPE_I64, ids, M, 6), &ntk));
        OK_OF(c, fgt_ntk_compute(ntk, NULL));
        OK_OF(c, fgt_ntk_copy_kernel(ntk, FGT_VIEW_OF(FGT_DTYPE_F64, k[i], M, M)));
        fgt_ntk_destroy(&ntk);
        fgt_model_destroy(&m);
        fgt_context_destroy(&c);
        assert_int_equal(mem.live, 0);
    }
    assert_memory_equal(k[0], k[1], sizeof k[0]);
    assert_memory_equal(k[0], k[2], sizeof k[0]);
}

/* ---- refusals ---- */

static void test_refusals(void **state)
{
    (void)state;
    static float many[M + 1][D];
    fgt_model   *m = new_linear(ctx, M, 1, D, O);
    fgt_ntk     *ntk;
    fgt_ntk_report r = {.size = 3};
    fill();
    REFUSED(fgt_ntk_create(m, &FGT_OPTS(fgt_ntk_opts, .kind = 4), FGT_VIEW(inputs, M, 1, D), &ntk), FGT_E_ARG,
            "kind is out of range (got 4");
    assert_null(ntk);
    REFUSED(fgt_ntk_create(m, NULL, NULL, &ntk), FGT_E_ARG, "x is NULL");
    REFUSED(fgt_ntk_create(m, NULL, FGT_VIEW(NULL, M, 1, D), &ntk), FGT_E_ARG, "x is NULL");
    REFUSED(fgt_ntk_create(m, NULL, FGT_VIEW(many, M + 1, 1, D), &ntk), FGT_E_SHAPE, "x has the wrong size");
    REFUSED(fgt_ntk_create(m, NULL, FGT_VIEW(inputs, M, 1, D), NULL), FGT_E_ARG, "ntk is NULL");
    OK(fgt_ntk_create(m, NULL, FGT_VIEW(inputs, M, 1, D), &ntk));
    REFUSED(fgt_ntk_compute(ntk, &r), FGT_E_VERSION, "size is 3");
    OK(fgt_workspace_set_stateful(fgt_model_get_workspace(m), 1));
    REFUSED(fgt_ntk_compute(ntk, NULL), FGT_E_STATE, "carries states");
    OK(fgt_workspace_set_stateful(fgt_model_get_workspace(m), 0));
    OK(fgt_ntk_compute(ntk, NULL));
    fgt_ntk_destroy(&ntk);
    fgt_ntk_destroy(&ntk);
    fgt_ntk_destroy(NULL);
    assert_int_equal(fgt_ntk_create(NULL, NULL, NULL, &ntk), FGT_E_ARG);
    assert_int_equal(fgt_ntk_compute(NULL, NULL), FGT_E_ARG);
    fgt_model_destroy(&m);
}

static void test_allocations(void **state)
{
    (void)state;
    fgt_status s;
    fgt_ntk   *ntk;
    fgt_model *m = new_text(ctx);
    SWEEP(&memory, s, 3, fgt_ntk_create(m, NULL, FGT_VIEW_OF(FGT_DTYPE_I64, ids, M, 6), &ntk))
    assert_null(ntk);
    OK(fgt_ntk_compute(ntk, NULL));
    fgt_ntk_destroy(&ntk);
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear),          cmocka_unit_test(test_change),
        cmocka_unit_test(test_leaves_no_trace), cmocka_unit_test(test_keeps_gradients),
        cmocka_unit_test(test_values),          cmocka_unit_test(test_adapters),
        cmocka_unit_test(test_threads),         cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_allocations),     cmocka_unit_test(test_bound),
        cmocka_unit_test(test_descent),         cmocka_unit_test(test_bound_refusals),
    };
    return cmocka_run_group_tests(tests, open_two, test_close);
}
