/* SPDX-License-Identifier: BSD-3-Clause */
/* Signs in a CSV file: points between thousands, a header or none, its delimiter, its end. */
#include "one_csv_file.h"

/* The file is read with one warning that has these words, or without one. */
static void expect_warning(const char *text, const fgt_csv_opts opts, const char *want, const char *words)
{
    context.log = keep_warning;
    warnings    = 0;
    expect_table(text, opts, want);
    context.log = NULL;
    assert_int_equal(warnings, words != NULL);
    if (words && !strstr(warned, words)) fail_msg("\"%s\" is not in \"%s\"", words, warned);
}

/* Points that separate thousands are no decimal points: all of the column is judged. */
static void test_thousands(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sentence, *table, *fractions;
    } cases[] = {
        {"Datum;Umsatz\n2020-01-01;959\n2020-01-02;1.096\n2020-01-03;-12.500\n",
         "line 3: column \"Umsatz\": the point of \"1.096\" seems to separate thousands: all values with a "
         "point have three digits after it, and the cells are separated by semicolons; the options "
         "`decimal_comma` and `spreadsheet` read thousands, `decimal_point` reads fractions",
         "Umsatz: 959; 1096; -12500", "Umsatz: 959; 1.096; -12.5"},
        {"d;y\n2020-01-01;1.210\n2020-01-02;1.096\n", "line 2: column \"y\": the point of \"1.210\"",
         "y: 1210; 1096", "y: 1.21; 1.096"},
        {"Monat,y\n12.2020,959\n01.2021,1.096\n", "dates are written with points", "y: 959; 1096",
         "y: 959; 1.096"},
        {"d,y\n31.12.2020,959\n01.01.2021,1.096\n", "dates are written with points", "y: 959; 1096",
         "y: 959; 1.096"},
        {"d\ty\n31.12.2020\t+959\n1.1.2021\t100.096\n", "line 3: column \"y\"", "y: 959; 100096",
         "y: 959; 100.096"},
        /* other columns are looked at even if nobody reads them */
        {"d,y,p\n2020-01-01,959,\"0,5\"\n2020-01-02,1.096,\"1,25\"\n", "line 2 has \"0,5\"", "y: 959; 1096",
         "y: 959; 1.096"},
        {"d|y|p\n2020-01-01|959|1\n2020-01-02|1.096|1.234,5\n", "line 3 has \"1.234,5\"", "y: 959; 1096",
         "y: 959; 1.096"},
    };
    const char *y[] = {"y"}, *umsatz[] = {"Umsatz"};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *const *columns = i ? y : umsatz;
        expect_refused(cases[i].text, CSV(.columns = columns, .column_count = 1), FGT_E_DATA,
                       cases[i].sentence);
        expect_table(cases[i].text,
                     CSV(.columns = columns, .column_count = 1, .decimal_comma = 1, .spreadsheet = 1),
                     cases[i].table);
        expect_warning(cases[i].text, CSV(.columns = columns, .column_count = 1, .decimal_point = 1),
                       cases[i].fractions, NULL);
    }
    expect_refused("a\n1\n", CSV(.decimal_comma = 1, .decimal_point = 1), FGT_E_ARG, "exclude each other");
    expect_refused("d;y\n2020-01-01;1.234.567\n", CSV(.missing = 0), FGT_E_DATA,
                   "if its points separate thousands, the options `decimal_comma` and `spreadsheet` read it");
    expect_refused("d;y\n2020-01-01;959 \xe2\x82\xac\n2020-01-02;1.096 \xe2\x82\xac\n", CSV(.spreadsheet = 1),
                   FGT_E_DATA, "line 3: column \"y\"");
}

