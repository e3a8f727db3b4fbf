/* SPDX-License-Identifier: BSD-3-Clause */
/* How files of texts are written: headers, columns, delimiters, quotes, texts without classes. */
#include "../data/fixture.h"

#include <fighter/text.h>

#define OPTS(...) FGT_OPTS(fgt_corpus_opts, __VA_ARGS__)

static const char *const title_body[] = {"title", "body"}, *const second[] = {"1"}, *const nothing[] = {"no"};

typedef struct wanted {
    const char     *file;
    fgt_corpus_opts opts;
    const char     *rows; /* "class:text|class:text" */
} wanted;

/* The rows of a corpus, as in `wanted`. */
static const char *write_rows(const fgt_corpus *c)
{
    static char rows[1000];
    rows[0] = 0;
    for (int64_t i = 0; i < fgt_corpus_count_rows(c); i++) {
        const char *name = fgt_corpus_get_class_name(c, fgt_corpus_get_class(c, i));
        snprintf(strchr(rows, 0), 200, "%s%s:%s", i ? "|" : "", name ? name : "", fgt_corpus_get_text(c, i));
    }
    return rows;
}

static void expect(const wanted *want, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fgt_corpus *c;
        expect_ok(fgt_corpus_load(&context, put_text("c.csv", want[i].file), &want[i].opts, &c));
        assert_string_equal(write_rows(c), want[i].rows);
        fgt_corpus_destroy(&c);
    }
}

static void test_headers(void **state)
{
    (void)state;
    const wanted want[] = {
        {"label,text\nbad,so so\ngood,fine\n", OPTS(.max_rows = 0), "bad:so so|good:fine"},
        {"text,label\nso so,bad\nfine,good\n", OPTS(.max_rows = 0), "bad:so so|good:fine"},
        {"Class Index,Title,Description\n3,A,b\n", OPTS(.max_rows = 0), "3:A b"},
        {"kind,words\n1,so so\n2,fine\n", OPTS(.max_rows = 0), "1:so so|2:fine"}, /* names above numbers */
        {"words,kind\nso so,1\nfine,2\n", OPTS(.max_rows = 0), "1:so so|2:fine"},
        {"kind,words\nbad,so so\n", OPTS(.header = FGT_HEADER_YES), "bad:so so"},
        {"kind,words\nbad,so so\n", OPTS(.max_rows = 0), "kind:words|bad:so so"},
        {"label,text\nbad,so so\n", OPTS(.header = FGT_HEADER_NO), "label:text|bad:so so"},
        {"kind,words\nbad,so so\n", OPTS(.class_column = "kind"), "bad:so so"},
        {"1,so so\nragged\n", OPTS(.max_rows = 1), "1:so so"}, /* the rest is ignored */
        {"so so,bad\nfine,good\n", OPTS(.class_column = "1"), "bad:so so|good:fine"},
        {"1,2\n1,so so\n", OPTS(.header = FGT_HEADER_YES, .class_column = "1"), "1:so so"},
    };
    expect(want, COUNT(want));
}

static void test_columns(void **state)
{
    (void)state;
    const char  *file   = "id,body,label,title\n7,the body,sport,The title\n8,\"two\nlines\",arts,t\n";
    const wanted want[] = {
        {file, OPTS(.text_columns = title_body, .text_count = 2),
         "sport:The title the body|arts:t two\nlines"},
        {file, OPTS(.text_columns = second, .text_count = 1), "sport:the body|arts:two\nlines"},
        {file, OPTS(.max_rows = 1), "sport:7 the body The title"},
        {file, OPTS(.class_column = "id", .text_columns = second, .text_count = 1),
         "7:the body|8:two\nlines"},
        {"so so,0\nfine,1\n", OPTS(.max_rows = 0), "0:so so|1:fine"}, /* the last alone is a number */
        {"10,2\n9,1\n", OPTS(.max_rows = 0), "10:2|9:1"},
        {"so so,0\nfine,1\n", OPTS(.class_kind = FGT_CLASS_NAME), "so so:0|fine:1"},
    };
    expect(want, COUNT(want));
}

