/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows that are added to a table in memory. */
#include <fighter/experimental/table_file.h>

#include "data/time/step.h"
#include "small_files.h"

#define TIMES(p, n) FGT_VIEW_OF(FGT_DTYPE_I64, p, n)

#define HOUR INT64_C(3600000)

static int64_t time_of(const char *text)
{
    int64_t time;
    expect_ok(fgt_time_parse(&context, text, FGT_TIME_FORM_ISO, &time));
    return time;
}

static int64_t last_time(const fgt_table *t)
{
    fgt_table_row_info info = {.size = sizeof info};
    expect_ok(fgt_table_get_row_info(t, fgt_table_count_rows(t) - 1, &info));
    assert_true(info.has_time);
    return info.time;
}

static const char *last_label(const fgt_table *t)
{
    return fgt_table_get_name(t, FGT_TABLE_NAME_ROW, fgt_table_count_rows(t) - 1);
}

/* A row of ones at this time. */
static fgt_status append_one(fgt_table *t, int64_t time)
{
    static const double ones[] = {1, 1, 1, 1};
    return fgt_table_append(t, FGT_VIEW_OF(FGT_DTYPE_F64, ones, 1, fgt_table_count_columns(t)),
                            TIMES(&time, 1));
}

/* The next row of a file has this label, also after many others; a row too early or too late is refused. */
static void test_steps(void **state)
{
    (void)state;
    static const struct {
        const char *text, *late, *next, *label;
    } cases[] = {
        {"date,a\n2023-01-01 00:00,1\n2023-01-01 01:00,2\n2023-01-01 02:00,3\n", "2023-01-01 04:00",
         "2023-01-01 03:00", "2023-01-01 03:00"},
        {"date,a\nJan 2023,1\nFeb 2023,2\nMar 2023,3\n", "2023-05-01", "2023-04-01", "Apr 2023"},
        {"date,a\n2023-01-31,1\n2023-02-28,2\n2023-03-31,3\n", "2023-05-31", "2023-04-30", "2023-04-30"},
        {"date,a\n2023-01-30,1\n2023-02-28,2\n2023-03-30,3\n2023-04-30,4\n", "2023-05-31", "2023-05-30",
         "2023-05-30"},
        {"unique_id,ds,y\na,2023-01-01,1\na,2023-01-02,2\nb,2023-01-01,3\nb,2023-01-02,4\n", "2023-01-04",
         "2023-01-03", "2023-01-03"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fgt_table    *t    = load_text(cases[i].text, NULL);
        const int64_t last = last_time(t), rows = fgt_table_count_rows(t);
        expect_status(append_one(t, time_of(cases[i].late)), FGT_E_DATA);
        expect_sentence("times: row 0: the time is wrong (got ");
        expect_status(append_one(t, last), FGT_E_DATA);
        expect_status(append_one(t, INT64_MAX), FGT_E_DATA);
        expect_sentence("got not in the years 1 to 9999, need 2023-");
        assert_int_equal(fgt_table_count_rows(t), rows);
        expect_ok(append_one(t, time_of(cases[i].next)));
        assert_int_equal(fgt_table_count_rows(t), rows + 1);
        assert_string_equal(last_label(t), cases[i].label);
        assert_true(value_at(t, rows, 0) == 1);
        fgt_table_destroy(&t);
    }
}

/* Business days go on after the weekend, as those of a file that has all rows. */
static void test_closed_days(void **state)
{
    (void)state;
    const fgt_time_step business = {.milliseconds = 24 * HOUR, .weekdays = 31};
    double              values[30];
    int64_t             times[30];
    fgt_table          *t;
    for (int i = 0; i < 30; i++) {
        values[i] = i;
        times[i]  = i ? fgti_time_add(times[i - 1], &business, 1) : time_of("2023-01-02");
    }
    expect_ok(fgt_table_create(&context, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, values, 25, 1), &t));
    expect_ok(fgt_table_set_times(t, TIMES(times, 25), 0)); /* the last one is a Friday */
    expect_status(append_one(t, times[24] + 24 * HOUR), FGT_E_DATA);
    expect_sentence("got 2023-02-04 00:00:00, need 2023-02-06 00:00:00, as the rows of the table are 1 "
                    "business day apart");
    expect_ok(fgt_table_append(t, FGT_VIEW_OF(FGT_DTYPE_F64, values + 25, 5, 1), TIMES(times + 25, 5)));
    assert_memory_equal(fgt_table_get_values(t).data, values, sizeof values);
    assert_memory_equal(fgt_table_get_times(t).data, times, sizeof times);
    assert_null(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 0));
    fgt_table_destroy(&t);
}

/* Hours of a zone go on through a change of its clock, and labels show what the clock does. */
static void test_zone(void **state)
{
    (void)state;
    fgt_table       *t;
    const char      *path = put_text("z.csv", "date,a\n2023-03-25 23:00,1\n2023-03-26 00:00,2\n"
                                              "2023-03-26 01:00,3\n");
    const fgt_status s    = fgt_table_load(&context, path, &CSV(.zone = "Europe/Berlin"), &t);
    if (s == FGT_E_NAME) skip(); /* the system has no zones */
    expect_ok(s);
    expect_ok(append_one(t, last_time(t) + HOUR));
    assert_string_equal(last_label(t), "2023-03-26 03:00");
    for (int i = 0; i < 100; i++) expect_ok(append_one(t, last_time(t) + HOUR));
    assert_string_equal(last_label(t), "2023-03-30 07:00");
    assert_int_equal(last_time(t), time_of("2023-03-30 05:00"));
    fgt_table_destroy(&t);

    t = load_text("date,a\n2023-01-01T00:00+05:00,1\n2023-01-01T01:00+05:00,2\n", NULL);
    expect_ok(append_one(t, last_time(t) + HOUR));
    assert_string_equal(last_label(t), "2023-01-01T02:00+05:00");
    fgt_table_destroy(&t);
}

