/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages that a host puts together itself: what is in them, and what is refused. */
#include <math.h>

#include <fighter/experimental/report.h>

#include "../comma_locale.h"
#include "../directory.h"
#include "../one_context.h"
#include "page_text.h"

enum { T = 3, MANY = 150, MOST = 2000000 };

static const char *const names[T] = {"first", "second", "third"};
/* token 0 reads token 1, 1 reads 2, 2 reads 0 */
static const float turn[T * T] = {0, 1, 0, 0, 0, 1, 1, 0, 0};

static fgt_report *new_report(int64_t hops)
{
    fgt_report *r;
    OK(fgt_report_create(ctx, &FGT_OPTS(fgt_report_opts, .title = "title", .hops = hops), &r));
    return r;
}

static fgt_report_matrix turning(void)
{
    static fgt_view a = {.data = (void *)turn, .shape = {T, T}, .rank = 2, .dtype = FGT_DTYPE_F32};
    return (fgt_report_matrix){.size = sizeof(fgt_report_matrix), .layer = "0", .a = &a, .tokens = names};
}

static void has(const char *page, const char *what)
{
    if (!strstr(page, what)) fail_msg("the page has no %s", what);
}

/* ---- what is in a page ---- */

/* The squares of A, A^2 and A^3 of a permutation are in other places, all of weight 1. */
static void test_powers(void **state)
{
    (void)state;
    fgt_report             *r = new_report(3);
    const fgt_report_matrix m = turning();
    OK(fgt_report_add_matrix(r, &m));
    char *page = page_of(r);
    has(page, "\"hops\":3");
    has(page, "\"most\":[1,1,1]");
    /* three times nine bytes: 255 where A, A^2 and A^3 are 1 */
    has(page, "\"cells\":\"AP8AAAD//wAAAAD//wAAAP8A/wAAAP8AAAD/\"");
    has(page, "<th scope='row'>first</th><td>0</td><td>1</td><td>0</td></tr>\n"
              "<tr><th scope='row'>second</th><td>0</td><td>0</td><td>1</td></tr>\n"
              "<tr><th scope='row'>third</th><td>1</td><td>0</td><td>0</td></tr>\n");
    free(page);
    fgt_report_destroy(&r);
}

/* The mean over the heads comes first. A matrix that is added again takes the place of the first one. */
static void test_heads(void **state)
{
    (void)state;
    fgt_report       *r = new_report(1);
    fgt_report_matrix m = turning();
    float             two[2 * T * T];
    for (int i = 0; i < T * T; i++) {
        two[i]         = turn[i];
        two[T * T + i] = turn[i] / 2;
    }
    m.a = FGT_VIEW(two, 2, T, T);
    OK(fgt_report_add_matrix(r, &m));
    OK(fgt_report_add_matrix(r, &m));
    m.epoch = 4;
    OK(fgt_report_add_matrix(r, &m));
    char *page = page_of(r);
    has(page, "\"epoch\":0,\"planes\":3,\"most\":[0.75,1,0.5]");
    assert_int_equal(count(page, "\"planes\":3"), 2);
    assert_int_equal(count(page, "\"name\":\"\""), 1); /* one subject */
    free(page);
    fgt_report_destroy(&r);
}

/* Of 150 tokens three become one square: the mean of their rows, the sum of their columns. */
static void test_many_tokens(void **state)
{
    (void)state;
    static float      even[MANY * MANY];
    fgt_report       *r = new_report(2);
    fgt_report_matrix m = turning();
    for (int i = 0; i < MANY * MANY; i++) even[i] = 1.0f / MANY;
    m.a      = FGT_VIEW(even, MANY, MANY);
    m.tokens = NULL;
    OK(fgt_report_add_matrix(r, &m));
    char *page = page_of(r);
    has(page, "\"1 \xe2\x80\xa6 3\",\"4 \xe2\x80\xa6 6\"");
    has(page, "\"148 \xe2\x80\xa6 150\"]");
    has(page, "\"most\":[0.02,0.02]"); /* 3 / 150 */
    free(page);
    fgt_report_destroy(&r);
}

