/* SPDX-License-Identifier: BSD-3-Clause */
/* Files in long form: which columns are what, series of different length on one axis, covariates, what is
 * refused and repaired. */
#include "data/table.h"
#include "small_files.h"

/* Two series: b begins a day later and ends a day earlier. */
#define TWO                                                                                             \
    "unique_id,ds,y\na,2016-07-01,1\na,2016-07-02,2\na,2016-07-03,3\na,2016-07-04,4\nb,2016-07-02,20\n" \
    "b,2016-07-03,30\n"

static void expect_table(const char *text, const fgt_csv_opts *opts, const char *expected)
{
    fgt_table *t = load_text(text, opts);
    assert_string_equal(table_of(t), expected);
    fgt_table_destroy(&t);
}

static void expect_refused(const char *text, const fgt_csv_opts *opts, fgt_status status,
                           const char *sentence)
{
    fgt_table *t = NULL;
    expect_status(fgt_table_load(&context, put_text("t.csv", text), opts, &t), status);
    expect_sentence(sentence);
    assert_null(t);
}

static void test_two_series(void **state)
{
    (void)state;
    fgt_table           *t    = load_text(TWO, NULL);
    const fgt_table_info info = info_of(t);
    assert_string_equal(table_of(t), "a b: 1 nan; 2 20; 3 30; 4 nan");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_ID, 0), "unique_id");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_LABELS, 0), "ds");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_VALUE, 0), "y");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_ROW, 3), "2016-07-04");
    assert_int_equal(info.step.milliseconds, 86400000);
    assert_int_equal(info.series, 2);
    assert_int_equal(info.missing, 0);
    assert_int_equal(info.outside, 2);
    fgt_table *u;
    expect_ok(fgt_table_create_subset(t, (const int64_t[]){1}, 1, &u));
    assert_string_equal(fgt_table_get_name(u, FGT_TABLE_NAME_ID, 0), "unique_id");
    assert_int_equal(info_of(u).outside, 2);
    assert_int_equal(info_of(u).series, 1);
    fgt_table_destroy(&u);
    fgt_table_destroy(&t);
    t = load_text("ds,y\n2016-07-01,1\n2016-07-02,2\n", NULL);
    assert_null(fgt_table_get_name(t, FGT_TABLE_NAME_ID, 0));
    assert_null(fgt_table_get_name(t, FGT_TABLE_NAME_VALUE, 0));
    assert_int_equal(info_of(t).series, 0);
    fgt_table_destroy(&t);
    assert_null(fgt_table_get_name(NULL, FGT_TABLE_NAME_ID, 0));
    assert_null(fgt_table_get_name(NULL, FGT_TABLE_NAME_VALUE, 0));
}

static void test_which_columns(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"item_id,timestamp,target\n7,2016-07-01,1\n8,2016-07-01,2\n", "7 8: 1 2"},
        {"Y,DS,Unique_ID\n1,2016-07-01,7\n2,2016-07-01,8\n", "7 8: 1 2"},
        {"id,date,value\na,2016-07-01,1\nb,2016-07-01,2\n", "a b: 1 2"},
        {"unique_id,when,y\na,1.7.2016,1\na,13.7.2016,2\n", "a: 1; 2"},
        {"unique_id;ds;y\na;2016-07-01;1\nb;2016-07-01;2\n", "a b: 1 2"},
        /* an id that numbers the rows; a value that is a second series */
        {"id,date,value\n0,2016-07-01,1\n1,2016-07-02,2\n", "id value: 0 1; 1 2"},
        {"ds,y,z\n2016-07-01,1,3\n2016-07-02,2,4\n", "y z: 1 3; 2 4"},
        {"unique_id,y\n1,2\n3,4\n", "unique_id y: 1 2; 3 4"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) expect_table(cases[i].text, NULL, cases[i].expected);
    expect_table("shop,week,sales\n1,2016-07-01,3\n2,2016-07-01,4\n",
                 &CSV(.id = "shop", .time = "week", .value = "sales"), "1 2: 3 4");
    expect_table("id,date,value\n0,2016-07-01,1\n1,2016-07-01,2\n", &CSV(.form = FGT_TABLE_FORM_LONG),
                 "0 1: 1 2");
    expect_table("a\t2016-07-01\t5\nb\t2016-07-01\t6\n", &CSV(.no_header = 1, .id = "0", .value = "2"),
                 "a b: 5 6");
    expect_table("unique_id,ds,y\n0,2016-07-01,1\n1,2016-07-02,2\n", &CSV(.form = FGT_TABLE_FORM_WIDE),
                 "unique_id y: 0 1; 1 2");
    expect_refused("a,b\n1,2\n", &CSV(.form = FGT_TABLE_FORM_LONG), FGT_E_NAME,
                   "no column is called unique_id");
    expect_refused("unique_id,b\n1,2\n", &CSV(.form = FGT_TABLE_FORM_LONG), FGT_E_NAME,
                   "no column has the times");
    expect_refused(TWO, &CSV(.id = "shop"), FGT_E_NAME, "there is no column \"shop\"");
    expect_refused(TWO, &CSV(.value = "sales"), FGT_E_NAME, "there is no column \"sales\"");
    expect_refused(TWO, &CSV(.id = "y"), FGT_E_ARG, "one column cannot have two");
    expect_refused(TWO, &CSV(.id = "unique_id", .form = FGT_TABLE_FORM_WIDE), FGT_E_ARG,
                   "are for files in long");
    expect_refused(TWO, &CSV(.form = FGT_TABLE_FORM_LONG, .date = FGT_TABLE_DATE_NONE), FGT_E_ARG,
                   "needs times");
    expect_refused(TWO, &CSV(.form = 3), FGT_E_ARG, "form is out of range (got 3");
    expect_refused("unique_id,ds,y\na,1,2\n", NULL, FGT_E_DATA, "\"1\" is not a time stamp");
}

