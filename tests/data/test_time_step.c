/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of time that leave out days of the week or hours of the day. */
#include <fighter/experimental/table_file.h>

#include "core/rng.h"
#include "data/time/step.h"
#include "data/time/time_axis.h"
#include "small_files.h"

#define HOUR INT64_C(3600000)
#define MONDAY (INT64_C(18995) * FGTI_DAY) /* 2022-01-03 */

enum { MON_FRI = 31, MON_SAT = 63, MON_WED_FRI = 21, MOST = 20000 };

static int64_t times[MOST], spare[MOST];

/* Rows each `ms` from hour `from` to `to` (in it) of the days of `weekdays`. */
static int64_t make(int32_t weekdays, int64_t days, int64_t ms, int64_t from, int64_t to)
{
    int64_t n = 0;
    for (int64_t d = 0; d < days; d++)
        for (int64_t rest = from; (weekdays >> d % 7 & 1) && rest <= to; rest += ms)
            times[n++] = MONDAY + d * FGTI_DAY + rest;
    return n;
}

static void drop(int64_t row, int64_t *n)
{
    memmove(times + row, times + row + 1, (size_t)(--*n - row) * sizeof *times);
}

static void expect_step(int64_t n, const char *text)
{
    char                buf[FGTI_STEP_TEXT];
    const fgt_time_step s = fgti_step_find(times, n, spare);
    assert_string_equal(fgti_step_text(&s, buf), text);
    assert_true(fgti_step_valid(&s));
}

static int64_t sum_of(int64_t time, const fgt_time_step *step, int64_t n)
{
    int64_t sum;
    assert_int_equal(fgt_time_add(time, step, n, &sum), FGT_OK);
    assert_int_equal(fgti_time_add(time, step, n), sum);
    return sum;
}

static void expect_no_sum(int64_t time, const fgt_time_step *step, int64_t n, fgt_status expected)
{
    int64_t sum = 5;
    assert_int_equal(fgt_time_add(time, step, n, &sum), expected);
    assert_int_equal(sum, 5);
    assert_int_equal(fgti_time_add(time, step, n), time);
}

/* Each row follows the one before it. */
static void expect_rows(int64_t n)
{
    const fgt_time_step s = fgti_step_find(times, n, spare);
    for (int64_t r = 0; r < n; r++) {
        assert_int_equal(fgti_time_add(times[0], &s, r), times[r]);
        assert_int_equal(fgti_time_add(times[n - 1], &s, r - n + 1), times[r]);
        assert_int_equal(fgti_step_count(&s, times[0], times[r]), r);
    }
}