static void add_points(fgt_report *r)
{
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 2; k++)
            OK(fgt_report_add_point(r, &FGT_OPTS(fgt_report_point, .chart = "Loss", .axis = "epoch",
                                                 .curve = k ? "validation" : "training", .x = i + 1,
                                                 .y = i == 3 ? NAN : 1.5 / (i + 1))));
}

static void add_window(fgt_report *r)
{
    const double            input[6] = {1, NAN, 3, 1e200, 5, 6}, next[3] = {7, 8, INFINITY};
    const double            truth[3] = {7.5, NAN, 9};
    const int64_t           first[T] = {0, 1, 3}, last[T] = {2, 4, 5};
    const fgt_report_window w = {.size     = sizeof w,
                                 .name     = "load",
                                 .input    = FGT_VIEW_OF(FGT_DTYPE_F64, input, 6),
                                 .forecast = FGT_VIEW_OF(FGT_DTYPE_F64, next, 3),
                                 .truth    = FGT_VIEW_OF(FGT_DTYPE_F64, truth, 3),
                                 .from     = "noon",
                                 .first    = first,
                                 .last     = last,
                                 .tokens   = T};
    OK(fgt_report_add_window(r, &w));
}

static void add_words(fgt_report *r)
{
    const float value[T] = {0, 2, 1};
    OK(fgt_report_add_words(r, &FGT_OPTS(fgt_report_words, .name = "a text", .count = 2,
                                         .measure = "sensitivity", .value = FGT_VIEW(value, T))));
}

/* A window whose series is a token, with a measure of its rows and of the tokens. */
static fgt_report_window measured(const fgt_view *rows, const fgt_view *tokens)
{
    return (fgt_report_window){.size        = sizeof(fgt_report_window),
                               .name        = "load",
                               .input       = rows,
                               .forecast    = rows,
                               .token       = 1,
                               .measure     = "use & abuse",
                               .about       = "How <useful> it is.",
                               .row_value   = rows,
                               .token_value = tokens};
}

/* Bars of rows, of which several may share one, and names of tokens, coloured; both also as tables. */
static void test_measure(void **state)
{
    (void)state;
    double                  row[601]  = {0}, token[T] = {0.25, 4, 1};
    fgt_report             *r         = new_report(1);
    const fgt_report_matrix m         = turning();
    row[599] = 7;
    const fgt_view few = *FGT_VIEW_OF(FGT_DTYPE_F64, row, 2), many = *FGT_VIEW_OF(FGT_DTYPE_F64, row, 601);
    const fgt_report_window w[] = {measured(&few, FGT_VIEW_OF(FGT_DTYPE_F64, token, T)),
                                   measured(&many, NULL)};
    REFUSED(fgt_report_add_window(r, &w[0]), FGT_E_ARG, "needs a matrix");
    OK(fgt_report_add_matrix(r, &m));
    for (int i = 0; i < 2; i++) OK(fgt_report_add_window(r, &w[i]));
    char *page = page_of(r);
    assert_int_equal(count(page, "\"about\":\"How \\u003cuseful\\u003e it is.\""), 2);
    has(page, "\"measure\":\"use \\u0026 abuse\",");
    has(page, "\"values\":[0.25,4,1],\"bar\":1,\"bars\":[0,0]}");
    has(page, "\"bar\":4,\"bars\":[0,0,");
    has(page, ",0,7,0]}");
    has(page, "<summary>The use &amp; abuse in numbers<span class='still'>: load</span></summary>");
    has(page, "</th><td>4</td></tr>");
    /* 601 rows in bars of 4: the last but one ends with row -2, the last is row -1 */
    has(page, "<th scope='row'>\xe2\x88\x92"
              "5\xe2\x80\xa6\xe2\x88\x92"
              "2</th><td>7</td>");
    has(page, "<th scope='row'>\xe2\x88\x92"
              "1</th><td>0</td>");
    free(page);
    fgt_report_destroy(&r);
}