/* Rows may come in any order, and by series or by time. */
static void test_order(void **state)
{
    (void)state;
    expect_table("unique_id,ds,y\nb,2016-07-03,30\na,2016-07-04,4\na,2016-07-01,1\nb,2016-07-02,20\n"
                 "a,2016-07-03,3\na,2016-07-02,2\n",
                 NULL, "b a: nan 1; 20 2; 30 3; nan 4");
    /* nobody has a row of the second day, and no series has it between its own */
    expect_table("unique_id,ds,y\na,2016-07-01,1\nb,2016-07-03,3\nb,2016-07-04,4\n", NULL,
                 "a b: 1 nan; nan nan; nan 3; nan 4");
}

static void test_covariates(void **state)
{
    (void)state;
    static const char text[]  = "unique_id,ds,y,price,promo\na,2016-07-01,1,5,0\na,2016-07-02,2,6,1\n"
                                "b,2016-07-01,3,7,0\nb,2016-07-02,4,8,1\n";
    const char *const price[] = {"price"}, *const y[] = {"y"};
    expect_table(text, NULL, "a b price[a] price[b] promo: 1 3 5 7 0; 2 4 6 8 1");
    expect_table(text, &CSV(.columns = price, .column_count = 1), "a b price[a] price[b]: 1 3 5 7; 2 4 6 8");
    /* equal values stay those of each series where a part is named, and the covariate itself is not */
    const char *const parts[] = {"price[b]", "promo[x]", "promo"};
    const char *const equal   = "unique_id,ds,y,price,promo\na,2016-07-01,1,5,0\na,2016-07-02,2,6,1\n"
                                "b,2016-07-01,3,5,0\nb,2016-07-02,4,,1\n";
    expect_table(equal, &CSV(.missing = FGT_TABLE_MISSING_MASK), "a b price promo: 1 3 5 0; 2 4 6 1");
    expect_table(equal, &CSV(.apart = parts, .apart_count = 3, .missing = FGT_TABLE_MISSING_MASK),
                 "a b price[a] price[b] promo: 1 3 5 5 0; 2 4 6 nan 1");
    expect_table("unique_id,ds,price\na,2016-07-01,5\n", &CSV(.apart = parts, .apart_count = 3),
                 "price[a]: 5");
    expect_refused(text, &CSV(.apart = parts), FGT_E_ARG, "apart and apart_count do not go together");
    expect_refused(text, &CSV(.columns = y, .column_count = 1), FGT_E_ARG,
                   "has the series or their values");
    /* rows to come: values that are not known yet, or a file without them */
    expect_table("unique_id,ds,y,promo\na,2016-07-01,1,0\na,2016-07-02,,1\n", NULL, "a promo: 1 0; nan 1");
    fgt_table *t = load_text("unique_id,ds,promo\na,2016-07-01,0\nb,2016-07-01,0\n", NULL);
    assert_string_equal(table_of(t), "promo: 0");
    assert_int_equal(info_of(t).series, 0);
    assert_null(fgt_table_get_name(t, FGT_TABLE_NAME_VALUE, 0));
    fgt_table_destroy(&t);
    expect_refused("unique_id,ds,y,a\na,2016-07-01,1,0\n", NULL, FGT_E_FORMAT,
                   "two columns would be named \"a\"");
    expect_refused("unique_id,ds,y\na,2016-07-01,1\n,2016-07-01,2\n", NULL, FGT_E_DATA,
                   "t.csv: line 3: column \"unique_id\": the row has no series: the cell is empty");
    expect_refused("unique_id,ds,y,promo\na,2016-07-01,1,0\na,2016-07-02,1,\n", NULL, FGT_E_DATA,
                   "line 3: column \"promo\": no value");
}

