/* SPDX-License-Identifier: BSD-3-Clause */
/* Corpora: files and what is said about bad ones, classes, UTF-8, allocation failures. */
#include "../data/small_files.h"

#include <fighter/text.h>

#include "../samples_info.h"
#include "core/strings/words.h"
#include "text/utf8.h"

#ifdef FGTI_HAVE_ZLIB
#include <zlib.h>
#endif

static fgt_corpus *load(const char *text, const fgt_corpus_opts *opts)
{
    fgt_corpus *c;
    expect_ok(fgt_corpus_load(&context, put_text("c.csv", text), opts, &c));
    return c;
}

static void refuse(const char *text, size_t size, const fgt_corpus_opts *opts, fgt_status status,
                   const char *sentence)
{
    fgt_corpus *c    = (fgt_corpus *)&context;
    const char *path = in_directory("c.csv");
    test_write(path, text, size);
    expect_status(fgt_corpus_load(&context, path, opts, &c), status);
    assert_null(c);
    expect_sentence(sentence);
}

static void expect_rows(const fgt_corpus *c, int64_t n, const int64_t *classes, const char *const *texts)
{
    assert_int_equal(corpus_info(c).rows, n);
    for (int64_t i = 0; i < n; i++) {
        assert_int_equal(corpus_class(c, i), classes[i]);
        assert_string_equal(fgt_corpus_get_text(c, i), texts[i]);
    }
    assert_null(fgt_corpus_get_text(c, n));
    assert_null(fgt_corpus_get_text(c, -1));
    expect_status(fgt_corpus_get_info(c, NULL), FGT_E_ARG);
}

/* ---- CSV ---- */

static void test_csv(void **state)
{
    (void)state;
    fgt_corpus *c = load("\xef\xbb\xbf\"3\",\"A \"\"title\"\"\",\"Text, and more\"\n"
                         "\n1, bare , cells \n"
                         "\"10\",\"two\nlines\",\"\"\r\n"
                         "3,,only one\n\n",
                         NULL);
    const int64_t classes[] = {1, 0, 2, 1};
    const char   *texts[]   = {"A \"title\" Text, and more", "bare cells", "two\nlines ", "only one"};
    expect_rows(c, 4, classes, texts);
    assert_int_equal(corpus_info(c).classes, 3);
    assert_string_equal(fgt_corpus_get_class_name(c, 0), "1");
    assert_string_equal(fgt_corpus_get_class_name(c, 1), "3");
    assert_string_equal(fgt_corpus_get_class_name(c, 2), "10");
    assert_null(fgt_corpus_get_class_name(c, 3));
    assert_null(fgt_corpus_get_class_name(c, -1));
    assert_int_equal(corpus_info(c).class_rows[1], 2);
    assert_int_equal(corpus_info(c).replaced, 0);
    fgt_corpus_destroy(&c);
    assert_null(c);
    fgt_corpus_destroy(&c);
    fgt_corpus_destroy(NULL);
    fgt_corpus_info info = {.size = sizeof info};
    assert_int_equal(fgt_corpus_get_info(NULL, &info), FGT_E_ARG);
}

static void test_columns(void **state)
{
    (void)state;
    const char *text = "id;body;label;title\n7;the body;sport;The title\n8;b;arts;t\n9;c;sport;u\n";
    static const char *const columns[] = {"title", "1"};
    fgt_corpus_opts          o =
        FGT_OPTS(fgt_corpus_opts, .delimiter = ';', .header = 1, .class_column = "2",
                 .class_kind = FGT_CLASS_KIND_NAME, .text_columns = columns, .text_column_count = 2);
    fgt_corpus *c     = load(text, &o);
    const int64_t classes[] = {1, 0, 1};
    const char   *texts[]   = {"The title the body", "t b", "u c"};
    expect_rows(c, 3, classes, texts);
    assert_string_equal(fgt_corpus_get_class_name(c, 0), "arts");
    fgt_corpus_destroy(&c);
    o.text_columns = NULL;
    o.text_column_count = 0;
    o.max_rows     = 1;
    c              = load("id;body;label;title\n7;the body;sport;The title\nragged\n", &o);
    assert_string_equal(fgt_corpus_get_text(c, 0), "the body The title");
    assert_int_equal(corpus_info(c).rows, 1);
    fgt_corpus_destroy(&c);
}