static void test_found(void **state)
{
    (void)state;
    static const struct {
        int32_t     weekdays;
        int64_t     days, ms, from, to;
        const char *text;
    } cases[] = {
        {MON_FRI, 60, FGTI_DAY, 0, 0, "1 business day"},
        {MON_FRI, 15, FGTI_DAY, 9 * HOUR, 9 * HOUR, "1 business day"},
        {MON_SAT, 60, FGTI_DAY, 0, 0, "1 day of Mon-Sat"},
        {MON_WED_FRI, 60, FGTI_DAY, 0, 0, "1 day of Mon, Wed, Fri"},
        {3, 60, FGTI_DAY, 0, 0, "1 day of Mon, Tue"},
        {126, 60, FGTI_DAY, 0, 0, "1 day of Tue-Sun"},
        {127, 60, FGTI_DAY, 0, 0, "1 day"},
        {8, 60, FGTI_DAY, 0, 0, "7 days"},
        {MON_FRI, 5, FGTI_DAY, 0, 0, "1 day"}, /* without a weekend nobody knows */
        {MON_FRI, 12, FGTI_DAY, 0, 0, "1 day"}, /* one weekend may be a gap */
        {MON_FRI, 60, HOUR, 9 * HOUR, 17 * HOUR, "1 hour of business days from 09:00 to 17:00"},
        {127, 60, HOUR, 9 * HOUR, 17 * HOUR, "1 hour from 09:00 to 17:00"},
        {127, 3, HOUR, 9 * HOUR, 17 * HOUR, "1 hour from 09:00 to 17:00"},
        {127, 2, HOUR, 9 * HOUR, 17 * HOUR, "1 hour"},
        {MON_FRI, 60, HOUR, 0, 23 * HOUR, "1 hour of business days"},
        {MON_SAT, 60, HOUR / 4, 19 * HOUR / 2, 16 * HOUR, "15 minutes of Mon-Sat from 09:30 to 16:00"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const int64_t n =
            make(cases[i].weekdays, cases[i].days, cases[i].ms, cases[i].from, cases[i].to);
        expect_step(n, cases[i].text);
        if (cases[i].days > 12) expect_rows(n);
    }
}

/* Holidays are gaps; days that nobody can tell from gaps are, too. */
static void test_not_closed(void **state)
{
    (void)state;
    int64_t n = make(MON_FRI, 100, FGTI_DAY, 0, 0);
    drop(40, &n);
    drop(7, &n);
    expect_step(n, "1 business day");
    n = make(MON_FRI, 22, FGTI_DAY, 0, 0); /* as much is missing in the week as on the weekends */
    drop(11, &n);
    drop(7, &n);
    drop(3, &n);
    expect_step(n, "1 day");
    n = make(MON_SAT, 200, FGTI_DAY, 0, 0); /* one open Sunday */
    times[n] = MONDAY + 202 * FGTI_DAY;
    expect_step(n + 1, "1 day");
    n = make(1, 300, FGTI_DAY, 0, 0); /* once a week, and once on the next day */
    times[20] += FGTI_DAY;
    expect_step(n, "7 days");
    for (n = 0; n < 40; n++) times[n] = MONDAY + n * n * FGTI_DAY; /* few and far between */
    assert_int_equal(fgti_step_find(times, n, spare).weekdays, 0);
    n = make(127, 20, HOUR, 0, 23 * HOUR);
    for (int i = 0; i < 10; i++) drop(200, &n); /* an outage */
    expect_step(n, "1 hour");
}

static void test_added(void **state)
{
    (void)state;
    const fgt_time_step day  = {.milliseconds = FGTI_DAY, .weekdays = MON_FRI};
    const fgt_time_step hour = {
        .milliseconds = HOUR, .weekdays = MON_SAT, .day_rows = 9, .day_begin = 9 * HOUR};
    static const struct {
        int64_t from, n, to;
    } days[]  = {{0, 4, 4}, {4, 1, 7},  {7, -1, 4},    {5, 1, 7},
                 {6, 1, 7}, {6, -1, 3}, {0, 500, 700}, {0, 0, 0}},
      hours[] = {{9, 1, 10},      {17, 1, 24 + 9}, {8, 1, 9}, {18, 1, 24 + 9}, {24 + 9, -1, 17},
                 {5 * 24 + 17, 1, 7 * 24 + 9}, {6 * 24 + 12, 1, 7 * 24 + 9}, {9, 54, 7 * 24 + 9}};
    for (size_t i = 0; i < COUNT(days); i++)
        assert_int_equal(sum_of(MONDAY + days[i].from * FGTI_DAY + HOUR, &day, days[i].n),
                         MONDAY + days[i].to * FGTI_DAY + HOUR);
    for (size_t i = 0; i < COUNT(hours); i++)
        assert_int_equal(sum_of(MONDAY + hours[i].from * HOUR, &hour, hours[i].n),
                         MONDAY + hours[i].to * HOUR);
    assert_int_equal(sum_of(-3 * FGTI_DAY, &day, 5), 4 * FGTI_DAY); /* from Monday 1969-12-29 */
    expect_no_sum(7, &day, INT64_MAX, FGT_E_DATA);
    expect_no_sum(7, &day, 3000000, FGT_E_DATA); /* after the year 9999 */
    expect_no_sum(INT64_MIN, &day, 1, FGT_E_DATA);
    assert_int_equal(fgti_step_count(&day, MONDAY, MONDAY + 5 * FGTI_DAY), 0);
    assert_int_equal(fgti_step_count(&day, MONDAY, MONDAY + FGTI_DAY + 1), 0);
    assert_int_equal(fgti_step_count(&hour, MONDAY + 9 * HOUR, MONDAY + 18 * HOUR), 0);
    assert_int_equal(fgti_step_count(&hour, MONDAY + 9 * HOUR, MONDAY + 10 * HOUR + 1), 0);
    static const fgt_time_step bad[] = {{.milliseconds = HOUR, .weekdays = 1},
                                        {.milliseconds = FGTI_DAY, .weekdays = 128},
                                        {.milliseconds = FGTI_DAY, .weekdays = -1},
                                        {.months = 1, .weekdays = 1},
                                        {.day_rows = 4},
                                        {.milliseconds = HOUR, .day_rows = 9, .day_begin = 16 * HOUR},
                                        {.milliseconds = HOUR, .day_rows = -9}};
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_false(fgti_step_valid(&bad[i]));
        expect_no_sum(MONDAY, &bad[i], 1, FGT_E_ARG);
    }
}

