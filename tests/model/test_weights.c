/* SPDX-License-Identifier: BSD-3-Clause */
/* All weights and all gradients as one array: where parameters stand in it, and what a host may do there. */
#include "../model_info.h"
#include "../train/checkpoint.h"

enum { EMBEDDING = VOCAB * 6, WEIGHT = 6 * OUT, ALL = EMBEDDING + WEIGHT + OUT };

static const setting set = {.optim = {.lr = 0.02, .weight_decay = 0.1}, .strategy = -1};

/* Parameters follow one another in the order of their numbers. */
static void expect_parts(fgt_model *m, const float *all,
                         fgt_status (*copy)(fgt_model *, const char *, const fgt_view *))
{
    int64_t at = 0;
    for (int64_t i = 0; i < model_info(m).tensors; i++) {
        float    one[ALL];
        fgt_view v = {0};
        OK(parameter_shape(m, parameter_name(m, i), &v));
        v.data = one;
        OK(copy(m, parameter_name(m, i), &v));
        assert_memory_equal(one, all + at, (size_t)fgt_view_count(&v) * sizeof *one);
        at += fgt_view_count(&v);
    }
    assert_int_equal(at, ALL);
}

static void test_weights(void **state)
{
    (void)state;
    static int64_t x[BATCH * TIME];
    static float   y[2][BATCH * TIME * OUT];
    float          w[ALL];
    scene          s;
    fgt_view       v, again;
    scene_init(&s, &set);
    OK(fgt_model_get_weights(s.model, &v));
    assert_true(v.rank == 1 && v.shape[0] == ALL && v.dtype == FGT_DTYPE_F32);
    expect_parts(s.model, v.data, fgt_model_copy_parameter);
    const fgt_view ids = {x, {BATCH, TIME}, 2, FGT_DTYPE_I64};
    OK(fgt_predict(s.model, &ids, FGT_VIEW(y[0], BATCH, TIME, OUT)));

    /* the view is still good, and others than before are used by the next pass */
    for (int i = 0; i < ALL; i++) w[i] = noise(4, i);
    const uint64_t before = fgt_model_get_hash(s.model);
    OK(fgt_model_set_weights(s.model, FGT_VIEW(w, ALL)));
    OK(fgt_model_get_weights(s.model, &again));
    assert_ptr_equal(v.data, again.data);
    assert_memory_equal(v.data, w, sizeof w);
    assert_true(fgt_model_get_hash(s.model) != before);
    OK(fgt_predict(s.model, &ids, FGT_VIEW(y[1], BATCH, TIME, OUT)));
    assert_memory_not_equal(y[0], y[1], sizeof y[0]);

    const uint64_t hash = fgt_model_get_hash(s.model);
    OK(fgt_model_set_weights(s.model, &v)); /* its own */
    w[ALL - 1] = (float)NAN;
    REFUSED(fgt_model_set_weights(s.model, FGT_VIEW(w, ALL)), FGT_E_NONFINITE, "weights");
    REFUSED(fgt_model_set_weights(s.model, FGT_VIEW(w, ALL - 1)), FGT_E_SHAPE, "weights");
    REFUSED(fgt_model_set_weights(s.model, FGT_VIEW_OF(FGT_DTYPE_I32, w, ALL)), FGT_E_SHAPE, "weights");
    REFUSED(fgt_model_set_weights(s.model, FGT_VIEW(NULL, ALL)), FGT_E_ARG, "weights");
    REFUSED(fgt_model_set_weights(s.model, NULL), FGT_E_ARG, "NULL");
    REFUSED(fgt_model_get_weights(s.model, NULL), FGT_E_ARG, "NULL");
    assert_true(fgt_model_get_hash(s.model) == hash);
    scene_done(&s);
}

/* Two halves of a batch on two models, their gradients added as an all-reduce does: the step of one model on
 * the sum. Rows of the embedding that only the other model has touched must move, too. */
static void test_all_reduce(void **state)
{
    (void)state;
    static const int64_t ids[2][2] = {{1, 2}, {2, 7}};
    static const float   dy[2 * OUT] = {1, -1, 0.5f, 0.25f, 2, -3};
    float                sum[ALL] = {0};
    scene                s[3];
    fgt_optim           *optim[3];
    fgt_view             g[3];
    for (int i = 0; i < 3; i++) {
        scene_init(&s[i], &set);
        s[i].schedule.total = 40;
        OK(fgt_optim_create(s[i].model, &s[i].optim, &optim[i]));
        OK(fgt_model_get_gradients(s[i].model, &g[i])); /* before any pass: all zero */
        for (int j = 0; j < ALL; j++) assert_true(((float *)g[i].data)[j] == 0);
    }
    for (int i = 0; i < 2; i++) {
        float          y[2 * OUT];
        const fgt_view x = {(void *)(intptr_t)ids[i], {1, 2}, 2, FGT_DTYPE_I64};
        OK(fgt_forward(s[i].model, &x, FGT_VIEW(y, 1, 2, OUT)));
        OK(fgt_backward(s[i].model, FGT_VIEW(dy, 1, 2, OUT), NULL));
        expect_parts(s[i].model, g[i].data, fgt_model_copy_gradient);
        for (int j = 0; j < ALL; j++) sum[j] += ((float *)g[i].data)[j];
    }
    for (int i = 0; i < 2; i++) { /* in place */
        memcpy(g[i].data, sum, sizeof sum);
        OK(fgt_model_set_gradients(s[i].model, &g[i]));
    }
    OK(fgt_model_set_gradients(s[2].model, FGT_VIEW(sum, ALL))); /* from elsewhere */
    for (int i = 0; i < 3; i++) OK(fgt_step(optim[i]));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < ALL; j++) assert_true(((float *)g[i].data)[j] == 0);
        assert_true(fgt_model_get_hash(s[i].model) == fgt_model_get_hash(s[0].model));
    }
    REFUSED(fgt_model_set_gradients(s[0].model, FGT_VIEW(sum, ALL + 1)), FGT_E_SHAPE, "gradients");
    REFUSED(fgt_model_get_gradients(s[0].model, NULL), FGT_E_ARG, "NULL");
    sum[3] = (float)NAN;
    OK(fgt_model_set_gradients(s[0].model, FGT_VIEW(sum, ALL)));
    REFUSED(fgt_step(optim[0]), FGT_E_NONFINITE, "0.weight");
    for (int i = 0; i < 3; i++) {
        fgt_optim_destroy(&optim[i]);
        scene_done(&s[i]);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    const fgt_model_opts o = {.size = sizeof o, .features = 2};
    fgt_model           *m;
    fgt_view             v;
    scene                s;
    OK(fgt_model_create(ctx, &o, &m));
    REFUSED(fgt_model_get_weights(m, &v), FGT_E_STATE, "no parameters");
    REFUSED(fgt_model_get_gradients(m, &v), FGT_E_STATE, "no parameters");
    fgt_model_destroy(&m);
    assert_int_equal(fgt_model_get_weights(NULL, &v), FGT_E_ARG);
    assert_int_equal(fgt_model_get_gradients(NULL, &v), FGT_E_ARG);
    assert_int_equal(fgt_model_set_weights(NULL, &v), FGT_E_ARG);
    assert_int_equal(fgt_model_set_gradients(NULL, &v), FGT_E_ARG);
    scene_init(&s, &set);
    fgt_status status;
    SWEEP(&memory, status, 1, fgt_model_get_gradients(s.model, &v)) assert_true(w_.k < 5);
    scene_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_all_reduce),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