static int64_t part_of(const fgt_table *t, const char *name)
{
    int64_t c = -1;
    expect_ok(fgti_table_find_part(&context.error, t, name, &c));
    return c;
}

/* Series and covariates whose names could be parts of one another, and tables of some of them. */
static void test_names_like_parts(void **state)
{
    (void)state;
    static const char text[] = "unique_id,ds,y,p\ntemp,2016-07-01,1,5\ntemp[2],2016-07-01,3,5\n"
                               "temp,2016-07-02,2,6\ntemp[2],2016-07-02,4,6\n";
    fgt_table        *t = load_text(text, NULL), *u;
    int64_t           c;
    assert_string_equal(table_of(t), "temp temp[2] p: 1 3 5; 2 4 6");
    assert_int_equal(part_of(t, "temp[2]"), 1);
    assert_int_equal(part_of(t, "p[temp]"), 2);
    expect_status(fgti_table_find_part(&context.error, t, "temp[3]", &c), FGT_E_NAME);
    expect_ok(fgt_table_create_subset(t, (const int64_t[]){1, 2}, 2, &u));
    assert_int_equal(info_of(u).series, 1);
    assert_int_equal(part_of(u, "p[temp]"), 1);
    fgt_table_destroy(&u);
    expect_ok(fgt_table_create_subset(t, (const int64_t[]){2, 1}, 2, &u)); /* no series first: a wide table */
    assert_int_equal(info_of(u).series, 0);
    assert_null(fgt_table_get_name(u, FGT_TABLE_NAME_ID, 0));
    fgt_table_destroy(&u);
    fgt_table_destroy(&t);
}

/* The names that a table gives its categories read another file in the same way. */
static void test_categories(void **state)
{
    (void)state;
    static const char text[] = "unique_id,ds,y,c\na,2016-07-01,1,x\na,2016-07-02,2,z\na,2016-07-03,3,z\n"
                               "b,2016-07-01,4,z\nb,2016-07-02,5,x\nb,2016-07-03,6,z\n";
    static const char brackets[] = "unique_id,ds,y,c\na,2016-07-01,1,A [new]\na,2016-07-02,2,u\n";
    static const char *const c[] = {"c"}, *const own[] = {"c=x[a]", "c=x[b]", "c=q[r[a]]", "c=[0]"};
    static const char *const whole[] = {"c=A [new]"};
    fgt_csv_opts             opts    = CSV(.categories = c, .category_count = 1);
    fgt_table               *t       = load_text(text, &opts);
    assert_string_equal(table_of(t),
                        "a b c=x[a] c=x[b] c=z[a] c=z[b]: 1 4 1 0 0 1; 2 5 0 1 1 0; 3 6 0 0 1 1");
    assert_int_equal(info_of(t).unseen, 0);
    fgt_table_destroy(&t);
    opts.categories     = own;
    opts.category_count = 4;
    t                   = load_text(text, &opts);
    assert_string_equal(table_of(t), "a b c=[0] c=x[a] c=x[b] c=q[r: 1 4 0 1 0 0; 2 5 0 0 1 0; 3 6 0 0 0 0");
    assert_int_equal(info_of(t).unseen, 4);
    assert_int_equal(part_of(t, "c=q[r[a]]"), 5);
    fgt_table_destroy(&t);
    opts.categories     = whole;
    opts.category_count = 1;
    t                   = load_text(brackets, &opts);
    assert_string_equal(table_of(t), "a c=A [new]: 1 1; 2 0");
    assert_int_equal(info_of(t).unseen, 1);
    fgt_table_destroy(&t);
}