/* A backslash is a line break; "\n" is one too, unless a word with n follows: AG News has only those. */
static void test_escapes(void **state)
{
    (void)state;
    const char *text = "1,a\\b\\nuclear power\\nThe end\\n\n2,\\\\ \\n. \\n\\na\n";
    fgt_corpus *c    = load(text, NULL);
    assert_string_equal(fgt_corpus_get_text(c, 0), "a b nuclear power The end ");
    assert_string_equal(fgt_corpus_get_text(c, 1), "    .   na");
    fgt_corpus_destroy(&c);
    c = load(text, &FGT_OPTS(fgt_corpus_opts, .keep_escapes = 1));
    assert_string_equal(fgt_corpus_get_text(c, 0), "a\\b\\nuclear power\\nThe end\\n");
    fgt_corpus_destroy(&c);
}

static void test_damaged_csv(void **state)
{
    (void)state;
    const fgt_corpus_opts four = FGT_OPTS(fgt_corpus_opts, .classes = 4);
    const fgt_corpus_opts zero = FGT_OPTS(fgt_corpus_opts, .classes = 4, .zero_based = 1);
    static const char *const three[] = {"3"};
    const fgt_corpus_opts    text = FGT_OPTS(fgt_corpus_opts, .text_columns = three, .text_column_count = 1);
    const fgt_corpus_opts    name = FGT_OPTS(fgt_corpus_opts, .class_kind = FGT_CLASS_KIND_NAME);
    const fgt_corpus_opts    number = FGT_OPTS(fgt_corpus_opts, .class_kind = FGT_CLASS_KIND_NUMBER);
    const struct {
        const char            *text;
        const fgt_corpus_opts *opts;
        fgt_status             status;
        const char            *sentence;
    } bad[] = {
        {"1,a\nWorld,b\n", &number, FGT_E_DATA, "c.csv: line 2: class \"World\" is not a whole number"},
        {"1,a\n2147483647,b\n", &number, FGT_E_DATA, "line 2: class \"2147483647\" is not a whole number"},
        {"1,a\n99999999999999999999,b\n", &number, FGT_E_DATA, "line 2: class \"99999999999999999999\" is"},
        {"1,a\n-,b\n", &number, FGT_E_DATA, "line 2: class \"-\" is not a whole number"},
        {"1,a\n1.0,b\n", &number, FGT_E_DATA, "line 2: class \"1.0\" is not a whole number"},
        {"1,a\n\"\n\",b\n,c\n", NULL, FGT_E_DATA, "line 2: the class is empty"},
        {"1,a\n ,c\n", &name, FGT_E_DATA, "line 2: the class is empty"},
        {"1,a\n5,b\n", &four, FGT_E_DATA, "line 2: class is out of range (got 5, need 1 .. 4)"},
        {"0,a\n", &four, FGT_E_DATA, "line 1: class is out of range (got 0, need 1 .. 4)"},
        {"0,a\n4,b\n", &zero, FGT_E_DATA, "line 2: class is out of range (got 4, need 0 .. 3)"},
        {"1,a\n\n2,\"\"\n", NULL, FGT_E_DATA, "line 3: the text is empty"},
        {"1,a,b\n2,\\,\" \t\"\n", NULL, FGT_E_DATA, "line 2: the text is empty"},
        {"1,a,b\n2,c\n", NULL, FGT_E_FORMAT, "c.csv: line 2: wrong number of cells (got 2, need 3)"},
        {"1,a\n2,c,d\n", NULL, FGT_E_FORMAT, "line 2: wrong number of cells (got 3, need 2)"},
        {"1,a,b\n", &text, FGT_E_NAME, "line 1: 3 cells, but column \"3\" is asked for"},
        {"1\n", NULL, FGT_E_FORMAT, "line 1: wrong number of cells (got 1, need 2, a class and a text)"},
        {"1,\"a\n", NULL, FGT_E_FORMAT, "line 1: a quote is not closed"},
        {"", NULL, FGT_E_DATA, "c.csv: the file has no rows"},
        {"\n\n", NULL, FGT_E_DATA, "c.csv: the file has no rows"},
    };
    for (size_t i = 0; i < COUNT(bad); i++)
        refuse(bad[i].text, strlen(bad[i].text), bad[i].opts, bad[i].status, bad[i].sentence);
    refuse("1,a\n2,b\0c\n", 10, NULL, FGT_E_FORMAT, "line 2: the line contains a zero byte");
    const fgt_corpus_opts header = FGT_OPTS(fgt_corpus_opts, .header = 1);
    refuse("class,text\n", 11, &header, FGT_E_DATA, "the file has no rows");
    fgt_corpus *c;
    expect_status(fgt_corpus_load(&context, in_directory("none"), NULL, &c), FGT_E_IO);
    assert_null(c);
    expect_sentence("none: no such file");
}