/* A delimiter after the last cell of rows, but not of the header, ends no cell. */
static void test_ended_rows(void **state)
{
    (void)state;
    expect_warning("a,b\n1,2,\n3,4,\n", CSV(.skip = 0), "a b: 1 2; 3 4",
                   "t.csv: line 2 ends with a delimiter, but the header does not, and so do other lines; the "
                   "empty cell is left out");
    expect_warning("a;b\n1;2\n3;4;\n", CSV(.skip = 0), "a b: 1 2; 3 4",
                   "line 3 ends with a delimiter, but the header does not; the empty cell");
    expect_refused("a,b\n1,2,\n3,4,5\n", CSV(.skip = 0), FGT_E_FORMAT,
                   "line 3: wrong number of cells (got 3, need 2)");
    expect_refused("a,b\n1,2,,\n", CSV(.skip = 0), FGT_E_FORMAT,
                   "line 2: wrong number of cells (got 4, need 2)");
    expect_refused("a,b\n1,2,\"\"\n", CSV(.skip = 0), FGT_E_FORMAT,
                   "line 2: wrong number of cells (got 3, need 2)");
}

/* Nothing is said where some value shows that points are decimal points, or nothing speaks for commas. */
static void test_fractions(void **state)
{
    (void)state;
    static const struct {
        const char *text, *table, *words;
    } cases[] = {
        {"d,y\n2020-01-01,959\n2020-01-02,1.096\n", "y: 959; 1.096", NULL},
        {"d\ty\n2020-01-01\t959\n2020-01-02\t1.096\n", "y: 959; 1.096", NULL},
        {"d;y\n2020-01-01;1.096\n2020-01-02;0.959\n", "y: 1.096; 0.959", NULL},
        {"d;y\n2020-01-01;1.096\n2020-01-02;1.5\n", "y: 1.096; 1.5", NULL},
        {"d;y\n2020-01-01;1.096\n2020-01-02;1234.5\n", "y: 1.096; 1234.5", NULL},
        {"d;y\n2020-01-01;1.096\n2020-01-02;1.0965\n", "y: 1.096; 1.0965", NULL},
        {"d;y;z\n2020-01-01;1.096;2\n2020-01-02;1.250;0.5\n", "y z: 1.096 2; 1.25 0.5", NULL},
        {"d;y\n2020-01-01;1.096e2\n2020-01-02;1.250e2\n", "y: 109.6; 125", NULL},
        {"d;y\n2020-01-01;959\n2020-01-02;1096\n", "y: 959; 1096", NULL},
        {"d;t;y\n1.2.2020;12.30;959\n2.2.2020;13.15;1.096\n", "t y: 12.3 959; 13.15 1.096",
         "is read as a decimal sign, but may separate thousands"},
        {"d;y\n2020-01-01;1500\n2020-01-02;1.096\n", "y: 1500; 1.096",
         "t.csv: line 3: column \"y\": the point of \"1.096\" is read as a decimal sign, but may "
         "separate "
         "thousands"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_warning(cases[i].text, CSV(.missing = 0), cases[i].table, cases[i].words);
}

/* A column without values is called empty. */
static void test_empty(void **state)
{
    (void)state;
    const char *text = "d,y,x\n2020-01-01,1,\n2020-01-02,2,\n";
    int64_t     column;
    expect_warning(text, CSV(.skip = 0), "y: 1; 2",
                   "t.csv: 1 column is left out, because no row has a value in it: x");
    expect_warning("d,y,x,z\n2020-01-01,1,NA,\n2020-01-02,2,,\n", CSV(.skip = 0), "y: 1; 2",
                   "2 columns are left out, because no row has a value in them: x, z");
    fgt_table *t = load_text(text, NULL);
    expect_status(fgt_table_get_column(t, "x", &column), FGT_E_NAME);
    expect_sentence("column \"x\" is empty: no row has a value in it");
    fgt_table_destroy(&t);
}

/* A row that is taken for the header is named, and no_header reads it. */
static void test_header(void **state)
{
    (void)state;
    static const char *const rows[] = {"2020-01-01,5,7\n2020-01-02,6,8\n", "01/13/20,5,7\n01/14/20,6,8\n",
                                       "20200101,5,7\n20200102,6,8\n",     "Jan 2020,5,7\nFeb 2020,6,8\n",
                                       "2020Q1,5,7\n2020Q2,6,8\n",         "2020-01-01,,\n2020-01-02,6,8\n",
                                       "1949,112,3\n1950,118,4\n",         "194912,112,3\n195001,118,4\n",
                                       "7,x,2020-01-01\n8,y,2020-01-02\n", "A,1,5.5\nA,2,5.25\n"};
    for (size_t i = 0; i < COUNT(rows); i++) {
        expect_refused(rows[i], CSV(.time_form = 0), FGT_E_DATA,
                       "t.csv: line 1: the line is taken for the header");
        expect_sentence("if the file has no header, the option `no_header` says so");
    }
    expect_table(rows[0], CSV(.no_header = 1), "0 1: 5 7; 6 8");
    const char *text = "date,a,b\n2020-01-01,5,7\n2020-01-02,6,8\n";
    expect_refused(
        text, CSV(.skip = 1), FGT_E_DATA,
        "line 2: the line is taken for the header, but \"2020-01-01\" is a value, as \"2020-01-02\" "
        "in line 3; the option `skip` 1 may leave out the header");
    expect_refused(
        text, CSV(.comment = "date"), FGT_E_DATA,
        "line 2: the line is taken for the header, but \"2020-01-01\" is a value, as \"2020-01-02\" "
        "in line 3; the option `comment` \"date\" may leave out the header");
    expect_table(text, CSV(.skip = 1, .no_header = 1), "0 1: 5 7; 6 8");
    expect_refused("5,6,6\n1,2,3\n", CSV(.date = 0), FGT_E_DATA, "has only numbers, and some twice");
    expect_warning("112\n118\n132\n", CSV(.date = 0), "112: 118; 132",
                   "t.csv: line 1: the line is taken for the header, though it has only numbers; if the file "
                   "has no header, the option `no_header` says so");
    expect_warning("0.5,1.5\n1,2\n", CSV(.date = 0), "0.5 1.5: 1 2", "though it has only numbers");
    /* names that are numbers */
    expect_warning("0,1,2\n5,6,7\n", CSV(.date = 0), "0 1 2: 5 6 7", NULL);
    expect_warning("2010,2011,2012\n5,6,7\n", CSV(.date = 0), "2010 2011 2012: 5 6 7", NULL);
    expect_warning("date,2010,2015\n2020-01-01,6,7\n", CSV(.date = 0), "2010 2015: 6 7", NULL);
    expect_warning("store,2020-01-01,2020-01-02\n1,6,7\n", CSV(.date = 0),
                   "store 2020-01-01 2020-01-02: 1 6 7", NULL);
}

static void test_units(void **state)
{
    (void)state;
    expect_refused("date,a\n2020-01-01,5\n2020-01-02,6\n", CSV(.units = 1), FGT_E_DATA,
                   "line 2: \"2020-01-01\" is a value, so the line has no units; without the option `units`");
    expect_refused("a,b\n5,6\n7,8\n", CSV(.units = 1), FGT_E_DATA, "line 2: \"5\" is a value");
    expect_refused("date,a,b\n2020-01-01,red,6\n2020-01-02,blue,8\n", CSV(.units = 1), FGT_E_DATA, "line 2");
    expect_table("date,a,b,c\n,kW,1,\n2020-01-01,1,2,3\n", CSV(.units = 1), "a b c: 1 2 3");
    expect_table("date,a,b\n,%,-\n2020-01-01,1,2\n", CSV(.units = 1), "a b: 1 2");
}

/* Files that were joined have a header in the middle. */
static void test_joined(void **state)
{
    (void)state;
    expect_warning("d,a\n2020-01-01,1\n2020-01-02,2\nd,a\n2020-01-03,3\n", CSV(.date = 0), "a: 1; 2; 3",
                   "t.csv: line 4 repeats the header; it is left out");
    expect_warning("d,a\n2020-01-01,1\n\nd,a\n2020-01-02,2\nd,a\n2020-01-03,3\n", CSV(.date = 0),
                   "a: 1; 2; 3", "t.csv: line 4 repeats the header, as later lines do; they are left out");
    expect_warning("d,a\n,kg\n2020-01-01,1\nd,a\n,kg\n2020-01-02,2\n", CSV(.units = 1), "a: 1; 2",
                   "line 4 repeats the header");
    expect_warning("d, a\n2020-01-01,1\nD,A\n2020-01-02,2\n", CSV(.date = 0), "a: 1; 2",
                   "line 3 repeats the header");
    expect_refused(
        "d,a,b\n2020-01-01,1,2\nd,b,a\n2020-01-02,1,2\n", CSV(.date = 0), FGT_E_DATA,
        "line 3: column \"a\": \"b\" is not a number; the line names the columns in another order");
    expect_warning("0,1\n5,6\n0,1\n", CSV(.date = 0), "0 1: 5 6; 0 1", NULL); /* numbers are a row */
    expect_refused("d,a,b\n2020-01-01,1,2\n2020-01-02;2;3\n", CSV(.date = 0), FGT_E_FORMAT,
                   "line 3: wrong number of cells (got 1, need 3); it has \";\" between its cells, the first "
                   "line has \",\"");
    expect_refused("d,a,b\n2020-01-01,1,2\n2020-01-02\t2\t3\n", CSV(.date = 0), FGT_E_FORMAT,
                   "line 3: wrong number of cells (got 1, need 3); it has a tab between its cells");
}

static void test_delimiter(void **state)
{
    (void)state;
    expect_refused(
        "d;a;b\n2020-01-01;1;2\n", CSV(.delimiter = ','), FGT_E_FORMAT,
        "line 1: the cells seem to be separated by \";\", but the option `delimiter` asks for \",\"; "
        "without it the delimiter is found");
    expect_refused("\nd\ta\tb\n\n2020-01-01\t1\t2\n", CSV(.delimiter = ';'), FGT_E_FORMAT,
                   "separated by a tab, but the option `delimiter` asks for \";\"");
    expect_table("d,a\n2020-01-01,1\n", CSV(.decimal_comma = 1), "a: 1");
    expect_table("d;a\n2020-01-01;1,5\n", CSV(.decimal_comma = 1), "a: 1.5");
    expect_table("Preis, EUR\n1,5\n", CSV(.decimal_comma = 1), "Preis, EUR: 1.5");
    expect_table("a\n1,5\n2,5\n", CSV(.decimal_comma = 1), "a: 1.5; 2.5");
    expect_table("1,5\n2,5\n", CSV(.decimal_comma = 1, .no_header = 1), "0: 1.5; 2.5");
    expect_table("a;b\n1\n2\n", CSV(.delimiter = ','), "a;b: 1; 2");
    /* commas between digits, and semicolons between cells */
    const fgt_csv_opts bare = CSV(.decimal_comma = 1, .no_header = 1);
    expect_table("0,5;1,5\n2,5;3,5\n", bare, "0 1: 0.5 1.5; 2.5 3.5");
    expect_refused("1.1.2020;0,5\n2.1.2020;1,5\n", CSV(.date = 0), FGT_E_DATA,
                   "the line is taken for the header");
    expect_table("1.1.2020;0,5\n2.1.2020;1,5\n", bare, "0: 0.5; 1.5");
    expect_table("a,b;c\n1,2\n", CSV(.date = 0), "a b;c: 1 2");
}

/* A header that another program wrote than the rows. */
static void test_other_header(void **state)
{
    (void)state;
    const char *words = "t.csv: line 1: the header has \",\" between its cells, and the rows have \";\"";
    const fgt_csv_opts commas = CSV(.decimal_comma = 1), plain = CSV(.date = 0);
    expect_warning("d,a\n2020-01-01;1\n2020-01-02;2\n", plain, "a: 1; 2", words);
    expect_warning("d,a,b\r\n2020-01-01;1;2\r\n", plain, "a b: 1 2", words);
    expect_warning("d;a\n2020-01-01,1\n2020-01-02,2\n", plain, "a: 1; 2", "the rows have \",\"");
    expect_warning("d\ta\n2020-01-01,1\n", plain, "a: 1", "the header has a tab between its cells");
    expect_warning("d,a\n2020-01-01;1,5\n2020-01-02;2\n", commas, "a: 1.5; 2", words);
    expect_refused("d,a\n2020-01-01;1,5\n2020-01-02;2\n", plain, FGT_E_DATA,
                   "line 2: column \"a\": \"1,5\" is not a number; if its comma is a decimal point");
    expect_table("d,a\nx;y,1\nx;z,2\n", plain, "a: 1; 2"); /* the texts have semicolons */
    expect_refused("d,a\n2020-01-01;1\n", CSV(.delimiter = ','), FGT_E_FORMAT,
                   "line 2: wrong number of cells (got 1, need 2)");
}

/* Times in the header: each row is a series. */
static void test_across(void **state)
{
    (void)state;
    static const char *const heads[] = {"area,2020-01,2020-02,2020-03", "area,Jan 2020,Feb 2020,Mar 2020",
                                        "area,2018,2019,2020",          "area,202001,202002,202003",
                                        "area,2020Q1,2020Q2,2020Q3",    "area,1/22/20,1/23/20,1/24/20",
                                        "area,2020-03,2020-02,2020-01", ",2020-01-01,2020-01-02,2020-01-03",
                                        "area,11.2019,12.2019,01.2020"};
    const fgt_csv_opts       plain = CSV(.date = 0), whole = CSV(.date = FGT_TABLE_DATE_LABELS);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        char text[160], name[24];
        snprintf(text, sizeof text, "%s\nNorth,,2,3\nSouth,4,5,6\n", heads[i]);
        expect_refused(text, plain, FGT_E_DATA, "t.csv: line 1: names of columns are times, from \"");
        expect_sentence("transpose the table, with a row for each time and a column for each series");
        assert_null(strstr(context.error.text, "`date`"));
        snprintf(name, sizeof name, "to \"%s\"", strrchr(heads[i], ',') + 1);
        expect_sentence(name);
        snprintf(text, sizeof text, "%s\n1,1,2,3\n2,4,5,6\n", heads[i]);
        expect_refused(text, plain, FGT_E_DATA, "t.csv: line 1: names of columns are times, from \"");
        snprintf(text, sizeof text, "%s\n2020-01-01,1,2,3\n2020-01-02,4,5,6\n", heads[i]);
        fgt_table *t = load_text(text, &plain); /* the rows have times */
        fgt_table_destroy(&t);
        snprintf(text, sizeof text, "%s\nNorth,1,2,3\nSouth,4,5,6\n", heads[i]);
        t = load_text(text, &whole);
        fgt_table_destroy(&t);
    }
    expect_warning("area,2020,1500,2010\nNorth,1,2,3\n", plain, "2020 1500 2010: 1 2 3", NULL);
    expect_warning("year,Jan,Feb,Mar\n2019,1,2,3\n2020,4,5,6\n", plain, "Jan Feb Mar: 1 2 3; 4 5 6",
                   "line 1: names of columns are months or hours, and each of them is read as a series");
    expect_warning("date,0:00,6:00,12:00,18:00\n2020-01-01,1,2,3,4\n", plain,
                   "0:00 6:00 12:00 18:00: 1 2 3 4", "names of columns are months or hours");
}

/* A title that has a comma is no header. */
static void test_titles(void **state)
{
    (void)state;
#define ROWS "date,a\n2020-01-01,1\n2020-01-02,2\n"
    static const char *const titles[] = {"Sales, 2020\nAll shops\n", "All shops\nSales, 2020\n",
                                         "Sales, 2020\n", "Sales, Berlin\n", "All, shops\nSales, 2020\n"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        char          text[128], sentence[64];
        const int64_t lines = strchr(titles[i], '\n')[1] ? 2 : 1;
        snprintf(text, sizeof text, "%s" ROWS, titles[i]);
        snprintf(sentence, sizeof sentence, "if the header is line %d, the option `skip` %d leaves out",
                 (int)lines + 1, (int)lines);
        fgt_table *t;
        fgt_status s = fgt_table_load(&context, put_text("t.csv", text), NULL, &t);
        assert_true(s == FGT_E_DATA || s == FGT_E_FORMAT);
        expect_sentence(sentence);
        expect_table(text, CSV(.skip = lines), "a: 1; 2");
    }
#undef ROWS
}

/* Lines after the table are named with the option that leaves them out. */
static void test_footer(void **state)
{
    (void)state;
#define TABLE "d,a,b\n2020-01-01,1,2\n2020-01-02,3,4\n"
    static const struct {
        const char *text;
        fgt_status  status;
        const char *sentence;
        const char *comment; /* leaves them out as well */
    } cases[] = {
        {TABLE "Source: me\n", FGT_E_FORMAT,
         "line 4: wrong number of cells (got 1, need 3); if the table ends before this line, the option "
         "`max_rows` 2 reads the "
         "rows before it, and `comment` \"Source:\" leaves out lines that begin so",
         "Source:"},
        {TABLE "\n(c) me\nand others, too\n", FGT_E_FORMAT,
         "line 5: wrong number of cells (got 1, need 3); if the table ends before this line, the option "
         "`max_rows` 2 reads the "
         "rows before it",
         NULL},
        {TABLE "\nNote,1,2\n", FGT_E_FORMAT,
         "line 4: the line is blank (got 0 cells, need 3); if the table ends", NULL},
        {TABLE "Total,4,6\n", FGT_E_DATA,
         "line 4: \"Total\" is not a time stamp; if this last row has sums, it is no data: the option "
         "`max_rows` "
         "2 reads the rows before it, and `comment`",
         "Total"},
        {TABLE "Sum,4,6\nMean,2,3\n", FGT_E_DATA,
         "line 4: \"Sum\" is not a time stamp; if the last 2 rows are no data, the option `max_rows` 2 reads "
         "the "
         "rows before them",
         NULL},
        {"a,b\n1,2\n3,4\nTotal,6\n", FGT_E_DATA,
         "line 4: column \"a\": \"Total\" is not a number; if it stands for a missing value, the option "
         "`missing_text` says so; if the table ends before this line, the option `max_rows` 2",
         "Total"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        expect_refused(cases[i].text, CSV(.date = 0), cases[i].status, cases[i].sentence);
        expect_table(cases[i].text, CSV(.max_rows = 2), "a b: 1 2; 3 4");
        if (cases[i].comment) expect_table(cases[i].text, CSV(.comment = cases[i].comment), "a b: 1 2; 3 4");
    }
    /* below units */
    const char *const units =
        "date,a,b\n,MWh,C\n2020-01-01,1,2\n2020-01-02,3,4\nSource: me\nTotal,4,\n";
    expect_refused(units, CSV(.date = 0), FGT_E_FORMAT,
                   "line 5: wrong number of cells (got 1, need 3); if the table ends before this line and "
                   "line 2 has the units "
                   "of the columns, the options `units` and `max_rows` 2 read the rows between them");
    expect_refused(units, CSV(.units = 1), FGT_E_FORMAT,
                   "line 5: wrong number of cells (got 1, need 3); if the table ends before this line, the "
                   "option `max_rows` 2");
    expect_table(units, CSV(.units = 1, .max_rows = 2), "a b: 1 2; 3 4");
    expect_refused("d,a\n2020-01-01,1\nx\n2020-01-02,2\n", CSV(.date = 0), FGT_E_FORMAT,
                   "line 3: wrong number of cells (got 1, need 2)");
    assert_null(strstr(context.error.text, "max_rows")); /* rows follow */
    /* the newest row is no footer, whatever is wrong with its label */
    static const char *const days[] = {"2020-13-04", "2O20-01-04", "2020-01-O4", "2020-0104",  "2020-01.04",
                                       "2020-01-32", "2020-1-4-",  "Jam 4 2020", "2020-01-0x", "4 Januar 20"};
    for (size_t i = 0; i < sizeof days / sizeof *days; i++) {
        char text[160];
        snprintf(text, sizeof text, "d,a\n2020-01-01,1\n2020-01-02,2\n2020-01-03,3\n%s,4\n", days[i]);
        expect_refused(text, CSV(.date = 0), FGT_E_DATA, "column \"d\": line 5: \"");
        expect_sentence(days[i]);
        expect_sentence("; the label may be mistyped: 2020-01-04 would fit there");
        assert_null(strstr(context.error.text, "max_rows"));
        snprintf(text, sizeof text, "d,a\n2020-01-01,1\n2020-01-02,2\n2020-01-03,3\n%s,4x\n", days[i]);
        expect_refused(text, CSV(.date = 0), FGT_E_DATA, "line 5: column \"a\": \"4x\" is not a number");
        assert_null(strstr(context.error.text, "max_rows"));
    }
    expect_refused("d,a\n1.1.2020,1\n2.1.2020,2\n3.1.2020,3\n4,1.2020,4\n5.1.2020,5\n", CSV(.date = 0),
                   FGT_E_FORMAT, "line 5: wrong number of cells (got 3, need 2)");
    expect_refused("d,a\n1.1.2020,1\n2.1.2020,2\n3.1.2020,3\n4.1.202o,4\n5.1.2020,5\n", CSV(.date = 0),
                   FGT_E_DATA, "line 5: \"4.1.202o\" is not a time stamp; the label may be mistyped: 4.1.20");
    expect_refused(TABLE "Total 2020,,\n", CSV(.date = 0), FGT_E_DATA,
                   "line 4: column \"a\": no value; the option `missing` can mask or fill it; if the table "
                   "ends before this line, the option `max_rows` 2");
}

static void test_no_memory(void **state)
{
    (void)state;
    static const struct {
        const char *text, *column;
        fgt_status  status;
    } cases[] = {
        {"d;y;p\n2020-01-01;959;1,5\n2020-01-02;1.096;2\n", "y", FGT_E_DATA},
        {"d,a\n2020-01-01,1\nd,a\n2020-01-03,3\nSource: x\n", "a", FGT_E_FORMAT},
        {"2020-01-01,1\n2020-01-03,3\n", "1", FGT_E_DATA},
    };
    fgt_table *t;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *path = put_text("t.csv", cases[i].text);
        for (int64_t k = 1;; k++) {
            hook.countdown = k;
            const fgt_status s =
                fgt_table_load(&context, path, &CSV(.columns = &cases[i].column, .column_count = 1), &t);
            const bool failed = hook.countdown == 0;
            hook.countdown    = 0;
            expect_status(s, failed ? FGT_E_NOMEM : cases[i].status);
            assert_int_equal(hook.live, 0);
            if (!failed) break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_thousands, expect_no_leak),
        cmocka_unit_test_teardown(test_ended_rows, expect_no_leak),
        cmocka_unit_test_teardown(test_fractions, expect_no_leak),
        cmocka_unit_test_teardown(test_empty, expect_no_leak),
        cmocka_unit_test_teardown(test_header, expect_no_leak),
        cmocka_unit_test_teardown(test_units, expect_no_leak),
        cmocka_unit_test_teardown(test_joined, expect_no_leak),
        cmocka_unit_test_teardown(test_delimiter, expect_no_leak),
        cmocka_unit_test_teardown(test_other_header, expect_no_leak),
        cmocka_unit_test_teardown(test_titles, expect_no_leak),
        cmocka_unit_test_teardown(test_across, expect_no_leak),
        cmocka_unit_test_teardown(test_footer, expect_no_leak),
        cmocka_unit_test_teardown(test_no_memory, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
