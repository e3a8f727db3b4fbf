/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of a table's rows: which column has them, the step, what is refused, by row, and what is repaired. */
#include <fighter/experimental/table_file.h>

#include "data/time/step.h"
#include "small_files.h"

/* The first column of values as text, "1 2 nan". */
static const char *values_of(const fgt_table *t)
{
    static char   out[512];
    const int64_t rows = fgt_table_count_rows(t);
    size_t        at   = 0;
    for (int64_t r = 0; r < rows && at < sizeof out; r++)
        at += (size_t)snprintf(out + at, sizeof out - at, r ? " %g" : "%g", value_at(t, r, 0));
    return out;
}

static void test_which_column(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *labels, *first; /* names of the column of labels and of the first of values */
        int         timed;
    } cases[] = {
        {"date,a\n2016-07-01,1\n2016-07-02,2\n", "date", "a", 1},
        {"a,when\n1,2016-07-01\n2,2016-07-02\n", "when", "a", 1},
        {"name,when,a\n7,2016-07-01,1\n7,2016-07-02,2\n", "when", "name", 1},
        {"a,when\n1,31.12.2016\n2,1.1.2017\n", "when", "a", 1},
        {"unix,a\n1467331200,1\n1467334800,2\n", "unix", "a", 1},
        {"ms,a\n1467331200000,1\n1467331200250,2\n", "ms", "a", 1},
        {"date,a\n20160701,1\n20160702,2\n", "date", "a", 1},
        {"date,a\n5,1\n6,2\n", "date", "a", 0},
        {"time,a\n12345678,1\n12345679,2\n", "time", "a", 0},
        {",a\n0,1\n1,2\n", "", "a", 0},
        {"Unnamed: 0,a\n0,1\n1,2\n", "Unnamed: 0", "a", 0},
        {"name,a\nx,1\ny,2\n", "name", "a", 0},
        {"load,a\n0,1\n1,2\n", NULL, "load", 0},
        {"load,a\n1467331200.5,1\n1,2\n", NULL, "load", 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fgt_table  *t    = load_text(cases[i].text, NULL);
        const char *name = fgt_table_get_name(t, FGT_TABLE_NAME_LABELS, 0);
        if (!name != !cases[i].labels || (name && strcmp(name, cases[i].labels)))
            fail_msg("%s: labels are in %s", cases[i].text, name ? name : "none");
        assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 0), cases[i].first);
        assert_int_equal(fgt_table_get_times(t).shape[0], cases[i].timed ? 2 : 0);
        fgt_table_destroy(&t);
    }
}