static void test_options(void **state)
{
    (void)state;
    fgt_corpus           *c    = load("1,a\n", NULL), *d;
    static const char *const null[] = {NULL};
    const fgt_corpus_opts    bad[]  = {
            FGT_OPTS(fgt_corpus_opts, .form = 4),
            FGT_OPTS(fgt_corpus_opts, .class_kind = 3),
            FGT_OPTS(fgt_corpus_opts, .no_classes = 2),
            FGT_OPTS(fgt_corpus_opts, .classes = -1),
            FGT_OPTS(fgt_corpus_opts, .classes = 1000001),
            FGT_OPTS(fgt_corpus_opts, .max_rows = -1),
            FGT_OPTS(fgt_corpus_opts, .delimiter = '"'),
            FGT_OPTS(fgt_corpus_opts, .delimiter = '\n'),
            FGT_OPTS(fgt_corpus_opts, .text_column_count = 1),
            FGT_OPTS(fgt_corpus_opts, .text_columns = null),
            FGT_OPTS(fgt_corpus_opts, .header = 3),
            FGT_OPTS(fgt_corpus_opts, .like = c, .classes = 4),
            FGT_OPTS(fgt_corpus_opts, .text_columns = null, .text_column_count = 1),
            FGT_OPTS(fgt_corpus_opts, .class_kind = FGT_CLASS_KIND_NAME, .classes = 4),
            FGT_OPTS(fgt_corpus_opts, .no_quotes = 2),
            FGT_OPTS(fgt_corpus_opts, .skip = -1),
            FGT_OPTS(fgt_corpus_opts, .comment = ""),
            FGT_OPTS(fgt_corpus_opts, .comment = "#\n"),
            FGT_OPTS(fgt_corpus_opts, .no_classes = 1, .classes = 2),
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        expect_status(fgt_corpus_load(&context, in_directory("c.csv"), &bad[i], &d), FGT_E_ARG);
        assert_null(d);
    }
    expect_status(fgt_corpus_load(&context, NULL, NULL, &d), FGT_E_ARG);
    expect_status(fgt_corpus_load(&context, "c.csv", NULL, NULL), FGT_E_ARG);
    assert_int_equal(fgt_corpus_load(NULL, "c.csv", NULL, &d), FGT_E_ARG);
    fgt_corpus_destroy(&c);
}

/* ---- lines ---- */

static void test_lines(void **state)
{
    (void)state;
    const fgt_corpus_opts lines     = FGT_OPTS(fgt_corpus_opts, .form = FGT_CORPUS_FORM_LINES);
    fgt_corpus *c = load("__label__sport \"It is\", he said, \t over\n\n"
                         "  __label__arts\tA, \"b\"\r\n__label__sport __label\n",
                         &lines);
    const int64_t classes[] = {1, 0, 1};
    const char   *texts[]   = {"\"It is\", he said, \t over", "A, \"b\"", "__label"};
    expect_rows(c, 3, classes, texts);
    fgt_corpus_destroy(&c);
    const struct {
        const char *text;
        fgt_status  status;
        const char *sentence;
    } bad[] = {
        {"__label__a b\nc d\n", FGT_E_FORMAT, "c.csv: line 2: the line does not begin with \"__label__\""},
        {"__label__a __label__b c\n", FGT_E_FORMAT, "line 1: the line has a second label"},
        {"__label__a\n", FGT_E_DATA, "line 1: the text is empty"},
        {"__label__a \\\n", FGT_E_DATA, "line 1: the text is empty"},
        {"__label__ b\n", FGT_E_DATA, "line 1: the class is empty"},
        {"\n", FGT_E_DATA, "c.csv: the file has no rows"},
    };
    for (size_t i = 0; i < COUNT(bad); i++)
        refuse(bad[i].text, strlen(bad[i].text), &lines, bad[i].status, bad[i].sentence);
    const fgt_corpus_opts numbers =
        FGT_OPTS(fgt_corpus_opts, .form = FGT_CORPUS_FORM_LINES, .class_kind = FGT_CLASS_KIND_NUMBER);
    c = load("__label__2 a\n__label__10 b\n", &numbers);
    assert_string_equal(fgt_corpus_get_class_name(c, 0), "2");
    fgt_corpus_destroy(&c);
    refuse("__label__a b\n", 13, &numbers, FGT_E_DATA, "class \"a\" is not a whole number");
}