static void test_delimiters(void **state)
{
    (void)state;
    const wanted want[] = {
        {"1\tyes, well, no\n2\tno\n", OPTS(.max_rows = 0), "1:yes, well, no|2:no"},
        {"1;yes, well\n2;no\n", OPTS(.max_rows = 0), "1:yes, well|2:no"},
        {"a|b|1\nc|d|2\n", OPTS(.max_rows = 0), "1:a b|2:c d"},
        {"1,a; b\n2,c; d\n", OPTS(.max_rows = 0), "1:a; b|2:c; d"},
        {"1,\"a, b\"\n2,c\n", OPTS(.max_rows = 0), "1:a, b|2:c"},
        {"1,\"a \"\"b, c\"\" d\"\n2,\"e\"\"\nf\"\n", OPTS(.max_rows = 0), "1:a \"b, c\" d|2:e\"\nf"},
        /* as many commas as semicolons, but they follow the quotes */
        {"\"a\";\"b, c\"\n\"d\";\"e, f\"\n", OPTS(.max_rows = 0), "a:b, c|d:e, f"},
        {"\"a\" ; 1\n\"b, c\"; 2\n", OPTS(.max_rows = 0), "1:a|2:b, c"},
        {"1,a;b\n", OPTS(.delimiter = ';', .class_column = "1"), "b:1,a"},
        {"1\t\"Fine\" he said\n2\t\"x\n", OPTS(.no_quotes = 1), "1:\"Fine\" he said|2:\"x"},
        {"__label__a b, c\n", OPTS(.max_rows = 0), "a:b, c"},
        {"__label__a b, c\n", OPTS(.form = FGT_CORPUS_CSV), "__label__a b:c"},
    };
    expect(want, COUNT(want));
}

static void test_no_classes(void **state)
{
    (void)state;
    const wanted want[] = {
        {"so, so\n\n fine\n", OPTS(.no_classes = 1), ":so, so|:|:fine"},
        {"\"It is\", he said\nso\n", OPTS(.no_classes = 1), ":\"It is\", he said|:so"},
        {"__label__a b\nc\n", OPTS(.no_classes = 1), ":b|:c"},
        {"text\n\"so, so\"\nfine\n", OPTS(.no_classes = 1), ":so, so|:fine"},
        {"label,text\nbad,so so\n", OPTS(.no_classes = 1), ":so so"},
        {"title,body\na,b\nc,\n", OPTS(.no_classes = 1), ":a b|:c "},
        {"id,body,title\n1,b,a\n", OPTS(.no_classes = 1, .text_columns = title_body, .text_count = 2),
         ":a b"},
        {"x,body,title\n1,b,a\n", OPTS(.no_classes = 1, .class_column = "x", .header = 1), ":b a"},
        {"body,title\nb,a\n", OPTS(.no_classes = 1, .class_column = "x"), ":b a"},
        {"a\tb\n", OPTS(.no_classes = 1), ":a b"},
        {"\"a\",\"b\"\n", OPTS(.no_classes = 1), ":a b"},
        {"\"a \"\" b\"\n", OPTS(.no_classes = 1), ":a \" b"},
        {"\"title\",\"x\"\n\"He said \"\"yes, sir\"\" to\",\"b\"\n", OPTS(.no_classes = 1),
         ":He said \"yes, sir\" to b"},
        /* a column of classes that is asked for */
        {"rating,words\n3,so so\n4,fine\n", OPTS(.no_classes = 1, .class_column = "rating"), ":so so|:fine"},
        {"x, rating\n\"a, b\",1\nfine, so, so\n",
         OPTS(.no_classes = 1, .class_column = "rating", .max_rows = 1), ":a, b"},
        {"3,so so\n4,fine\n", OPTS(.no_classes = 1, .class_column = "0"), ":so so|:fine"},
        {"rating,words\n3,so so\n", OPTS(.no_classes = 1, .class_column = "0"), ":so so"},
        {"so, so\nfine\n", OPTS(.no_classes = 1, .class_column = "rating"), ":so, so|:fine"}, /* not there */
        {"so, so, so\nfine\n2, so\n", OPTS(.no_classes = 1, .class_column = "0"),
         ":so, so, so|:fine|:2, so"},
        {"1\n", OPTS(.no_classes = 1, .class_column = "1"), ":1"},
        {"so\n", OPTS(.no_classes = 1, .class_column = "0"), ":so"},
        {"so, so\n", OPTS(.no_classes = 1, .class_column = "2"), ":so, so"},
        {"\"so, so\"\n\"fine\"\n", OPTS(.no_classes = 1, .class_column = "0"), ":so, so|:fine"},
        {"text\nso, so\n", OPTS(.no_classes = 1, .class_column = "0", .max_rows = 1, .delimiter = ';'),
         ":so, so"},
    };
    expect(want, COUNT(want));

    static const char *const texts[] = {"so", ""}, *const classes[] = {"a", "b"};
    fgt_corpus *c, *d;
    expect_ok(fgt_corpus_create(&context, &OPTS(.no_classes = 1), 2, NULL, texts, &c));
    assert_string_equal(write_rows(c), ":so|:");
    assert_int_equal(fgt_corpus_get_class(c, 0), -1);
    assert_int_equal(fgt_corpus_count_classes(c), 0);
    expect_ok(fgt_corpus_create_subset(c, 2, (const int64_t[]){1, 0}, &d));
    assert_string_equal(write_rows(d), ":|:so");
    fgt_corpus_destroy(&d);
    fgt_corpus_destroy(&c);
    expect_status(fgt_corpus_create(&context, &OPTS(.no_classes = 1), 2, classes, texts, &c), FGT_E_ARG);
    expect_status(fgt_corpus_create(&context, NULL, 2, NULL, texts, &c), FGT_E_ARG);
    expect_sentence("classes must be NULL with no_classes, and only then");
}