/* A value may have brackets itself: only those around a series of the file are none of it. */
static void test_values_with_brackets(void **state)
{
    (void)state;
    static const char text[] = "unique_id,ds,y,c\ns1,2024-01-01,1,A\ns1,2024-01-02,2,none\n";
    static const char two[] = "unique_id,ds,y,c\ns1,2024-01-01,1,A\ns1,2024-01-02,2,B\n"
                              "x [1],2024-01-01,3,B\nx [1],2024-01-02,4,A\n";
    static const char *const whole[] = {"c=A[new]", "c=none"}, *const both[] = {"c=A", "c=A[new]"};
    static const char *const parts[] = {"c=A[s1]", "c=A[new][s1]", "c=A[s2]"};
    static const char *const alone[] = {"c=q [new]"}, *const odd[] = {"c=B[x [1]]", "c=q[x [1]]"};
    const struct {
        const char        *text;
        const char *const *names;
        int64_t            count;
        const char        *expected;
        int64_t            unseen;
        const char        *name; /* is read from `column` */
        int64_t            column;
    } cases[] = {
        {text, whole, 2, "s1 c=none c=A[new]: 1 0 0; 2 1 0", 1, "c=A[new]", 2},
        {text, both, 2, "s1 c=A c=A[new]: 1 1 0; 2 0 0", 1, "c=A[new]", 2},
        {text, parts, 3, "s1 c=A c=A[new]: 1 1 0; 2 0 0", 1, "c=A[new][s1]", 2},
        {text, parts, 3, "s1 c=A c=A[new]: 1 1 0; 2 0 0", 1, "c=A[s2]", 1},
        {text, alone, 1, "s1 c=q [new]: 1 0; 2 0", 2, "c=q [new]", 1},
        {two, odd, 2, "s1 x [1] c=B[s1] c=B[x [1]] c=q: 1 3 0 1 0; 2 4 1 0 0", 2, "c=q[x [1]]", 4},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fgt_table *t =
            load_text(cases[i].text, &CSV(.categories = cases[i].names, .category_count = cases[i].count));
        assert_string_equal(table_of(t), cases[i].expected);
        assert_int_equal(info_of(t).unseen, cases[i].unseen);
        assert_int_equal(part_of(t, cases[i].name), cases[i].column);
        fgt_table_destroy(&t);
    }
}

/* Names for more series than a column can have values, none of which the file has. */
static void test_other_series(void **state)
{
    (void)state;
    char        text[65][16];
    const char *names[65];
    for (int i = 0; i < 65; i++) {
        snprintf(text[i], sizeof text[i], "c=x[s%d]", i);
        names[i] = text[i];
    }
    const char *const file = "unique_id,ds,y,c\na,2024-01-01,1,x\na,2024-01-02,2,z\n";
    expect_table(file, &CSV(.categories = names, .category_count = 65), "a c=x: 1 1; 2 0");
    expect_table(file, &CSV(.categories = names, .category_count = 2), "a c=x[s0] c=x[s1]: 1 0 0; 2 0 0");
}

/* Among the names of a forecaster's columns are series, some of which look like categories. */
static void test_series_as_categories(void **state)
{
    (void)state;
    static const char text[] = "unique_id,ds,y,c\nshop=1,2016-07-01,1,x\nshop=1,2016-07-02,2,z\n";
    static const char *const names[] = {"shop=1", "c=x"}, *const other[] = {"shop=2"};
    expect_table(text, &CSV(.categories = names, .category_count = 2), "shop=1 c=x: 1 1; 2 0");
    expect_refused(text, &CSV(.categories = other, .category_count = 1), FGT_E_NAME,
                   "no file has a column \"shop=2\"");
    expect_refused("t,a\n2016-07-01,1\n", &CSV(.categories = other, .category_count = 1), FGT_E_NAME,
                   "t.csv: there is no column \"shop=2\"");
}

