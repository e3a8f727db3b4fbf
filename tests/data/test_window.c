/* SPDX-License-Identifier: BSD-3-Clause */
#include "small_files.h"

#include "data/windows.h"

#if UINTPTR_MAX > UINT32_MAX
_Static_assert(sizeof(fgt_windows_opts) == 8 * 8 + 2 * 4, "no padding");
#endif

#define COLUMNS 3

/* x[r][c] = 10 r + c */
static fgt_view ramp(float *x, int64_t rows)
{
    for (int64_t i = 0; i < rows * COLUMNS; i++) x[i] = (float)(10 * (i / COLUMNS) + i % COLUMNS);
    return *FGT_VIEW(x, rows, COLUMNS);
}

static fgt_windows *make(const fgt_view *series, fgt_windows_opts opts)
{
    fgt_windows *w;
    opts.size = sizeof opts;
    expect_ok(fgt_windows_create(&context, series, &opts, &w));
    return w;
}

/* design/accuracy.md 2.1, and the sizes printed by Time-Series-Library and TimeBridge */
static void test_counts(void **state)
{
    (void)state;
    static const struct {
        int64_t rows, begin, end;
        int32_t reach_back;
        int64_t input, pred, count;
    } cases[] = {
        {17420, 0, 8640, 0, 96, 96, 8449},      {17420, 8640, 11520, 1, 96, 96, 2785},
        {17420, 11520, 14400, 1, 96, 96, 2785}, {17420, 0, 8640, 0, 720, 96, 7825},
        {17420, 11520, 14400, 1, 720, 96, 2785}, {17420, 11520, 14400, 1, 96, 720, 2161},
        {69680, 46080, 57600, 1, 96, 96, 11425}, {52696, 42157, 52696, 1, 96, 720, 9820},
        {34272, 0, 34272, 0, 12, 12, 34249},
    };
    static float x[69680];
    for (size_t i = 0; i < COUNT(cases); i++) {
        fgt_windows *w = make(FGT_VIEW(x, cases[i].rows, 1),
                              (fgt_windows_opts){.input_len = cases[i].input, .pred_len = cases[i].pred,
                                                 .begin = cases[i].begin, .end = cases[i].end,
                                                 .reach_back = cases[i].reach_back});
        assert_int_equal(fgt_windows_count_samples(w), cases[i].count);
        const int64_t first = cases[i].reach_back ? cases[i].begin : cases[i].begin + cases[i].input;
        assert_int_equal(fgti_windows_row(w, 0), first);
        assert_int_equal(fgti_windows_row(w, cases[i].count - 1), cases[i].end - cases[i].pred);
        fgt_windows_destroy(&w);
        assert_null(w);
    }
}

static void test_batch(void **state)
{
    (void)state;
    enum { L = 4, H = 2 };
    float         series[20 * COLUMNS], x[3][L][COLUMNS], y[3][H][COLUMNS];
    const int64_t index[] = {5, 0, 5};
    fgt_view      v       = ramp(series, 20);
    fgt_windows  *w       = make(&v, (fgt_windows_opts){.input_len = L, .pred_len = H, .begin = 3});
    assert_int_equal(fgt_windows_count_samples(w), 20 - 3 - L - H + 1);
    expect_ok(fgt_windows_copy_samples(w, index, 3, FGT_VIEW(x, 3, L, COLUMNS), FGT_VIEW(y, 3, H, COLUMNS)));
    for (int b = 0; b < 3; b++) {
        const int64_t row = fgti_windows_row(w, index[b]);
        assert_int_equal(row, 3 + L + index[b]);
        for (int c = 0; c < COLUMNS; c++) {
            for (int t = 0; t < L; t++) assert_true(x[b][t][c] == (float)(10 * (row - L + t) + c));
            for (int t = 0; t < H; t++) assert_true(y[b][t][c] == (float)(10 * (row + t) + c));
        }
    }
    memset(x, 0, sizeof x);
    expect_ok(fgt_windows_copy_samples(w, index, 3, FGT_VIEW(x, 3, L, COLUMNS), NULL)); /* inputs alone */
    assert_true(x[1][0][0] == 30);
    expect_ok(fgt_windows_copy_samples(w, index, 0, FGT_VIEW(x, 0, L, COLUMNS), FGT_VIEW(y, 0, H, COLUMNS)));
    fgt_windows_destroy(&w);
}

