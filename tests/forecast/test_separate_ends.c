/* SPDX-License-Identifier: BSD-3-Clause */
/* Targets that do not end together: each is forecast from its own last value, and rows without any value of a
 * series are not compared. */
#include <fighter/experimental/absent.h>
#include <fighter/experimental/evaluate.h>

#include "small_series.h"

enum { LENGTH = 24, AHEAD = 8 };

/* The table of the fixture, in which columns 1 and 2 end earlier, or begin later. */
static fgt_table *ragged(int end1, int end2, int begin2)
{
    static double            v[ROWS][COLUMNS];
    static const char *const names[] = {"a", "b", "c"};
    static int64_t           times[ROWS];
    fgt_table               *t;
    for (int r = 0; r < ROWS; r++) {
        times[r] = r * INT64_C(3600000);
        for (int c = 0; c < COLUMNS; c++) v[r][c] = values[r][c];
        if (r >= end1) v[r][1] = NAN;
        if (r >= end2 || r < begin2) v[r][2] = NAN;
    }
    OK(fgt_table_create(ctx, names, FGT_VIEW_OF(FGT_DTYPE_F64, v, ROWS, COLUMNS), &t));
    OK(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, times, ROWS), 0));
    return t;
}

static void test_each(void **state)
{
    (void)state;
    fgt_table      *whole = ragged(ROWS, ROWS, 0), *t = ragged(180, LENGTH - 1, 0);
    fgt_forecaster *f = new_forecaster((fgt_forecaster_opts){0}, whole);
    double          each[AHEAD][COLUMNS], at[2][AHEAD][COLUMNS];
    int64_t         first[COLUMNS];
    const fgt_view  out  = *FGT_VIEW_OF(FGT_DTYPE_F64, each, AHEAD, COLUMNS);
    const fgt_view  rows = *FGT_VIEW_OF(FGT_DTYPE_I64, first, COLUMNS);
    OK(fgt_forecaster_workspace_predict_each(fgt_forecaster_get_workspace(f), t, NULL, &out, &rows));
    OK(fgt_forecaster_predict_table(f, whole, ROWS, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, at[0], AHEAD, COLUMNS)));
    OK(fgt_forecaster_predict_table(f, whole, 180, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, at[1], AHEAD, COLUMNS)));
    assert_int_equal(first[0], ROWS);
    assert_int_equal(first[1], 180);
    assert_int_equal(first[2], -1);
    for (int h = 0; h < AHEAD; h++) {
        assert_true(each[h][0] == at[0][h][0]); /* patches do not mix series */
        assert_true(each[h][1] == at[1][h][1]);
        assert_true(isnan(each[h][2]));
    }
    memory.countdown = 1; /* and the next allocation would fail */
    OK(fgt_forecaster_workspace_predict_each(fgt_forecaster_get_workspace(f), t, NULL, &out, &rows));
    memory.countdown = 0;
    REFUSED(fgt_forecaster_workspace_predict_each(fgt_forecaster_get_workspace(f), NULL, NULL, &out, &rows),
            FGT_E_ARG, "table is NULL");
    REFUSED(fgt_forecaster_workspace_predict_each(fgt_forecaster_get_workspace(f), t, NULL, &out,
                                                  FGT_VIEW_OF(FGT_DTYPE_I64, first, 2)),
            FGT_E_SHAPE, "rows");
    REFUSED(fgt_forecaster_workspace_predict_each(fgt_forecaster_get_workspace(f), t, NULL, &rows, &rows),
            FGT_E_SHAPE, "forecast");
    fgt_table_destroy(&t);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&whole);
}

/* Rows begin .. end-1 of a and b, which end where they are told, and of a known column k, without times. */
static fgt_table *known_from(int begin, int end, int end_a, int end_b)
{
    static double            v[ROWS][COLUMNS];
    static const char *const names[] = {"a", "b", "k"};
    fgt_table               *t;
    for (int r = begin; r < end; r++) {
        v[r - begin][0] = r < end_a ? values[r][0] : NAN;
        v[r - begin][1] = r < end_b ? values[r][1] : NAN;
        v[r - begin][2] = r * 7 % 11;
    }
    OK(fgt_table_create(ctx, names, FGT_VIEW_OF(FGT_DTYPE_F64, v, end - begin, COLUMNS), &t));
    return t;
}

/* Without times `future` begins where the last target has ended; before that the table knows. */
static void test_known_without_times(void **state)
{
    (void)state;
    enum { END_A = 185, END_B = 180 };
    const char *const   known[] = {"k"};
    fgt_table          *whole = known_from(0, ROWS, ROWS, ROWS), *t = known_from(0, END_A, END_A, END_B);
    fgt_table          *future = known_from(END_A, END_A + AHEAD, ROWS, ROWS);
    fgt_forecaster_opts o      = {.inputs.known = known, .inputs.known_count = 1};
    fgt_forecaster     *f      = new_forecaster(o, whole);
    double              each[AHEAD][2], at[2][AHEAD][2];
    int64_t             first[2];
    const fgt_view      out = *FGT_VIEW_OF(FGT_DTYPE_F64, each, AHEAD, 2);
    OK(fgt_forecaster_workspace_predict_each(fgt_forecaster_get_workspace(f), t, future, &out,
                                             FGT_VIEW_OF(FGT_DTYPE_I64, first, 2)));
    OK(fgt_forecaster_predict_table(f, whole, END_A, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, at[0], AHEAD, 2)));
    OK(fgt_forecaster_predict_table(f, whole, END_B, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, at[1], AHEAD, 2)));
    assert_true(first[0] == END_A && first[1] == END_B);
    for (int h = 0; h < AHEAD; h++)
        for (int c = 0; c < 2; c++) assert_true(each[h][c] == at[c][h][c]);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&future);
    fgt_table_destroy(&t);
    fgt_table_destroy(&whole);
}

/* A series that begins in the test rows: the windows before it are compared for the others alone. */
static void test_compared(void **state)
{
    (void)state;
    fgt_table      *whole = ragged(ROWS, ROWS, 0), *t = ragged(ROWS, ROWS, 170);
    fgt_forecaster *f   = new_forecaster((fgt_forecaster_opts){0}, whole);
    fgt_metric      all = {0}, some = {0}, naive = {0};
    OK(fgt_forecaster_evaluate(f, whole, 160, 200, &all));
    OK(fgt_forecaster_evaluate(f, t, 160, 200, &some));
    OK(fgt_forecaster_evaluate_naive(f, t, 160, 200, 1, &naive));
    const int64_t windows = 40 - AHEAD + 1;
    assert_int_equal(all.count, windows * AHEAD * COLUMNS);
    /* the first window with a value of it forecasts from row 171 on */
    assert_int_equal(some.count, all.count - (171 - 160) * AHEAD);
    assert_int_equal(naive.count, some.count);
    fgt_table_destroy(&t);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each),
        cmocka_unit_test(test_known_without_times),
        cmocka_unit_test(test_compared),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
