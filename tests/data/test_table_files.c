/* SPDX-License-Identifier: BSD-3-Clause */
/* Several files become one table: one after the other, side by side, or with the rows of all. */
#include "small_files.h"

#define FILES    3

/* Writes the texts to a.csv, b.csv and c.csv, and loads those that are not NULL. */
static fgt_status load_texts(const char *const *texts, const fgt_csv_opts *opts, fgt_table **t)
{
    static const char *const names[FILES] = {"a.csv", "b.csv", "c.csv"};
    static char              path[FILES][512];
    const char              *paths[FILES];
    int64_t                  count = 0;
    for (; count < FILES && texts[count]; count++) {
        snprintf(path[count], sizeof path[count], "%s", put_text(names[count], texts[count]));
        paths[count] = path[count];
    }
    return fgt_table_load_files(&context, paths, count, opts, t);
}

#define FIRST  "t,x,y\n2016-07-01,1,5\n2016-07-02,2,6\n"
#define SECOND "t,y,x\n2016-07-03,7,3\n2016-07-04,8,4\n"
#define OTHER  "day,z\n2016-07-02,20\n2016-07-03,30\n"
#define LONG_A "unique_id,ds,y,p\na,2016-07-01,1,9\na,2016-07-02,2,9\n"
#define LONG_B "ds,unique_id,p,y\n2016-07-02,b,8,3\n2016-07-03,a,7,4\n"

static void test_together(void **state)
{
    (void)state;
    static const struct {
        const char *text[FILES];
        const char *expected;
        int64_t     appended, joined, outside;
    } cases[] = {
        {{FIRST}, "x y: 1 5; 2 6", 0, 0, 0},
        {{FIRST, SECOND}, "x y: 1 5; 2 6; 3 7; 4 8", 1, 0, 0},
        {{SECOND, FIRST}, "y x: 5 1; 6 2; 7 3; 8 4", 1, 0, 0},
        {{FIRST, OTHER}, "x y z: 1 5 nan; 2 6 20; nan nan 30", 0, 1, 4 - 1},
        {{OTHER, SECOND, FIRST}, "z y x: nan 5 1; 20 6 2; 30 7 3; nan 8 4", 1, 1, 2},
        {{LONG_A, LONG_B}, "a b p[a] p[b]: 1 nan 9 nan; 2 3 9 8; 4 nan 7 nan", 1, 0, 4},
        {{OTHER, LONG_A}, "a p z: 1 9 nan; 2 9 20; nan nan 30", 0, 1, 3},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fgt_table     *t;
        fgt_table_info info = {.size = sizeof info};
        expect_ok(load_texts(cases[i].text, NULL, &t));
        expect_ok(fgt_table_get_info(t, &info));
        assert_string_equal(table_of(t), cases[i].expected);
        assert_int_equal(info.appended, cases[i].appended);
        assert_int_equal(info.joined, cases[i].joined);
        assert_int_equal(info.outside, cases[i].outside);
        assert_int_equal(info.missing, 0);
        fgt_table_destroy(&t);
    }
}

/* Labels stay as the files have them, and rows that no file has are made where `repair` allows it. */
static void test_gaps(void **state)
{
    (void)state;
    static const char *const texts[FILES] = {FIRST, "t,x,y\n4.7.2016,4,8\n13.7.2016,5,9\n"};
    static const char *const apart[FILES] = {FIRST, "t,x,y\n2016-07-04,4,8\n2016-07-05,5,9\n"};
    fgt_table               *t            = NULL;
    expect_status(load_texts(texts, NULL, &t), FGT_E_DATA);
    expect_sentence("rows are 9 days apart, but the rows of ");
    expect_status(load_texts(apart, NULL, &t), FGT_E_DATA);
    expect_sentence("the files together: rows are missing between 2016-07-02 00:00:00 and 2016-07-04 00:00");
    expect_ok(load_texts(apart, &CSV(.repair = FGT_TABLE_REPAIR_GAPS), &t));
    assert_string_equal(table_of(t), "x y: 1 5; 2 6; nan nan; 4 8; 5 9");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 2), "2016-07-03");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 3), "2016-07-04");
    fgt_table_destroy(&t);
    expect_ok(load_texts(
        apart, &CSV(.repair = FGT_TABLE_REPAIR_GAPS, .missing = FGT_TABLE_MISSING_FORWARD_FILL), &t));
    assert_string_equal(table_of(t), "x y: 1 5; 2 6; 2 6; 4 8; 5 9");
    fgt_table_destroy(&t);
}