static void test_options(void **state)
{
    (void)state;
    const char *const text = "a,t1,b,t2,note\n1,2016-07-02,3,2016-07-01,x\n2,2016-07-01,4,2016-07-02,y\n";
    const char *const b[] = {"b"}, *const twice[] = {"b", "b"}, *const no[] = {"c"}, *const t2[] = {"t2"},
                      *const null[] = {NULL};
    fgt_table               *t      = load_text(text, &CSV(.time = "t2", .columns = b, .column_count = 1));
    assert_int_equal(fgt_table_count_columns(t), 1);
    assert_string_equal(values_of(t), "3 4");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_LABELS, 0), "t2");
    assert_int_equal(info_of(t).step.milliseconds, 86400000);
    fgt_table_destroy(&t);

    t = load_text("station,when,b\nParis,2016-07-01,3\nParis,2016-07-02,4\n",
                  &CSV(.columns = b, .column_count = 1)); /* text that nobody asked for */
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_LABELS, 0), "when");
    assert_string_equal(values_of(t), "3 4");
    fgt_table_destroy(&t);

    t = load_text("t;a;b\n2016-07-01;1,5;-2e1\n2016-07-02;3;4\n", &CSV(.decimal_comma = 1));
    assert_string_equal(values_of(t), "1.5 3");
    fgt_table_destroy(&t);
    t = load_text("1\t5\n2\t6\n", &CSV(.no_header = 1, .time = "0", .date = FGT_TABLE_DATE_LABELS));
    assert_string_equal(values_of(t), "5 6");
    fgt_table_destroy(&t);
    t = load_text("\"a;b;c\",d\n1,2\n", NULL);
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 0), "a;b;c");
    fgt_table_destroy(&t);

    const struct {
        const char  *text;
        fgt_csv_opts opts;
        fgt_status   status;
        const char  *sentence;
    } bad[] = {
        {text, CSV(.time = "t3"), FGT_E_NAME, "there is no column \"t3\""},
        {text, CSV(.columns = no, .column_count = 1), FGT_E_NAME, "there is no column \"c\""},
        {text, CSV(.columns = null, .column_count = 1), FGT_E_ARG, "name 0 of columns is NULL"},
        {"people,b\n331000000,1\n331000000,2\n", CSV(.missing = 0), FGT_E_DATA,
         "t.csv: column \"people\", whose numbers are taken for times: line 3 (331000000) has the time of "
         "line 2"},
        {text, CSV(.columns = twice, .column_count = 2), FGT_E_ARG, "column \"b\" is listed twice"},
        {text, CSV(.time = "t2", .columns = t2, .column_count = 1), FGT_E_ARG, "has the times"},
        {text, CSV(.columns = b), FGT_E_ARG, "columns and column_count do not go together"},
        {text, CSV(.time = "t1", .date = FGT_TABLE_DATE_NONE), FGT_E_ARG,
         "date says that no column has times"},
        {text, CSV(.time = "note", .columns = b, .column_count = 1), FGT_E_DATA,
         "line 2: \"x\" is not a time stamp; if the rows are to be taken as they are, `date`"},
        {"a\n1\n", CSV(.time_form = 5), FGT_E_ARG, "time_form is out of range (got 5"},
        {"a\n1\n", CSV(.delimiter = ',', .decimal_comma = 1), FGT_E_ARG, "character 44 cannot be"},
        {"t;a\nx;1,5\n", CSV(.missing = 0), FGT_E_DATA, "`decimal_comma` says so"},
        {"t;a\nx;1.500,5\n", CSV(.decimal_comma = 1), FGT_E_DATA, "\"1.500,5\" is not a number"},
        {"t;a\nx;1.500\n", CSV(.decimal_comma = 1), FGT_E_DATA, "\"1.500\" is not a number"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        expect_status(fgt_table_load(&context, put_text("t.csv", bad[i].text), &bad[i].opts, &t),
                      bad[i].status);
        expect_sentence(bad[i].sentence);
        assert_null(t);
    }
}