static void test_stride_and_reach(void **state)
{
    (void)state;
    float        series[20 * COLUMNS];
    fgt_view     v = ramp(series, 20);
    fgt_windows *w = make(&v, (fgt_windows_opts){.input_len = 4, .pred_len = 2, .stride = 5});
    assert_int_equal(fgt_windows_count_samples(w), 3); /* 4, 9, 14 */
    assert_int_equal(fgti_windows_row(w, 2), 14);
    fgt_windows_destroy(&w);
    w = make(&v, (fgt_windows_opts){.input_len = 4, .pred_len = 2, .begin = 2, .end = 8, .reach_back = 1});
    assert_int_equal(fgti_windows_row(w, 0), 4); /* nothing stands before row 0 */
    assert_int_equal(fgt_windows_count_samples(w), 3);
    fgt_windows_destroy(&w);
    w = make(&v, (fgt_windows_opts){.input_len = 19, .pred_len = 1});
    assert_int_equal(fgt_windows_count_samples(w), 1);
    fgt_windows_destroy(&w);
}

static void test_targets(void **state)
{
    (void)state;
    float         series[20 * COLUMNS], x[2][3][COLUMNS], y[2][2][2];
    int64_t       targets[] = {2, 0};
    const int64_t index[] = {0, 1};
    fgt_view      v       = ramp(series, 20);
    const fgt_windows_opts opts = {.input_len = 3, .pred_len = 2, .targets = targets, .target_count = 2};
    fgt_windows           *w    = make(&v, opts);
    targets[0]                  = 99; /* was copied */
    expect_ok(fgt_windows_copy_samples(w, index, 2, FGT_VIEW(x, 2, 3, COLUMNS), FGT_VIEW(y, 2, 2, 2)));
    assert_true(y[0][0][0] == 32 && y[0][0][1] == 30 && y[1][1][0] == 52 && y[1][1][1] == 50);
    expect_status(fgt_windows_copy_samples(w, index, 2, FGT_VIEW(x, 2, 3, COLUMNS), FGT_VIEW(y, 2, 2, 3)),
                  FGT_E_SHAPE);
    expect_sentence("y has the wrong shape (got [2,2,3], need [2,2,2])");
    fgt_windows_destroy(&w);
}

/* Borrowed as F32, copied as F64; NaN is 0 in x and NaN in y. */
static void test_types_and_gaps(void **state)
{
    (void)state;
    double       d[6] = {1, NAN, 3, NAN, 5, 6};
    float        f[6] = {1, NAN, 3, NAN, 5, 6}, x[2], y[2];
    const int64_t zero = 0;
    static const int32_t types[] = {FGT_DTYPE_F32, FGT_DTYPE_F64};
    for (size_t each = 0; each < sizeof types / sizeof *types; each++) {
        const int32_t type = types[each];
        fgt_windows  *w    = make(FGT_VIEW_OF(type, type == FGT_DTYPE_F32 ? (void *)f : (void *)d, 6, 1),
                                  (fgt_windows_opts){.input_len = 2, .pred_len = 2});
        f[0] = 7;
        d[0] = 7;
        expect_ok(fgt_windows_copy_samples(w, &zero, 1, FGT_VIEW(x, 1, 2, 1), FGT_VIEW(y, 1, 2, 1)));
        assert_true(x[0] == (type == FGT_DTYPE_F32 ? 7 : 1) && x[1] == 0 && y[0] == 3 && isnan(y[1]));
        d[0] = 1;
        fgt_windows_destroy(&w);
    }
}

/* A number that float32 does not hold would be infinite there. */
static void test_far(void **state)
{
    (void)state;
    const double d[6] = {1, 2, 3, 1e300, 5, 6};
    fgt_windows *w;
    assert_int_equal(fgt_windows_create(&context, FGT_VIEW_OF(FGT_DTYPE_F64, d, 6, 1),
                                        &FGT_OPTS(fgt_windows_opts, .input_len = 2, .pred_len = 2), &w),
                     FGT_E_DATA);
    assert_string_equal(fgt_context_get_error(&context), "series: row 3, column 0: 1e+300 is beyond float32");
    assert_null(w);
}