/* Short files that follow one another may have a shorter step together than each by itself. */
static void test_shorter_step(void **state)
{
    (void)state;
    static const char *const weekend[FILES] = {"t,x\n2020-01-03,1\n2020-01-06,2\n", "t,x\n2020-01-07,3\n"};
    static const char *const ones[FILES] = {"t,x\n2020-01-01,1\n2020-01-03,2\n2020-01-05,3\n",
                                            "t,x\n2020-01-06,4\n", "t,x\n2020-01-07,5\n"};
    const fgt_csv_opts       repair         = CSV(.repair = FGT_TABLE_REPAIR_GAPS);
    fgt_table               *t           = NULL;
    expect_status(load_texts(weekend, NULL, &t), FGT_E_DATA);
    expect_sentence("the option `repair` gaps can add them");
    expect_ok(load_texts(weekend, &repair, &t));
    assert_string_equal(table_of(t), "x: 1; nan; nan; 2; 3");
    fgt_table_destroy(&t);
    expect_ok(load_texts(ones, &repair, &t));
    assert_string_equal(table_of(t), "x: 1; nan; 2; nan; 3; 4; 5");
    fgt_table_destroy(&t);
}

/* Rows between two files that a third one has. */
static void test_covered_gaps(void **state)
{
    (void)state;
    static const char *const texts[FILES] = {
        "t,x,y\n2016-07-05,5,\n2016-07-06,6,6\n",
        "t,z\n2016-07-01,10\n2016-07-02,20\n2016-07-04,40\n2016-07-05,50\n",
        "t,y,x\n2016-07-01,1,1\n2016-07-02,,2\n",
    };
    fgt_csv_opts opts = CSV(.missing = FGT_TABLE_MISSING_MASK);
    fgt_table   *t    = NULL;
    expect_status(load_texts(texts, &opts, &t), FGT_E_DATA);
    expect_sentence("b.csv: column \"t\": rows are missing between line 3 (2016-07-02) and line 4");
    opts = CSV(.repair = FGT_TABLE_REPAIR_GAPS, .missing = FGT_TABLE_MISSING_MASK);
    expect_ok(load_texts(texts, &opts, &t));
    assert_string_equal(table_of(t), "x y z: 1 1 10; 2 nan 20; nan nan nan; nan nan 40; 5 nan 50; 6 6 nan");
    assert_int_equal(info_of(t).gaps, 3); /* that of b.csv, and two between the other files */
    fgt_table_destroy(&t);
    opts.missing = FGT_TABLE_MISSING_FORWARD_FILL; /* from file to file */
    expect_ok(load_texts(texts, &opts, &t));
    assert_string_equal(table_of(t), "x y z: 1 1 10; 2 1 20; 2 1 20; 2 1 40; 5 1 50; 6 6 nan");
    fgt_table_destroy(&t);
}

