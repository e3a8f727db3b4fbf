/* SPDX-License-Identifier: BSD-3-Clause */
/* CSV files as spreadsheets, pandas and R write them. */
#include <fighter/experimental/table_file.h>

#include "one_csv_file.h"

/* Numbers as spreadsheets show them are refused with the option that reads them, and read with it. */
static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool        comma;
        const char *hint; /* without the option */
        const char *table;
    } cases[] = {
        {"date,y\n2023-01-01,\"1,200.5\"\n2023-01-02,7\n", false,
         "line 2: column \"y\": \"1,200.5\" is not a number; the option `spreadsheet` reads", "y: 1200.5; 7"},
        {"date,a,y\n2023-01-01,0,\"$1,200.0\"\n2023-01-02,1,$3\n", false,
         "line 2: column \"y\": \"$1,200.0\" is not a number; the option `spreadsheet`", "a y: 0 1200; 1 3"},
        {"date;y\n2023-01-01;1.200,5\n2023-01-02;7,25\n", true,
         "\"1.200,5\" is not a number; the option `spreadsheet`", "y: 1200.5; 7.25"},
        {"date;y\n2023-01-01;1.200\n2023-01-02;7,25\n", true,
         "\"1.200\" is not a number; the option `spreadsheet`", "y: 1200; 7.25"},
        {"date,y\n2023-01-01,12.5%\n2023-01-02,7 %\n", false,
         "\"12.5%\" is not a number; the option `spreadsheet`", "y: 12.5; 7"},
        {"date,y\n2023-01-01,5 \xe2\x82\xac\n2023-01-02,(7)\n", false,
         "\"5 \xe2\x82\xac\" is not a number; the option `spreadsheet`", "y: 5; -7"},
        {"date,y\n2023-01-01,1\xc2\xa0"
         "200.5\n2023-01-02,7\n",
         false, "is not a number; the option `spreadsheet`", "y: 1200.5; 7"},
        {"date,\"x,y\"\n2023-01-01,\"120,75\"\n2023-01-02,7\n", true, NULL, "x,y: 120.75; 7"},
        /* nobody knows before the second row */
        {"date,a,y\n2023-01-01,1,closed\n2023-01-02,2,$5\n2023-01-03,3,$6\n", false,
         "line 3: column \"y\": \"$5\" is not a number; the option `spreadsheet`", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const fgt_csv_opts plain = CSV(.decimal_comma = cases[i].comma);
        const fgt_csv_opts shown = CSV(.decimal_comma = cases[i].comma, .spreadsheet = 1);
        if (cases[i].hint) expect_refused(cases[i].text, plain, FGT_E_DATA, cases[i].hint);
        if (cases[i].table) expect_table(cases[i].text, shown, cases[i].table);
    }
    expect_refused(
        "d;y\nx;1,234\n", CSV(.date = 0), FGT_E_DATA,
        "\"1,234\" is not a number; if its comma is a decimal point, the option `decimal_comma` says so; "
        "if it separates thousands, `spreadsheet`");
    expect_refused("d;y\nx;1.200,5\n", CSV(.date = 0), FGT_E_DATA,
                   "if its comma is a decimal point, the options `decimal_comma` and `spreadsheet` read it");
    expect_refused("d;y\nx;1.200,5\n", CSV(.spreadsheet = 1), FGT_E_DATA,
                   "if its comma is a decimal point, the option `decimal_comma` says so");
    expect_refused("d;y\nx;1.5\n", CSV(.decimal_comma = 1), FGT_E_DATA,
                   "\"1.5\" is not a number; it has a decimal point, but numbers have a decimal comma");
    /* what the point means is not known, unless other values of the column show it */
    expect_refused("d;y\nx;48.821\ny;51.113\n", CSV(.decimal_comma = 1), FGT_E_DATA,
                   "line 2: column \"y\": \"48.821\" is not a number; if its point separates thousands, the "
                   "option `spreadsheet` says so; if it is a decimal point, leave out `decimal_comma`");
    expect_refused(
        "d;y\nx;48.821\ny;51.1\n", CSV(.decimal_comma = 1), FGT_E_DATA,
        "\"48.821\" is not a number; the point is a decimal point, as in \"51.1\" in line 3: leave out "
        "the option `decimal_comma`");
    expect_refused(
        "d;y\nx;48.821\ny;51,1\n", CSV(.decimal_comma = 1), FGT_E_DATA,
        "\"48.821\" is not a number; the option `spreadsheet` reads numbers as spreadsheets show them");
    expect_refused(
        "d,y\nx,1\ny,shut\n", CSV(.date = 0), FGT_E_DATA,
        "line 3: column \"y\": \"shut\" is not a number; if it stands for a missing value, the option "
        "`missing_text` says so");
    expect_table("d,y\nx,12\ny,shut\n", CSV(.missing_text = "shut", .missing = FGT_TABLE_MISSING_MASK),
                 "y: 12; nan");
}