/* Everything at once, and in a locale with a decimal comma the same bytes. */
static void test_parts(void **state)
{
    (void)state;
    fgt_report             *r = new_report(2);
    const fgt_report_matrix m = turning();
    OK(fgt_report_add_fact(r, "model", "fighter <1>"));
    OK(fgt_report_add_matrix(r, &m));
    add_points(r);
    add_window(r);
    add_words(r);
    char *page = page_of(r);
    has(page, "<dt>model</dt><dd>fighter &lt;1&gt;</dd>");
    has(page, "<td class='name'>training</td><td>2</td><td>0.75</td>");
    assert_int_equal(count(page, "<td class='name'>training"), 4); /* one is not finite */
    has(page, "\"curves\":[{\"curve\":\"training\",\"x\":[1,2,3,5],\"y\":[1.5,0.75,0.5,0.3]}");
    has(page, "\"from\":\"noon\"");
    has(page, "\"subject\":0,\"row\":-1,\"spans\":[0,2,1,4,3,5],\"input\":[1,null,3,null,5,6],"
              "\"forecast\":[7,8,null],\"truth\":[7.5,null,9]}");
    has(page, "<th scope='row'>2</th><td>8</td><td></td>");
    has(page, "<th scope='row'>3</th><td></td><td>9</td>");
    has(page, "{\"text\":\"a text\",\"subject\":0,\"count\":2,\"measure\":\"sensitivity\","
              "\"words\":[\"first\",\"second\",\"third\"],\"values\":[0,2,1]}");
    has(page, "<th scope='row' class='name'>second</th><td>2</td>");
    assert_int_equal(count(page, "http"), 2); /* the policy, and the name space of SVG in the script */
    if (set_comma_locale(directory)) {
        char *other = page_of(r);
        setlocale(LC_ALL, "C");
        assert_string_equal(other, page);
        free(other);
    }
    free(page);
    fgt_report_destroy(&r);
}

/* Numbers have enough digits for a picture of small differences, and stay numbers of JSON. */
static void test_digits(void **state)
{
    (void)state;
    const double            input[] = {1e9, 1e9 + 1, 1e9 + 2.5}, next[] = {-1e-300};
    fgt_report             *r = new_report(1);
    const fgt_report_window w = {.size     = sizeof w,
                                 .name     = "load",
                                 .input    = FGT_VIEW_OF(FGT_DTYPE_F64, input, 3),
                                 .forecast = FGT_VIEW_OF(FGT_DTYPE_F64, next, 1)};
    OK(fgt_report_add_window(r, &w));
    char *page = page_of(r);
    has(page, "\"subject\":-1,\"row\":-1,\"spans\":[],\"input\":[1000000000,1000000001,1000000002.5],"
              "\"forecast\":[-1e-300],\"truth\":[null]}");
    free(page);
    fgt_report_destroy(&r);
}

/* A page stays below its limit: epochs go first, then layers, and it says so. */
static void test_limit(void **state)
{
    (void)state;
    static float      even[64 * 64];
    fgt_report       *r = new_report(8);
    fgt_report_matrix m = turning();
    for (int i = 0; i < 64 * 64; i++) even[i] = (float)(i % 7) / 200;
    m.a      = FGT_VIEW(even, 64, 64);
    m.tokens = NULL;
    for (m.epoch = 0; m.epoch < 80; m.epoch++) OK(fgt_report_add_matrix(r, &m));
    char *page = page_of(r);
    assert_in_range(strlen(page), 400000, MOST);
    has(page, "a multiple of 4");
    free(page);
    m.epoch = 0;
    for (int i = 0; i < 40; i++) {
        char layer[8];
        snprintf(layer, sizeof layer, "%d", i);
        m.layer = layer;
        OK(fgt_report_add_matrix(r, &m));
    }
    page = page_of(r);
    assert_in_range(strlen(page), 400000, MOST);
    has(page, "of 40 layers");
    free(page);
    fgt_report_destroy(&r);
}

