/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows with the time of another row: what goes with them is told, and what tells them apart is found. */
#undef _FORTIFY_SOURCE /* it refuses formats that name only some of the arguments */
#include <fighter/experimental/table_file.h>

#include "small_files.h"

static const fgt_csv_opts repair = {.size = sizeof repair, .repair = FGT_TABLE_REPAIR_ALL};

static const char *const corrected =
    "t,a,b\n2016-07-01,1,5\n2016-07-02,2,6\n2016-07-02,2,6\n2016-07-03,3,7\n2016-07-03,3,8.5\n"
    "2016-07-04,4,9\n";

static void expect_conflict(const fgt_table_info *n, int64_t repeats, int64_t conflicts, int64_t row,
                            int64_t column, double kept, double dropped)
{
    assert_int_equal(n->repeats, repeats);
    assert_int_equal(n->conflicts, conflicts);
    assert_int_equal(n->conflict_row, row);
    assert_int_equal(n->conflict_line, row + 2);
    assert_int_equal(n->conflict_column, column);
    assert_true(n->conflict_kept == kept || (isnan(kept) && isnan(n->conflict_kept)));
    assert_true(n->conflict_dropped == dropped);
}

static void test_told(void **state)
{
    (void)state;
    fgt_table *t, *subset;
    expect_status(fgt_table_load(&context, put_text("t.csv", corrected), NULL, &t), FGT_E_DATA);
    expect_sentence(
        "line 4 (2016-07-02) has the time of line 3 (2 such rows, 1 of them "
        "with other values: \"b\" is 8.5, and 7 in line 5); the option `repair` repeats can remove "
        "such rows");
    t                = load_text(corrected, &repair);
    fgt_table_info n = info_of(t);
    expect_conflict(&n, 2, 1, 3, 1, 8.5, 7);
    assert_int_equal(n.conflict_time, ((const int64_t *)fgt_table_get_times(t).data)[2]);
    assert_true(value_at(t, 2, 1) == 8.5);
    expect_ok(fgt_table_create_subset(t, (int64_t[]){1}, 1, &subset));
    assert_int_equal(info_of(subset).conflict_column, 0);
    fgt_table_destroy(&subset);
    expect_ok(fgt_table_create_subset(t, (int64_t[]){0}, 1, &subset));
    assert_int_equal(info_of(subset).conflict_column, -1);
    fgt_table_destroy(&subset);
    fgt_table_destroy(&t);
    /* a value that is there gives way to one that is missing; the other way round nothing is lost */
    t = load_text("t,a\n2016-07-01,1\n2016-07-01,\n2016-07-02,\n2016-07-02,3\n2016-07-03,4\n",
                  &CSV(.repair = FGT_TABLE_REPAIR_ALL, .missing = FGT_TABLE_MISSING_MASK));
    n = info_of(t);
    expect_conflict(&n, 2, 1, 0, 0, NAN, 1);
    fgt_table_destroy(&t);
}

/* Rows in any order, in long form, put together, converted. */
static void test_everywhere(void **state)
{
    (void)state;
    char           a[256], b[256];
    fgt_table     *t = load_text("t,a\n2016-07-03,1\n2016-07-02,2\n2016-07-01,3\n2016-07-02,5\n", &repair);
    fgt_table_info n = info_of(t);
    expect_conflict(&n, 1, 1, 1, 0, 5, 2);
    fgt_table_destroy(&t);
    const char *lines = "unique_id,ds,y\nu,2016-07-01,1\nv,2016-07-01,2\nu,2016-07-02,3\nv,2016-07-02,4\n"
                        "v,2016-07-02,7\nu,2016-07-02,3\n";
    t = load_text(lines, &repair);
    n = info_of(t);
    expect_conflict(&n, 2, 1, 3, 1, 7, 4);
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, n.conflict_column), "v");
    fgt_table_destroy(&t);
    snprintf(a, sizeof a, "%s", put_text("a.csv", "t,z\n2016-07-01,1\n2016-07-02,2\n2016-07-03,2\n"));
    snprintf(b, sizeof b, "%s", put_text("b.csv", corrected));
    const char *paths[] = {a, b}, *to = in_directory("r.fgt");
    expect_ok(fgt_table_load_files(&context, paths, 2, &repair, &t));
    n = info_of(t);
    expect_conflict(&n, 2, 1, 3, 2, 8.5, 7);
    fgt_table_destroy(&t);
    n = (fgt_table_info){.size = sizeof n};
    const fgt_csv_opts rows = CSV(.repair = FGT_TABLE_REPAIR_REPEATS);
    expect_ok(fgt_table_convert(&context, &paths[1], 1, &FGT_OPTS(fgt_convert_opts, .csv = &rows), to, &n));
    expect_conflict(&n, 2, 1, 3, 1, 8.5, 7);
}

