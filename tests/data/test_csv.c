/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include "data/csv/csv.h"

/* All records of a text: cells joined by '|', records by '\n'; quoted ones between brackets. */
static fgt_status read_text(const char *text, size_t size, char delimiter, char *out, size_t capacity)
{
    const char *path = in_directory("r.csv");
    fgti_csv    csv;
    bool        more = true;
    size_t      at   = 0;
    test_write(path, text, size);
    fgt_status s = fgti_csv_open(&context, path, delimiter, &csv);
    out[0]       = 0;
    while (s == FGT_OK) {
        s = fgti_csv_next(&csv, &more);
        if (s != FGT_OK || !more) break;
        at += (size_t)snprintf(out + at, capacity - at, "%lld", (long long)csv.line);
        for (int64_t i = 0; i < csv.count; i++) {
            assert_int_equal(strlen(fgti_csv_cell(&csv, i)), csv.cells[i].size);
            at += (size_t)snprintf(out + at, capacity - at, csv.cells[i].quoted ? "|[%s]" : "|%s",
                                   fgti_csv_cell(&csv, i));
        }
        at += (size_t)snprintf(out + at, capacity - at, "\n");
    }
    fgti_csv_close(&csv);
    return s;
}

static void test_records(void **state)
{
    (void)state;
    static const struct {
        const char *text, *records;
    } good[] = {
        {"", ""},
        {"a", "1|a\n"},
        {"a\n", "1|a\n"},
        {"a,b\n1,2", "1|a|b\n2|1|2\n"},
        {"a,b\r\n1,2\r\n", "1|a|b\n2|1|2\n"},
        {"a,b\r1,2\r", "1|a|b\n2|1|2\n"},
        {"\xef\xbb\xbf" "a,b\n", "1|a|b\n"},
        {"\xef\xbb\xbf\"a\",b\n", "1|[a]|b\n"},
        {",\n", "1||\n"},
        {"a,", "1|a|\n"},
        {"\n\na\n", "1|\n2|\n3|a\n"},
        {" a b ,\tc\n", "1|a b|c\n"},
        {"\"a,b\",c\n", "1|[a,b]|c\n"},
        {"\"a \"\"b\"\" c\",\"\"\n", "1|[a \"b\" c]|[]\n"},
        {"\"\"\"\"\n", "1|[\"]\n"},
        {"\" a \" ,b\n", "1|[ a ]|b\n"},
        {"\"a\nb\",c\nd,e", "1|[a\nb]|c\n3|d|e\n"},
        {"\"a\"", "1|[a]\n"},
        {"a\"b,c\n", "1|a\"b|c\n"},
        {"\xc3\xa9,\xff\n", "1|\xc3\xa9|\xff\n"},
    };
    char out[256];
    for (size_t i = 0; i < COUNT(good); i++) {
        expect_ok(read_text(good[i].text, strlen(good[i].text), ',', out, sizeof out));
        assert_string_equal(out, good[i].records);
    }
    expect_ok(read_text("a;b,c\n", 6, ';', out, sizeof out));
    assert_string_equal(out, "1|a|b,c\n");
    expect_ok(read_text("a\t\tc d\n", 7, '\t', out, sizeof out));
    assert_string_equal(out, "1|a||c d\n");
}

/* Quotes within a cell are text, also where the delimiter is looked for. */
static void test_delimiters(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        char        delimiter;
    } cases[] = {
        {"a;b,c;d\n", ';'},
        {"size 5\";b;c\n1;2;3\n", ';'},
        {"\"a;b;c\",d\n", ','},
        {"x;\"a,b,\"\"c,\"\",d\";y\n", ';'},
        {"\"a\n,,\";b\n", ';'},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fgti_csv csv;
        expect_ok(fgti_csv_open(&context, put_text("d.csv", cases[i].text), 0, &csv));
        fgti_csv_detect(&csv, ",;\t|");
        assert_int_equal(csv.delimiter, cases[i].delimiter);
        fgti_csv_close(&csv);
    }
}