static void test_refused(void **state)
{
    (void)state;
    static const fgt_csv_opts fill         = {.size = sizeof fill, .missing = FGT_TABLE_MISSING_FORWARD_FILL};
    static const char *const  empty[FILES] = {OTHER, "t,x\n2016-07-01,\n2016-07-02,2\n"};
    static const struct {
        const char *text[FILES];
        fgt_status  status;
        const char *sentence;
    } cases[] = {
        {{FIRST, FIRST}, FGT_E_DATA, "b.csv: line 2 (2016-07-01) lies in the time of "},
        {{FIRST, "t,x,y\n2016-06-30,1,1\n2016-07-01,1,1\n"}, FGT_E_DATA, "b.csv: line 3 (2016-07-01"},
        {{FIRST, "t,x,z\n2016-07-03,1,1\n"}, FGT_E_NAME, "b.csv: some columns are also in "},
        {{FIRST, "a,b\n1,2\n"}, FGT_E_DATA, "b.csv: without times, files cannot be put together"},
        {{FIRST, OTHER, "t,w\n2016-07-02 07:00,1\n2016-07-02 08:00,2\n"},
         FGT_E_DATA,
         "c.csv: rows are 1 hour apart, but the rows of "},
        {{FIRST, "t,w\n2016-07-02 07:00,1\n"}, FGT_E_DATA, "not a whole number of steps"},
        {{FIRST, "t,x,y\n2016-07-04,4,8\n2016-07-05,5,9\n", OTHER},
         FGT_E_DATA,
         "a.csv: no file with its columns has a row at 2016-07-03, although "},
        {{"t,v\n2020-01-01 00:00,1\n2020-01-01 01:00,2\n", "t,w\n2020-01-01 00:30,1\n2020-01-01 01:30,2\n"},
         FGT_E_DATA,
         "a.csv: rows are 1 hour apart, but the rows of all files 30 minutes: some lie between others"},
        {{FIRST, "t,w\nx\n"}, FGT_E_FORMAT, "b.csv: line 2: wrong number of cells (got 1, need 2)"},
        {{LONG_A, "unique_id,ds,y,q\na,2016-07-03,1,9\n"}, FGT_E_NAME, "b.csv: column \"q\" is not in "},
        {{LONG_A, "unique_id,ds,y\na,2016-07-03,1\n"},
         FGT_E_NAME,
         "b.csv: wrong number of columns of numbers (got 1, need "},
        {{LONG_A, "unique_id,ds,y,p\na,2016-07-03,1,3\na,2016-07-02,1,9\n"},
         FGT_E_DATA,
         "b.csv: line 3 is of \"a\" at 2016-07-02, and so is line 3 of "},
    };
    fgt_table *t = NULL;
    for (size_t i = 0; i < COUNT(cases); i++) {
        expect_status(load_texts(cases[i].text, NULL, &t), cases[i].status);
        expect_sentence(cases[i].sentence);
        assert_null(t);
    }
    expect_status(load_texts(empty, &fill, &t), FGT_E_DATA);
    expect_sentence(
        "b.csv: column \"x\": the first row has no value, and there is no earlier one to fill it with");
    expect_status(fgt_table_load_files(&context, NULL, 1, NULL, &t), FGT_E_ARG);
    expect_status(fgt_table_load_files(&context, (const char *[]){NULL}, 1, NULL, &t), FGT_E_ARG);
    expect_status(fgt_table_load_files(&context, (const char *[]){"a"}, 0, NULL, &t), FGT_E_ARG);
    expect_status(fgt_table_load_files(NULL, (const char *[]){"a"}, 1, NULL, &t), FGT_E_ARG);
    expect_status(fgt_table_load_files(&context, (const char *[]){"a"}, 1, NULL, NULL), FGT_E_ARG);
}

/* Names of columns are those of some file. */
static void test_names(void **state)
{
    (void)state;
    static const char *const texts[FILES] = {FIRST, OTHER};
    static const char *const xz[] = {"z", "x"}, *const zq[] = {"z", "q"};
    fgt_table *t;
    expect_ok(load_texts(texts, &CSV(.columns = xz, .column_count = 2), &t));
    assert_string_equal(table_of(t), "x z: 1 nan; 2 20; nan 30");
    fgt_table_destroy(&t);
    expect_ok(load_texts(texts, &CSV(.categories = xz, .category_count = 1), &t));
    assert_string_equal(table_of(t), "x y z: 1 5 nan; 2 6 20; nan nan 30");
    fgt_table_destroy(&t);
    static const char *const kinds[FILES] = {"unique_id,ds,y,x\na,2016-07-01,1,u\na,2016-07-02,2,v\n",
                                             "unique_id,ds,x,y\na,2016-07-03,w,3\na,2016-07-04,v,4\n"};
    expect_ok(load_texts(kinds, &CSV(.categories = xz + 1, .category_count = 1), &t));
    assert_string_equal(table_of(t), "a x=u x=v x=w: 1 1 0 0; 2 0 1 0; 3 0 0 1; 4 0 1 0");
    fgt_table_destroy(&t);
    expect_status(load_texts(texts, &CSV(.categories = zq, .category_count = 2), &t), FGT_E_NAME);
    expect_sentence("no file has a column \"q\"");
}

