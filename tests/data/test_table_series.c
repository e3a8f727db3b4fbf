/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of several series that do not say so: the sentence names the columns with which they are read. */
#undef _FORTIFY_SOURCE /* it refuses formats that name only some of the arguments */
#include <fighter/experimental/table_file.h>

#include "data/table.h"
#include "small_files.h"

enum { TIMES = 12, SERIES = 6 };

/* In a row 1 is the time, 2 the series, 3 the value, 4 a letter of the series; 5 and 6 name it together. */
typedef struct panel {
    const char *head, *row;
    const char *form; /* id, time, value; "": it cannot be said so */
} panel;

typedef enum order { BY_SERIES, BY_TIME, MIXED, ORDERS } order;

static const char *write_panel(const panel *p, order how, bool equal)
{
    static char text[1 << 16];
    int         at = sprintf(text, "%s\n", p->head);
    for (int i = 0; i < TIMES * SERIES; i++) {
        const int k = how == MIXED ? i * 29 % (TIMES * SERIES) : i;
        const int t = how == BY_TIME ? k / SERIES : k % TIMES, s = how == BY_TIME ? k % SERIES : k / TIMES;
        at += sprintf(text + at, p->row, t + 1, s + 1, equal ? 5 : 100 * s + t * t, 'a' + s, s / 2,
                      'x' + s % 2);
        text[at++] = '\n';
    }
    text[at] = 0;
    return put_text("p.csv", text);
}

static const panel panels[] = {
    {"country,year,value", "%4$c,20%1$02d,%3$d", "country,year,value"},
    {"year,country,gdp", "20%1$02d,%4$c,%3$d.5", "country,year,gdp"},
    {"Jahr;Land;Wert", "20%1$02d;%4$c;%3$d", "Land,Jahr,Wert"},
    {"yyyymm,shop,n", "2016%1$02d,%2$d,%3$d", "shop,yyyymm,n"},
    {"year,shop,n", "20%1$02d,%2$d,%3$d", "shop,year,n"},
    {"shop,year,month,n", "%4$c,2016,%1$d,%3$d", "shop,auto,n"},
    {"shop,date,n", "%2$d,2016-07-%1$02d,%3$d", "shop,date,n"},
    {"date,n,shop", "%1$02d.07.2016,%3$d,%2$d", "shop,date,n"},
    {"n,date,shop", "%3$d,2016-07-%1$02d,%4$c", "shop,date,n"},
    {"shop,date,note,n", "%4$c,2016-07-%1$02d,%1$d/%2$d/%3$d,%3$d", "shop,date,n"},
    {"shop,item,date,n", "%5$d,%6$c,2016-07-%1$02d,%3$d", "shop+item,date,n"},
    {"shop,date,n,item", "%5$d,2016-07-%1$02d,%3$d,%6$c", "shop+item,date,n"},
    {"item_id,ds,n,item", "%5$d,2016-07-%1$02d,%3$d,%6$c", "item_id+item,ds,n"},
    {"Shop Name,date,\"n, all\"", "%4$c,2016-07-%1$02d,%3$d", "'Shop Name,date,\"n, all\"'"},
    {"a's,date,n", "%4$c,2016-07-%1$02d,%3$d", ""},
    {"Wert;Land;Jahr", "1%3$03d;%4$c;20%1$02d", "Land,Jahr,Wert"},
    {"date,shop,day,floor,n,m", "2016-07-%1$02d,%4$c,%1$d,%5$d,%3$d,%3$d", "shop,date,n"},
};
enum { SEEN = 2 /* at the end: equal values would not show which they are */ };