static void test_damaged(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t      size;
        const char *sentence;
    } bad[] = {
        {"a,b\n1,\"2\n", 9, "r.csv: line 2: a quote is not closed"},
        {"a\n\"b\nc\" d\n", 10, "r.csv: line 3: text follows a closing quote"},
        {"a,b\n1,\0\n", 8, "r.csv: line 2: the line contains a zero byte"},
        {"\"\0\"\n", 4, "r.csv: line 1: the line contains a zero byte"},
        {"\xff\xfe" "a\0,\0", 6, "r.csv: line 1: the line contains a zero byte"},
    };
    char out[256];
    for (size_t i = 0; i < COUNT(bad); i++) {
        expect_status(read_text(bad[i].text, bad[i].size, ',', out, sizeof out), FGT_E_FORMAT);
        expect_sentence(bad[i].sentence);
    }
}

/* Cells that lie across the blocks of the source, at every place. */
static void test_blocks(void **state)
{
    (void)state;
    enum { SIZE = 300000 };
    char *text = malloc(SIZE + 64);
    assert_non_null(text);
    for (int shift = 0; shift < 9; shift++) {
        size_t n = 0;
        int    rows = 0;
        for (int i = 0; i < shift; i++) text[n++] = 'x';
        text[n++] = '\n';
        for (; n < SIZE; rows++) n += (size_t)sprintf(text + n, "%d,\"a\"\"b\"\r\n", rows % 10);
        const char *path = in_directory("blocks.csv");
        test_write(path, text, n);
        fgti_csv csv;
        bool     more;
        expect_ok(fgti_csv_open(&context, path, ',', &csv));
        expect_ok(fgti_csv_next(&csv, &more));
        for (int i = 0; i < rows; i++) {
            expect_ok(fgti_csv_next(&csv, &more));
            assert_true(more);
            assert_int_equal(csv.line, i + 2);
            assert_int_equal(csv.count, 2);
            assert_int_equal(fgti_csv_cell(&csv, 0)[0], '0' + i % 10);
            assert_string_equal(fgti_csv_cell(&csv, 1), "a\"b");
        }
        expect_ok(fgti_csv_next(&csv, &more));
        assert_false(more);
        fgti_csv_close(&csv);
    }
    free(text);
}

/* A line far longer than any block, and one that is too long. */
static void test_long_lines(void **state)
{
    (void)state;
    const size_t cells = 200000, limit = (size_t)64 << 20;
    char        *text  = malloc(limit);
    fgti_csv     csv;
    bool         more;
    assert_non_null(text);
    for (size_t i = 0; i < cells; i++) memcpy(text + 2 * i, "7,", 2);
    test_write(in_directory("long.csv"), text, 2 * cells - 1);
    expect_ok(fgti_csv_open(&context, in_directory("long.csv"), ',', &csv));
    expect_ok(fgti_csv_next(&csv, &more));
    assert_int_equal(csv.count, cells);
    fgti_csv_close(&csv);

    memset(text, 'x', limit); /* the limit counts the line's end, too */
    test_write(in_directory("long.csv"), text, limit - 1);
    expect_ok(fgti_csv_open(&context, in_directory("long.csv"), ',', &csv));
    expect_ok(fgti_csv_next(&csv, &more));
    assert_int_equal(csv.cells[0].size, limit - 1);
    fgti_csv_close(&csv);
    test_write(in_directory("long.csv"), text, limit);
    free(text);
    expect_ok(fgti_csv_open(&context, in_directory("long.csv"), ',', &csv));
    expect_status(fgti_csv_next(&csv, &more), FGT_E_FORMAT);
    expect_sentence("long.csv: line 1: the line is longer than 64 MiB");
    fgti_csv_close(&csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_records, expect_no_leak),
        cmocka_unit_test_teardown(test_delimiters, expect_no_leak),
        cmocka_unit_test_teardown(test_damaged, expect_no_leak),
        cmocka_unit_test_teardown(test_blocks, expect_no_leak),
        cmocka_unit_test_teardown(test_long_lines, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