/* Epochs that find no room leave nothing to choose: only a table. */
static void test_no_room(void **state)
{
    (void)state;
    static float      even[32 * 64 * 64];
    fgt_report       *r = new_report(8);
    fgt_report_matrix m = turning();
    for (int i = 0; i < 32 * 64 * 64; i++) even[i] = 1.0f / 64;
    m.a      = FGT_VIEW(even, 32, 64, 64);
    m.tokens = NULL;
    m.epoch  = 3;
    OK(fgt_report_add_matrix(r, &m));
    char *page = page_of(r);
    has(page, "<th scope='row'>1</th><td>0.0156</td><td>0.0156</td>");
    has(page, "the first 0 of 1 layers");
    has(page, "\"layers\":[],");
    has(page, "\"sets\":[],");
    free(page);
    fgt_report_destroy(&r);
}

/* ---- names ---- */

/* Names that are shown alike, because they are long or no UTF-8, are names of different things. */
static void test_alike(void **state)
{
    (void)state;
    char              name[4][140];
    fgt_report       *r = new_report(1);
    fgt_report_matrix m = turning();
    for (int i = 0; i < 4; i++) {
        memset(name[i], 'x', 130);
        snprintf(name[i] + 130, sizeof name[i] - 130, "%s", i ? "south" : "north");
    }
    strcpy(name[2], "\xe8");
    strcpy(name[3], "\xe9");
    for (int i = 0; i < 4; i++) {
        m.subject = name[i];
        m.layer   = i ? "0" : name[0];
        OK(fgt_report_add_matrix(r, &m));
    }
    m.layer = name[1];
    OK(fgt_report_add_matrix(r, &m));
    OK(fgt_report_add_matrix(r, &m)); /* in the place of the one before */
    char *page = page_of(r);
    assert_int_equal(count(page, "\"tokens\":"), 4);
    assert_int_equal(count(page, "\"planes\":"), 5);
    has(page, "\"subject\":3,\"layer\":2,");
    free(page);
    fgt_report_destroy(&r);
}

/* Both ends of tokens that share a square have half of the room, and no character is cut. */
static void test_long_tokens(void **state)
{
    (void)state;
    static char       token[128][200];
    static float      even[128 * 128];
    const char       *tokens[128];
    fgt_report       *r = new_report(1);
    fgt_report_matrix m = turning();
    for (int i = 0; i < 128; i++) {
        tokens[i]   = token[i];
        token[i][0] = 'a';
        for (int k = 0; k < 80; k++) memcpy(token[i] + 1 + 2 * k, "\xd0\xb4", 2);
        for (int j = 0; j < 128; j++) even[i * 128 + j] = 1.0f / 128;
    }
    m.a      = FGT_VIEW(even, 128, 128);
    m.tokens = tokens;
    OK(fgt_report_add_matrix(r, &m));
    char *page = page_of(r);
    has(page, "\xd0\xb4\xd0\xb4\xe2\x80\xa6 \xe2\x80\xa6 a\xd0\xb4\xd0\xb4");
    assert_int_equal(count(page, "\xef\xbf\xbd"), 0);
    free(page);
    fgt_report_destroy(&r);
}