/* Numbers of different units in one column are not compared. */
static void test_units_differ(void **state)
{
    (void)state;
    static const char *const bad[] = {"d,y\na,5%\nb,6\n", "d,y\na,5\nb,6%\n", "d,y\na,$5\nb,5 EUR\n"};
    for (size_t i = 0; i < COUNT(bad); i++)
        expect_refused(bad[i], CSV(.spreadsheet = 1), FGT_E_DATA, "line 3: column \"y\": \"");
    expect_sentence("\"5 EUR\" is in another unit than the values before it");
    expect_table("d,y,z\na,$5,5%\nb,6,6%\n", CSV(.spreadsheet = 1), "y z: 5 5; 6 6");
}

/* Words for missing values, also in the first row, where a column of texts would begin otherwise. */
static void test_words(void **state)
{
    (void)state;
    static const char *const words[]  = {"None", "-",   "--",  "#N/A",    ".",    "?",    "<NA>", "NaT",
                                         "n.a.", "#NV", "\\N", "missing", "NULL", "-nan", "#n/d"};
    static const char *const errors[] = {"#DIV/0!", "#REF!",    "#WERT!",          "#BEZUG!",
                                         "#NAME?",  "#VALEUR!", "#\xc2\xa1VALOR!", "#\xc2\xbfNOMBRE?",
                                         "Err:502"};
    char                     text[128], want[128];
    for (size_t i = 0; i < COUNT(words); i++)
        for (int first = 0; first < 2; first++) {
            snprintf(text, sizeof text, "date,y\n2023-01-01,%s\n2023-01-02,%s\n", first ? words[i] : "5",
                     first ? "5" : words[i]);
            snprintf(want, sizeof want,
                     "line %d: column \"y\": \"%s\" stands for a missing value; the "
                     "option `missing` can",
                     3 - first, words[i]);
            expect_refused(text, CSV(.missing = 0), FGT_E_DATA, want);
            expect_table(text, CSV(.missing = FGT_TABLE_MISSING_MASK), first ? "y: nan; 5" : "y: 5; nan");
        }
    for (size_t i = 0; i < COUNT(errors); i++) {
        snprintf(text, sizeof text, "date,y\n2023-01-01,5\n2023-01-02,%s\n", errors[i]);
        snprintf(want, sizeof want, "line 3: column \"y\": \"%s\" is the error of a formula",
                 errors[i]);
        expect_refused(text, CSV(.missing = 0), FGT_E_DATA, want);
        expect_table(text, CSV(.missing = FGT_TABLE_MISSING_MASK), "y: 5; nan");
    }
    /* a column without a number is one of texts, and a category may have any value */
    static const char *const sky[] = {"sky"};
    fgt_table               *t     = load_text("a,sky\n1,-\n2,?\n", &CSV(.missing = FGT_TABLE_MISSING_MASK));
    assert_string_equal(table_of(t), "a: 1; 2");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_IGNORED, 0), "sky");
    fgt_table_destroy(&t);
    expect_table("a,sky\n1,none\n2,rain\n3,none\n", CSV(.categories = sky, .category_count = 1),
                 "a sky=none sky=rain: 1 1 0; 2 0 1; 3 1 0");
    expect_table("a,sky\n1,none\n2,rain\n",
                 CSV(.categories = sky, .category_count = 1, .missing_text = "none",
                     .missing = FGT_TABLE_MISSING_MASK),
                 "a sky=rain: 1 nan; 2 1");
}