/* The memory is allocated as often as it doubles, and rows of the table itself may be appended. */
static void test_growth(void **state)
{
    (void)state;
    const float values[] = {1, 2, NAN, 4};
    fgt_table  *t;
    int         moves = 0;
    expect_ok(fgt_table_create(&context, NULL, FGT_VIEW(values, 2, 2), &t));
    for (int i = 0; i < 1000; i++) {
        const fgt_view v = fgt_table_get_values(t);
        expect_ok(fgt_table_append(t, FGT_VIEW_OF(FGT_DTYPE_F64, v.data, 2, 2), NULL));
        moves += fgt_table_get_values(t).data != v.data;
    }
    assert_in_range(moves, 1, 10);
    assert_int_equal(info_of(t).rows, 2002);
    assert_int_equal(info_of(t).missing, 1001);
    for (int i = 0; i < 2002; i += 2) assert_true(value_at(t, i, 0) == 1 && value_at(t, i + 1, 1) == 4);
    fgt_table *u; /* what grew may get times, and grow again */
    int64_t    times[2003];
    for (int i = 0; i < 2003; i++) times[i] = i * HOUR;
    expect_ok(fgt_table_set_times(t, TIMES(times, 2002), 0));
    expect_ok(append_one(t, times[2002]));
    expect_ok(fgt_table_create_subset(t, (const int64_t[]){1}, 1, &u));
    assert_memory_equal(fgt_table_get_times(u).data, times, sizeof times);
    fgt_table_destroy(&u);
    fgt_table_destroy(&t);
}

static void test_refused(void **state)
{
    (void)state;
    const float   values[] = {1, 2, INFINITY, 4};
    const int64_t times[]  = {0, 1000, 2000};
    fgt_table    *t;
    expect_ok(fgt_table_create(&context, NULL, FGT_VIEW(values, 1, 2), &t));
    expect_status(fgt_table_append(NULL, FGT_VIEW(values, 1, 2), NULL), FGT_E_ARG);
    expect_status(fgt_table_append(t, NULL, NULL), FGT_E_ARG);
    expect_status(fgt_table_append(t, FGT_VIEW(values, 1, 3), NULL), FGT_E_SHAPE);
    expect_status(fgt_table_append(t, FGT_VIEW(values, 0, 2), NULL), FGT_E_SHAPE);
    expect_status(fgt_table_append(t, FGT_VIEW(values, 2, 2), NULL), FGT_E_DATA);
    expect_sentence("values: row 1, column 0 is not finite");
    expect_status(append_one(t, 0), FGT_E_STATE);
    expect_ok(fgt_table_set_times(t, TIMES(times, 1), 0));
    expect_status(append_one(t, 1000), FGT_E_STATE);
    expect_sentence("its step is not known");
    expect_status(fgt_table_append(t, FGT_VIEW(values, 1, 2), NULL), FGT_E_ARG);
    expect_status(fgt_table_append(t, FGT_VIEW(values, 1, 2), TIMES(times, 2)), FGT_E_SHAPE);
    assert_string_equal(table_of(t), "0 1: 1 2");
    fgt_table_destroy(&t);

    t = load_text("name,a\nx,1\ny,2\n", NULL);
    expect_status(fgt_table_append(t, FGT_VIEW(values, 1, 1), NULL), FGT_E_STATE);
    expect_sentence("labels that are not times");
    const char *path = in_directory("t.fgt");
    expect_ok(fgt_table_save(t, path));
    fgt_table_destroy(&t);
    expect_ok(fgt_table_open(&context, path, NULL, &t));
    expect_status(fgt_table_append(t, FGT_VIEW(values, 1, 1), NULL), FGT_E_UNSUPPORTED);
    fgt_table_destroy(&t);
}

/* Every allocation fails once: the table is as before, and takes the rows afterwards. */
static void test_no_memory(void **state)
{
    (void)state;
    fgt_context *const ctx      = &context;
    const double       values[] = {7, 8, 9};
    const char        *text     = "date,a\n2023-01-01T00:00+05:00,1\n2023-01-01T01:00+05:00,2\n";
    fgt_table         *t        = load_text(text, NULL);
    int64_t            times[3];
    fgt_status         s;
    for (int i = 0; i < 3; i++) times[i] = last_time(t) + (i + 1) * HOUR;
    SWEEP(&hook, s, 3, fgt_table_append(t, FGT_VIEW_OF(FGT_DTYPE_F64, values, 3, 1), TIMES(times, 3)))
    {
        NOTHING_LEAKS;
        assert_string_equal(table_of(t), "a: 1; 2");
        assert_string_equal(last_label(t), "2023-01-01T01:00+05:00");
        assert_null(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 2));
    }
    assert_string_equal(table_of(t), "a: 1; 2; 7; 8; 9");
    assert_string_equal(last_label(t), "2023-01-01T04:00+05:00");
    fgt_table_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_steps, expect_no_leak),
        cmocka_unit_test_teardown(test_closed_days, expect_no_leak),
        cmocka_unit_test_teardown(test_zone, expect_no_leak),
        cmocka_unit_test_teardown(test_growth, expect_no_leak),
        cmocka_unit_test_teardown(test_refused, expect_no_leak),
        cmocka_unit_test_teardown(test_no_memory, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
