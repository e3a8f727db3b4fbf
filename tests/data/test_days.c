/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of days: from arrays, from files, in order, with names. */
#include <fighter/time.h>

#include "data/days.h"
#include "data/time/time.h"
#include "small_files.h"

/* "2021-01-01 New Year; 2021-05-13": all of a list. */
static const char *list_of(const fgt_days *days)
{
    static char out[512];
    size_t      at = 0;
    out[0]         = 0;
    for (int64_t i = 0; i < fgt_days_count_entries(days); i++) {
        char        time[24];
        const char *name;
        int64_t     day;
        expect_ok(fgt_days_get_entry(days, i, &day, &name));
        expect_ok(fgt_time_format(day, time, sizeof time));
        at += (size_t)snprintf(out + at, sizeof out - at, "%s%.10s%s%s", i ? "; " : "", time, name ? " " : "",
                               name ? name : "");
    }
    return out;
}

static void expect_list(const char *text, const char *expected)
{
    fgt_days *days;
    expect_ok(fgt_days_load(&context, put_text("d.csv", text), FGT_TIME_FORM_AUTO, &days));
    assert_string_equal(list_of(days), expected);
    fgt_days_destroy(&days);
}

static void test_create(void **state)
{
    (void)state;
    const int64_t     times[] = {3 * FGTI_DAY + 5, -FGTI_DAY, 3 * FGTI_DAY, 3 * FGTI_DAY + 7};
    const char *const names[] = {"b", NULL, "", "b"};
    fgt_days         *days;
    expect_ok(fgt_days_create(&context, times, names, 4, &days));
    assert_string_equal(list_of(days), "1969-12-31; 1970-01-04; 1970-01-04 b");
    const char *name = "untouched";
    int64_t     time = 5;
    expect_status(fgt_days_get_entry(days, 3, &time, &name), FGT_E_ARG);
    expect_sentence("days: entry is out of range (got 3, need 0 .. 2)");
    expect_status(fgt_days_get_entry(days, -1, &time, &name), FGT_E_ARG);
    assert_int_equal(fgt_days_get_entry(NULL, 0, &time, &name), FGT_E_ARG);
    assert_int_equal(time, 5);
    assert_string_equal(name, "untouched");
    expect_ok(fgt_days_get_entry(days, 2, NULL, &name));
    assert_string_equal(name, "b");
    expect_ok(fgt_days_get_entry(days, 0, &time, NULL));
    assert_int_equal(time, -FGTI_DAY);
    assert_int_equal(fgti_days_find(days, 3), 1);
    assert_int_equal(fgti_days_find(days, 4), 3);
    fgt_days_destroy(&days);
    expect_ok(fgt_days_create(&context, times, NULL, 4, &days));
    assert_string_equal(list_of(days), "1969-12-31; 1970-01-04");
    fgt_days_destroy(&days);
    fgt_days_destroy(&days);
    fgt_days_destroy(NULL);
    assert_int_equal(fgt_days_count_entries(NULL), 0);
    expect_status(fgt_days_create(&context, (const int64_t[]){INT64_MAX}, NULL, 1, &days), FGT_E_DATA);
    expect_sentence("is not in the years 1 to 9999");
    assert_null(days);
    expect_status(fgt_days_create(&context, times, NULL, 0, &days), FGT_E_ARG);
    expect_status(fgt_days_create(&context, NULL, NULL, 1, &days), FGT_E_ARG);
    expect_status(fgt_days_create(NULL, times, NULL, 1, &days), FGT_E_ARG);
}