/* Missing values in files that follow one another count as in one; columns that are left out count once. */
static void test_as_one(void **state)
{
    (void)state;
    static const char *const wide[FILES] = {"t,a,n\n2020-01-01,,x\n2020-01-02,2,x\n",
                                            "t,a,n\n2020-01-03,3,x\n2020-01-04,,x\n"};
    static const char *const kinds[FILES] = {"unique_id,ds,y,m\na,2020-01-01,1,x\n",
                                             "unique_id,ds,y,m,n\na,2020-01-02,2,x,x\n"};
    fgt_table               *t;
    expect_ok(load_texts(wide, &CSV(.missing = FGT_TABLE_MISSING_MASK), &t));
    assert_string_equal(table_of(t), "a: nan; 2; 3; nan");
    assert_int_equal(info_of(t).missing, 2);
    assert_int_equal(info_of(t).outside, 0);
    assert_int_equal(info_of(t).ignored, 1);
    fgt_table_destroy(&t);
    expect_ok(load_texts(kinds, NULL, &t));
    assert_int_equal(info_of(t).ignored, 2);
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_IGNORED, 1), "n");
    fgt_table_destroy(&t);
}

static void test_no_memory(void **state)
{
    (void)state;
    static const char *const texts[FILES] = {OTHER, LONG_A, LONG_B};
    fgt_table               *t            = NULL;
    for (int64_t k = 1;; k++) {
        hook.countdown          = k;
        const fgt_status s      = load_texts(texts, NULL, &t);
        const bool       failed = hook.countdown == 0;
        hook.countdown          = 0;
        expect_status(s, failed ? FGT_E_NOMEM : FGT_OK);
        if (!failed) break;
        assert_null(t);
        assert_int_equal(hook.live, 0);
    }
    assert_string_equal(table_of(t), "a b p[a] p[b] z: 1 nan 9 nan nan; 2 3 9 8 20; 4 nan 7 nan 30");
    fgt_table_destroy(&t);
}

/* Hours that follow `first`, with the offset of a clock, but those of a gap. */
static const char *hours(const char *head, const char *series, int first, int count, int gap)
{
    static char  text[4][2048];
    static int   next;
    char        *out = text[next++ % 4];
    size_t       n   = (size_t)snprintf(out, sizeof text[0], "%s\n", head);
    for (int h = first; h < first + count; h++)
        if (h != gap)
            n += (size_t)snprintf(out + n, sizeof text[0] - n, "%s2024-07-01 %02d:00+02:00,%d\n", series,
                                  h, h);
    return out;
}

/* Sentences have the times of the files, not those of UTC. */
static void test_zoned_gaps(void **state)
{
    (void)state;
    const char *const one[]    = {hours("unique_id,ds,y", "a,", 0, 12, 7), NULL};
    const char *const apart[]  = {hours("t,x", "", 0, 6, -1), hours("t,x", "", 9, 6, -1), NULL};
    const char *const beside[] = {apart[0], apart[1], hours("t,z", "", 0, 15, -1)};
    fgt_table        *t;
    expect_status(load_texts(one, NULL, &t), FGT_E_DATA);
    expect_sentence("\"a\" has no row at 2024-07-01 07:00+02:00");
    expect_status(load_texts(apart, NULL, &t), FGT_E_DATA);
    expect_sentence("between 2024-07-01 05:00+02:00 and 2024-07-01 09:00+02:00, at steps of 1 hour (3 rows");
    expect_status(load_texts(beside, NULL, &t), FGT_E_DATA);
    expect_sentence("has a row at 2024-07-01 06:00+02:00, although");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_together, expect_no_leak),
        cmocka_unit_test_teardown(test_gaps, expect_no_leak),
        cmocka_unit_test_teardown(test_zoned_gaps, expect_no_leak),
        cmocka_unit_test_teardown(test_shorter_step, expect_no_leak),
        cmocka_unit_test_teardown(test_covered_gaps, expect_no_leak),
        cmocka_unit_test_teardown(test_refused, expect_no_leak),
        cmocka_unit_test_teardown(test_names, expect_no_leak),
        cmocka_unit_test_teardown(test_as_one, expect_no_leak),
        cmocka_unit_test_teardown(test_no_memory, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
