/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>

#include <fighter/scaler.h>

#include "../scaler_info.h"
#include "small_files.h"

static double mean_of(const fgt_scaler *s, int64_t c)
{
    return ((const double *)scaler_mean(s).data)[c];
}

static double scale_of(const fgt_scaler *s, int64_t c)
{
    return ((const double *)scaler_scale(s).data)[c];
}

static void test_fit(void **state)
{
    (void)state;
    /* rows 1 .. 3 are the training rows */
    const double x[] = {99, 99, 99, /**/ 1, 5, NAN, /**/ 2, 5, 7, /**/ 6, 5, 9, /**/ -99, 99, 99};
    fgt_scaler  *s;
    expect_ok(fgt_scaler_create(&context, 3, &s));
    assert_int_equal(scaler_mean(s).shape[0], 3);
    for (int c = 0; c < 3; c++) assert_true(mean_of(s, c) == 0 && scale_of(s, c) == 1);
    expect_ok(fgt_scaler_fit(s, FGT_VIEW_OF(FGT_DTYPE_F64, x, 5, 3), 1, 4));
    assert_true(mean_of(s, 0) == 3 && fabs(scale_of(s, 0) - sqrt(14.0 / 3)) < 1e-15);
    assert_true(mean_of(s, 1) == 5 && scale_of(s, 1) == 1); /* constant */
    assert_true(mean_of(s, 2) == 8 && scale_of(s, 2) == 1); /* 7 and 9 */
    assert_int_equal(scaler_mean(s).shape[0], 3);

    /* and there and back, in both types */
    float  z[15];
    double back[15];
    expect_ok(fgt_scaler_transform(s, FGT_VIEW_OF(FGT_DTYPE_F64, x, 5, 3), FGT_VIEW(z, 5, 3)));
    assert_true(isnan(z[5]) && z[4] == 0 && z[8] == -1 && fabs(z[3] + 2 / sqrt(14.0 / 3)) < 1e-7);
    expect_ok(
        fgt_scaler_inverse_transform(s, FGT_VIEW(z, 1, 5, 3), FGT_VIEW_OF(FGT_DTYPE_F64, back, 1, 5, 3)));
    for (int i = 0; i < 15; i++) assert_true(i == 5 ? isnan(back[i]) : fabs(back[i] - x[i]) < 1e-5);
    expect_ok(fgt_scaler_inverse_transform(s, FGT_VIEW(z, 5, 3), FGT_VIEW(z, 5, 3))); /* in place */
    assert_true(fabsf(z[3] - 1) < 1e-6f && fabsf(z[9] - 6) < 1e-6f);

    fgt_scaler_destroy(&s);
    assert_null(s);
}

/* Rounding must not make a scale of 1e-17 out of a constant, nor lose a small spread on a large mean. */
static void test_rounding(void **state)
{
    (void)state;
    enum { ROWS = 10000 };
    static double x[ROWS][2];
    fgt_scaler   *s;
    for (int r = 0; r < ROWS; r++) {
        x[r][0] = 0.1;
        x[r][1] = 1e6 + (r % 2 ? 1e-3 : -1e-3);
    }
    expect_ok(fgt_scaler_create(&context, 2, &s));
    expect_ok(fgt_scaler_fit(s, FGT_VIEW_OF(FGT_DTYPE_F64, x, ROWS, 2), 0, ROWS));
    assert_true(scale_of(s, 0) == 1 && fabs(mean_of(s, 0) - 0.1) < 1e-12);
    assert_true(fabs(scale_of(s, 1) - 1e-3) < 1e-9 && fabs(mean_of(s, 1) - 1e6) < 1e-7);
    fgt_scaler_destroy(&s);
}