/* Last business days of months, quarters and years. Two rows do not show them. */
static void test_business_month_ends(void **state)
{
    (void)state;
    static const struct {
        int64_t     months;
        const char *text;
    } cases[] = {{1, "1 business month end"}, {3, "3 business month ends"}, {12, "12 business month ends"}};
    const fgt_time_step end = {.months = 1, .weekdays = MON_FRI};
    const int64_t       may = MONDAY + 879 * FGTI_DAY + 9 * HOUR; /* Friday 2024-05-31 */
    for (size_t i = 0; i < COUNT(cases); i++) {
        const fgt_time_step step = {.months = cases[i].months, .weekdays = MON_FRI};
        for (int64_t r = 0; r < 30; r++) times[r] = sum_of(may, &step, r);
        expect_step(30, cases[i].text);
        expect_rows(30);
        drop(7, &(int64_t){30});
        expect_step(29, cases[i].text); /* a gap */
    }
    assert_int_equal(sum_of(may, &end, 1), may + 28 * FGTI_DAY);          /* Friday 2024-06-28 */
    assert_int_equal(sum_of(may, &end, -2), may - 63 * FGTI_DAY);         /* Friday 2024-03-29 */
    assert_int_equal(fgti_step_count(&end, may, may + 30 * FGTI_DAY), 0); /* Sunday 2024-06-30 */
    assert_int_equal(fgti_step_count(&end, may, may + 28 * FGTI_DAY + 1), 0);
    memcpy(times, (int64_t[]){may, may + 28 * FGTI_DAY}, 2 * sizeof *times);
    expect_step(2, "28 days");
    fgt_table *t = load_text("t,y\n2024-04-30,1\n2024-05-31,2\n2024-06-28,3\n2024-07-31,4\n", NULL);
    assert_int_equal(info_of(t).step.months, 1);
    assert_int_equal(info_of(t).step.weekdays, MON_FRI);
    fgt_table_destroy(&t);
}

/* ---- tables ---- */

/* "date,y" with the times, `skip` left out, a number for each. */
static const char *text_of(int64_t n, int64_t skip)
{
    static char text[1 << 16];
    char        time[24];
    int         at = sprintf(text, "date,y\n");
    for (int64_t r = 0; r < n; r++) {
        fgti_time_format(times[r], time, sizeof time);
        if (r != skip) at += sprintf(text + at, "%s,%d\n", time, (int)r);
    }
    return text;
}

