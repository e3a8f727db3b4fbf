/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of a table that are taken for wrong become missing. */
#include <fighter/table.h>
#include <math.h>

#include "../one_context.h"

enum { ROWS = 1200, COLUMNS = 3, SPARSE = 31, DAY = 24 };

static double  values[ROWS][COLUMNS], was[FGT_LEFT_OUT];
static int64_t rows[FGT_LEFT_OUT];

/* Two columns of hours, and one with a value in each 31st of them. */
static void fill(void)
{
    for (int64_t r = 0; r < ROWS; r++) {
        values[r][0] = 50 + 10 * sin(6.283185307179586 * (double)r / DAY) + (double)(r % 7);
        values[r][1] = r < 100 ? NAN : (double)(3 + r % 5);
        values[r][2] = r % SPARSE ? NAN : (double)(500 + 3 * (r % 11));
    }
}

static fgt_table *make(void)
{
    fgt_table *t;
    OK(fgt_table_create(ctx, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, values, ROWS, COLUMNS), &t));
    return t;
}

static int64_t leave_out(fgt_table *t, int64_t column)
{
    int64_t count;
    OK(fgt_table_leave_out(t, column, DAY, 0, rows, was, &count));
    return count;
}

static double get(const fgt_table *t, int64_t row, int64_t column)
{
    return ((const double *)fgt_table_get_values(t).data)[row * COLUMNS + column];
}

static void regular_columns_stay(void **state)
{
    (void)state;
    fill();
    fgt_table *t = make();
    for (int c = 0; c < COLUMNS; c++) assert_int_equal(leave_out(t, c), 0);
    fgt_table_destroy(&t);
}

static void faults_become_missing(void **state)
{
    static const int at[] = {0, 150, ROWS - 1};
    (void)state;
    for (int i = 0; i < 3; i++) {
        fill();
        values[at[i]][0] = i ? 99999 : -1e9;
        fgt_table *t     = make();
        assert_int_equal(leave_out(t, 0), 1);
        assert_int_equal(rows[0], at[i]);
        assert_true(was[0] == values[at[i]][0]);
        if (at[i] < ROWS - 1) assert_true(isnan(get(t, at[i], 0)));
        else assert_true(fabs(get(t, at[i], 0) - 50) < 20);
        assert_true(get(t, 1, 0) == values[1][0]);
        assert_int_equal(leave_out(t, 0), 0);
        fgt_table_destroy(&t);
    }
}

/* In columns that begin late, or have rows further apart, rows are those of the table. */
static void other_columns_have_faults(void **state)
{
    int64_t count;
    (void)state;
    fill();
    values[400][1]         = 1e6;
    values[20 * SPARSE][2] = -99999;
    fgt_table *t           = make();
    assert_int_equal(leave_out(t, 1), 1);
    assert_int_equal(rows[0], 400);
    OK(fgt_table_leave_out(t, 2, 0, 0, rows, NULL, &count));
    assert_int_equal(count, 1);
    assert_int_equal(rows[0], 20 * SPARSE);
    fgt_table_destroy(&t);
}

static void calls_are_checked(void **state)
{
    int64_t count;
    (void)state;
    fill();
    fgt_table *t = make();
    REFUSED(fgt_table_leave_out(t, COLUMNS, DAY, 0, NULL, NULL, &count), FGT_E_ARG, "column 3 of 3");
    REFUSED(fgt_table_leave_out(t, 0, -1, 0, NULL, NULL, &count), FGT_E_ARG, "season -1");
    REFUSED(fgt_table_leave_out(t, 0, DAY, 0, NULL, NULL, NULL), FGT_E_ARG, "count is NULL");
    assert_int_equal(fgt_table_leave_out(NULL, 0, DAY, 0, NULL, NULL, &count), FGT_E_ARG);
    fgt_table_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(regular_columns_stay),
        WITH_CONTEXT(faults_become_missing),
        WITH_CONTEXT(other_columns_have_faults),
        WITH_CONTEXT(calls_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