/* No name leaves the script element, or its string. */
static void test_hostile(void **state)
{
    (void)state;
    static const char       bad[]     = "</script><!--<script>]]>\xe2\x80\xa8\xe2\x80\xa9\\'\"&{data}\n";
    const char *const       tokens[T] = {bad, bad, bad};
    const float             row[T]    = {1, 2, 3};
    fgt_report             *r;
    fgt_report_matrix       m = turning();
    const fgt_report_window w = {.size     = sizeof w,
                                 .name     = bad,
                                 .subject  = bad,
                                 .input    = FGT_VIEW(row, T),
                                 .forecast = FGT_VIEW(row, T),
                                 .from     = bad};
    m.layer = m.subject = bad;
    m.tokens            = tokens;
    OK(fgt_report_create(ctx, &FGT_OPTS(fgt_report_opts, .title = bad, .about = bad), &r));
    OK(fgt_report_add_fact(r, bad, bad));
    OK(fgt_report_add_matrix(r, &m));
    OK(fgt_report_add_window(r, &w));
    OK(fgt_report_add_point(r, &FGT_OPTS(fgt_report_point, .chart = bad, .axis = bad, .curve = bad)));
    char *page = page_of(r);
    assert_int_equal(count(page, "<script"), 3);
    assert_int_equal(count(page, "</script"), 3);
    assert_int_equal(count(page, "<!--"), 1); /* of the page itself */
    assert_int_equal(count(page, "\xe2\x80\xa8") + count(page, "\xe2\x80\xa9"), 0);
    has(page, "\"from\":\"\\u003c/script\\u003e\\u003c!--\\u003cscript\\u003e]]\\u003e"
              "\xef\xbf\xbd\xef\xbf\xbd\\u005c\\u0027\\u0022\\u0026{data}\xe2\x90\x8a\"");
    free(page);
    fgt_report_destroy(&r);
}

/* ---- what is refused ---- */

static void test_refused(void **state)
{
    (void)state;
    fgt_report       *r          = (void *)1;
    float             bad[T * T] = {NAN}, less[T * T] = {-1};
    const int64_t     span[T] = {0, 1, 6};
    fgt_report_matrix m       = turning();
    fgt_report_words  words   = {.size = sizeof words, .count = T + 1};
    fgt_report_window w       = {.size = sizeof w, .name = "x"};
    REFUSED(fgt_report_create(ctx, &FGT_OPTS(fgt_report_opts, .hops = 9), &r), FGT_E_ARG, "hops");
    assert_null(r);
    r = new_report(0);
    REFUSED(fgt_report_add_words(r, &words), FGT_E_ARG, "need a matrix");
    m.a = FGT_VIEW(turn, T, T - 1);
    REFUSED(fgt_report_add_matrix(r, &m), FGT_E_SHAPE, "[3,2]");
    fgt_view odd = *m.a;
    odd.rank     = 9;
    m.a          = &odd;
    REFUSED(fgt_report_add_matrix(r, &m), FGT_E_SHAPE, "malformed shape");
    m.a = FGT_VIEW(bad, T, T);
    REFUSED(fgt_report_add_matrix(r, &m), FGT_E_NONFINITE, "element 0");
    m.a = FGT_VIEW(less, T, T);
    REFUSED(fgt_report_add_matrix(r, &m), FGT_E_DATA, "element 0");
    m = turning();
    OK(fgt_report_add_matrix(r, &m));
    char *page = page_of(r);
    m.a        = FGT_VIEW(turn, 2, 2);
    m.layer    = "ghost";
    REFUSED(fgt_report_add_matrix(r, &m), FGT_E_SHAPE, "got 2, need 3");
    float huge[T * T] = {1e29f}; /* its square is infinite */
    m.a               = FGT_VIEW(huge, T, T);
    REFUSED(fgt_report_add_matrix(r, &m), FGT_E_NONFINITE, "not finite");
    char *again = page_of(r);
    assert_string_equal(page, again);
    free(page);
    free(again);
    m.layer = NULL;
    REFUSED(fgt_report_add_matrix(r, &m), FGT_E_ARG, "layer");
    REFUSED(fgt_report_add_words(r, &words), FGT_E_ARG, "got 4, need 0 to 3");
    REFUSED(fgt_report_add_window(r, &w), FGT_E_ARG, "input");
    w.input = &odd;
    REFUSED(fgt_report_add_window(r, &w), FGT_E_SHAPE, "malformed shape");
    w.input = w.forecast = FGT_VIEW(turn, 6);
    w.first = w.last = span;
    w.tokens         = T;
    REFUSED(fgt_report_add_window(r, &w), FGT_E_ARG, "token 2");
    w.tokens = 0;
    REFUSED(fgt_report_add_window(r, &w), FGT_E_ARG, "belong together");
    w           = measured(FGT_VIEW(turn, 6), FGT_VIEW(turn, T));
    w.row_value = FGT_VIEW(turn, 5);
    REFUSED(fgt_report_add_window(r, &w), FGT_E_SHAPE, "row_value has the wrong shape (got [5]");
    w.row_value = FGT_VIEW(less, 6);
    w.input = w.forecast = w.row_value;
    REFUSED(fgt_report_add_window(r, &w), FGT_E_DATA, "element 0 of row_value is wrong (got -1,");
    w.row_value = FGT_VIEW(turn, 6);
    w.token_value = FGT_VIEW(bad, T);
    REFUSED(fgt_report_add_window(r, &w), FGT_E_NONFINITE, "element 0 of token_value");
    w.token = 0;
    REFUSED(fgt_report_add_window(r, &w), FGT_E_ARG, "measure");
    w.token_value = w.row_value = NULL;
    REFUSED(fgt_report_add_window(r, &w), FGT_E_ARG, "measure");
    w     = (fgt_report_window){.size = sizeof w, .name = "a", .input = FGT_VIEW(turn, 6)};
    w.low = w.high = w.forecast = FGT_VIEW(turn, 3);
    REFUSED(fgt_report_add_window(r, &w), FGT_E_ARG, "low, high and band");
    w.band = "80 % interval";
    w.high = FGT_VIEW(turn, 2);
    REFUSED(fgt_report_add_window(r, &w), FGT_E_SHAPE, "high has the wrong shape (got [2]");
    REFUSED(fgt_report_add_point(r, &FGT_OPTS(fgt_report_point, .x = 1)), FGT_E_ARG, "chart");
    REFUSED(fgt_report_save(r, FGT_TO_FILE("/no/such/folder/page.html")), FGT_E_IO, "/no/such/folder");
    fgt_report_destroy(&r);
}