static void test_files(void **state)
{
    (void)state;
    expect_list("date,name\n2021-12-25,Christmas\n2021-01-01,New Year\n",
                "2021-01-01 New Year; 2021-12-25 Christmas");
    expect_list("2021-01-01\n\n2021-12-25\n", "2021-01-01; 2021-12-25");
    expect_list("day,code\n2021-01-01,2020-99\n", "2021-01-01 2020-99");
    expect_list("day\n2021-01-01T00:00+02:00\n2021-12-25T23:30-05:00\n", "2021-01-01; 2021-12-25");
    expect_list("Land;Feiertag;Datum\nDE;Neujahr;1.1.2021\nDE;Ostern;25.4.2021\n",
                "2021-01-01 DE; 2021-04-25 DE");
    expect_list("year,day\n2021,2021-01-01\n", "2021-01-01");
    expect_list("day,name\n2021-01-01,\n2021-01-01,\"a, b\"\n", "2021-01-01; 2021-01-01 a, b");
    expect_list("date,name,country\n2020-01-01,,US\n2020-12-25,Christmas,US\n",
                "2020-01-01; 2020-12-25 Christmas");
    expect_list("date,no,until,name\n2020-01-01,,,\n2020-12-25,1,2020-12-26,x\n2020-12-26,y,z,\n",
                "2020-01-01; 2020-12-25 x; 2020-12-26");
    expect_list("date,observed,name\n2021-01-01,,New Year\n2021-12-25,moved,Christmas\n",
                "2021-01-01 New Year; 2021-12-25 Christmas");
    expect_list("date,observed,name\n2021-01-01,,New Year\n2021-12-25,,Christmas\n2021-12-26,moved,\n",
                "2021-01-01 New Year; 2021-12-25 Christmas; 2021-12-26");
    expect_list("date,name,country\n2020-01-01,,\n2020-05-01,,US\n2020-06-01,,\n2020-12-25,Christmas,US\n",
                "2020-01-01; 2020-05-01; 2020-06-01; 2020-12-25 Christmas");
    expect_list("day,name\n2021-01-01,\"a, b\"\n2021-01-02,\n", "2021-01-01 a, b; 2021-01-02");
}

static void test_bad_files(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        fgt_status  status;
        const char *sentence;
    } bad[] = {
        {"", FGT_E_FORMAT, "d.csv: the file is empty"},
        {"date\n", FGT_E_DATA, "d.csv: there is no column of days"},
        {"date,name\nsoon,x\n", FGT_E_DATA, "there is no column of days"},
        {"date\n2021-01-01\n2021-02-30\n", FGT_E_DATA, "line 3: \"2021-02-30\" is no day of the calendar"},
        {"date,name\n2024-02-30,x\n2024-12-25,y\n", FGT_E_DATA,
         "d.csv: line 2: \"2024-02-30\" is no day of the calendar"},
        {"2024-02-30\n2024-12-25\n", FGT_E_DATA, "d.csv: line 1: \"2024-02-30\" is no day of the calendar"},
        {"date\n2021-01-01\nfoo\n", FGT_E_DATA, "line 3: \"foo\" is not a time stamp"},
        {"date\n1/2/2021\n3/4/2021\n", FGT_E_DATA, "could have the day or the month first"},
        {"date,name\n2021-01-01,x\n2021-01-02\n", FGT_E_FORMAT,
         "line 3: wrong number of cells (got 1, need 2)"},
    };
    fgt_days *days;
    for (size_t i = 0; i < COUNT(bad); i++) {
        expect_status(fgt_days_load(&context, put_text("d.csv", bad[i].text), FGT_TIME_FORM_AUTO, &days),
                      bad[i].status);
        expect_sentence(bad[i].sentence);
        assert_null(strstr(context.error.text, "fgt_csv_opts"));
        assert_null(days);
    }
    expect_status(fgt_days_load(&context, in_directory("none.csv"), FGT_TIME_FORM_AUTO, &days), FGT_E_IO);
    expect_status(fgt_days_load(&context, "d.csv", 5, &days), FGT_E_ARG);
    expect_status(fgt_days_load(&context, NULL, 0, &days), FGT_E_ARG);
    expect_status(fgt_days_load(&context, "d.csv", 0, NULL), FGT_E_ARG);
    expect_status(fgt_days_load(NULL, "d.csv", 0, &days), FGT_E_ARG);
}

static void test_no_memory(void **state)
{
    (void)state;
    const char *path = put_text("d.csv", "date,name,in\n2021-12-25,,US\n2021-01-01,New Year,US\n");
    fgt_days   *days;
    for (int64_t k = 1;; k++) {
        hook.countdown          = k;
        const fgt_status s      = fgt_days_load(&context, path, 0, &days);
        const bool       failed = hook.countdown == 0;
        hook.countdown          = 0;
        expect_status(s, failed ? FGT_E_NOMEM : FGT_OK);
        if (!failed) break;
        assert_null(days);
        assert_int_equal(hook.live, 0);
    }
    fgt_days_destroy(&days);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_create, expect_no_leak),
        cmocka_unit_test_teardown(test_files, expect_no_leak),
        cmocka_unit_test_teardown(test_bad_files, expect_no_leak),
        cmocka_unit_test_teardown(test_no_memory, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