static void test_refused(void **state)
{
    (void)state;
    const struct {
        const char     *text;
        fgt_corpus_opts opts;
        fgt_status      status;
        const char     *sentence;
    } bad[] = {
        {"a,b\nx,y\n", OPTS(.class_column = "c"), FGT_E_NAME,
         "c.csv: line 1: there is no column \"c\"; the columns are a, b"},
        {"a,b\nx,y\n", OPTS(.text_columns = nothing, .text_count = 1), FGT_E_NAME, "no column \"no\""},
        {"a,b\nx\n", OPTS(.class_column = "c"), FGT_E_NAME, "line 1: there is no column \"c\""},
        {"a,b\nx,y\n", OPTS(.class_column = "2"), FGT_E_NAME, "2 cells, but column \"2\" is asked for"},
        {"label,text\na,so\nb,\n", OPTS(.max_rows = 0), FGT_E_DATA, "c.csv: line 3: the text is empty"},
        {"label,text\n", OPTS(.max_rows = 0), FGT_E_DATA, "the file has no rows"},
        {"label\n1\n", OPTS(.max_rows = 0), FGT_E_FORMAT, "line 1: 1 cell, expected a class and a text"},
        {"label\n1\n", OPTS(.no_classes = 1), FGT_E_FORMAT,
         "line 1: 1 cell, which is the class, and no text"},
        {"1,a\nx,b\n", OPTS(.max_rows = 0), FGT_E_DATA,
         "line 2: class \"x\" is not a whole number from 0 to 2^31-2, as the first one is"},
        {"1\t\"Fine\" he said\n", OPTS(.max_rows = 0), FGT_E_FORMAT, "text follows a closing quote"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        fgt_corpus *c;
        expect_status(fgt_corpus_load(&context, put_text("c.csv", bad[i].text), &bad[i].opts, &c),
                      bad[i].status);
        expect_sentence(bad[i].sentence);
        assert_null(c);
    }
}

static fgt_status load_names(void)
{
    fgt_corpus      *c;
    const fgt_status s = fgt_corpus_load(&context, in_directory("n.csv"),
                                         &OPTS(.text_columns = title_body, .text_count = 2), &c);
    assert_true(!c == (s != FGT_OK));
    fgt_corpus_destroy(&c);
    return s;
}

static void test_no_memory(void **state)
{
    fgt_context *const ctx = &context;
    fgt_status         s;
    (void)state;
    put_text("n.csv", "id,body,label,title\n7,the body,sport,The title\n8,b,arts,t\n");
    SWEEP(&hook, s, 10, (context.error.text[0] = 0, load_names()))
    {
        expect_sentence("no memory for");
        assert_int_equal(hook.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_headers, expect_no_leak),
        cmocka_unit_test_teardown(test_columns, expect_no_leak),
        cmocka_unit_test_teardown(test_delimiters, expect_no_leak),
        cmocka_unit_test_teardown(test_no_classes, expect_no_leak),
        cmocka_unit_test_teardown(test_refused, expect_no_leak),
        cmocka_unit_test_teardown(test_no_memory, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