static void test_full(void **state)
{
    (void)state;
    fgt_report *r = new_report(1);
    char        name[24];
    fgt_status  s = FGT_OK;
    for (int i = 0; i < 25; i++) {
        snprintf(name, sizeof name, "curve %d", i);
        s = fgt_report_add_point(r, &FGT_OPTS(fgt_report_point, .chart = name, .axis = "x", .curve = "a"));
        if (i < 24) OK(s);
    }
    REFUSED(s, FGT_E_SIZE, "24 charts");
    for (int i = 0; i < 9; i++) {
        snprintf(name, sizeof name, "%d", i);
        s = fgt_report_add_point(r,
                                 &FGT_OPTS(fgt_report_point, .chart = "curve 1", .axis = "x", .curve = name));
    }
    REFUSED(s, FGT_E_SIZE, "8 curves");
    for (int i = 0; i < 16; i++) add_window(r);
    const fgt_report_window w = {
        .size = sizeof w, .name = "one more", .input = FGT_VIEW(turn, 2), .forecast = FGT_VIEW(turn, 2)};
    REFUSED(fgt_report_add_window(r, &w), FGT_E_SIZE, "16 windows");
    fgt_report_destroy(&r);
}

/* An interval has gaps where its ends are not known, and columns of the table. Charts that say how good a
 * model is have a section of their own. */