static void test_lines(void **state)
{
    (void)state;
    static const struct {
        const char  *text;
        fgt_csv_opts opts; /* that reads it */
        fgt_status   status;
        const char  *hint; /* without them */
    } cases[] = {
        {"Sales of the year\n\ndate,y\n2023-01-01,1\n2023-01-02,2\n",
         {.skip = 2},
         FGT_E_FORMAT,
         "line 3: wrong number of cells (got 2, need 1); if the header is line 3, the option `skip` 2 leaves "
         "out the lines "
         "before it"},
        {"Sales,\ndate,y\n2023-01-01,1\n2023-01-02,2\n",
         {.skip = 1},
         FGT_E_DATA,
         "line 2: column \"0\" begins with a text, \"y\", but has 2 numbers; if the header is line 2, the "
         "option "
         "`skip` 1 leaves"},
        {"# made\n# by hand\ndate,y\n2023-01-01,1\n2023-01-02,2\n",
         {.comment = "#"},
         FGT_E_DATA,
         "there is no column of numbers; if lines that begin with # are comments, the option `comment` "
         "\"#\""},
        {"date,y\n2023-01-01,1\n#\n2023-01-02,2\n# end\n",
         {.comment = "#"},
         FGT_E_FORMAT,
         "line 3: wrong number of cells (got 1, need 2); if lines that begin with # are comments"},
        {"date,y\n,kg\n2023-01-01,1\n2023-01-02,2\n",
         {.units = 1},
         FGT_E_DATA,
         "line 2: column \"y\" begins with a text, \"kg\", but has 2 numbers; if line 2 has the units of the "
         "columns, the option `units` leaves it out"},
        {"date,y\n2023-01-01,1\n2023-01-02,2\nTotal,3\n",
         {.comment = "Total"},
         FGT_E_DATA,
         "line 4: \"Total\" is not a time stamp; if this last row has sums, it is no data: the option "
         "`max_rows` 2 reads the rows before it, and `comment` leaves out lines that begin as it does"},
        {"sep=;\r\ndate;y\r\n2023-01-01;1\r\n2023-01-02;2\r\n", {0}, FGT_OK, NULL},
        {"date,y\n2023-01-01,1\n2023-01-02,2\n,\n,\n", {0}, FGT_OK, NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fgt_csv_opts opts = cases[i].opts;
        opts.size         = sizeof opts;
        if (cases[i].hint) expect_refused(cases[i].text, CSV(.skip = 0), cases[i].status, cases[i].hint);
        expect_table(cases[i].text, opts, "y: 1; 2");
    }
    expect_refused("date,y\n2023-01-01,1,2\n", CSV(.skip = 0), FGT_E_FORMAT,
                   "line 2: wrong number of cells (got 3, need 2)");
    assert_null(strstr(context.error.text, "skip")); /* that would take off the header */
    /* lines above the header are named only if the rest is read without them */
    expect_refused("Names\ncity,land\na,b\nc,d\ne,f\n", CSV(.skip = 0), FGT_E_FORMAT,
                   "line 2: wrong number of cells (got 2, need 1)");
    assert_null(strstr(context.error.text, "skip"));
    expect_refused("text;words\na;b\nc;d\n", CSV(.skip = 0), FGT_E_DATA, "there is no column of numbers");
    assert_null(strstr(context.error.text, "units"));
    expect_refused("[{\"y\": 1},\n{\"y\": 2}]\n", CSV(.skip = 0), FGT_E_FORMAT,
                   "t.csv: is JSON, and no CSV file");
    expect_refused("\n<!DOCTYPE html>\n<html>\n", CSV(.skip = 0), FGT_E_FORMAT, "t.csv: is a page of HTML");
    expect_refused("a\n1\n", CSV(.comment = ""), FGT_E_ARG, "comment is empty");
    expect_refused("a\n1\n", CSV(.skip = -1), FGT_E_ARG, "skip is out of range (got -1");
    expect_refused("a\n1\n", CSV(.units = 1, .no_header = 1), FGT_E_ARG, "no_header");
}

/* Empty rows of spreadsheets at the end are left out, with a word; those between others are rows. */
static void test_empty_rows(void **state)
{
    (void)state;
    const fgt_csv_opts mask = CSV(.missing = FGT_TABLE_MISSING_MASK);
    context.log             = keep_warning;
    warnings                = 0;
    expect_table("a,b\n1,2\n3,4\n,\n\"\",\n", CSV(.missing = 0), "a b: 1 2; 3 4");
    assert_int_equal(warnings, 1);
    if (!strstr(warned, "t.csv: line 4: 2 empty rows at the end are left out")) fail_msg("%s", warned);
    expect_table("a,b\n,\n1,2\n,\n3,4\n,\n", mask, "a b: nan nan; 1 2; nan nan; 3 4");
    assert_int_equal(warnings, 2);
    context.log = NULL;
    expect_refused("a,b\n1,2\n,\n3,4\n", CSV(.missing = 0), FGT_E_DATA, "line 3: column \"a\": no value");
    expect_refused("d,b\n2023-01-01,2\n,\n2023-01-02,4\n", mask, FGT_E_DATA,
                   "line 3: \"\" is not a time stamp");
    expect_refused("unique_id,ds,y\na,2023-01-01,2\n,,\na,2023-01-02,4\n", mask, FGT_E_DATA,
                   "line 3: column \"unique_id\": the row has no series");
}

/* The row numbers that pandas and R write are no series. */
static void test_row_numbers(void **state)
{
    (void)state;
    static const char *const cases[] = {
        ",date,y\n0,2023-01-01,5\n1,2023-01-02,4\n2,2023-01-03,7\n",
        "Unnamed: 0,date,y\n7,2023-01-01,5\n9,2023-01-02,4\n12,2023-01-03,7\n",
        "\"\",\"date\",\"y\"\n\"1\",2023-01-01,5\n\"2\",2023-01-02,4\n\"3\",2023-01-03,7\n",
        "Unnamed: 0.1,Unnamed: 0,date,y\n0,0,2023-01-01,5\n1,1,2023-01-02,4\n2,2,2023-01-03,7\n",
        ",date,y\n2,2023-01-01,5\n1,2023-01-02,4\n0,2023-01-03,7\n",
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fgt_table *t = load_text(cases[i], NULL);
        assert_string_equal(table_of(t), "y: 5; 4; 7");
        assert_true(info_of(t).ignored >= 1);
        fgt_table_destroy(&t);
    }
    expect_table(",unique_id,ds,y\n0,a,2023-01-01,5\n1,a,2023-01-02,4\n", CSV(.missing = 0), "a: 5; 4");
    /* what could be values stays */
    expect_table(",date,y\n5,2023-01-01,5\n4,2023-01-02,4\n5,2023-01-03,7\n", CSV(.missing = 0),
                 "0 y: 5 5; 4 4; 5 7");
    expect_table(",date,y\n0.5,2023-01-01,5\n1,2023-01-02,4\n", CSV(.missing = 0), "0 y: 0.5 5; 1 4");
    expect_table("n,date,y\n0,2023-01-01,5\n1,2023-01-02,4\n", CSV(.missing = 0), "n y: 0 5; 1 4");
    static const char *const first[] = {"0", "y"};
    expect_table(",date,y\n0,2023-01-01,5\n1,2023-01-02,4\n", CSV(.columns = first, .column_count = 2),
                 "0 y: 0 5; 1 4");
    /* also where a file is read row by row */
    const char *path = put_text("t.csv", cases[0]), *to = in_directory("t.fgt");
    fgt_table  *t;
    fgt_table_info info = {.size = sizeof info};
    expect_ok(fgt_table_convert(&context, &path, 1, NULL, to, &info));
    assert_int_equal(info.ignored, 1);
    expect_ok(fgt_table_open(&context, to, NULL, &t));
    assert_int_equal(fgt_table_count_columns(t), 1);
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 0), "y");
    fgt_table_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_numbers, expect_no_leak),
        cmocka_unit_test_teardown(test_units_differ, expect_no_leak),
        cmocka_unit_test_teardown(test_words, expect_no_leak),
        cmocka_unit_test_teardown(test_lines, expect_no_leak),
        cmocka_unit_test_teardown(test_empty_rows, expect_no_leak),
        cmocka_unit_test_teardown(test_row_numbers, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
