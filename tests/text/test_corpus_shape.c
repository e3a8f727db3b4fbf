/* SPDX-License-Identifier: BSD-3-Clause */
/* How files of texts are written: headers, columns, delimiters, quotes, texts without classes. */
#include "../data/small_files.h"
#include "../samples_info.h"

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
    for (int64_t i = 0; i < corpus_info(c).rows; i++) {
        const char *name = fgt_corpus_get_class_name(c, corpus_class(c, i));
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
        {"kind,words\nbad,so so\n", OPTS(.header = FGT_CORPUS_HEADER_YES), "bad:so so"},
        {"kind,words\nbad,so so\n", OPTS(.max_rows = 0), "kind:words|bad:so so"},
        {"label,text\nbad,so so\n", OPTS(.header = FGT_CORPUS_HEADER_NO), "label:text|bad:so so"},
        {"kind,words\nbad,so so\n", OPTS(.class_column = "kind"), "bad:so so"},
        {"1,so so\nragged\n", OPTS(.max_rows = 1), "1:so so"}, /* the rest is ignored */
        {"so so,bad\nfine,good\n", OPTS(.class_column = "1"), "bad:so so|good:fine"},
        {"1,2\n1,so so\n", OPTS(.header = FGT_CORPUS_HEADER_YES, .class_column = "1"), "1:so so"},
    };
    expect(want, COUNT(want));
}

/* A row that looks like a header is named, and an option says what it is. */
static void test_row_or_header(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "question,Who\ncomment,Me\nquestion,Why\n", "Who,question\nMe,comment\nWhy,question\n",
        "sport,title\narts,so so\nsport,fine\n", "other,so so\n3,fine\nother,fine\n"};
    fgt_corpus *c;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const fgt_corpus_opts o = OPTS(.class_column = i == 1 ? "1" : NULL);
        expect_status(fgt_corpus_load(&context, put_text("c.csv", rows[i]), &o, &c), FGT_E_DATA);
        expect_sentence("c.csv: line 1: the line seems to name the columns, but \"");
        expect_sentence("\" is also the class of rows; the option `header` says whether it does: yes or no");
        const fgt_corpus_opts no = OPTS(.class_column = o.class_column, .header = FGT_CORPUS_HEADER_NO);
        expect_ok(fgt_corpus_load(&context, put_text("c.csv", rows[i]), &no, &c));
        assert_int_equal(corpus_info(c).rows, 3);
        fgt_corpus_destroy(&c);
        const fgt_corpus_opts yes = OPTS(.class_column = o.class_column, .header = FGT_CORPUS_HEADER_YES);
        expect_ok(fgt_corpus_load(&context, put_text("c.csv", rows[i]), &yes, &c));
        assert_int_equal(corpus_info(c).rows, 2);
        fgt_corpus_destroy(&c);
    }
    static const wanted sure[] = {
        {"other,what a bad film it was\n3,fine\n", {.size = sizeof(fgt_corpus_opts)}, "3:fine"},
        {"NULL,bad\n3,fine\n", {.size = sizeof(fgt_corpus_opts)}, "3:fine"},
    };
    context.log = keep_warning;
    warnings    = 0;
    expect(sure, COUNT(sure));
    context.log = NULL;
    assert_int_equal(warnings, 2);
    assert_non_null(strstr(warned,
                           "c.csv: line 1: the line is taken for the names of the columns, though it has "
                           "\"NULL\"; if it is a row, the option `header` no says so"));
}

