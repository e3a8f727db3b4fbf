/* SPDX-License-Identifier: BSD-3-Clause */
/* Which columns of a file are its times, also several together, and what is said of labels that are none. */
#include "data/time/step.h"
#include "small_files.h"

/* The time after the last row, as the file writes it; false: it cannot. */
static bool next_of(const fgt_table *t, char text[64])
{
    const fgt_view       times = fgt_table_get_times(t);
    const fgt_table_info info  = info_of(t);
    const int64_t       *time  = times.data;
    return fgt_table_format_time(t, fgti_time_add(time[times.shape[0] - 1], &info.step, 1), text, 64) ==
           FGT_OK;
}

static void test_columns(void **state)
{
    (void)state;
    static const struct {
        const char *text, *date, *names, *next; /* date NULL: no labels; next NULL: no times */
        int32_t     unread;
    } cases[] = {
        {"Year,Month,y\n2012,10,1\n2012,11,2\n2012,12,3\n", "Year-Month", "y", "2013-01", 0},
        {"y,month,year\n1,Nov,2012\n2,Dec,2012\n", "year-month", "y", "2013-Jan", 0},
        {"year,month,day,hour,y\n2012,1,1,22,1\n2012,1,1,23,2\n", "year-month-day hour", "y", "2012-1-2 00",
         0},
        {"Jahr;Monat;y\n2012;10;1\n2012;11;2\n2012;12;3\n", "Jahr-Monat", "y", "2013-01", 0},
        {"Jahr;Monat;y\n2012;M\xc3\xa4rz;1\n2012;April;2\n", "Jahr-Monat", "y", "2012-Mai", 0},
        {"a\xc3\xb1o,mes,y\n2012,nov,1\n2012,dic,2\n", "a\xc3\xb1o-mes", "y", "2013-ene", 0},
        {"mois,ann\xc3\xa9"
         "e,y\n1,2012,1\n2,2012,2\n",
         "ann\xc3\xa9"
         "e-mois",
         "y", "2012-3", 0},
        {"anno,mese,y\n2012,gennaio,1\n2012,febbraio,2\n", "anno-mese", "y", "2012-marzo", 0},
        {"Jahr,KW,y\n2020,51,1\n2020,52,2\n", "Jahr-KW", "y", "2020-W53", 0},
        {"Monat;y\nJan. 2012;1\nFeb. 2012;2\nM\xc3\xa4rz 2012;3\n", "Monat", "y", "Apr. 2012", 0},
        {"mes,y\nmar/2012,1\nabr/2012,2\n", "mes", "y", "may/2012", 0},
        {"x,y\nSet 12,1\nSet 13,2\n", "x", "y", NULL, 1},
        {"Date,Time,y\n2012-01-01,22:00,1\n2012-01-01,23:00,2\n", "Date Time", "y", "2012-01-02 00:00", 0},
        {"Date;Hour;y\n31.01.2012;22;1\n31.01.2012;23;2\n", "Date Hour", "y", "01.02.2012 00", 0},
        {"Date,at,y\n20120131,10:00 PM,1\n20120131,11:00 PM,2\n", "Date at", "y", "20120201 12:00 AM", 0},
        {"Date,Time,y\n2012-01-01,0:12,1\n2012-01-02,0:11,2\n", "Date", "y", "2012-01-03", 0},
        {"Date,Time,y\n12/02/2012,22:00,1\n12/02/2012,23:00,2\n13/02/2012,00:00,2\n", "Date Time", "y",
         "13/02/2012 01:00", 0},
        {"item_id,year,month,y\nA,2012,11,1\nA,2012,12,2\nB,2012,11,3\nB,2012,12,4\n", "year-month", "A B",
         "2013-01", 0},
        {"item_id,Date,Time,y\nA,2012-01-01,22:00,1\nB,2012-01-01,22:00,2\nA,2012-01-01,23:00,3\n",
         "Date Time", "A B", "2012-01-02 00:00", 0},
        {"item_id,year,y\nA,2012,1\nA,2013,2\nB,2012,3\n", "year", "A B", "2014", 0},
        {"Year,Quarter,y\n2012,3,1\n2012,4,2\n", "Year-Quarter", "y", "2013-Q1", 0},
        {"ano,trimestre,y\n2012,T3,1\n2012,T4,2\n", "ano-trimestre", "y", "2013-T1", 0},
        {"Jahr,Quartal,y\n2012,3. Quartal,1\n2012,4. Quartal,2\n", "Jahr-Quartal", "y",
         "2013-1. Quartal", 0},
        {"Jahr,KW,y\n2020,KW 51,1\n2020,KW 52,2\n", "Jahr-KW", "y", "2020-KW 53", 0},
        {"week,year,y\n51,2020,1\n52,2020,2\n53,2020,3\n", "year-week", "y", "2021-W01", 0},
        {"year,quarter,y\n2012,Q3,1\n2012,Q4,2\n", "year-quarter", "y", "2013-Q1", 0},
        {"y,timestamp\n1,1467331200\n2,1467334800\n", "timestamp", "y", "1467338400", 0},
        {"id,date,y\n1,20160701,1\n2,20160702,2\n", "date", "y", "20160703", 0},
        {"y,time\n1,0\n2,1\n", NULL, "y time", NULL, 0},
        {"year,y\n2010,1\n2011,2\n2012,3\n", "year", "y", "2013", 0},
        {"name,year,y\nx,2010,1\nx,2011,2\n", "year", "y", "2012", 0},
        {"year,y\n2010,1\n2010,2\n2010,3\n", NULL, "year y", NULL, 0},
        {"year,season,y\n2010,w,1\n2010,s,2\n2011,w,3\n2011,s,4\n2012,w,3\n2012,s,4\n", NULL, "year y",
         NULL, 0},
        {"year,doy,y\n2010,1,1\n2010,2,2\n2011,1,3\n2011,2,4\n2012,1,3\n2012,2,4\n", NULL, "year doy y", NULL,
         0},
        {"period,y\n201211,1\n201212,2\n", "period", "y", "201301", 0},
        {"a,b\n201211,1\n201212,2\n201301,2\n", "a", "b", "201302", 0},
        {"a,b\n201211,1\n201212,2\n201399,2\n201400,2\n201401,1\n", NULL, "a b", NULL, 0},
        {"a,b\n201211,1\n201305,2\n201212,2\n201302,2\n201301,4\n", NULL, "a b", NULL, 0},
        {"b,a\n1,201211\n2,201212\n", NULL, "b a", NULL, 0},
        {"Monat;y\n11.2012;1\n12.2012;2\n", "Monat", "y", "01.2013", 0},
        {"y;Monat\n1.5;8.2012\n2.5;9.2012\n", "Monat", "y", "10.2012", 0},
        {"y;x\n5;11.2012\n6;12.2012\n7;01.2013\n", "x", "y", "02.2013", 0},
        {"x,z\n10.2012,1\n11.2012,2\n12.2012,2\n", "x", "z", "01.2013", 0},
        {"y,x\n5,10.2012\n6,11.2012\n7,10.1999\n8,11.5\n9,1.2\n", NULL, "y x", NULL, 0},
        {"y,x\n5,10.2012\n6,10.2011\n7,10.2013\n8,09.2100\n9,10.2014\n", NULL, "y x", NULL, 0},
        {"date,y\n1.2500,1\n2.2500,2\n", "date", "y", NULL, 1},
        {"item_id,Monat,y\nA,11.2012,1\nA,12.2012,2\nB,11.2012,3\nB,12.2012,4\n", "Monat", "A B",
         "01.2013", 0},
        {"time,y\n20240130000000,1\n20240131000000,2\n", "time", "y", "20240201000000", 0},
        {"date,y\n44928,1\n44929,2\n", "date", "y", "44930", 0},
        {"t,y\n44928,1\n44929,2\n", NULL, "t y", NULL, 0},
        {"time,y\n0,1\n1,2\n", "time", "y", NULL, 0},
        {"time,y\n0,1\n10,2\n", "time", "y", NULL, 1},
        {"name,y\nx,1\nz,2\n", "name", "y", NULL, 1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fgt_table     *t        = load_text(cases[i].text, NULL);
        const char    *date     = fgt_table_get_name(t, FGT_TABLE_NAME_LABELS, 0);
        fgt_table_info info     = info_of(t);
        char           next[64] = "none", names[64] = "";
        for (int64_t c = 0; c < fgt_table_count_columns(t); c++)
            strcat(strcat(names, c ? " " : ""), fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, c));
        if (!date != !cases[i].date || (date && strcmp(date, cases[i].date)))
            fail_msg("%s: labels are in %s", cases[i].text, date ? date : "none");
        if (strcmp(names, cases[i].names)) fail_msg("%s: %s", cases[i].text, names);
        if (fgt_table_get_times(t).data && !next_of(t, next)) strcpy(next, "nothing");
        if (strcmp(next, cases[i].next ? cases[i].next : "none"))
            fail_msg("%s: next is %s", cases[i].text, next);
        if (info.unread != cases[i].unread) fail_msg("%s: unread is %d", cases[i].text, (int)info.unread);
        for (int64_t k = 0; k < info.ignored; k++)
            assert_string_not_equal(fgt_table_get_name(t, FGT_TABLE_NAME_IGNORED, k), "Month");
        fgt_table_destroy(&t);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"date,y\n2023-01-O2,1\n2023-01-03,2\n2023-01-04,3\n",
         "\"date\": line 2: \"2023-01-O2\" is not a time"},
        {"date,y\n,1\n2023-01-03,2\n2023-01-04,3\n", "\"date\": line 2: \"\" is not a time"},
        {"when,y\nDec 2021,1\nNov 2021,2\nOct 2021,3\n", "the newest row comes first"},
        {"Year,Month,y\n2012,10,1\n2012,13,2\n2012,12,3\n2013,1,4\n2013,2,5\n",
         "line 3: \"2012-13\" is no day"},
        {"Date,Time,y\n2012-01-01,1:00,1\n2012-01-01,2:00,2\n2012-01-01,x,3\n",
         "line 4: \"2012-01-01 x\" is not"},
        {"year,y\n2010,1\n2012,2\n2011,3\n2013,4\n2014,5\n2015,5\n2016,5\n",
         "line 4 (2011) is earlier than line 3 (2012), which comes before it"},
        {"id,when,y\n1,n/a,1\n2,2023-01-02,1\n3,2023-01-03,2\n", "line 2: column \"when\" has times, but"},
        {"id,when,y\n1,soon,1\n2,2023-01-02,1\n3,2023-01-03,2\n",
         "column \"when\" has times, but \"soon\" is"},
        {"date,y\n02/01/23,1\n03/01/23,2\n", "has a year of two digits"},
    };
    fgt_table *t;
    for (size_t i = 0; i < COUNT(cases); i++) {
        expect_status(fgt_table_load(&context, put_text("t.csv", cases[i].text), NULL, &t), FGT_E_DATA);
        expect_sentence(cases[i].part);
    }
}