static void test_forms(void **state)
{
    (void)state;
    fgt_table *t = load_text("t,a\n11/12/2016,1\n12/12/2016,2\n13/12/2016,3\n", NULL); /* one row shows it */
    assert_int_equal(info_of(t).step.milliseconds, 86400000);
    fgt_table_destroy(&t);
    t = load_text("t,a\n11/12/2016,1\n11/13/2016,2\n", NULL);
    assert_int_equal(info_of(t).step.milliseconds, 86400000);
    fgt_table_destroy(&t);
    t = load_text("t,a\n1/12/2016,1\n2/12/2016,2\n", &CSV(.time_form = FGT_TIME_FORM_MDY));
    assert_int_equal(info_of(t).step.months, 1);
    fgt_table_destroy(&t);
    const char *const bad[][2] = {
        {"t,a\n11/12/2016,1\n12/12/2016,2\n", "line 2: \"11/12/2016\" could have the day or the month first"},
        {"t,a\n2016-07-01,1\nx,2\n", "line 3: \"x\" is not a time stamp"},
        {"t,a\n2016-07-01,1\n2016-06-31,2\n", "line 3: \"2016-06-31\" is no day of the calendar"},
        {"t,a\n2016-07-01,1\n,2\n", "line 3: \"\" is not a time stamp; if this last row has sums"},
        {"date,a\n20160631,1\n20160701,2\n", "line 2: \"20160631\" is no day of the calendar"},
        {"date,a\n20161301,1\n20160102,2\n", "line 2: \"20161301\" is no day of the calendar"},
        {"date,a\n20161301,1\n20161401,2\n", "line 2: \"20161301\" is no day of the calendar"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        expect_status(fgt_table_load(&context, put_text("t.csv", bad[i][0]), NULL, &t), FGT_E_DATA);
        expect_sentence(bad[i][1]);
    }
    t = load_text(bad[0][0], &CSV(.date = FGT_TABLE_DATE_LABELS));
    assert_int_equal(fgt_table_get_times(t).shape[0], 0);
    fgt_table_destroy(&t);
}

static void test_steps(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t     ms, months;
    } cases[] = {
        {"t,a\n2016-07-01 00:00,1\n2016-07-01 00:15,2\n2016-07-01 00:30,2\n", 900000, 0},
        {"t,a\n2016-01-01,1\n2016-01-08,2\n", 7 * 86400000, 0},
        {"t,a\n2016-01-01,1\n2016-02-01,2\n2016-03-01,3\n", 0, 1},
        {"t,a\n2016-01-31,1\n2016-02-29,2\n2016-03-31,3\n", 0, 1},
        {"t,a\n2015-12,1\n2016-01,2\n", 0, 1},
        {"t,a\n2016-03-31,1\n2016-06-30,2\n2016-09-30,3\n", 0, 3},
        {"t,a\n2015-07-01,1\n2016-07-01,2\n2017-07-01,3\n", 0, 12},
        /* the last day of a month that stands for a later one */
        {"t,a\n2016-03-30,1\n2016-04-30,2\n2016-05-30,3\n", 0, 1},
        {"t,a\n2015-02-28,1\n2015-03-28,2\n2015-04-28,3\n", 0, 1},
        {"t,a\n2015-01-29,1\n2015-02-28,2\n2015-03-29,3\n", 0, 1},
        {"t,a\n2016-01-01,1\n", 0, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fgt_table           *t = load_text(cases[i].text, NULL);
        const fgt_table_info n = info_of(t);
        if (n.step.milliseconds != cases[i].ms || n.step.months != cases[i].months)
            fail_msg("%s: %lld ms, %lld months", cases[i].text, (long long)n.step.milliseconds,
                     (long long)n.step.months);
        fgt_table_destroy(&t);
    }
}

#define HOURS(a, b, c, d, e, f)                                                               \
    "t,a\n2016-07-01 " a ":00,1\n2016-07-01 " b ":00,2\n2016-07-01 " c ":00,3\n2016-07-01 " d \
    ":00,4\n2016-07-01 " e ":00,5\n2016-07-01 " f ":00,6\n"

static void test_repairs(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t     repair;
        const char *refused;
        const char *values;
    } cases[] = {
        {HOURS("05", "04", "03", "02", "01", "00"), FGT_TABLE_REPAIR_ORDER,
         "the newest row comes first, line 2 (2016-07-01 05:00), and the oldest last, line 7 (2016-07-01 "
         "00:00)",
         "6 5 4 3 2 1"},
        {HOURS("00", "01", "02", "04", "03", "05"), FGT_TABLE_REPAIR_ORDER,
         "line 6 (2016-07-01 03:00) is earlier than line 5 (2016-07-01 04:00), which comes before it",
         "1 2 3 5 4 6"},
        {HOURS("00", "01", "01", "02", "03", "03"), FGT_TABLE_REPAIR_REPEATS,
         "line 4 (2016-07-01 01:00) has the time of line 3 (2 such rows, "
         "with other values: \"a\" is 3, and 2 in line 3)",
         "1 3 4 6"},
        {HOURS("00", "01", "02", "05", "06", "08"), FGT_TABLE_REPAIR_GAPS,
         "rows are missing between line 4 (2016-07-01 02:00) and line 5 (2016-07-01 05:00), at steps of 1 "
         "hour (3 rows in 2 places)",
         "1 2 3 nan nan 4 5 nan 6"},
        {HOURS("07", "06", "06", "03", "02", "01"), FGT_TABLE_REPAIR_ALL, "the newest row comes first",
         "6 5 4 nan nan 3 1"},
        {"t,a\n2016-01-31,1\n2016-02-29,2\n2016-04-30,3\n2016-05-31,4\n", FGT_TABLE_REPAIR_GAPS,
         "at steps of 1 month (1 row in 1 place)", "1 2 nan 3 4"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fgt_table *t;
        expect_status(fgt_table_load(&context, put_text("t.csv", cases[i].text), NULL, &t), FGT_E_DATA);
        expect_sentence(cases[i].refused);
        expect_sentence("the option `repair` ");
        t = load_text(cases[i].text, &CSV(.repair = cases[i].repair));
        assert_string_equal(values_of(t), cases[i].values);
        const fgt_view       times = fgt_table_get_times(t);
        const fgt_table_info n     = info_of(t);
        assert_int_equal(times.shape[0], n.rows);
        for (int64_t r = 1; r < n.rows; r++)
            assert_int_equal(((const int64_t *)times.data)[r],
                             fgti_time_add(((const int64_t *)times.data)[r - 1], &n.step, 1));
        fgt_table_destroy(&t);
    }
}

/* Faults that no repair mends, counts, and labels of rows that were added. */
static void test_after_repairs(void **state)
{
    (void)state;
    const char *const gap = HOURS("00", "01", "02", "05", "06", "07");
    fgt_table        *t   = load_text(gap, &CSV(.repair = FGT_TABLE_REPAIR_GAPS));
    fgt_table_info    n   = info_of(t);
    assert_true(n.gaps == 2 && n.missing == 2 && n.repeats == 0 && !n.reordered && n.rows == 8);
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 3), "2016-07-01 03:00");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 5), "2016-07-01 05:00");
    fgt_table_destroy(&t);
    t = load_text(gap, &CSV(.repair = FGT_TABLE_REPAIR_GAPS, .missing = FGT_TABLE_MISSING_FORWARD_FILL));
    assert_string_equal(values_of(t), "1 2 3 3 3 4 5 6");
    fgt_table *subset;
    expect_ok(fgt_table_create_subset(t, (int64_t[]){0}, 1, &subset));
    assert_int_equal(info_of(subset).step.milliseconds, 3600000);
    assert_int_equal(fgt_table_get_times(subset).shape[0], 8);
    fgt_table_destroy(&subset);
    fgt_table_destroy(&t);

    const char *const bad[][2] = {
        {"t,a\n2016-07-01 00:00,1\n2016-07-01 01:00,2\n2016-07-01 02:00,3\n2016-07-01 02:30,4\n",
         "line 5 (2016-07-01 02:30) is not a whole number of steps of 1 hour after line 4"},
        {"t,a\n2016-07-01 00:00:00,1\n2016-07-01 00:14:58,2\n2016-07-01 00:29:56,3\n2016-07-01 00:45:01,4\n"
         "2016-07-01 00:59:59,5\n2016-07-01 01:14:01,6\n",
         "line 5 (2016-07-01 00:45:01) is not a whole number of steps of 14 minutes 58 seconds after line 4 "
         "(2016-07-01 00:29:56); the times are uneven, as 1 other row shows"},
        {"t,a\n2016-07-01 00:00,1\n2016-07-01 01:00,2\n2116-07-01 02:00,3\n",
         "\"t\": 876576 rows would be missing, several times as many as the 3 that are there, at steps of 1 "
         "hour; 876576 of them between 2016-07-01 01:00:00 and 2116-07-01 02:00:00"},
        /* the lines are those of the file, although the rows are put in order */
        {"t,a\n2016-07-01 02:30,4\n2016-07-01 00:00,1\n2016-07-01 01:00,2\n2016-07-01 02:00,3\n",
         "line 2 (2016-07-01 02:30) is not a whole number of steps of 1 hour after line 5 "},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        const fgt_csv_opts all = CSV(.repair = FGT_TABLE_REPAIR_ALL);
        expect_status(fgt_table_load(&context, put_text("t.csv", bad[i][0]), &all, &t), FGT_E_DATA);
        expect_sentence(bad[i][1]);
    }
    /* the row after 29 February is of the 30th, as others show */
    t = load_text("t,a\n2016-02-29,2\n2016-04-30,4\n2016-05-30,5\n2016-06-30,6\n",
                  &CSV(.repair = FGT_TABLE_REPAIR_GAPS));
    assert_string_equal(values_of(t), "2 nan 4 5 6");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 1), "2016-03-30");
    fgt_table_destroy(&t);
    t = load_text(bad[0][0], &CSV(.date = FGT_TABLE_DATE_LABELS));
    assert_int_equal(fgt_table_count_rows(t), 4);
    fgt_table_destroy(&t);
}