static void test_columns(void **state)
{
    (void)state;
    const char  *file   = "id,body,label,title\n7,the body,sport,The title\n8,\"two\nlines\",arts,t\n";
    const wanted want[] = {
        {file, OPTS(.text_columns = title_body, .text_column_count = 2),
         "sport:The title the body|arts:t two\nlines"},
        {file, OPTS(.text_columns = second, .text_column_count = 1), "sport:the body|arts:two\nlines"},
        {file, OPTS(.max_rows = 1), "sport:the body The title"},
        {file, OPTS(.class_column = "id", .text_columns = second, .text_column_count = 1),
         "7:the body|8:two\nlines"},
        {"so so,0\nfine,1\n", OPTS(.max_rows = 0), "0:so so|1:fine"}, /* the last alone is a number */
        {"10,2\n9,1\n", OPTS(.max_rows = 0), "10:2|9:1"},
        {"so so,0\nfine,1\n", OPTS(.class_kind = FGT_CLASS_KIND_NAME), "so so:0|fine:1"},
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
        {"__label__a b, c\n", OPTS(.form = FGT_CORPUS_FORM_CSV), "__label__a b:c"},
    };
    expect(want, COUNT(want));
}

/* Lines that are no rows. */
static void test_left_out(void **state)
{
    (void)state;
    const wanted want[] = {
        {"A title, and more\n\nlabel,text\na,b\n", OPTS(.skip = 1), "a:b"},
        {"# x, y, z\nlabel,text\n# y\na,b\n#\n\nc,#d\n", OPTS(.comment = "#"), "a:b|c:#d"},
        {"# a\n\n# b\nlabel;text\n#c\na;b, c\n", OPTS(.comment = "#"), "a:b, c"},
        {"title\n# x\nlabel\ttext\na\t\"b\n", OPTS(.skip = 1, .comment = "#"), "a:\"b"},
        {"# x\n__label__a b\n# y\n__label__c d\n", OPTS(.comment = "#"), "a:b|c:d"},
        {"title\n__label__a b\n", OPTS(.skip = 1), "a:b"},
        {"# x\n\nso\n# y\nfine\n", OPTS(.comment = "#", .no_classes = 1), ":|:so|:fine"},
        {"sep=;\nlabel;text\na;b, c\n", OPTS(.max_rows = 0), "a:b, c"},
        {"\"sep=,\"\r\nlabel,text\r\na,b; c\r\n", OPTS(.max_rows = 0), "a:b; c"},
        {"sep=;\na;b\n", OPTS(.delimiter = ';'), "a:b"},
        {"title\nsep=;\na;b, c\nd;e, f\n", OPTS(.skip = 1), "a:b, c|d:e, f"},
        {"sep=;\nso; so\n", OPTS(.no_classes = 1), ":so so"},
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
        {"id,body,title\n1,b,a\n", OPTS(.no_classes = 1, .text_columns = title_body, .text_column_count = 2),
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
        {"so, so, so\nfine\n2, so\n", OPTS(.no_classes = 1, .class_column = "0"), ":so, so, so|:fine|:2, so"},
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
    expect_ok(fgt_corpus_create(&context, texts, NULL, 2, &OPTS(.no_classes = 1), &c));
    assert_string_equal(write_rows(c), ":so|:");
    assert_int_equal(corpus_class(c, 0), -1);
    assert_int_equal(corpus_info(c).classes, 0);
    expect_ok(fgt_corpus_create_subset(c, (const int64_t[]){1, 0}, 2, &d));
    assert_string_equal(write_rows(d), ":|:so");
    fgt_corpus_destroy(&d);
    fgt_corpus_destroy(&c);
    expect_status(fgt_corpus_create(&context, texts, classes, 2, &OPTS(.no_classes = 1), &c), FGT_E_ARG);
    expect_status(fgt_corpus_create(&context, texts, NULL, 2, NULL, &c), FGT_E_ARG);
    expect_sentence("wrong classes and no_classes (need one of them)");
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
        {"a,b\nx,y\n", OPTS(.text_columns = nothing, .text_column_count = 1), FGT_E_NAME, "no column \"no\""},
        {"a,b\nx\n", OPTS(.class_column = "c"), FGT_E_NAME, "line 1: there is no column \"c\""},
        {"a,b\nx,y\n", OPTS(.class_column = "2"), FGT_E_NAME, "2 cells, but column \"2\" is asked for"},
        {"a,no\nx,y\n", OPTS(.class_column = "no", .text_columns = nothing, .text_column_count = 1),
         FGT_E_NAME,
         "line 1: column \"no\" is of the class and of the text (need two columns; the options "
         "`class_column` and `text_columns` name them)"},
        {"label,label,text\nx,y,z\n", OPTS(.max_rows = 0), FGT_E_NAME,
         "line 1: columns have the same name (got 2 called \"label\", need 1); the option `class_column` can "
         "give the number of one, from 0"},
        {"label,text,text\nx,y,z\n", OPTS(.class_column = "0"), FGT_E_NAME,
         "(got 2 called \"text\", need 1); the option `text_columns` can"},
        {"label,text\na,so\nb,\n", OPTS(.max_rows = 0), FGT_E_DATA, "c.csv: line 3: the text is empty"},
        {"label,text\n", OPTS(.max_rows = 0), FGT_E_DATA, "the file has no rows"},
        {"label\n1\n", OPTS(.max_rows = 0), FGT_E_FORMAT,
         "line 1: wrong number of cells (got 1, need 2, a class and a text)"},
        {"label\n1\n", OPTS(.no_classes = 1), FGT_E_FORMAT,
         "line 1: wrong number of cells (got 1, need a text beside the class)"},
        {"1,a\nx,b\n", OPTS(.class_kind = FGT_CLASS_KIND_NUMBER), FGT_E_DATA,
         "line 2: class \"x\" is not a whole number below 2^31-1, as the option `class_kind` asks"},
        {"1,\"Fine\" he said\n", OPTS(.max_rows = 0), FGT_E_FORMAT,
         "text follows a closing quote; if quotes are part of the texts, the option `no_quotes` says so"},
        {"{\"label\": \"a\", \"text\": \"b\"}\n", OPTS(.max_rows = 0), FGT_E_FORMAT, "c.csv: is JSON"},
        {"{\"label\": \"a\", \"text\": \"b\"}\n", OPTS(.no_classes = 1), FGT_E_FORMAT, "c.csv: is JSON"},
        {"<!DOCTYPE html>\n<html>\n", OPTS(.max_rows = 0), FGT_E_FORMAT, "c.csv: is a page of HTML"},
        {"__label__a,b c\n__label__b,d e\n", OPTS(.max_rows = 0), FGT_E_FORMAT,
         "c.csv: line 1: no blank is after the class, but \",\", as in the lines after it"},
        {"__label__a;b c\n\n__label__b;d e", OPTS(.no_classes = 1), FGT_E_FORMAT, "but \";\", as in"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        fgt_corpus *c;
        expect_status(fgt_corpus_load(&context, put_text("c.csv", bad[i].text), &bad[i].opts, &c),
                      bad[i].status);
        expect_sentence(bad[i].sentence);
        assert_null(c);
    }
}

/* Quotes in a file of tabs are the marks of cells, or parts of the texts, from its beginning to its end. */
static void test_quotes_among_tabs(void **state)
{
    (void)state;
    const wanted want[] = {
        {"1\t\"Fine\" he said\n2\tso \"so\"\n", OPTS(.max_rows = 0), "1:\"Fine\" he said|2:so \"so\""},
        {"1\t\"Fine\"\n2\t\"so \"\"so\"\"\"\n", OPTS(.max_rows = 0), "1:Fine|2:so \"so\""},
        {"1\t\"Fine\n2\tso\n", OPTS(.max_rows = 0), "1:\"Fine|2:so"},
        /* a quote that opens in one row and one that closes in another */
        {"1\t\"Fine\n2\tso so\"\n3\tmore\n", OPTS(.max_rows = 0), "1:\"Fine|2:so so\"|3:more"},
        {"1\t\"two\nlines\"\n2\tso\n", OPTS(.max_rows = 0), "1:two\nlines|2:so"},
        {"1\t\"Fine\n2\t\"so\n", OPTS(.no_quotes = 1), "1:\"Fine|2:\"so"},
        {"ham\t\"Fine, he said, so\nspam\tso, so\n", OPTS(.no_classes = 1, .class_column = "0"),
         ":\"Fine, he said, so|:so, so"},
    };
    expect(want, COUNT(want));
    /* behind the rows that the delimiter is judged by */
    const char *path = in_directory("long.tsv");
    FILE       *f    = fopen(path, "w");
    fgt_corpus *c;
    for (int i = 0; i < 5000; i++)
        fprintf(f, "%s\t%stext number %d\n", i % 2 ? "a" : "b", i == 4000 ? "\"" : "", i);
    fclose(f);
    expect_ok(fgt_corpus_load(&context, path, NULL, &c));
    assert_int_equal(corpus_info(c).rows, 5000);
    assert_string_equal(fgt_corpus_get_text(c, 4000), "\"text number 4000");
    fgt_corpus_destroy(&c);
}

/* A mark at the beginning says that a file is in UTF-16. */
static void test_utf16(void **state)
{
    (void)state;
    static const char *const texts[] = {"label\ttext\na\tb \"c\" d\n", "__label__a b \"c\" d\n"};
    for (size_t k = 0; k < 2 * COUNT(texts); k++) {
        const bool  big  = k % 2;
        const char *text = texts[k / 2], *path = in_directory("c.csv");
        char        bytes[200];
        size_t      n = 0;
        bytes[n++]    = big ? '\xfe' : '\xff';
        bytes[n++]    = big ? '\xff' : '\xfe';
        for (; *text; text++) {
            bytes[n++] = big ? 0 : *text;
            bytes[n++] = big ? *text : 0;
        }
        test_write(path, bytes, n);
        fgt_corpus *c;
        expect_ok(fgt_corpus_load(&context, path, NULL, &c));
        assert_string_equal(write_rows(c), "a:b \"c\" d");
        fgt_corpus_destroy(&c);
    }
}

static char said[512];

static void keep_line(void *user, int32_t level, const char *message)
{
    (void)user;
    (void)level;
    snprintf(said, sizeof said, "%s", message);
}

/* Between commas a quoted text may have lines, but not in silence where they look like rows. */
static void test_rows_in_quotes(void **state)
{
    (void)state;
    static const struct {
        const char *file, *log;
    } want[] = {
        {"label,text\na,x\nb,y\na,\"not closed\nb,other\nb,to the end\"\nb,z\n",
         "c.csv: line 4: a text in quotes"},
        {"text,label\nx,a\ny,b\n\"not closed,a\nother,b\nend\",b\n", "c.csv: line 4: a text in quotes"},
        {"label,text\na,x\nb,y\na,\"two lines,\nc, and more\"\nb,z\n", ""},
        {"label,text\na,x\nb,y\na,\"two lines,\nb, and, more\"\nb,z\n", ""},
    };
    context.log = keep_line;
    for (size_t i = 0; i < COUNT(want); i++) {
        fgt_corpus *c;
        said[0] = 0;
        expect_ok(fgt_corpus_load(&context, put_text("c.csv", want[i].file), NULL, &c));
        if (*want[i].log ? !strstr(said, want[i].log) : *said) fail_msg("%s", said);
        fgt_corpus_destroy(&c);
    }
    context.log = NULL;
}

/* A file that is refused, the sentence, and the options that it names, with which the file is read. */
typedef struct remedy {
    const char     *file;
    const char     *said;
    fgt_corpus_opts opts;
    const char     *rows;
} remedy;

#define SKIP_1    "the option `skip` 1 leaves out the line above line 2"
#define NOT_NAMED "c.csv: line 1: the line does not name the columns, but line 2 does; "
#define SHARP     "if lines that begin with # are comments, the option `comment` \"#\" leaves them out"

static void test_titles_are_named(void **state)
{
    (void)state;
    static const remedy want[] = {
        {"Films of May\nlabel,text\na,b\nc,d\n", NOT_NAMED SKIP_1, {.skip = 1}, "a:b|c:d"},
        {"Films, of May\nlabel,text\na,b\nc,d\n", NOT_NAMED SKIP_1, {.skip = 1}, "a:b|c:d"},
        {"Films, of May\ntext,label\na,1\nc,2\n", NOT_NAMED SKIP_1, {.skip = 1}, "1:a|2:c"},
        {"Films of May\r\nlabel\ttext\r\na\tb\r\n", NOT_NAMED SKIP_1, {.skip = 1}, "a:b"},
        {"Films, May\n\nby, us\nlabel;text\na;b, c\n",
         "but line 4 does; the option `skip` 3 leaves out the lines above line 4",
         {.skip = 3},
         "a:b, c"},
        {"\nFilms\nlabel,text\na,b\n",
         "line 2: the line does not name the columns, but line 3 does; the option `skip` 2 ",
         {.skip = 2},
         "a:b"},
        {"sep=;\nFilms;all\nlabel;text\na;b, c\n",
         "line 2: the line does not name the columns, but line 3 does; the option `skip` 2 ",
         {.skip = 2},
         "a:b, c"},
        {"x\nFilms\nlabel,text\na,b\n",
         "line 2: the line does not name the columns, but line 3",
         {.skip = 2},
         "a:b"},
        {"# films, all\nlabel,text\na,b\n", NOT_NAMED SHARP, {.comment = "#"}, "a:b"},
        {"Films of May\na,b\nc,d\na,e\n",
         "c.csv: line 1: wrong number of cells (got 1, need 2, a class and a text); " SKIP_1,
         {.skip = 1},
         "a:b|c:d|a:e"},
        {"Films of May\n__label__a b\n__label__c d\n",
         "line 1: wrong number of cells (got 1, need 2, a class and a text); " SKIP_1,
         {.skip = 1},
         "a:b|c:d"},
        {"# films, all\n__label__a b\n__label__c d\n",
         "line 2: wrong number of cells (got 1, need 2); " SHARP,
         {.comment = "#"},
         "a:b|c:d"},
        {"label,text\na,b\n# note\nc,d\n",
         "line 3: wrong number of cells (got 1, need 2); " SHARP,
         {.comment = "#"},
         "a:b|c:d"},
        {"label,text\na,b\n// a, b, c\nc,d\n",
         "line 3: wrong number of cells (got 3, need 2); if lines that begin with // are",
         {.comment = "//"},
         "a:b|c:d"},
        {"__label__a b\n# note\n__label__c d\n",
         "line 2: the line does not begin with \"__label__\"; " SHARP,
         {.comment = "#"},
         "a:b|c:d"},
    };
    for (size_t i = 0; i < COUNT(want); i++) {
        fgt_corpus_opts with = want[i].opts, without = OPTS(.skip = *want[i].file == 'x');
        fgt_corpus     *c;
        expect_status(fgt_corpus_load(&context, put_text("c.csv", want[i].file), &without, &c), FGT_E_FORMAT);
        if (!strstr(context.error.text, want[i].said)) fail_msg("%s", context.error.text);
        with.size = sizeof with;
        expect_ok(fgt_corpus_load(&context, put_text("c.csv", want[i].file), &with, &c));
        assert_string_equal(write_rows(c), want[i].rows);
        fgt_corpus_destroy(&c);
    }
}

/* Usual names in texts, and lines with other numbers of cells, are no header. */
static void test_rows_are_no_titles(void **state)
{
    (void)state;
    const wanted want[] = {
        {"a,\"label, text\"\nb,c\n", OPTS(.max_rows = 0), "a:label, text|b:c"},
        {"a,b\nc,\"Topic, title and content\"\n", OPTS(.max_rows = 0), "a:b|c:Topic, title and content"},
        {"a,b\nlabel,text\nc,d\n", OPTS(.header = FGT_CORPUS_HEADER_NO), "a:b|label:text|c:d"},
        {"\n\n__label__a b\n__label__c d\n", OPTS(.max_rows = 0), "a:b|c:d"},
        {"# x\nlabel,text\na,b\n", OPTS(.comment = "#"), "a:b"},
        {"Films\nlabel, text\nall\n", OPTS(.no_classes = 1), ":Films|:label, text|:all"},
    };
    expect(want, COUNT(want));
}

/* Rows that are hardly any are read, with a warning that names the option. */
static void test_odd_rows_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *file, *log, *comment, *rows;
    } want[] = {
        {"label,text\n[class],[utf-8]\na,b\n",
         "c.csv: line 2: the line seems to say how the columns are written", "[class],", "a:b"},
        {"text;label\nstring; -\nb;a\n", "`comment` \"string;\" leaves it out", "string;", "a:b"},
        {"label\ttext\n(name)\t(words)\na\tb\n", "`comment` \"(name)\" leaves it out", "(name)", "a:b"},
        {"label,text\na,b\n# a, b\na,c\na,d\na,e\na,f\na,g\na,h\na,i\na,j\na,k\na,l\na,m\na,n\na,o\n"
         "a,r\na,s\na,t\na,u\na,v\na,w\na,x\n",
         "c.csv: line 3: the class begins with #, as no other does", NULL, NULL},
        {"label,text\n#a,b\n#b,c\n#a,[d]\n", "", NULL, NULL},
        {"label,text\nstring,a string\na,b\n", "", NULL, NULL},
    };
    context.log = keep_line;
    for (size_t i = 0; i < COUNT(want); i++) {
        fgt_corpus *c;
        said[0] = 0;
        expect_ok(fgt_corpus_load(&context, put_text("c.csv", want[i].file), NULL, &c));
        if (*want[i].log ? !strstr(said, want[i].log) : *said) fail_msg("%d: %s", (int)i, said);
        fgt_corpus_destroy(&c);
        if (!want[i].comment) continue;
        expect_ok(fgt_corpus_load(&context, in_directory("c.csv"), &OPTS(.comment = want[i].comment), &c));
        assert_string_equal(write_rows(c), want[i].rows);
        fgt_corpus_destroy(&c);
    }
    context.log = NULL;
}