static void test_labels(void **state)
{
    (void)state;
    const fgt_corpus_opts labels = FGT_OPTS(fgt_corpus_opts, .form = FGT_CORPUS_FORM_LABELS);
    const fgt_corpus_opts texts  = FGT_OPTS(fgt_corpus_opts, .form = FGT_CORPUS_FORM_LABELS, .no_classes = 1);
    const char *const file = "__label__b a text\n__label__b  __label__a\tanother\n__label__b __label last\n";
    const int64_t     classes[] = {0, 1, 0};
    const char       *rows[]    = {"a text", "another", "__label last"};
    fgt_corpus       *c         = load(file, &labels);
    expect_rows(c, 3, classes, rows);
    assert_string_equal(fgt_corpus_get_class_name(c, 0), "b");
    assert_string_equal(fgt_corpus_get_class_name(c, 1), "b a");
    fgt_corpus_destroy(&c);
    c = load(file, &texts);
    expect_rows(c, 3, (const int64_t[]){-1, -1, -1}, rows);
    fgt_corpus_destroy(&c);
    const struct {
        const char *text;
        fgt_status  status;
        const char *sentence;
    } bad[] = {
        {"__label__a b\nc d\n", FGT_E_FORMAT, "c.csv: line 2: the line does not begin with \"__label__\""},
        {"__label__a __label__ c\n", FGT_E_DATA, "line 1: a label is empty"},
        {"__label__ __label__a c\n", FGT_E_DATA, "line 1: a label is empty"},
        {"__label__a __label__b\n", FGT_E_DATA, "line 1: the text is empty"},
    };
    for (size_t i = 0; i < COUNT(bad); i++)
        refuse(bad[i].text, strlen(bad[i].text), &labels, bad[i].status, bad[i].sentence);
}

/* ---- kinds of classes ---- */

static char log_line[512];

static void keep_line(void *user, int32_t level, const char *message)
{
    (void)user;
    assert_int_equal(level, FGT_LOG_WARN);
    snprintf(log_line, sizeof log_line, "%s", message);
}

/* All rows say whether classes are numbers, in whatever order they come: "|1|2|". */
static void expect_classes(const char *text, const fgt_corpus_opts *opts, const char *names)
{
    char        list[200] = "|";
    fgt_corpus *c         = load(text, opts);
    for (int64_t i = 0; i < corpus_info(c).classes; i++) {
        strcat(list, fgt_corpus_get_class_name(c, i));
        strcat(list, "|");
    }
    assert_string_equal(list, names);
    fgt_corpus_destroy(&c);
}