static void test_table(void **state)
{
    (void)state;
    const int64_t  n    = make(MON_FRI, 40, FGTI_DAY, 0, 0);
    const char    *path = in_directory("business.fgt");
    fgt_table     *t    = load_text(text_of(n, -1), NULL), *stored;
    fgt_table_row_info row  = {.size = sizeof row};
    fgt_table_info info = {.size = sizeof info};
    assert_int_equal(info_of(t).step.weekdays, MON_FRI);
    assert_int_equal(fgt_table_count_rows(t), n);
    expect_ok(fgt_table_save(t, path));
    fgt_table_destroy(&t);
    for (int i = 0; i < 2; i++) {
        expect_ok(fgt_table_open(&context, path, NULL, &stored));
        assert_int_equal(info_of(stored).step.weekdays, MON_FRI);
        expect_ok(fgt_table_get_row_info(stored, n - 1, &row));
        assert_int_equal(row.time, times[n - 1]);
        fgt_table_destroy(&stored);
        const char *csv = put_text("b.csv", text_of(n, -1));
        expect_ok(fgt_table_convert(&context, &csv, 1, NULL, path, &info));
        assert_int_equal(info.rows, n);
    }
    expect_status(fgt_table_load(&context, put_text("h.csv", text_of(n, 11)), NULL, &t), FGT_E_DATA);
    expect_sentence(
        "rows are missing between line 12 (2022-01-17 00:00:00) and line 13 (2022-01-19 00:00:00), "
        "at steps of 1 business day (1 row in 1 place)");
    const int64_t all = make(MON_SAT, 100, FGTI_DAY, 0, 0);
    times[all]        = MONDAY + 104 * FGTI_DAY; /* the only Sunday */
    expect_status(fgt_table_load(&context, put_text("s.csv", text_of(all + 1, -1)), NULL, &t), FGT_E_DATA);
    expect_sentence("at steps of 1 day (18 rows in 15 places, 14 of them on a Sunday); the option `repair`");
    make(MON_FRI, 40, FGTI_DAY, 0, 0);
    t = load_text(text_of(n, 11), &FGT_OPTS(fgt_csv_opts, .repair = FGT_TABLE_REPAIR_GAPS,
                                            .missing = FGT_TABLE_MISSING_FORWARD_FILL));
    assert_int_equal(fgt_table_count_rows(t), n);
    assert_true(value_at(t, 11, 0) == 10);
    fgt_table_destroy(&t);
}

/* Rows that are too few to show it are known to have closed days. */
static void test_known(void **state)
{
    (void)state;
    const fgt_time_step day   = {.milliseconds = FGTI_DAY, .weekdays = MON_FRI};
    const fgt_csv_opts  known = {.size = sizeof known, .step = &day};
    fgt_table          *t;
    const int64_t       n = make(MON_FRI, 12, FGTI_DAY, 0, 0);
    expect_status(fgt_table_load(&context, put_text("k.csv", text_of(n, -1)), NULL, &t), FGT_E_DATA);
    t = load_text(text_of(n, -1), &known);
    assert_int_equal(info_of(t).step.weekdays, MON_FRI);
    fgt_table_destroy(&t);
    t = load_text(text_of(make(126, 30, FGTI_DAY, 0, 0), -1), &known); /* they have others */
    assert_int_equal(info_of(t).step.weekdays, 126);
    fgt_table_destroy(&t);
}

static void assert_filled(const fgt_table *t, int64_t column, int64_t count, int64_t row)
{
    fgt_table_column_info info = {.size = sizeof info};
    expect_ok(fgt_table_get_column_info(t, column, &info));
    assert_int_equal(info.filled, count);
    assert_int_equal(info.first_filled, row);
}

