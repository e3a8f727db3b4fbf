/* SPDX-License-Identifier: BSD-3-Clause */
#include "allocator_only.h"

#include "core/tensor.h"

static void test_count(void **state)
{
    (void)state;
    float x[24];
    assert_int_equal(fgt_view_count(FGT_VIEW(x, 2, 3, 4)), 24);
    assert_int_equal(fgt_view_count(FGT_VIEW(x, 24)), 24);
    assert_int_equal(fgt_view_count(FGT_VIEW(x, 5, 0, 7)), 0);
    assert_int_equal(fgt_view_count(&(fgt_view){.data = x}), 1); /* a scalar */
    assert_int_equal(fgt_view_count(NULL), -1);
    assert_int_equal(fgt_view_count(FGT_VIEW(x, 2, -1)), -1);
    assert_int_equal(fgt_view_count(FGT_VIEW(x, INT64_C(1) << 32, INT64_C(1) << 31)), -1);
    assert_int_equal(fgt_view_count(&(fgt_view){.data = x, .rank = -1}), -1);
    assert_int_equal(fgt_view_count(&(fgt_view){.data = x, .rank = FGT_MAX_RANK + 1}), -1);
    const fgt_view *v = FGT_VIEW_OF(FGT_DTYPE_I64, x, 1, 2, 3, 4, 5);
    assert_true(v->rank == 5 && v->dtype == FGT_DTYPE_I64 && v->shape[4] == 5);
}

static void test_types(void **state)
{
    (void)state;
    const size_t      sizes[] = {4, 8, 4, 8};
    const char *const names[] = {"F32", "F64", "I32", "I64"};
    for (int32_t t = 0; t < 4; t++) {
        assert_int_equal(fgti_dtype_size(t), sizes[t]);
        assert_string_equal(fgti_dtype_name(t), names[t]);
    }
    const int32_t unknown[] = {-1, 4, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(fgti_dtype_size(unknown[i]), 0);
        assert_string_equal(fgti_dtype_name(unknown[i]), "unknown type");
    }
}

static void test_text(void **state)
{
    (void)state;
    char          buf[FGTI_SHAPE_TEXT];
    const int64_t shape[] = {2, 13, 20}, open[] = {-1, 7},
                  wide[FGTI_SHAPE_RANK + 2] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX,
                                               INT64_MAX, INT64_MAX, INT64_MAX, 1,         1};
    assert_string_equal(fgti_shape_text(3, shape, buf), "[2,13,20]");
    assert_string_equal(fgti_shape_text(2, open, buf), "[*,7]");
    assert_string_equal(fgti_shape_text(0, shape, buf), "[]");
    assert_true(strlen(fgti_shape_text(FGTI_SHAPE_RANK, wide, buf)) < FGTI_SHAPE_TEXT);
    assert_true(strlen(fgti_shape_text(FGTI_SHAPE_RANK + 2, wide, buf)) < FGTI_SHAPE_TEXT);
}

static void test_check(void **state)
{
    (void)state;
    float         x[6];
    fgti_error    err    = {.text = ""};
    const int64_t want[] = {2, 3}, any[] = {-1, 3}, other[] = {2, 4}, one[] = {6}, none[] = {0, 3};
    assert_int_equal(fgti_view_check(&err, "dy", FGT_VIEW(x, 2, 3), FGT_DTYPE_F32, 2, want), FGT_OK);
    assert_int_equal(fgti_view_check(&err, "dy", FGT_VIEW(x, 2, 3), FGT_DTYPE_F32, 2, any), FGT_OK);
    assert_int_equal(fgti_view_check(&err, "dy", FGT_VIEW(x, 2, 3), FGT_DTYPE_F32, 2, other), FGT_E_SHAPE);
    assert_string_equal(err.text, "dy has the wrong shape (got [2,3], need [2,4])");
    assert_int_equal(fgti_view_check(&err, "dy", FGT_VIEW(x, 2, 3), FGT_DTYPE_F32, 1, one), FGT_E_SHAPE);
    assert_string_equal(err.text, "dy has the wrong shape (got [2,3], need [6])");
    assert_int_equal(fgti_view_check(&err, "dy", FGT_VIEW_OF(FGT_DTYPE_F64, x, 2, 3), FGT_DTYPE_F32, 2, want),
                     FGT_E_SHAPE);
    assert_string_equal(err.text, "dy has the wrong type (got F64, need F32)");
    assert_int_equal(fgti_view_check(&err, "dy", NULL, FGT_DTYPE_F32, 2, want), FGT_E_ARG);
    assert_string_equal(err.text, "dy is NULL");
    assert_int_equal(fgti_view_check(&err, "dy", FGT_VIEW(NULL, 2, 3), FGT_DTYPE_F32, 2, want), FGT_E_ARG);
    assert_string_equal(err.text, "dy has no data");
    assert_int_equal(fgti_view_check(&err, "dy", FGT_VIEW(NULL, 0, 3), FGT_DTYPE_F32, 2, none), FGT_OK);
    assert_int_equal(fgti_view_check(&err, "dy", FGT_VIEW(x, 2, -3), FGT_DTYPE_F32, 2, any), FGT_E_SHAPE);
    assert_string_equal(err.text, "dy has a malformed shape");
    assert_int_equal(fgti_view_check(NULL, "dy", NULL, FGT_DTYPE_F32, 2, want), FGT_E_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_count),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