static void test_set_times(void **state)
{
    (void)state;
    const float   values[] = {1, 2, 3};
    const int64_t rising[] = {0, 1000, 2000}, falling[] = {2000, 1000, 0}, gap[] = {0, 1000, 3000};
    const int64_t outside[] = {0, 1, INT64_MAX};
    fgt_table    *t;
    expect_ok(fgt_table_create(&context, NULL, FGT_VIEW(values, 3, 1), &t));
    expect_status(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, rising, 2), 0), FGT_E_SHAPE);
    expect_status(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, falling, 3), 0), FGT_E_DATA);
    expect_sentence("table: the newest row comes first");
    expect_status(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, outside, 3), 0), FGT_E_DATA);
    expect_sentence("row 2: time 9223372036854775807 is not in the years");
    expect_status(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, rising, 3), 8), FGT_E_ARG);
    expect_status(fgt_table_set_times(t, NULL, 0), FGT_E_ARG);
    expect_status(fgt_table_set_times(NULL, FGT_VIEW_OF(FGT_DTYPE_I64, rising, 3), 0), FGT_E_ARG);
    assert_int_equal(fgt_table_get_times(t).shape[0], 0);
    expect_ok(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, falling, 3), FGT_TABLE_REPAIR_ORDER));
    assert_string_equal(values_of(t), "3 2 1");
    expect_ok(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, gap, 3), FGT_TABLE_REPAIR_GAPS));
    assert_string_equal(values_of(t), "3 2 nan 1");
    fgt_table_destroy(&t);

    t = load_text("name,a\nx,1\ny,2\nz,3\n", NULL); /* labels are replaced, too, unless it fails */
    expect_status(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, falling, 3), 0), FGT_E_DATA);
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 2), "z");
    expect_ok(fgt_table_set_times(t, FGT_VIEW_OF(FGT_DTYPE_I64, gap, 3), FGT_TABLE_REPAIR_GAPS));
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 2), "1970-01-01 00:00:02");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 3), "1970-01-01 00:00:03");
    fgt_table_destroy(&t);
}