static void test_kinds(void **state)
{
    (void)state;
    const fgt_corpus_opts name   = FGT_OPTS(fgt_corpus_opts, .class_kind = FGT_CLASS_KIND_NAME);
    const fgt_corpus_opts number = FGT_OPTS(fgt_corpus_opts, .class_kind = FGT_CLASS_KIND_NUMBER);
    const fgt_corpus_opts bare   = FGT_OPTS(fgt_corpus_opts, .header = FGT_CORPUS_HEADER_NO);
    context.log                  = keep_line;
    log_line[0]                  = 0;
    expect_classes("10,a\n9,b\n", NULL, "|9|10|");
    expect_classes("1,a\n-1,b\n", NULL, "|-1|1|");
    expect_classes("-1,a\n1,b\n", NULL, "|-1|1|");
    expect_classes("-10,a\n10,b\n-9,c\n0,d\n9,e\n", NULL, "|-10|-9|0|9|10|");
    /* codes are not merged */
    expect_classes("01,a\n1,b\n", NULL, "|01|1|");
    expect_classes("1,a\n01,b\n", NULL, "|01|1|");
    expect_classes("2,a\n01067,b\n1067,c\n", NULL, "|01067|1067|2|");
    expect_classes("0,a\n-0,b\n+0,c\n", NULL, "|+0|-0|0|");
    expect_classes("1,a\n01,b\n", &number, "|1|");
    expect_classes("1,a\n-01,b\n", &number, "|-1|1|");
    expect_classes("1.0,a\n0.0,b\n", NULL, "|0.0|1.0|");
    assert_string_equal(log_line, "");
    /* a class that is no number among numbers */
    expect_classes("1,a\n2,b\n2x,c\n10,d\n", NULL, "|1|10|2|2x|");
    if (!strstr(log_line, "c.csv: line 3: class \"2x\" is not a whole number, as 3 other classes are"))
        fail_msg("%s", log_line);
    log_line[0] = 0;
    expect_classes("other,a\n1,b\n", &bare, "|1|other|");
    if (!strstr(log_line, "line 1: class \"other\" is not a whole number, as 1 other class is"))
        fail_msg("%s", log_line);
    log_line[0] = 0;
    refuse("1,a\n2,b\nn/a,c\n", 14, NULL, FGT_E_DATA,
           "c.csv: line 3: class \"n/a\" stands for a missing value");
    refuse("NULL,a\n2,b\n", 11, &bare, FGT_E_DATA,
           "c.csv: line 1: class \"NULL\" stands for a missing value");
    expect_classes("1,a\nn/a,b\n", &name, "|1|n/a|");
    expect_classes("none,a\nhate,b\n", NULL, "|hate|none|");
    assert_string_equal(log_line, "");
    context.log = NULL;
}

/* ---- columns ---- */

static void expect_text(const char *text, const fgt_corpus_opts *opts, const char *first, const char *log)
{
    log_line[0]   = 0;
    context.log   = keep_line;
    fgt_corpus *c = load(text, opts);
    assert_string_equal(fgt_corpus_get_text(c, 0), first);
    if (*log ? !strstr(log_line, log) : *log_line) fail_msg("\"%s\"", log_line);
    context.log = NULL;
    fgt_corpus_destroy(&c);
}

/* Columns that number the rows are no text, unless there is nothing else. */
static void test_row_numbers(void **state)
{
    (void)state;
    expect_text("id,text,label\n7,the text,x\n", NULL, "the text",
                "c.csv: column \"id\" is left out of the texts, because it numbers the rows");
    expect_text("label,tweetId,text,doc_id,\nx,7,the text,8,9\n", NULL, "the text",
                "columns \"tweetId\", \"doc_id\", \"\" are left out of the texts, because they number the "
                "rows");
    expect_text("ID,label\n7,x\n", NULL, "7", "");
    expect_text("label,valid,text\nx,yes,no\n", NULL, "yes no", "");
    static const char *const id[] = {"id"};
    expect_text("id,text,label\n7,the text,x\n",
                &FGT_OPTS(fgt_corpus_opts, .text_columns = id, .text_column_count = 1), "7", "");
    expect_text("7,the text,x\n",
                &FGT_OPTS(fgt_corpus_opts, .class_column = "2", .header = FGT_CORPUS_HEADER_NO), "7 the text",
                "");
}