/* Covariates are filled as values are, and rows that have nothing else may be missing. */
static void test_gaps_of_covariates(void **state)
{
    (void)state;
    static const char own[]     = "unique_id,ds,y,p\na,2016-07-01,1,5\na,2016-07-02,2,\na,2016-07-03,,7\n"
                                  "a,2016-07-04,4,\nb,2016-07-01,1,6\nb,2016-07-02,2,6\n";
    static const char to_come[] = "unique_id,ds,y,p\na,2016-07-01,1,5\na,2016-07-02,,6\na,2016-07-04,,8\n";
    static const char alone[]   = "unique_id,ds,p\na,2016-07-01,5\na,2016-07-02,6\na,2016-07-04,8\n";
    /* nobody has a row of the third day, and no series has it between its own */
    static const char apart[] = "unique_id,ds,p\na,2016-07-01,5\na,2016-07-02,6\nb,2016-07-04,8\n";
    fgt_csv_opts      fill = CSV(.repair = FGT_TABLE_REPAIR_GAPS, .missing = FGT_TABLE_MISSING_FORWARD_FILL);
    expect_table(own, &fill, "a b p[a] p[b]: 1 1 5 6; 2 2 5 6; 2 nan 7 nan; 4 nan 7 nan");
    expect_refused(to_come, NULL, FGT_E_DATA, "\"a\" has no row at 2016-07-03");
    expect_refused(alone, NULL, FGT_E_DATA, "\"a\" has no row at 2016-07-03");
    expect_table(to_come, &fill, "a p: 1 5; nan 6; nan 6; nan 8");
    fgt_table *t = load_text(alone, &CSV(.repair = FGT_TABLE_REPAIR_GAPS));
    assert_string_equal(table_of(t), "p: 5; 6; nan; 8");
    assert_int_equal(info_of(t).gaps, 1);
    fgt_table_destroy(&t);
    expect_table(apart, NULL, "p: 5; 6; nan; 8");
}

static void test_repairs(void **state)
{
    (void)state;
    static const char twice[] = "unique_id,ds,y\na,2016-07-01,1\nb,2016-07-01,2\na,2016-07-01,3\n";
    static const char gap[]   = "unique_id,ds,y\na,2016-07-01,1\na,2016-07-03,3\nb,2016-07-01,4\n"
                                "b,2016-07-02,5\nb,2016-07-03,6\n";
    static const char empty[] = "unique_id,ds,y\na,2016-07-01,1\na,2016-07-02,\na,2016-07-03,3\n";
    expect_refused(twice, NULL, FGT_E_DATA,
                   "t.csv: line 4 is of \"a\" at 2016-07-01, and so is line 2, with other "
                   "values (3, 1); the option `repair`");
    fgt_table *t = load_text(twice, &CSV(.repair = FGT_TABLE_REPAIR_REPEATS));
    assert_string_equal(table_of(t), "a b: 3 2");
    assert_int_equal(info_of(t).repeats, 1);
    fgt_table_destroy(&t);
    /* the row that goes has no say in what is shared */
    expect_table("unique_id,ds,y,p\na,2016-07-01,1,5\na,2016-07-01,2,6\n",
                 &CSV(.repair = FGT_TABLE_REPAIR_REPEATS), "a p: 2 6");
    expect_refused(gap, NULL, FGT_E_DATA, "\"a\" has no row at 2016-07-02");
    expect_table(gap, &CSV(.missing = FGT_TABLE_MISSING_FORWARD_FILL), "a b: 1 4; 1 5; 3 6");
    expect_table(gap, &CSV(.missing = FGT_TABLE_MISSING_MASK), "a b: 1 4; nan 5; 3 6");
    t = load_text(gap, &CSV(.repair = FGT_TABLE_REPAIR_GAPS));
    assert_string_equal(table_of(t), "a b: 1 4; nan 5; 3 6");
    assert_int_equal(info_of(t).gaps, 1);
    assert_int_equal(info_of(t).missing, 1);
    fgt_table_destroy(&t);
    expect_refused(empty, &CSV(.repair = FGT_TABLE_REPAIR_GAPS), FGT_E_DATA,
                   "\"a\" has no value at 2016-07-02");
    expect_table(empty, &CSV(.missing = FGT_TABLE_MISSING_FORWARD_FILL), "a: 1; 1; 3");
    expect_refused("unique_id,ds,y\na,2016-07-01,1\na,2016-07-02,2\na,2016-07-03,3\na,2016-07-04,3\n"
                   "b,2016-07-02 07:30,4\n",
                   NULL, FGT_E_DATA,
                   "t.csv: 2016-07-02 07:30 is not a whole number of steps of 1 day after 2016-07-02");
    assert_null(strstr(context.error.text, "`date`"));
    expect_refused("unique_id,ds,y\nb,2024-01-02,3\na,2020-01-01,1\na,2020-01-02,2\n", NULL, FGT_E_DATA,
                   "t.csv: 1460 rows would be missing, several times as many as the 3 that are there");
    expect_refused("unique_id,ds,y\na,2020-01-01,1\na,soon,2\n", NULL, FGT_E_DATA,
                   "line 3: \"soon\" is not a time stamp");
    assert_null(strstr(context.error.text, "`date`"));
}