/* In any order, whatever the values are and whatever may be repaired: the first sentence names the option. */
static void test_forms(void **state)
{
    (void)state;
    static const int32_t repairs[] = {FGT_TABLE_REPAIR_NONE, FGT_TABLE_REPAIR_ORDER, FGT_TABLE_REPAIR_ALL};
    char                 said[200];
    fgt_table           *t;
    for (size_t i = 0; i < COUNT(panels); i++)
        for (int k = 0; k < ORDERS * 6; k++) {
            const panel *p = &panels[i];
            if (k % 2 && i >= COUNT(panels) - SEEN) continue;
            const fgt_csv_opts opts = CSV(.repair = repairs[k / 2 % 3]);
            const char        *path = write_panel(p, (order)(k / 6), k % 2);
            snprintf(said, sizeof said, "the option `form` %s (id, time, value)", p->form);
            expect_status(fgt_table_load(&context, path, &opts, &t), FGT_E_DATA);
            expect_sentence(*p->form ? said : "column \"a's\" tells them apart: it looks like long form");
        }
}

/* The option that is named reads the file: as many series as it has, each with its values. */
static void test_named(void **state)
{
    (void)state;
    static const struct {
        int         panel;
        const char *id, *time, *value, *first;
    } cases[] = {
        {0, "country", "year", "value", "a"},   {2, "Land", "Jahr", "Wert", "a"},
        {3, "shop", "yyyymm", "n", "1"},        {5, "shop", NULL, "n", "a"},
        {10, "shop+item", "date", "n", "0+x"},  {10, "item+shop", "date", "n", "x+0"},
        {12, "item_id+item", "ds", "n", "0+x"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int how = 0; how < 2; how++) {
            const fgt_csv_opts opts = CSV(.id = cases[i].id, .time = cases[i].time, .value = cases[i].value);
            fgt_table         *t;
            const char        *path = write_panel(&panels[cases[i].panel], (order)how, false);
            expect_ok(fgt_table_load(&context, path, &opts, &t));
            assert_int_equal(fgt_table_count_rows(t), TIMES);
            assert_int_equal(info_of(t).series, SERIES);
            assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 0), cases[i].first);
            assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_ID, 0), cases[i].id);
            for (int s = 0; s < SERIES; s++) assert_true(value_at(t, 3, s) == 100 * s + 9);
            fgt_table_destroy(&t);
        }
}

/* Two columns that are too few, and one that is named again. */
static void test_keys(void **state)
{
    (void)state;
    static const panel shops = {"shop,item,date,n", "%5$d,%6$c,2016-07-%1$02d,%3$d", NULL};
    static const struct {
        const char *id, *said;
        fgt_status  status;
    } cases[] = {
        {"shop",
         "36 of 72 rows have the same series and time as another row, such as line 2 (2016-07-01) and line "
         "14 "
         "(2016-07-01): the option `form` shop+item,date,n (id, time, value) names the series by these "
         "columns",
         FGT_E_DATA},
        {"item", "48 of 72 rows have the same series and time as another row", FGT_E_DATA},
        {"item", "the option `form` shop+item,date,n (id, time, value)", FGT_E_DATA},
        {"shop+store", "there is no column \"store\"", FGT_E_NAME},
        {"shop+", "there is no column \"\"", FGT_E_NAME},
        {"shop+item+shop", "a column names the series twice", FGT_E_ARG},
        {"shop+item+shop+item+shop", "a column names the series twice", FGT_E_ARG},
        {"shop+date", "one column cannot have two of series, times and values", FGT_E_ARG},
        {"shop+n", "one column cannot have two of series, times and values", FGT_E_ARG},
    };
    fgt_table *t;
    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        const fgt_csv_opts opts =
            CSV(.id = cases[i / 2].id, .time = "date", .value = "n", .repair = FGT_TABLE_REPAIR_ALL);
        expect_status(fgt_table_load(&context, write_panel(&shops, BY_SERIES, i % 2), &opts, &t),
                      cases[i / 2].status);
        expect_sentence(cases[i / 2].said);
    }
    const fgt_csv_opts two = CSV(.id = "a+b", .time = "t", .value = "n");
    expect_status(
        fgt_table_load(&context, put_text("t.csv", "a,b,t,n\nu,v,2016-07-01,1\nu,,2016-07-01,2\n"), &two, &t),
        FGT_E_DATA);
    expect_sentence("line 3: column \"b\": the row has no series: the cell is empty");
    expect_status(fgt_table_load(&context, put_text("t.csv", "a,b,t,n\nu+,v,2016-07-01,1\n"), &two, &t),
                  FGT_E_DATA);
    expect_sentence(
        "line 2: column \"a\": \"u+\" has a +, which stands between the names of a series: the option "
        "`id` can name this column last");
    t = load_text("a,b,t,n\nu,+v,2016-07-01,1\nu,v,2016-07-01,2\n", &two);
    assert_string_equal(table_of(t), "u++v u+v: 1 2");
    fgt_table_destroy(&t);
    t = load_text("a+b,b,t,n\nu,3,2016-07-01,1\nw,4,2016-07-01,2\n", &two); /* a column of this very name */
    assert_string_equal(table_of(t), "u w b[u] b[w]: 1 2 3 4");
    fgt_table_destroy(&t);
}