/* Of a file that names its columns, those of the training texts are read. */
static void test_columns_of_like(void **state)
{
    (void)state;
    fgt_corpus *train = load("what,title,words\n1,a,b\n2,c,d\n", NULL), *part;
    expect_ok(fgt_corpus_create_subset(train, (const int64_t[]){0}, 1, &part));
    const fgt_corpus_opts like = FGT_OPTS(fgt_corpus_opts, .like = part);
    const fgt_corpus_opts any  = FGT_OPTS(fgt_corpus_opts, .like = part, .no_classes = 1);
    expect_text("id,words,what,date,title\n7,last,2,today,first\n", &like, "first last",
                "c.csv: columns \"id\", \"date\" are left out of the texts, as in training");
    expect_text("words,title\nlast,first\n", &any, "first last", "");
    expect_text("words,title,what\nlast,first,9\n", &any, "first last", "");
    expect_text("words,title,kind\nlast,first,9\n", &any, "first last", "column \"kind\" is left out");
    refuse("title,what\na,1\n", 15, &like, FGT_E_NAME,
           "c.csv: line 1: there is no column \"words\", which the training texts have; the columns are "
           "title, what");
    refuse("title,words,kind\na,b,1\n", 23, &like, FGT_E_NAME, "there is no column \"what\"");
    refuse("text\na\n", 7, &any, FGT_E_NAME, "there is no column \"title\"");
    /* what is asked for goes before */
    static const char *const words[] = {"kind"};
    expect_text("kind,words\nthis,that\n",
                &FGT_OPTS(fgt_corpus_opts, .like = part, .no_classes = 1, .text_columns = words,
                          .text_column_count = 1),
                "this", "");
    /* without names nothing is looked up */
    expect_text("1,a,b\n", &like, "a b", "");
    expect_text("the words\nwhat, title\n", &any, "the words", "");
    expect_text("__label__1 a text\n", &like, "a text", "");
    fgt_corpus_destroy(&part);
    fgt_corpus_destroy(&train);
}

/* ---- classes of another corpus ---- */

static void test_like(void **state)
{
    (void)state;
    fgt_corpus *train = load("2,a\n1,b\n4,c\n", NULL), *named, *sub;
    const fgt_corpus_opts like = FGT_OPTS(fgt_corpus_opts, .like = train);
    const fgt_corpus_opts numbers =
        FGT_OPTS(fgt_corpus_opts, .like = train, .class_kind = FGT_CLASS_KIND_NUMBER);
    fgt_corpus           *test    = load("4,x\n04,y\n1,z\n", &numbers);
    const int64_t classes[] = {2, 2, 0};
    const char   *texts[]   = {"x", "y", "z"};
    expect_rows(test, 3, classes, texts);
    assert_int_equal(corpus_info(test).classes, 3);
    assert_int_equal(corpus_info(test).class_rows[1], 0);
    refuse("1,a\n3,b\n", 8, &like, FGT_E_DATA,
           "c.csv: line 2: class \"3\" is not one of the training classes: 1, 2, 4");
    refuse("1,a\n04,b\n", 9, &like, FGT_E_DATA,
           "c.csv: line 2: class \"04\" is not one of the training classes: 1, 2, 4");
    refuse("1,a\nx,b\n", 8, &numbers, FGT_E_DATA, "class \"x\" is not a whole number");
    /* a subset has all classes, and goes on as `like` */
    expect_ok(fgt_corpus_create_subset(test, (const int64_t[]){2, 2}, 2, &sub));
    assert_int_equal(corpus_info(sub).classes, 3);
    assert_int_equal(corpus_info(sub).class_rows[0], 2);
    assert_string_equal(fgt_corpus_get_text(sub, 1), "z");
    const fgt_corpus_opts again = FGT_OPTS(fgt_corpus_opts, .like = sub);
    named                       = load("2,q\n", &again);
    assert_int_equal(corpus_class(named, 0), 1);
    fgt_corpus_destroy(&named);
    fgt_corpus_destroy(&test);
    expect_status(fgt_corpus_create_subset(train, (const int64_t[]){3}, 1, &test), FGT_E_ARG);
    assert_null(test);
    expect_status(fgt_corpus_create_subset(train, (const int64_t[]){0}, 0, &test), FGT_E_ARG);
    fgt_corpus_destroy(&sub);
    fgt_corpus_destroy(&train);
    /* numbers that do not occur are classes with opts.classes */
    train = load("2,a\n", &FGT_OPTS(fgt_corpus_opts, .classes = 3));
    assert_int_equal(corpus_info(train).classes, 3);
    assert_int_equal(corpus_class(train, 0), 1);
    fgt_corpus_destroy(&train);
}

