/* SPDX-License-Identifier: BSD-3-Clause */
#include "small_models.h"

static void test_elements(void **state)
{
    (void)state;
    /* e = 1, 2, 0, 3; NaN is left out */
    const float y[5] = {2, -2, 0, 3, 7}, t[5] = {1, -4, 0, 0, NAN};
    fgt_metric  m = {0};
    OK(fgt_metric_add(ctx, &m, FGT_VIEW(y, 2), FGT_VIEW(t, 2)));
    OK(fgt_metric_add(ctx, &m, FGT_VIEW(y + 2, 3, 1), FGT_VIEW(t + 2, 3, 1)));
    near(fgt_metric_get(&m, FGT_METRIC_MSE), 14.0 / 4, 1e-15, "mse");
    near(fgt_metric_get(&m, FGT_METRIC_MAE), 6.0 / 4, 1e-15, "mae");
    near(fgt_metric_get(&m, FGT_METRIC_RMSE), sqrt(14.0 / 4), 1e-15, "rmse");
    near(fgt_metric_get(&m, FGT_METRIC_MAPE), (1 + 0.5) / 2, 1e-12, "mape");
    near(fgt_metric_get(&m, FGT_METRIC_SMAPE), (2.0 / 3 + 4.0 / 6 + 0 + 2) / 4, 1e-12, "smape");
    assert_true(isnan(fgt_metric_get(&m, FGT_METRIC_ACCURACY)));
}

static void test_classes(void **state)
{
    (void)state;
    const float   y[5][3] = {{1, 2, 3}, {3, 3, 1}, {3, 3, 1}, {NAN, 0, 0}, {1, 0, NAN}};
    const int64_t t[5] = {2, 0, 1, 0, 0}; /* right, right (first of equals), wrong, wrong, wrong */
    const int32_t narrow[5] = {2, 0, 1, 0, 0};
    fgt_metric    m = {0};
    OK(fgt_metric_add(ctx, &m, FGT_VIEW(y, 5, 3), FGT_VIEW_OF(FGT_DTYPE_I64, t, 5)));
    near(fgt_metric_get(&m, FGT_METRIC_ACCURACY), 0.4, 1e-15, "accuracy");
    OK(fgt_metric_add(ctx, &m, FGT_VIEW(y, 1, 3), FGT_VIEW_OF(FGT_DTYPE_I32, narrow, 1)));
    near(fgt_metric_get(&m, FGT_METRIC_ACCURACY), 0.5, 1e-15, "accuracy");
    assert_true(isnan(fgt_metric_get(&m, FGT_METRIC_MSE)));
    const int64_t few[3] = {FGT_CLASS_MISSING, 1, FGT_CLASS_MISSING};
    OK(fgt_metric_add(ctx, &m, FGT_VIEW(y, 3, 3), FGT_VIEW_OF(FGT_DTYPE_I64, few, 3)));
    assert_true(m.rows == 7 && m.correct == 3);
}

static void test_nothing(void **state)
{
    (void)state;
    const fgt_metric m = {0};
    for (int kind = -1; kind < 8; kind++) {
        assert_true(isnan(fgt_metric_get(&m, kind)));
        assert_true(isnan(fgt_metric_get(NULL, kind)));
    }
}

static void test_refusals(void **state)
{
    (void)state;
    const float   y[6] = {0};
    const int64_t t[2] = {0, 3}, below = FGT_CLASS_MISSING - 1;
    fgt_metric    m = {.count = 1};
    const fgt_metric before = m;
    assert_int_equal(fgt_metric_add(NULL, &m, FGT_VIEW(y, 2, 3), FGT_VIEW(y, 2, 3)), FGT_E_ARG);
    REFUSED(fgt_metric_add(ctx, NULL, FGT_VIEW(y, 2, 3), FGT_VIEW(y, 2, 3)), FGT_E_ARG, "metric is NULL");
    REFUSED(fgt_metric_add(ctx, &m, NULL, FGT_VIEW(y, 2, 3)), FGT_E_ARG, "NULL");
    REFUSED(fgt_metric_add(ctx, &m, FGT_VIEW(y, 2, 3), NULL), FGT_E_ARG, "NULL");
    REFUSED(fgt_metric_add(ctx, &m, FGT_VIEW(y, 2, 3), FGT_VIEW(y, 6)), FGT_E_SHAPE, "[6]");
    REFUSED(fgt_metric_add(ctx, &m, FGT_VIEW(y, 2, 3), FGT_VIEW_OF(FGT_DTYPE_I64, t, 2)), FGT_E_DATA,
            "row 1");
    REFUSED(fgt_metric_add(ctx, &m, FGT_VIEW(y, 1, 3), FGT_VIEW_OF(FGT_DTYPE_I64, &below, 1)), FGT_E_DATA,
            "-2");
    assert_memory_equal(&m, &before, sizeof m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, test_open, test_close);
}