/* Every allocation of a load with repairs fails once. */
static int64_t line_of(const fgt_table *t, int64_t row)
{
    fgt_table_row_info info = {.size = sizeof info};
    expect_ok(fgt_table_get_row_info(t, row, &info));
    return info.line;
}

/* A label that is far from all others is wrong, not at the wrong place, even if rows are
 * missing elsewhere. */
static void test_far_labels(void **state)
{
    (void)state;
    static const struct {
        const char *days[5], *sentence;
    } cases[] = {
        {{"2022-07-01", "2022-07-02", "2032-07-03", "2022-07-05", "2022-07-06"},
         "line 5 (2022-07-05) is earlier than line 4 (2032-07-03), which comes before it; the label of "
         "line 4 (2032-07-03) may be wrong"},
        {{"2022-07-01", "2022-07-02", "2012-07-03", "2022-07-05", "2022-07-06"},
         "line 4 (2012-07-03) is earlier than line 3 (2022-07-02), which comes before it; the label of "
         "line 4 (2012-07-03) may be wrong"},
        {{"2032-07-01", "2022-07-02", "2022-07-03", "2022-07-05", "2022-07-06"},
         "the label of line 2 (2032-07-01) may be wrong"},
        {{"2022-07-01", "2022-07-02", "2022-07-07", "2022-07-04", "2022-07-06"}, "the option `repair` order"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[256];
        int  n = sprintf(text, "t,a\n");
        for (int k = 0; k < 5; k++) n += sprintf(text + n, "%s,%d\n", cases[i].days[k], k);
        fgt_table *t;
        expect_status(fgt_table_load(&context, put_text("t.csv", text), NULL, &t), FGT_E_DATA);
        expect_sentence(cases[i].sentence);
    }
}

/* Sentences name the lines of the file: titles, blank lines, comments and breaks in quotes count. */
static void test_lines(void **state)
{
    (void)state;
    const fgt_csv_opts o = CSV(.skip = 1, .comment = "#", .repair = FGT_TABLE_REPAIR_ALL);
    const char        *text =
        "title\nt,note,a\n2016-07-04,\"two\nlines\",4\n# none\n2016-07-01,x,1\n2016-07-02,x,2\n";
    fgt_table    *t      = load_text(text, &o), *subset;
    const int64_t want[] = {6, 7, 0, 3}, none[] = {0};
    assert_int_equal(fgt_table_count_rows(t), 4);
    for (int64_t r = 0; r < 4; r++) assert_int_equal(line_of(t, r), want[r]);
    fgt_table_row_info row = {.size = sizeof row};
    expect_status(fgt_table_get_row_info(t, -1, &row), FGT_E_ARG);
    expect_status(fgt_table_get_row_info(t, 4, &row), FGT_E_ARG);
    expect_sentence("table: row is out of range, or info is NULL (got 4, need 0 .. 3)");
    expect_status(fgt_table_get_row_info(t, 0, NULL), FGT_E_ARG);
    assert_int_equal(fgt_table_get_row_info(NULL, 0, &row), FGT_E_ARG);
    expect_ok(fgt_table_create_subset(t, none, 1, &subset));
    assert_int_equal(line_of(subset, 3), 3);
    fgt_table_destroy(&subset);
    fgt_table_destroy(&t);
    expect_status(fgt_table_load(&context, put_text("t.csv", text), &CSV(.skip = 1, .comment = "#"), &t),
                  FGT_E_DATA);
    expect_sentence("line 6 (2016-07-01) is earlier than line 3 (2016-07-04), which comes before it");
}

/* Quarters of an hour go back where a clock is put back. */
static void test_change(void **state)
{
    (void)state;
    const char *text = "t,a\n2024-10-27 02:15,1\n2024-10-27 02:30,2\n2024-10-27 02:45,3\n2024-10-27 02:00,4\n"
                       "2024-10-27 02:15,5\n2024-10-27 02:30,6\n";
    fgt_table  *t;
    expect_status(fgt_table_load(&context, put_text("t.csv", text), NULL, &t), FGT_E_DATA);
    expect_sentence(
        "line 5 (2024-10-27 02:00) is earlier than line 4 (2024-10-27 02:45), which comes before it; "
        "clocks may have changed in this hour: the option `zone` with the name of the zone");
}

/* Times a little off even ones. Rows that are rounded to one time are named. */
static void test_round(void **state)
{
    (void)state;
    static const char  early[] = "t,y\n2024-01-01 00:00:07,1\n2024-01-01 00:59:58,2\n2024-01-01 02:00:11,3\n"
                                 "2024-01-01 02:59:50,4\n2024-01-01 04:00:02,5\n";
    static const char  days[]  = "t,y\n2024-03-29 23:59:50+01:00,1\n2024-03-31 00:00:12+01:00,2\n"
                                 "2024-04-01 00:00:05+02:00,3\n2024-04-01 23:59:59+02:00,4\n";
    static const char  every[] = "id,t,y\na,2024-01-01 00:00:07,1\nb,2024-01-01 00:00:01,2\n"
                                 "a,2024-01-01 00:59:58,3\nb,2024-01-01 01:00:09,4\n";
    const fgt_csv_opts hour    = {.size = sizeof hour, .round = FGTI_DAY / 24};
    fgt_csv_opts       o       = {.size = sizeof o, .round = 2 * hour.round};
    fgt_table         *t;
    expect_status(fgt_table_load(&context, put_text("r.csv", early), NULL, &t), FGT_E_DATA);
    expect_sentence("; the option `round` 1h can move the times to whole steps; the option `date` can");
    const char    *path = put_text("r.csv", early), *to = in_directory("r.fgt");
    fgt_table_info info = {.size = sizeof info};
    expect_status(fgt_table_convert(&context, &path, 1, NULL, to, NULL), FGT_E_DATA);
    expect_sentence("not a whole number of steps later; the option `round` rounds the times of a clock");
    expect_ok(fgt_table_convert(&context, &path, 1, &FGT_OPTS(fgt_convert_opts, .csv = &hour), to, &info));
    assert_int_equal(info.step.milliseconds, hour.round);
    t = load_text(early, &hour);
    assert_int_equal(info_of(t).step.milliseconds, hour.round);
    assert_int_equal(((const int64_t *)fgt_table_get_times(t).data)[3] % (6 * hour.round), 3 * hour.round);
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 3), "2024-01-01 02:59:50");
    fgt_table_destroy(&t);
    t = load_text(days, &CSV(.round = FGTI_DAY)); /* midnight on the clock, which changes */
    assert_int_equal(info_of(t).step.milliseconds, FGTI_DAY);
    fgt_table_destroy(&t);
    t = load_text("t,y\n1969-12-31 22:59:58,1\n1969-12-31 23:59:58,2\n1970-01-01 01:00:01,3\n", &hour);
    assert_int_equal(((const int64_t *)fgt_table_get_times(t).data)[0], -hour.round);
    fgt_table_destroy(&t);
    t = load_text(every, &hour);
    assert_string_equal(table_of(t), "a b: 1 2; 3 4");
    fgt_table_destroy(&t);
    expect_status(fgt_table_load(&context, put_text("r.csv", early), &o, &t), FGT_E_DATA);
    expect_sentence(
        "line 2 (2024-01-01 00:00:07) and line 3 (2024-01-01 00:59:58) are rounded to one time (2 such "
        "rows); a shorter step of the option `round` keeps them apart, or the option `repair` repeats");
    expect_status(fgt_table_load(&context, put_text("r.csv", every), &o, &t), FGT_E_DATA);
    expect_sentence(
        "line 4 is of \"a\" at 2024-01-01 00:59:58, and so is line 2 (2024-01-01 00:00:07), by the "
        "option `round`");
    /* the hour that occurs twice: the second 02:00 comes after the first, which was a little early */
    t = load_text("time,y\n2024-10-27 01:00:04,1\n2024-10-27 01:59:57,2\n2024-10-27 02:00:00,3\n"
                  "2024-10-27 02:59:59,4\n2024-10-27 03:59:59,5\n",
                  &CSV(.round = hour.round, .zone = "Europe/Berlin"));
    for (int r = 0; r < 5; r++)
        assert_int_equal(((const int64_t *)fgt_table_get_times(t).data)[r],
                         (INT64_C(1729983600) + 3600 * r) * 1000);
    fgt_table_destroy(&t);
    o.round = 7 * hour.round;
    expect_status(fgt_table_load(&context, put_text("r.csv", early), &o, &t), FGT_E_ARG);
    expect_sentence("round does not divide a day (got 25200000 milliseconds)");
}