/* A long list of classes is cut. */
static void test_many_classes(void **state)
{
    (void)state;
    const char *classes[300], *texts[300];
    char        names[300][8];
    for (int i = 0; i < 300; i++) {
        snprintf(names[i], sizeof names[i], "k%d", (i * 77) % 300);
        classes[i] = names[i];
        texts[i]   = "t";
    }
    fgt_corpus *c, *d;
    expect_ok(fgt_corpus_create(&context, texts, classes, 300, NULL, &c));
    assert_int_equal(corpus_info(c).classes, 300);
    for (int i = 1; i < 300; i++)
        assert_true(strcmp(fgt_corpus_get_class_name(c, i - 1), fgt_corpus_get_class_name(c, i)) < 0);
    for (int i = 0; i < 300; i++)
        assert_string_equal(fgt_corpus_get_class_name(c, corpus_class(c, i)), names[i]);
    const char *strange = "strange";
    expect_status(fgt_corpus_create(&context, texts, &strange, 1, &FGT_OPTS(fgt_corpus_opts, .like = c), &d),
                  FGT_E_DATA);
    expect_sentence("corpus: row 0: class \"strange\" is not one of the training classes: k0, k1, k10, ");
    expect_sentence(", ...");
    expect_status(fgt_corpus_create(&context, texts, classes, 0, NULL, &d), FGT_E_ARG);
    texts[3] = NULL;
    expect_status(fgt_corpus_create(&context, texts, classes, 300, NULL, &d), FGT_E_ARG);
    expect_sentence("row 3 is NULL");
    texts[3] = " ";
    expect_status(fgt_corpus_create(&context, texts, classes, 300, NULL, &d), FGT_E_DATA);
    expect_sentence("corpus: row 3: the text is empty");
    assert_null(d);
    fgt_corpus_destroy(&c);
}

/* ---- UTF-8 ---- */

#define FFFD "\xef\xbf\xbd"

static void test_replaced(void **state)
{
    (void)state;
    context.log = keep_line;
    log_line[0] = 0;
    fgt_corpus *c = load("1,\xc3\xa9t\xc3\xa9\n", NULL);
    assert_int_equal(corpus_info(c).replaced, 0);
    assert_string_equal(log_line, "");
    fgt_corpus_destroy(&c);
    c = load("1,fine\n1,\xff and \xe2\x82\n1,caf\xe9\n", NULL);
    assert_int_equal(corpus_info(c).replaced, 3);
    assert_string_equal(fgt_corpus_get_text(c, 1), FFFD " and " FFFD);
    assert_string_equal(fgt_corpus_get_text(c, 2), "caf" FFFD);
    if (!strstr(log_line, "c.csv: 3 characters are not UTF-8 and were replaced by U+FFFD, in 2 of 3 rows; "
                          "the first is in line 2"))
        fail_msg("%s", log_line);
    context.log = NULL;
    fgt_corpus_destroy(&c);
}