/* A deviation below what rounding may make: the scale is 1, the mean that of all rows. */
static void test_small_deviation(void **state)
{
    (void)state;
    enum { ROWS = 8000 }; /* sums are exact */
    static double x[ROWS][1];
    fgt_scaler   *s;
    for (int r = 0; r < ROWS; r++) x[r][0] = 1e12 + r % 2;
    expect_ok(fgt_scaler_create(&context, 1, &s));
    expect_ok(fgt_scaler_fit(s, FGT_VIEW_OF(FGT_DTYPE_F64, x, ROWS, 1), 0, ROWS));
    assert_true(mean_of(s, 0) == 1e12 + 0.5 && scale_of(s, 0) == 1);
    fgt_scaler_destroy(&s);
}

/* The mean of a constant is that constant, however large: what is left over would look like a signal. */
static void test_large_constant(void **state)
{
    (void)state;
    enum { ROWS = 999 };
    static const double constants[] = {1.7e18, -1.7e18, 0.1, 1e300, 5e-324, 0};
    static double       x[ROWS][1];
    for (size_t k = 0; k < sizeof constants / sizeof *constants; k++) {
        fgt_scaler *s;
        for (int r = 0; r < ROWS; r++) x[r][0] = r < 3 ? NAN : constants[k];
        expect_ok(fgt_scaler_create(&context, 1, &s));
        expect_ok(fgt_scaler_fit(s, FGT_VIEW_OF(FGT_DTYPE_F64, x, ROWS, 1), 0, ROWS));
        assert_true(mean_of(s, 0) == constants[k] && scale_of(s, 0) == 1);
        fgt_scaler_destroy(&s);
    }
}

static void test_set(void **state)
{
    (void)state;
    const float  mean[] = {1, 2};
    const double scale[] = {0.5, 4}, zero[] = {1, 0}, nan[] = {1, NAN}, inf[] = {INFINITY, 1};
    fgt_scaler  *s;
    expect_ok(fgt_scaler_create(&context, 2, &s));
    expect_ok(fgt_scaler_set_moments(s, FGT_VIEW(mean, 2), FGT_VIEW_OF(FGT_DTYPE_F64, scale, 2)));
    assert_true(mean_of(s, 1) == 2 && scale_of(s, 0) == 0.5);
    expect_status(fgt_scaler_set_moments(s, FGT_VIEW(mean, 2), FGT_VIEW_OF(FGT_DTYPE_F64, zero, 2)),
                  FGT_E_DATA);
    expect_sentence("column 1 is wrong (got mean 2 and scale 0");
    expect_status(fgt_scaler_set_moments(s, FGT_VIEW(mean, 2), FGT_VIEW_OF(FGT_DTYPE_F64, nan, 2)),
                  FGT_E_DATA);
    expect_status(
        fgt_scaler_set_moments(s, FGT_VIEW_OF(FGT_DTYPE_F64, inf, 2), FGT_VIEW_OF(FGT_DTYPE_F64, scale, 2)),
        FGT_E_DATA);
    expect_status(fgt_scaler_set_moments(s, FGT_VIEW(mean, 1), FGT_VIEW_OF(FGT_DTYPE_F64, scale, 2)),
                  FGT_E_SHAPE);
    expect_status(fgt_scaler_set_moments(s, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, scale, 2)), FGT_E_ARG);
    assert_true(mean_of(s, 1) == 2 && scale_of(s, 0) == 0.5);
    fgt_scaler_destroy(&s);
}