/* A time with an offset is written with one. */
static void test_offsets(void **state)
{
    (void)state;
    static const struct {
        const char *text, *next;
    } cases[] = {
        {"t,y\n2024-01-01T22:00+01:00,1\n2024-01-01T23:00+01:00,2\n", "2024-01-02T00:00+01:00"},
        {"t,y\n2024-01-01 22:00 UTC+2,1\n2024-01-01 23:00 UTC+2,2\n", "2024-01-02 00:00 UTC+2"},
        {"t,y\n2024-01-01 22:00 CET,1\n2024-01-01 23:00 CET,2\n", "2024-01-02 00:00 CET"},
        {"t,y\n2024-01-01 22:00Z,1\n2024-01-01 23:00Z,2\n", "2024-01-02 00:00Z"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fgt_table *t        = load_text(cases[i].text, NULL);
        char       next[64] = "";
        assert_true(next_of(t, next));
        assert_string_equal(next, cases[i].next);
        fgt_table_destroy(&t);
    }
}

/* Columns and forms that the caller names are read as the caller says. */
static void test_options(void **state)
{
    (void)state;
    static const char *const columns[] = {"Month"};
    const char *const        months    = "Year,Month,y\n2012,10,1\n2012,11,2\n";
    fgt_table               *t         = load_text(months, &CSV(.columns = columns, .column_count = 1));
    assert_string_equal(table_of(t), "Month: 10; 11");
    fgt_table_destroy(&t);
    t = load_text(months, &CSV(.date = FGT_TABLE_DATE_NONE));
    assert_string_equal(table_of(t), "Year Month y: 2012 10 1; 2012 11 2");
    fgt_table_destroy(&t);
    t = load_text("x,year,y\n3,2012,1\n4,2013,2\n", &CSV(.time = "year"));
    assert_string_equal(table_of(t), "x y: 3 1; 4 2");
    assert_int_equal(info_of(t).step.months, 12);
    fgt_table_destroy(&t);
    t = load_text("date,y\n02/01/23,1\n03/01/23,2\n", &CSV(.time_form = FGT_TIME_FORM_DMY));
    char text[64];
    assert_true(next_of(t, text));
    assert_string_equal(text, "04/01/23");
    expect_status(fgt_table_format_time(t, INT64_MAX, text, 64), FGT_E_DATA);
    expect_status(fgt_table_format_time(t, 0, text, 8), FGT_E_ARG);
    expect_sentence("time: text is too small (got 8 bytes, need 9)");
    expect_status(fgt_table_format_time(t, 0, NULL, 64), FGT_E_ARG);
    assert_int_equal(fgt_table_format_time(NULL, 0, text, 64), FGT_E_ARG);
    assert_string_equal(text, "04/01/23");
    fgt_table_destroy(&t);
}

/* Each allocation fails once. */
static void test_no_memory(void **state)
{
    (void)state;
    fgt_context *const       ctx     = &context;
    static const char *const texts[] = {"Year,Month,y\n2012,10,1\n2012,11,2\n",
                                        "Date,Time,y\n2012-01-01,0:12,1\n2012-01-02,0:11,2\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        const char *path = put_text("t.csv", texts[i]);
        fgt_table  *t    = NULL;
        fgt_status  s;
        SWEEP(&hook, s, 12, (context.error.text[0] = 0, fgt_table_load(ctx, path, NULL, &t))) assert_null(t);
        fgt_table_destroy(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_columns, expect_no_leak),
        cmocka_unit_test_teardown(test_refusals, expect_no_leak),
        cmocka_unit_test_teardown(test_offsets, expect_no_leak),
        cmocka_unit_test_teardown(test_options, expect_no_leak),
        cmocka_unit_test_teardown(test_no_memory, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