static void test_no_memory(void **state)
{
    (void)state;
    const char *const  b[]  = {"a"};
    const fgt_csv_opts opts = CSV(.repair = FGT_TABLE_REPAIR_ALL, .columns = b, .column_count = 1);
    const char        *path = put_text("t.csv", HOURS("07", "06", "06", "03", "02", "01"));
    fgt_table         *t    = NULL;
    for (int64_t k = 1;; k++) {
        hook.countdown          = k;
        const fgt_status s      = fgt_table_load(&context, path, &opts, &t);
        const bool       failed = hook.countdown == 0;
        hook.countdown          = 0;
        expect_status(s, failed ? FGT_E_NOMEM : FGT_OK);
        if (!failed) break;
        assert_null(t);
        assert_int_equal(hook.live, 0);
    }
    fgt_table_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_which_column, expect_no_leak),
        cmocka_unit_test_teardown(test_options, expect_no_leak),
        cmocka_unit_test_teardown(test_forms, expect_no_leak),
        cmocka_unit_test_teardown(test_steps, expect_no_leak),
        cmocka_unit_test_teardown(test_repairs, expect_no_leak),
        cmocka_unit_test_teardown(test_after_repairs, expect_no_leak),
        cmocka_unit_test_teardown(test_set_times, expect_no_leak),
        cmocka_unit_test_teardown(test_far_labels, expect_no_leak),
        cmocka_unit_test_teardown(test_lines, expect_no_leak),
        cmocka_unit_test_teardown(test_change, expect_no_leak),
        cmocka_unit_test_teardown(test_round, expect_no_leak),
        cmocka_unit_test_teardown(test_no_memory, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