/* A comma that belongs to the class. */
static void test_glued(void **state)
{
    (void)state;
    const wanted want[] = {
        {"__label__a,b c\n__label__a,b d\n", OPTS(.form = FGT_CORPUS_FORM_LINES), "a,b:c|a,b:d"},
        {"__label__a,b c\n__label__b d\n", OPTS(.max_rows = 0), "a,b:c|b:d"},
        {"__label__a, c\n__label__b, d\n", OPTS(.max_rows = 0), "a,:c|b,:d"},
        {"__label__a,b c\n", OPTS(.max_rows = 0), "a,b:c"},
    };
    expect(want, COUNT(want));
}

static fgt_status load_names(void)
{
    fgt_corpus      *c;
    const fgt_status s = fgt_corpus_load(&context, in_directory("n.csv"),
                                         &OPTS(.text_columns = title_body, .text_column_count = 2), &c);
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
        cmocka_unit_test_teardown(test_row_or_header, expect_no_leak),
        cmocka_unit_test_teardown(test_columns, expect_no_leak),
        cmocka_unit_test_teardown(test_delimiters, expect_no_leak),
        cmocka_unit_test_teardown(test_left_out, expect_no_leak),
        cmocka_unit_test_teardown(test_no_classes, expect_no_leak),
        cmocka_unit_test_teardown(test_refused, expect_no_leak),
        cmocka_unit_test_teardown(test_quotes_among_tabs, expect_no_leak),
        cmocka_unit_test_teardown(test_rows_in_quotes, expect_no_leak),
        cmocka_unit_test_teardown(test_glued, expect_no_leak),
        cmocka_unit_test_teardown(test_titles_are_named, expect_no_leak),
        cmocka_unit_test_teardown(test_rows_are_no_titles, expect_no_leak),
        cmocka_unit_test_teardown(test_odd_rows_are_named, expect_no_leak),
        cmocka_unit_test_teardown(test_utf16, expect_no_leak),
        cmocka_unit_test_teardown(test_no_memory, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
