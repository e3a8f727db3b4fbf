/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of texts in CSV files: left out, or read as categories. */
#include "data/category.h"
#include "small_files.h"

static void expect_names(const fgt_table *t, const char *const *names)
{
    int64_t n = 0;
    for (; names[n]; n++) assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_COLUMN, n), names[n]);
    assert_int_equal(fgt_table_count_columns(t), n);
}

static void test_ignored(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", NULL};
    fgt_table               *t       = load_text("shop,date,a,note,b,until\nN,2020-01-01,1,,2,2020-02-01\n"
                                                                     "N,2020-01-02,3,late,4,2020-02-02\n",
                                                 NULL);
    expect_names(t, names);
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_LABELS, 0), "date");
    assert_int_equal(info_of(t).ignored, 3);
    assert_int_equal(info_of(t).missing, 0);
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_IGNORED, 0), "shop");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_IGNORED, 1), "note");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_IGNORED, 2), "until");
    assert_null(fgt_table_get_name(t, FGT_TABLE_NAME_IGNORED, 3));
    assert_null(fgt_table_get_name(t, FGT_TABLE_NAME_IGNORED, -1));
    assert_null(fgt_table_get_name(NULL, FGT_TABLE_NAME_IGNORED, 0));
    const double want[] = {1, 2, 3, 4};
    assert_memory_equal(fgt_table_get_values(t).data, want, sizeof want);
    fgt_table_destroy(&t);

    t = load_text("a,c,b\n1,,2\n3,,4\n", NULL); /* a column without values */
    expect_names(t, names);
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_IGNORED, 0), "c");
    fgt_table_destroy(&t);
}

static void test_categories(void **state)
{
    (void)state;
    static const char *const both[] = {"sky", "a"}, *const two[] = {"sky=sun", "sky=fog"};
    static const char *const names[] = {"a", "sky=rain", "sky=sun", NULL};
    static const char *const few[]   = {"a", "sky=sun", "sky=fog", NULL};
    const char              *text    = "sky,date,a\nsun,2020-01-01,1\nrain,2020-01-02,2\n,2020-01-03,3\n";
    fgt_csv_opts opts = CSV(.categories = both, .category_count = 2, .missing = FGT_TABLE_MISSING_MASK);
    fgt_table               *t    = load_text(text, &opts);
    const double             want[3][3] = {{1, 0, 1}, {2, 1, 0}, {3, NAN, NAN}};
    expect_names(t, names);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            assert_true(value_at(t, r, c) == want[r][c] || (isnan(want[r][c]) && isnan(value_at(t, r, c))));
    assert_int_equal(info_of(t).ignored, 0);
    assert_int_equal(info_of(t).unseen, 0);
    fgt_table_destroy(&t);

    opts.categories = two; /* those of a model: rain is not among them */
    t               = load_text(text, &opts);
    expect_names(t, few);
    assert_true(value_at(t, 0, 1) == 1 && value_at(t, 0, 2) == 0);
    assert_true(value_at(t, 1, 1) == 0 && value_at(t, 1, 2) == 0);
    assert_int_equal(info_of(t).unseen, 1);
    fgt_table_destroy(&t);

    opts.missing = FGT_TABLE_MISSING_FORWARD_FILL;
    t            = load_text(text, &opts);
    assert_true(value_at(t, 2, 1) == 0);
    fgt_table_destroy(&t);
}

static void test_with_columns(void **state)
{
    (void)state;
    static const char *const columns[] = {"b"}, *const categories[] = {"sky"}, *const code[] = {"store=12"};
    static const char *const names[]  = {"b", "sky=fog", "sky=sun", NULL};
    static const char *const stores[] = {"b", "store=12", NULL};
    const char              *text     = "a,sky,b,store\n1,sun,2,12\n3,fog,4,7\n";
    fgt_csv_opts             opts     = CSV(.columns = columns, .column_count = 1);
    opts.categories                   = categories;
    opts.category_count               = 1;
    fgt_table *t                      = load_text(text, &opts);
    expect_names(t, names);
    assert_int_equal(info_of(t).ignored, 0);
    fgt_table_destroy(&t);

    opts.categories = code;
    t               = load_text(text, &opts);
    expect_names(t, stores);
    assert_true(value_at(t, 0, 1) == 1 && value_at(t, 1, 1) == 0);
    fgt_table_destroy(&t);
}