static void test_refused(void **state)
{
    (void)state;
    static const int64_t wrong[] = {0, 3}, negative[] = {-1};
    static const struct {
        fgt_windows_opts opts;
        fgt_status       status;
        const char      *sentence;
    } bad[] = {
        {{.input_len = 96, .pred_len = 96},
         FGT_E_DATA,
         "windows: 96 rows of input and 96 of forecast do not fit into rows 0..99; a smaller `pred_len` or "
         "`input_len`, or more of these rows, would fit"},
        {{.input_len = 96, .pred_len = 96, .begin = 10, .end = 50, .reach_back = 1},
         FGT_E_DATA,
         "do not fit into rows 10..49 and the rows before them"},
        {{.input_len = 1, .pred_len = INT64_C(1) << 40},
         FGT_E_DATA,
         "1 row of input and 1099511627776 of forecast"},
        {{.input_len = INT64_MAX, .pred_len = 1}, FGT_E_ARG, "input_len is out of range (got 9.22337e+18"},
        {{.pred_len = 1}, FGT_E_ARG, "input_len is not given"},
        {{.input_len = 1}, FGT_E_ARG, "pred_len is not given"},
        {{.input_len = -1, .pred_len = 1}, FGT_E_ARG, "input_len is out of range (got -1"},
        {{.input_len = 1, .pred_len = 1, .stride = -1}, FGT_E_ARG, "stride is out of range (got -1"},
        {{.input_len = 1, .pred_len = 1, .reach_back = 2}, FGT_E_ARG, "reach_back is out of range (got 2"},
        {{.input_len = 1, .pred_len = 1, .begin = -1},
         FGT_E_ARG,
         "begin -1, end 100 is not a range of its 100 rows"},
        {{.input_len = 1, .pred_len = 1, .end = 101},
         FGT_E_ARG,
         "begin 0, end 101 is not a range of its 100 rows"},
        {{.input_len = 1, .pred_len = 1, .begin = 9, .end = 9}, FGT_E_ARG, "begin 9, end 9 is not a range"},
        {{.input_len = 1, .pred_len = 1, .targets = wrong, .target_count = 2},
         FGT_E_ARG,
         "column is out of range (got 3, need 0 .. 2)"},
        {{.input_len = 1, .pred_len = 1, .targets = negative, .target_count = 1},
         FGT_E_ARG,
         "column is out of range (got -1"},
        {{.input_len = 1, .pred_len = 1, .targets = wrong},
         FGT_E_ARG,
         "targets and target_count do not go together"},
        {{.input_len = 1, .pred_len = 1, .target_count = 1},
         FGT_E_ARG,
         "targets and target_count do not go together"},
    };
    static float series[100 * COLUMNS];
    fgt_windows *w;
    for (size_t i = 0; i < COUNT(bad); i++) {
        fgt_windows_opts opts = bad[i].opts;
        opts.size             = sizeof opts;
        expect_status(fgt_windows_create(&context, FGT_VIEW(series, 100, COLUMNS), &opts, &w), bad[i].status);
        expect_sentence(bad[i].sentence);
        assert_null(w);
    }
    const fgt_windows_opts good = FGT_OPTS(fgt_windows_opts, .input_len = 1, .pred_len = 1);
    expect_status(fgt_windows_create(&context, FGT_VIEW(series, 100), &good, &w), FGT_E_SHAPE);
    expect_status(fgt_windows_create(&context, FGT_VIEW(series, 0, 3), &good, &w), FGT_E_SHAPE);
    expect_status(fgt_windows_create(&context, NULL, &good, &w), FGT_E_ARG);
    expect_status(fgt_windows_create(NULL, FGT_VIEW(series, 100, 3), &good, &w), FGT_E_ARG);
    expect_status(fgt_windows_create(&context, FGT_VIEW(series, 100, 3), &good, NULL), FGT_E_ARG);

    float         x[COLUMNS] = {7};
    const int64_t index[] = {98, 99, -1};
    expect_ok(fgt_windows_create(&context, FGT_VIEW(series, 100, 3), &good, &w));
    assert_int_equal(fgt_windows_count_samples(w), 99);
    expect_status(fgt_windows_copy_samples(w, index + 1, 1, FGT_VIEW(x, 1, 1, 3), NULL), FGT_E_ARG);
    expect_sentence("window is out of range (got 99, need 0 .. 98)");
    expect_status(fgt_windows_copy_samples(w, index + 2, 1, FGT_VIEW(x, 1, 1, 3), NULL), FGT_E_ARG);
    expect_status(fgt_windows_copy_samples(w, index, 1, FGT_VIEW(x, 1, 3), NULL), FGT_E_SHAPE);
    expect_status(fgt_windows_copy_samples(w, index, 1, NULL, NULL), FGT_E_ARG);
    expect_status(fgt_windows_copy_samples(w, NULL, 1, FGT_VIEW(x, 1, 1, 3), NULL), FGT_E_ARG);
    expect_status(fgt_windows_copy_samples(NULL, index, 1, FGT_VIEW(x, 1, 1, 3), NULL), FGT_E_ARG);
    assert_true(x[0] == 7);
    assert_int_equal(fgt_windows_count_samples(NULL), 0);
    fgt_windows_destroy(&w);
    fgt_windows_destroy(&w);
    fgt_windows_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_counts, expect_no_leak),
        cmocka_unit_test_teardown(test_batch, expect_no_leak),
        cmocka_unit_test_teardown(test_stride_and_reach, expect_no_leak),
        cmocka_unit_test_teardown(test_targets, expect_no_leak),
        cmocka_unit_test_teardown(test_types_and_gaps, expect_no_leak),
        cmocka_unit_test_teardown(test_far, expect_no_leak),
        cmocka_unit_test_teardown(test_refused, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