/* `%s` gets the number of a store, or something else that tells the rows of a day apart. */
static const char *panel(const char *head, const char *form, int days, int rows)
{
    static char text[1 << 16];
    int         at = sprintf(text, "%s\n", head);
    for (int d = 0; d < days; d++)
        for (int k = 0; k < rows; k++) at += sprintf(text + at, form, d + 1, k, 10 * k + d % 7);
    return text;
}

static void test_many(void **state)
{
    (void)state;
    static const struct {
        const char *head, *form;
        int         rows;
        const char *said;
    } cases[] = {
        {"store,date,sales", "s%2$d,2016-07-%1$02d,%3$d\n", 3,
         "column \"date\": 40 of 60 rows have the same time as another row, such as line 2 (2016-07-01) and "
         "line 3 (2016-07-01): it looks like long form: the option `form` store,date,sales (id, time, value) "
         "would say so, and `form` none that it is not"},
        {"date,shop,amount", "2016-07-%02d,%d,%d\n", 4, "`form` shop,date,amount (id, time, value)"},
        {"date,shop,amount,price", "2016-07-%1$02d,%2$d,%3$d,%3$d\n", 4,
         "and `form` none that it is not; in long form \"amount\" is forecast, and \"price\" is used only "
         "with `known` or `past`"},
        {"date,shop,amount,p,q,r,s", "2016-07-%1$02d,%2$d,%3$d,%3$d,%3$d,%3$d,%3$d\n", 4,
         "and \"p\", \"q\", \"r\" and others are used only with `known` or `past`"},
        {"date,he,load", "2016-07-%02d,%d,%d\n", 20, "the column \"he\" has the time of the day"},
        {"date,sales", "2016-07-%1$02d,%3$d.5\n", 3,
         "40 of 60 rows have the same time as another row and other values, such as line 2 (2016-07-01) and "
         "line 3 (2016-07-01): something else than the time tells them apart"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int k = 0; k < 2; k++) {
            fgt_table *t;
            const char *text = panel(cases[i].head, cases[i].form, 20, cases[i].rows);
            const char *path = put_text("p.csv", text);
            expect_status(fgt_table_load(&context, path, k ? &repair : NULL, &t), FGT_E_DATA);
            expect_sentence(cases[i].said);
            assert_null(strstr(context.error.text, "`repair`"));
        }
    /* a file that stands there twice loses nothing */
    fgt_table *t = load_text(panel("date,y", "2016-07-%1$02d,%1$d\n", 20, 2), &repair);
    assert_int_equal(info_of(t).repeats, 20);
    assert_int_equal(info_of(t).conflicts, 0);
    fgt_table_destroy(&t);
    const char *two = panel("unique_id,item,ds,y", "a,%2$d,2016-07-%1$02d,%3$d\n", 20, 3);
    expect_status(fgt_table_load(&context, put_text("q.csv", two), &repair, &t), FGT_E_DATA);
    expect_sentence("40 of 60 rows have the same series and time as another row, such as line 2 (2016-07-01) "
                    "and line 3 (2016-07-01): the option `form` unique_id+item,ds,y (id, time, value) names");
    two = panel("unique_id,ds,y", "a,2016-07-%1$02d,%3$d\n", 20, 3);
    expect_status(fgt_table_load(&context, put_text("q.csv", two), &repair, &t), FGT_E_DATA);
    expect_sentence("40 of 60 rows have the series and the time of another one with other values, the first "
                    "in line 2 (2016-07-01): something else than these tells them apart");
    const fgt_csv_opts rows = CSV(.repair = FGT_TABLE_REPAIR_REPEATS);
    const char        *path = put_text("p.csv", panel("date,y", "2016-07-%1$02d,%3$d\n", 20, 2));
    expect_status(fgt_table_convert(&context, &path, 1, &FGT_OPTS(fgt_convert_opts, .csv = &rows),
                                    in_directory("p.fgt"), NULL),
                  FGT_E_DATA);
    expect_sentence("20 rows have the time of another one with other values, the first in line 2 (");
}

static void test_no_memory(void **state)
{
    (void)state;
    const char *path = put_text("p.csv", panel("date,shop,amount", "2016-07-%02d,%d,%d\n", 20, 4));
    for (int64_t k = 1;; k++) {
        fgt_table *t;
        hook.countdown          = k;
        const fgt_status s      = fgt_table_load(&context, path, &repair, &t);
        const bool       failed = hook.countdown == 0;
        hook.countdown          = 0;
        expect_status(s, failed ? FGT_E_NOMEM : FGT_E_DATA);
        assert_null(t);
        if (!failed) return;
        assert_int_equal(hook.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_told, expect_no_leak),
        cmocka_unit_test_teardown(test_everywhere, expect_no_leak),
        cmocka_unit_test_teardown(test_many, expect_no_leak),
        cmocka_unit_test_teardown(test_no_memory, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