static void test_first(void **state)
{
    (void)state;
    fgt_report *r      = new_report(1);
    const float low[]  = {1, 2, NAN, 4}, high[] = {5, 6, 7, 8}, row[] = {3, 4, 5, 6};
    OK(fgt_report_add_window(r, &FGT_OPTS(fgt_report_window, .name = "a", .input = FGT_VIEW(row, 4),
                                          .forecast = FGT_VIEW(row, 4), .low = FGT_VIEW(low, 4),
                                          .high = FGT_VIEW(high, 4), .band = "80 % <interval>")));
    OK(fgt_report_add_point(r, &FGT_OPTS(fgt_report_point, .chart = "later", .axis = "x", .curve = "a")));
    OK(fgt_report_add_point(
        r, &FGT_OPTS(fgt_report_point, .chart = "above", .axis = "x", .curve = "a", .first = 1)));
    char *page = page_of(r);
    has(page, "\"band\":\"80 % \\u003cinterval\\u003e\"");
    has(page, "<th scope='col'>low</th><th scope='col'>high</th>");
    has(page, "\"low\":[1,2,null,4],\"high\":[5,6,7,8]}");
    has(page, "{\"section\":\"first\",\"title\":\"above\"");
    has(page, "{\"section\":\"charts\",\"title\":\"later\"");
    assert_true(strstr(page, "<section id='first'") < strstr(page, "<section id='windows'"));
    assert_true(strstr(page, "<section id='charts'") > strstr(page, "<section id='windows'"));
    free(page);
    fgt_report_destroy(&r);
}

/* ---- memory ---- */

/* A call that fails leaves the page as it was: it can be made again, and the page is that of a report whose
 * memory never failed. */
static void test_failing(void **state)
{
    (void)state;
    fgt_report             *r = NULL, *whole = new_report(2);
    const fgt_report_matrix m       = turning();
    const float             row[T]  = {1, 2, 3};
    const int64_t           span[T] = {0, 1, 2};
    const fgt_report_window w       = {.size     = sizeof w,
                                       .name     = "a",
                                       .input    = FGT_VIEW(row, T),
                                       .forecast = FGT_VIEW(row, T),
                                       .first    = span,
                                       .last     = span,
                                       .tokens   = T};
    const fgt_report_window valued  = measured(FGT_VIEW(row, T), FGT_VIEW(row, T));
    const fgt_report_words  words   = {
           .size = sizeof words, .count = T, .name = "b", .measure = "c", .value = FGT_VIEW(row, T)};
    const fgt_report_point p = {.size = sizeof p, .chart = "d", .axis = "e", .curve = "f", .about = "g"};
    fgt_status             s;
    int64_t                size;
    OK(fgt_report_add_matrix(whole, &m));
    OK(fgt_report_add_window(whole, &w));
    OK(fgt_report_add_window(whole, &valued));
    OK(fgt_report_add_words(whole, &words));
    OK(fgt_report_add_point(whole, &p));
    OK(fgt_report_add_fact(whole, "h", "i"));
    SWEEP(&memory, s, 2, fgt_report_create(ctx, &FGT_OPTS(fgt_report_opts, .title = "title", .hops = 2), &r))
    assert_null(r);
    SWEEP(&memory, s, 4, fgt_report_add_matrix(r, &m))
    {
    }
    SWEEP(&memory, s, 2, fgt_report_add_window(r, &w))
    {
    }
    SWEEP(&memory, s, 3, fgt_report_add_window(r, &valued))
    {
    }
    SWEEP(&memory, s, 2, fgt_report_add_words(r, &words))
    {
    }
    SWEEP(&memory, s, 3, fgt_report_add_point(r, &p))
    {
    }
    SWEEP(&memory, s, 2, fgt_report_add_fact(r, "h", "i"))
    {
    }
    SWEEP(&memory, s, 2, fgt_report_save(r, FGT_TO_MEMORY(NULL, 0, &size))) NOTHING_LEAKS;
    char *a = page_of(r), *b = page_of(whole);
    assert_string_equal(a, b);
    free(a);
    free(b);
    fgt_report_destroy(&r);
    fgt_report_destroy(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_powers),  WITH_CONTEXT(test_heads), WITH_CONTEXT(test_many_tokens),
        WITH_CONTEXT(test_measure), WITH_CONTEXT(test_parts), WITH_CONTEXT(test_limit),
        WITH_CONTEXT(test_no_room), WITH_CONTEXT(test_alike), WITH_CONTEXT(test_long_tokens),
        WITH_CONTEXT(test_refused), WITH_CONTEXT(test_full),  WITH_CONTEXT(test_failing),
        WITH_CONTEXT(test_digits),  WITH_CONTEXT(test_first), WITH_CONTEXT(test_hostile),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