/* Closed days that others have: nothing is sold. */
static void test_zero(void **state)
{
    (void)state;
    static const char   wide[] = "date,y\n2022-01-03,\n2022-01-04,2\n2022-01-06,4\n2022-01-07,5\n";
    static const char   lines[] = "unique_id,ds,y\na,2022-01-03,1\na,2022-01-05,3\nb,2022-01-03,4\n"
                                  "b,2022-01-04,5\nb,2022-01-05,6\nb,2022-01-06,\nb,2022-01-07,8\n";
    const fgt_csv_opts  zero    = {
            .size = sizeof zero, .missing = FGT_TABLE_MISSING_ZERO, .repair = FGT_TABLE_REPAIR_GAPS};
    fgt_table          *t       = load_text(wide, &zero);
    char                w[256], l[256];
    const char         *paths[] = {w, l}, *path;
    assert_string_equal(table_of(t), "y: 0; 2; 0; 4; 5");
    assert_filled(t, 0, 2, 0);
    fgt_table_destroy(&t);
    t = load_text(lines, &zero);
    assert_string_equal(table_of(t), "a b: 1 4; 0 5; 3 6; nan 0; nan 8");
    assert_filled(t, 0, 1, 1);
    assert_filled(t, 1, 1, 3);
    fgt_table_destroy(&t);
    snprintf(w, sizeof w, "%s", put_text("w.csv", wide));
    snprintf(l, sizeof l, "%s", put_text("l.csv", lines));
    path = in_directory("z.fgt");
    expect_ok(fgt_table_load_files(&context, paths, 2, &zero, &t));
    assert_string_equal(table_of(t), "a b y: 1 4 0; 0 5 2; 3 6 0; nan 0 4; nan 8 5");
    assert_filled(t, 0, 1, 1);
    assert_filled(t, 2, 2, 0);
    expect_status(fgt_table_get_column_info(t, 3, &(fgt_table_column_info){0}), FGT_E_ARG);
    assert_int_equal(info_of(t).filled, 4);
    fgt_table_destroy(&t);
    fgt_table_info info = {.size = sizeof info};
    expect_ok(fgt_table_convert(&context, paths, 1, &FGT_OPTS(fgt_convert_opts, .csv = &zero), path, &info));
    assert_int_equal(info.filled, 2);
    fgt_table *stored;
    expect_ok(fgt_table_open(&context, path, NULL, &stored));
    expect_ok(fgt_table_create_range(stored, 0, 5, &t));
    assert_string_equal(table_of(t), "y: 0; 2; 0; 4; 5");
    fgt_table_destroy(&stored);
    fgt_table_destroy(&t);
}

/* Rows of several series in any order: their times, each once, and the last row that has it. */
static void test_merge(void **state)
{
    enum { ROWS = 6000 };
    (void)state;
    for (int64_t different = 1; different <= ROWS; different = 5 * different + 2)
        for (uint32_t shuffled = 0; shuffled < 2; shuffled++) {
            static int64_t last[ROWS];
            int64_t       *time, count = 0;
            fgti_axis      a;
            const fgti_row_labels labels = {.what = "rows"};
            memset(last, -1, sizeof last);
            expect_ok(fgti_alloc(&context, ROWS, sizeof *time, "times", (void **)&time));
            for (int64_t r = 0; r < ROWS; r++) {
                uint32_t w[4];
                fgti_rng_block((fgti_rng){5, 5}, (uint64_t)r, w);
                const int64_t k = shuffled ? (int64_t)w[0] % different : (r + r / 700) % different;
                time[r]         = k * HOUR;
                last[k]         = r;
            }
            expect_ok(fgti_axis_merge(&context, &labels, ROWS, time, FGT_TABLE_REPAIR_ALL, NULL, &a));
            for (int64_t k = 0; k < a.rows; k++) {
                const int64_t at = a.time[k] / HOUR;
                assert_int_equal(a.from[k], last[at]); /* -1 where a row was added */
                count += last[at] >= 0;
            }
            for (int64_t k = 0; k < different; k++) count -= last[k] >= 0;
            assert_int_equal(count, 0);
            assert_int_equal(a.repeats, ROWS - (a.rows - a.gaps));
            fgti_axis_done(&a);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_merge, expect_no_leak),
        cmocka_unit_test_teardown(test_found, expect_no_leak),
        cmocka_unit_test_teardown(test_not_closed, expect_no_leak),
        cmocka_unit_test_teardown(test_added, expect_no_leak),
        cmocka_unit_test_teardown(test_business_month_ends, expect_no_leak),
        cmocka_unit_test_teardown(test_table, expect_no_leak),
        cmocka_unit_test_teardown(test_known, expect_no_leak),
        cmocka_unit_test_teardown(test_zero, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