/* Without names columns have the numbers that the table gives them, also in the options. */
static void test_numbers(void **state)
{
    (void)state;
    static const char *const two[] = {"2", "0"}, *const one[] = {"1"}, *const none[] = {"3"};
    const char *const        text  = "2020-01-01,1,x,100\n2020-01-02,2,y,200\n";
    fgt_csv_opts             opts  = CSV(.no_header = 1);
    fgt_table               *t     = load_text(text, &opts);
    assert_string_equal(table_of(t), "0 2: 1 100; 2 200");
    assert_string_equal(fgt_table_get_name(t, FGT_TABLE_NAME_IGNORED, 0), "1");
    fgt_table_destroy(&t);
    opts.columns        = two;
    opts.column_count   = 2;
    opts.categories     = one;
    opts.category_count = 1;
    opts.time           = "0"; /* that of the file */
    t                   = load_text(text, &opts);
    assert_string_equal(table_of(t), "2 0 1=x 1=y: 100 1 1 0; 200 2 0 1");
    fgt_table_destroy(&t);
    t = load_text("date,a,,b\n2020-01-01,1,2,3\n", &CSV(.columns = one, .column_count = 1));
    assert_string_equal(table_of(t), "1: 2");
    fgt_table_destroy(&t);
    t = load_text("a,2020-01-01,5,7,8\n",
                  &CSV(.no_header = 1, .id = "0", .value = "2", .columns = two, .column_count = 1));
    assert_string_equal(table_of(t), "a 2: 5 8");
    fgt_table_destroy(&t);
    expect_status(fgt_table_load(&context, put_text("t.csv", text),
                                 &CSV(.no_header = 1, .columns = none, .column_count = 1), &t),
                  FGT_E_NAME);
}

/* Texts that could have been numbers. */
static void test_like_numbers(void **state)
{
    (void)state;
    static const char *const c[] = {"c"};
    fgt_csv_opts             opts = CSV(.categories = c, .category_count = 1);
    fgt_table               *t = load_text("v,c\n1,10%\n2,5%\n3,none\n", &opts);
    assert_string_equal(table_of(t), "v c=10% c=5% c=none: 1 1 0 0; 2 0 1 0; 3 0 0 1");
    fgt_table_destroy(&t);
    t = load_text("v,c\n1,1.2.3\n2,1.2\n", &opts);
    assert_string_equal(table_of(t), "v c=1.2 c=1.2.3: 1 0 1; 2 1 0");
    fgt_table_destroy(&t);
    expect_status(fgt_table_load(&context, put_text("t.csv", "v;c\n1;4,5\n2;5,5\n"), &opts, &t), FGT_E_DATA);
    expect_sentence("\"4,5\" is not a number; if its comma is a decimal point, "
                    "the option `decimal_comma` says so");
}

static void test_many_rows(void **state)
{
    (void)state;
    static const char *const sky[]      = {"sky"};
    char                     text[8000] = "a,sky\n";
    for (int i = 0; i < 500; i++) snprintf(strchr(text, 0), 16, "%d,v%02d\n", i, i % FGTI_CATEGORY_MAX);
    fgt_table *t = load_text(text, &CSV(.categories = sky, .category_count = 1));
    assert_int_equal(fgt_table_count_columns(t), 1 + FGTI_CATEGORY_MAX);
    for (int64_t r = 0; r < 500; r++)
        for (int64_t c = 0; c < FGTI_CATEGORY_MAX; c++)
            assert_true(value_at(t, r, 1 + c) == (r % FGTI_CATEGORY_MAX == c));
    fgt_table_destroy(&t);
    strcat(text, "1,one more\n");
    expect_status(
        fgt_table_load(&context, put_text("t.csv", text), &CSV(.categories = sky, .category_count = 1), &t),
        FGT_E_DATA);
    expect_sentence("column \"sky\" has more than 64 values (\"one more\" in line 502): it is no category");
}