static void test_refused(void **state)
{
    (void)state;
    const double huge[][2] = {{1e200, -1e200}, {DBL_MAX, DBL_MAX / 2}};
    const float  x[] = {1, NAN, INFINITY, 2, NAN, 3};
    float        y[6];
    fgt_scaler  *s;
    expect_status(fgt_scaler_create(&context, 0, &s), FGT_E_ARG);
    expect_status(fgt_scaler_create(NULL, 1, &s), FGT_E_ARG);
    expect_status(fgt_scaler_create(&context, INT64_MAX / 2 + 1, &s), FGT_E_SIZE);
    assert_null(s);
    expect_ok(fgt_scaler_create(&context, 3, &s));
    expect_status(fgt_scaler_fit(s, FGT_VIEW(x, 2, 3), 0, 2), FGT_E_DATA);
    expect_sentence("row 0, column 2 is not finite");
    expect_status(fgt_scaler_fit(s, FGT_VIEW(x, 2, 3), 1, 2), FGT_E_DATA);
    expect_sentence("column 1 has no value in rows 1 .. 1");
    for (int i = 0; i < 2; i++) {
        fgt_scaler *one;
        expect_ok(fgt_scaler_create(&context, 1, &one));
        expect_status(fgt_scaler_fit(one, FGT_VIEW_OF(FGT_DTYPE_F64, huge[i], 2, 1), 0, 2), FGT_E_DATA);
        expect_sentence("is too large for a mean and a deviation of the column");
        fgt_scaler_destroy(&one);
    }
    expect_status(fgt_scaler_fit(s, FGT_VIEW(x, 2, 3), 1, 1), FGT_E_ARG);
    expect_sentence("values: begin 1, end 1 is not a range of its 2 rows");
    expect_status(fgt_scaler_fit(s, FGT_VIEW(x, 2, 3), 0, 3), FGT_E_ARG);
    expect_status(fgt_scaler_fit(s, FGT_VIEW(x, 2, 3), -1, 2), FGT_E_ARG);
    expect_status(fgt_scaler_fit(s, FGT_VIEW(x, 3, 2), 0, 3), FGT_E_SHAPE);
    expect_sentence("values has the wrong shape (got [3,2], need [*,3])");
    expect_status(fgt_scaler_fit(s, FGT_VIEW(x, 6), 0, 1), FGT_E_SHAPE);
    expect_status(fgt_scaler_fit(s, NULL, 0, 1), FGT_E_ARG);
    assert_true(mean_of(s, 0) == 0 && scale_of(s, 0) == 1); /* as before */
    expect_status(fgt_scaler_transform(s, FGT_VIEW(x, 3, 2), FGT_VIEW(y, 3, 2)), FGT_E_SHAPE);
    expect_sentence("scaler: in has the wrong shape (got [3,2], need 3 columns)");
    expect_status(fgt_scaler_transform(s, FGT_VIEW(x, 2, 3), FGT_VIEW(y, 3, 2)), FGT_E_SHAPE);
    expect_sentence("out has the wrong shape (got [3,2], need [2,3])");
    expect_status(fgt_scaler_transform(s, FGT_VIEW_OF(FGT_DTYPE_I32, x, 2, 3), FGT_VIEW(y, 2, 3)),
                  FGT_E_SHAPE);
    expect_status(fgt_scaler_transform(s, NULL, FGT_VIEW(y, 2, 3)), FGT_E_ARG);
    expect_status(fgt_scaler_inverse_transform(s, FGT_VIEW(x, 2, 3), NULL), FGT_E_ARG);
    const fgt_view scalar = {.rank = 0, .data = y};
    expect_status(fgt_scaler_transform(s, &scalar, &scalar), FGT_E_SHAPE);
    expect_status(fgt_scaler_transform(NULL, FGT_VIEW(x, 2, 3), FGT_VIEW(y, 2, 3)), FGT_E_ARG);
    assert_int_equal(fgt_scaler_get_moments(NULL, NULL, NULL), FGT_E_ARG);
    fgt_scaler_destroy(&s);
    fgt_scaler_destroy(&s);
    fgt_scaler_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_fit, expect_no_leak),
        cmocka_unit_test_teardown(test_rounding, expect_no_leak),
        cmocka_unit_test_teardown(test_small_deviation, expect_no_leak),
        cmocka_unit_test_teardown(test_large_constant, expect_no_leak),
        cmocka_unit_test_teardown(test_set, expect_no_leak),
        cmocka_unit_test_teardown(test_refused, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