/* A row with a wrong label lies far from the others of its series: it is named, whatever order rows have. */
static void test_wrong_labels(void **state)
{
    (void)state;
    static const struct {
        const char *labels[7]; /* of series b, from line 7 on */
        const char *says;      /* NULL: nothing */
        bool        refused;
    } cases[] = {
        {{"04-01", "04-02", "05-03", "04-04", "04-05", "04-06"},
         "t.csv: the label of line 9 (2023-05-03) of \"b\", far from its other rows, may be wrong: "
         "2023-04-03 would fit there", false},
        {{"04-06", "04-05", "03-24", "04-03", "04-02"}, "line 9 (2023-03-24) of \"b\", far from its other "
         "rows, may be wrong: 2023-04-04 would", false},
        {{"04-01", "04-02", "04-04", "04-05", "04-06", "05-03"}, "line 12 (2023-05-03) of \"b\"", false},
        {{"04-01", "04-03", "04-04", "05-05", "04-06", "04-08"}, "be wrong: 2023-04-05 would fit", false},
        {{"04-01", "04-02", "04-03", "04-04", "04-05", "04-25"}, NULL, false}, /* its last row */
        {{"04-01", "04-02", "04-04", "04-05", "04-06", "04-08"}, NULL, false}, /* two holes */
        {{"04-01", "05-03", "04-03"}, NULL, false},                            /* too few */
        {{"04-01", "04-02", "12-03", "04-04", "04-05", "04-06"},
         "at steps of 1 day; 240 of them between 2023-04-06 00:00:00 and 2023-12-03 00:00:00; the label of "
         "line 9 (2023-12-03) of \"b\", far from its other rows, may be wrong: 2023-04-03 would fit",
         true},
        {{"04-01", "04-02", "04-03", "04-04", "04-05", "12-06"}, "wrong: 2023-04-06 would fit there", true},
        {{"04-01", "04-02", "04-04", "04-06", "04-07", "12-06"}, "line 12 (2023-12-06) of \"b\", far from "
         "its other rows, may be wrong", true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[512] = "unique_id,ds,y\n", *end = text + strlen(text);
        for (int k = 1; k < 6; k++) end += sprintf(end, "a,2023-04-%02d,%d\n", k, k);
        for (int k = 0; cases[i].labels[k]; k++)
            end += sprintf(end, "b,2023-%s,%d\n", cases[i].labels[k], k);
        const fgt_csv_opts opts = CSV(.missing = FGT_TABLE_MISSING_MASK);
        warnings    = 0;
        context.log = keep_warning;
        if (cases[i].refused) {
            expect_refused(text, &opts, FGT_E_DATA, cases[i].says);
        } else {
            fgt_table *t = load_text(text, &opts);
            fgt_table_destroy(&t);
            assert_int_equal(warnings, cases[i].says != NULL);
            if (cases[i].says && !strstr(warned, cases[i].says)) fail_msg("%s: %s", text, warned);
        }
        context.log = NULL;
    }
}

/* Series that hardly overlap are refused before the table is made. */
static void test_too_large(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    char *text = malloc(MANY * 40 + 32);
    assert_non_null(text);
    size_t at = (size_t)sprintf(text, "unique_id,ds,y\n");
    for (int i = 0; i < MANY; i++) at += (size_t)sprintf(text + at, "s%d,%d,1\n", i, 100000000 + 60 * i);
    expect_refused(text, NULL, FGT_E_SIZE, "3000 columns over 3000 rows would be a table of mostly missing");
    free(text);
}

#define ROW(id, time, y) id "," time "," y "\n"
#define TIMES(id, a, b, c, d) ROW(id, a, "1") ROW(id, b, "2") ROW(id, c, "3") ROW(id, d, "4")
#define MONTHS(id, day) TIMES(id, "2020-01-" day, "2020-02-" day, "2020-03-" day, "2020-04-" day)
#define HEAD            "unique_id,ds,y\n"

/* The rows are a step apart that leads to all times; a wrong label, or one in a short series, is no step. */
static void test_own_steps(void **state)
{
    (void)state;
    static const char *const texts[] = {
        HEAD MONTHS("a", "01") MONTHS("b", "15"),
        HEAD MONTHS("a", "01") TIMES("b", "2021-03-03", "2021-03-04", "2021-03-05", "2021-03-06"),
        HEAD MONTHS("a", "01") TIMES("b", "2020-01-06", "2020-01-13", "2020-01-20", "2020-01-27")
            ROW("c", "2020-03-09", "3"),
    };
    static const int rows[] = {106, 431, 92};
    for (size_t i = 0; i < COUNT(texts); i++) {
        fgt_table *t = load_text(texts[i], &CSV(.missing = FGT_TABLE_MISSING_MASK));
        assert_int_equal(info_of(t).rows, rows[i]);
        assert_int_equal(info_of(t).step.milliseconds, 86400000);
        fgt_table_destroy(&t);
    }
    expect_refused(HEAD MONTHS("a", "01") MONTHS("b", "15") ROW("c", "2020-03-01 12:30", "3"),
                   &CSV(.missing = FGT_TABLE_MISSING_MASK), FGT_E_DATA, "the times are uneven");
    expect_refused(HEAD MONTHS("a", "01") TIMES("b", "2020-01-06", "2020-01-13", "2020-01-21", "2020-02-07"),
                   &CSV(.missing = FGT_TABLE_MISSING_MASK), FGT_E_DATA, "the times are uneven");
}

static void sweep(const char *path, const fgt_csv_opts *opts)
{
    fgt_table *t = NULL;
    for (int64_t k = 1;; k++) {
        hook.countdown          = k;
        const fgt_status s      = fgt_table_load(&context, path, opts, &t);
        const bool       failed = hook.countdown == 0;
        hook.countdown          = 0;
        expect_status(s, failed ? FGT_E_NOMEM : FGT_OK);
        if (!failed) break;
        assert_null(t);
        assert_int_equal(hook.live, 0);
    }
    fgt_table_destroy(&t);
}

static void test_no_memory(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "c=x[a]", "c=x[b]", "c=q[b]"};
    const char *path = put_text("t.csv", "unique_id,ds,y,price,c\nb,2016-07-03,30,1,x\na,2016-07-04,4,2,z\n"
                                         "a,2016-07-01,1,3,x\nb,2016-07-02,20,4,x\na,2016-07-03,3,5,x\n");
    const fgt_csv_opts opts = CSV(.repair = FGT_TABLE_REPAIR_ALL, .categories = names, .category_count = 4);
    sweep(path, &opts);
    sweep(put_text("t.csv", HEAD MONTHS("a", "01") MONTHS("b", "15")),
          &CSV(.missing = FGT_TABLE_MISSING_MASK));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_two_series, expect_no_leak),
        cmocka_unit_test_teardown(test_which_columns, expect_no_leak),
        cmocka_unit_test_teardown(test_order, expect_no_leak),
        cmocka_unit_test_teardown(test_covariates, expect_no_leak),
        cmocka_unit_test_teardown(test_names_like_parts, expect_no_leak),
        cmocka_unit_test_teardown(test_categories, expect_no_leak),
        cmocka_unit_test_teardown(test_values_with_brackets, expect_no_leak),
        cmocka_unit_test_teardown(test_other_series, expect_no_leak),
        cmocka_unit_test_teardown(test_series_as_categories, expect_no_leak),
        cmocka_unit_test_teardown(test_gaps_of_covariates, expect_no_leak),
        cmocka_unit_test_teardown(test_repairs, expect_no_leak),
        cmocka_unit_test_teardown(test_wrong_labels, expect_no_leak),
        cmocka_unit_test_teardown(test_too_large, expect_no_leak),
        cmocka_unit_test_teardown(test_own_steps, expect_no_leak),
        cmocka_unit_test_teardown(test_no_memory, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