/* The columns of a category are one for who reads a sentence. */
static void test_names(void **state)
{
    (void)state;
    static const char *const sky[] = {"sky"}, *const parts[] = {"sky=dry", "sky=wet"};
    fgt_table *t = load_text("a,sky,b=1\n1,wet,5\n2,dry,6\n", &CSV(.categories = sky, .category_count = 1));
    int64_t    column;
    expect_status(fgt_table_get_column(t, "c", &column), FGT_E_NAME);
    assert_string_equal(context.error.text, "there is no column \"c\"; the columns are a, b=1, sky");
    fgt_table_destroy(&t);
    expect_status(fgt_table_load(&context, put_text("t.csv", "a,b\n1,2\n"),
                                 &CSV(.categories = parts, .category_count = 2), &t),
                  FGT_E_NAME);
    expect_sentence("t.csv: there is no column \"sky\"; the columns are a, b");
}

static void test_bad(void **state)
{
    (void)state;
    static const char *const sky[] = {"sky"}, *const none[] = {"wind"}, *const null[] = {NULL};
    static const char *const date[] = {"date"}, *const twin[] = {"sky=x", "sky=sun"};
    static const char *const b[]  = {"b"};
    const char              *text = "date,sky,a\n2020-01-01,sun,1\n2020-01-02,,2\n";
    const struct {
        const char  *text;
        fgt_csv_opts opts;
        fgt_status   status;
        const char  *sentence;
    } bad[] = {
        {text, CSV(.categories = sky, .category_count = 1), FGT_E_DATA,
         "t.csv: line 3: column \"sky\": no value"},
        {"sky,a\n,1\nsun,2\n", CSV(.categories = sky, .category_count = 1), FGT_E_DATA,
         "t.csv: line 2: column \"sky\": no value"},
        {"b,a\n,1\n2,2\n", CSV(.missing = 0), FGT_E_DATA, "t.csv: line 2: column \"b\": no value"},
        {"b,a\n,1\n,2\n", CSV(.columns = b, .column_count = 1), FGT_E_DATA,
         "t.csv: line 2: column \"b\": no value"},
        {"sky,a\n,1\n,2\n", CSV(.categories = sky, .category_count = 1), FGT_E_DATA,
         "t.csv: line 2: column \"sky\": no value"},
        {"sky\nx\n\ny\n", CSV(.categories = sky, .category_count = 1), FGT_E_DATA, "line 3: column \"sky\""},
        {text, CSV(.columns = sky, .column_count = 1), FGT_E_DATA, "column \"sky\": \"sun\" is not a number"},
        {text, CSV(.categories = none, .category_count = 1), FGT_E_NAME, "there is no column \"wind\""},
        {text, CSV(.categories = null, .category_count = 1), FGT_E_ARG, "name 0 of categories is NULL"},
        {text, CSV(.categories = date, .category_count = 1, .time = "date"), FGT_E_ARG, "has the times"},
        {text, CSV(.categories = sky), FGT_E_ARG, "categories and category_count do not go together"},
        {"sky,sky=x\nx,1\n", CSV(.categories = sky, .category_count = 1), FGT_E_FORMAT,
         "two columns are named \"sky=x\""},
        {"x,b,a\n,m,1\n,2,2\n,3,3\n", CSV(.missing = FGT_TABLE_MISSING_MASK), FGT_E_DATA,
         "t.csv: line 2: column \"b\" begins with a text, \"m\", but has 2 numbers"},
        {"d,a,b\nx,\"1,5\",1\n", CSV(.missing = 0), FGT_E_DATA, "\"1,5\" is not a number"},
        {"d,a,b\nx,5 %,1\n", CSV(.missing = 0), FGT_E_DATA, "\"5 %\" is not a number"},
        {"b,c\nx,y\nx,y\n", CSV(.missing = 0), FGT_E_DATA, "there is no column of numbers"},
        {"b\n1\n", CSV(.categories = twin, .category_count = 2), FGT_E_NAME,
         "no column \"sky\"; the columns are b"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        fgt_table *t;
        expect_status(fgt_table_load(&context, put_text("t.csv", bad[i].text), &bad[i].opts, &t),
                      bad[i].status);
        expect_sentence(bad[i].sentence);
        assert_null(t);
        assert_int_equal(hook.live, 0);
    }
}

/* Of several files each may have other values. */
static fgt_status load_two(fgt_table **t)
{
    static const char *const sky[] = {"sky"};
    static char              a[1024], b[1024];
    snprintf(a, sizeof a, "%s", in_directory("1.csv"));
    snprintf(b, sizeof b, "%s", in_directory("2.csv"));
    const char *const paths[] = {a, b};
    return fgt_table_load_files(
        &context, paths, 2, &CSV(.categories = sky, .category_count = 1, .missing = FGT_TABLE_MISSING_MASK),
        t);
}

static void test_files(void **state)
{
    fgt_context *const ctx = &context;
    (void)state;
    static const char *const names[]    = {"a", "sky=rain", "sky=sun", "sky=fog", NULL};
    static const double      want[4][4] = {{1, 0, 1, 0}, {2, 1, 0, 0}, {3, 0, 0, 1}, {4, NAN, NAN, NAN}};
    fgt_table               *t;
    fgt_status               s;
    put_text("1.csv", "date,a,sky\n2020-01-01,1,sun\n2020-01-02,2,rain\n");
    put_text("2.csv", "date,a,sky\n2020-01-03,3,fog\n2020-01-04,4,\n");
    expect_ok(load_two(&t));
    expect_names(t, names);
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            assert_true(isnan(want[r][c]) ? isnan(value_at(t, r, c)) : value_at(t, r, c) == want[r][c]);
    fgt_table_destroy(&t);
    put_text("2.csv", "date,a,sky\n2020-01-03,3,\n"); /* without any value */
    expect_ok(load_two(&t));
    assert_string_equal(table_of(t), "a sky=rain sky=sun: 1 0 1; 2 1 0; 3 nan nan");
    fgt_table_destroy(&t);
    put_text("1.csv", "unique_id,ds,y,sky\na,2020-01-01,1,\n");
    put_text("2.csv", "unique_id,ds,y,sky\na,2020-01-02,2,sun\na,2020-01-03,3,fog\n");
    expect_ok(load_two(&t));
    assert_string_equal(table_of(t), "a sky=fog sky=sun: 1 nan nan; 2 0 1; 3 1 0");
    fgt_table_destroy(&t);
    SWEEP(&hook, s, 40, (context.error.text[0] = 0, load_two(&t)))
    {
        expect_sentence("no memory for");
        assert_int_equal(hook.live, 0);
    }
    fgt_table_destroy(&t);
}

static fgt_status load_categories(void)
{
    static const char *const names[] = {"sky", "wind=n"};
    fgt_table               *t;
    const fgt_status         s =
        fgt_table_load(&context, in_directory("s.csv"), &CSV(.categories = names, .category_count = 2), &t);
    assert_true(!t == (s != FGT_OK));
    fgt_table_destroy(&t);
    return s;
}

static void test_no_memory(void **state)
{
    fgt_context *const ctx = &context;
    fgt_status         s;
    (void)state;
    put_text("s.csv", "date,a,sky,wind,note\n2020-01-01,1,sun,n,x\n2020-01-02,2,fog,s,y\n");
    SWEEP(&hook, s, 25, (context.error.text[0] = 0, load_categories()))
    {
        expect_sentence("no memory for");
        assert_int_equal(hook.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_ignored, expect_no_leak),
        cmocka_unit_test_teardown(test_categories, expect_no_leak),
        cmocka_unit_test_teardown(test_with_columns, expect_no_leak),
        cmocka_unit_test_teardown(test_numbers, expect_no_leak),
        cmocka_unit_test_teardown(test_like_numbers, expect_no_leak),
        cmocka_unit_test_teardown(test_many_rows, expect_no_leak),
        cmocka_unit_test_teardown(test_names, expect_no_leak),
        cmocka_unit_test_teardown(test_bad, expect_no_leak),
        cmocka_unit_test_teardown(test_files, expect_no_leak),
        cmocka_unit_test_teardown(test_no_memory, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