/* Files whose series a caller knows better, and files with texts, or a few repeats, that have one series. */
static void test_others(void **state)
{
    (void)state;
    static const panel single[] = {
        {"date,weather,n", "2016-%2$02d-%1$02d,sunny,%3$d", NULL},
        {"n,weather,m", "%3$d,%4$c,%1$d", NULL},
        {"n,m", "%3$d,%1$d", NULL},
    };
    fgt_table *t;
    for (size_t i = 0; i < COUNT(single); i++) {
        const fgt_csv_opts opts = CSV(.repair = FGT_TABLE_REPAIR_ALL);
        expect_ok(fgt_table_load(&context, write_panel(&single[i], BY_SERIES, false), &opts, &t));
        fgt_table_destroy(&t);
    }
    const fgt_csv_opts wide = CSV(.form = FGT_TABLE_FORM_WIDE, .repair = FGT_TABLE_REPAIR_ALL),
                       none = CSV(.date = FGT_TABLE_DATE_NONE);
    expect_ok(fgt_table_load(&context, write_panel(&panels[0], BY_SERIES, true), &wide, &t));
    assert_int_equal(info_of(t).repeats, TIMES * (SERIES - 1));
    fgt_table_destroy(&t);
    expect_ok(fgt_table_load(&context, write_panel(&panels[1], BY_TIME, false), &wide, &t));
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, 0), "year");
    fgt_table_destroy(&t);
    expect_ok(fgt_table_load(&context, write_panel(&panels[0], BY_SERIES, false), &none, &t));
    fgt_table_destroy(&t);
    /* a column of texts that gave way to years is said to be left out */
    t = load_text("name,year,y\nx,2010,1\nx,2011,2\n", NULL);
    assert_int_equal(info_of(t).ignored, 1);
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_IGNORED, 0), "name");
    fgt_table_destroy(&t);
}

/* The first rows of a file do not show all series, so it is to be read as a whole. */
static void test_converted(void **state)
{
    (void)state;
    for (int how = 0; how < ORDERS; how++) {
        const char *path = write_panel(&panels[0], (order)how, how == BY_TIME);
        expect_status(fgt_table_convert(&context, &path, 1, NULL, in_directory("p.fgt"), NULL),
                      FGT_E_UNSUPPORTED);
        expect_sentence("it looks like long form: the option `form` country,year,value");
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    for (int i = 0; i <= 10; i++)
        for (int64_t k = 1;; k++) {
            fgt_table         *t;
            const fgt_csv_opts opts = CSV(.id = i == 10 ? "shop+item" : NULL);
            const char        *path = write_panel(&panels[i], BY_TIME, false);
            hook.countdown          = k;
            const fgt_status s      = fgt_table_load(&context, path, &opts, &t);
            const bool       failed = hook.countdown == 0;
            hook.countdown          = 0;
            expect_status(s, failed ? FGT_E_NOMEM : i == 10 ? FGT_OK : FGT_E_DATA);
            fgt_table_destroy(&t);
            if (!failed) break;
            assert_int_equal(hook.live, 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_forms, expect_no_leak),
        cmocka_unit_test_teardown(test_named, expect_no_leak),
        cmocka_unit_test_teardown(test_keys, expect_no_leak),
        cmocka_unit_test_teardown(test_others, expect_no_leak),
        cmocka_unit_test_teardown(test_converted, expect_no_leak),
        cmocka_unit_test_teardown(test_no_memory, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