/* Unicode standard, table 3-8 and its neighbours: one U+FFFD for each maximal part. */
static void test_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
        int64_t     replaced;
    } cases[] = {
        {"", "", 0},
        {"a\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
         "a\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 0},
        {"\xc0\xaf\xe0\x80\xbf\xf0\x81\x82" "A", FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A", 8},
        {"\xed\xa0\x80\xed\xbf\xbf\xed\xaf" "A", FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A", 8},
        {"\xf4\x91\x92\x93\xff" "A\x80\xbf" "B", FFFD FFFD FFFD FFFD FFFD "A" FFFD FFFD "B", 7},
        {"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf" "A", FFFD FFFD FFFD FFFD "A", 4},
        {"\xf0\x9f\x98", FFFD, 1},
        {"\xc3", FFFD, 1},
        {FFFD, FFFD, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fgti_bytes b        = {0};
        int64_t    replaced = 0;
        expect_ok(fgti_utf8_add(&context, &b, cases[i].in, (int64_t)strlen(cases[i].in), &replaced));
        assert_int_equal(b.used, strlen(cases[i].out));
        assert_true(!b.used || !memcmp(b.s, cases[i].out, (size_t)b.used));
        assert_int_equal(replaced, cases[i].replaced);
        fgti_bytes_done(&context, &b);
    }
}

/* ---- words ---- */

static void test_words(void **state)
{
    (void)state;
    fgti_words w = {0};
    int64_t    number;
    char       text[16];
    assert_int_equal(fgti_words_find(&w, "a", 1), -1);
    for (int64_t i = 0; i < 5000; i++) {
        const int n = snprintf(text, sizeof text, "%d", (int)(i % 2500));
        expect_ok(fgti_words_add(&context, &w, text, n, &number));
        assert_int_equal(number, i % 2500);
        w.count[number]++;
    }
    assert_int_equal(w.texts.count, 2500);
    for (int64_t i = 0; i < 2500; i++) {
        const int n = snprintf(text, sizeof text, "%d", (int)i);
        assert_int_equal(fgti_words_find(&w, text, n), i);
        assert_int_equal(fgti_strings_size(&w.texts, i), n);
        assert_int_equal(w.count[i], 2);
    }
    assert_int_equal(fgti_words_find(&w, "2500", 4), -1);
    fgti_words_done(&context, &w);
}

/* ---- memory ---- */

static fgt_status use_all(void)
{
    const fgt_corpus_opts names = FGT_OPTS(fgt_corpus_opts, .class_kind = FGT_CLASS_KIND_NAME);
    fgt_corpus           *c, *d, *e;
    fgt_status            s = fgt_corpus_load(&context, in_directory("sweep.csv"), &names, &c);
    if (s != FGT_OK) {
        assert_null(c);
        return s;
    }
    const fgt_corpus_opts like = FGT_OPTS(fgt_corpus_opts, .like = c);
    s                          = fgt_corpus_load(&context, in_directory("sweep.csv"), &like, &d);
    if (s == FGT_OK) s = fgt_corpus_create_subset(d, (const int64_t[]){1, 0}, 2, &e);
    if (s == FGT_OK) fgt_corpus_destroy(&e);
    assert_int_equal(corpus_info(c).rows, 200);
    fgt_corpus_destroy(&d);
    fgt_corpus_destroy(&c);
    return s;
}

static void test_nomem(void **state)
{
    (void)state;
    static char        text[20000];
    fgt_context *const ctx = &context;
    size_t             n   = 0;
    fgt_status         s;
    for (int i = 0; i < 200; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "class %d,\"a \xff b\",%d\n", i % 70, i);
    put_text("sweep.csv", text);
    SWEEP(&hook, s, 40, (context.error.text[0] = 0, use_all()))
    {
        expect_sentence("no memory for");
        assert_int_equal(hook.live, 0);
    }
    assert_int_equal(hook.live, 0);
}

static void test_gzip(void **state)
{
    (void)state;
#ifdef FGTI_HAVE_ZLIB
    const char *path = in_directory("c.csv.gz");
    gzFile      f    = gzopen(path, "wb");
    assert_true(gzputs(f, "\"1\",\"a\"\n\"2\",\"b\"\n") > 0);
    assert_int_equal(gzclose(f), Z_OK);
    fgt_corpus *c;
    expect_ok(fgt_corpus_load(&context, path, NULL, &c));
    assert_int_equal(corpus_info(c).rows, 2);
    fgt_corpus_destroy(&c);
#else
    print_message("SKIP: built without zlib\n");
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_csv, expect_no_leak),
        cmocka_unit_test_teardown(test_columns, expect_no_leak),
        cmocka_unit_test_teardown(test_escapes, expect_no_leak),
        cmocka_unit_test_teardown(test_damaged_csv, expect_no_leak),
        cmocka_unit_test_teardown(test_options, expect_no_leak),
        cmocka_unit_test_teardown(test_lines, expect_no_leak),
        cmocka_unit_test_teardown(test_labels, expect_no_leak),
        cmocka_unit_test_teardown(test_kinds, expect_no_leak),
        cmocka_unit_test_teardown(test_row_numbers, expect_no_leak),
        cmocka_unit_test_teardown(test_columns_of_like, expect_no_leak),
        cmocka_unit_test_teardown(test_like, expect_no_leak),
        cmocka_unit_test_teardown(test_many_classes, expect_no_leak),
        cmocka_unit_test_teardown(test_replaced, expect_no_leak),
        cmocka_unit_test_teardown(test_utf8, expect_no_leak),
        cmocka_unit_test_teardown(test_words, expect_no_leak),
        cmocka_unit_test_teardown(test_nomem, expect_no_leak),
        cmocka_unit_test_teardown(test_gzip, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
