/* SPDX-License-Identifier: BSD-3-Clause */
#include "small_files.h"

#include "core/rng.h"
#include "data/csv/csv.h"
#include "data/csv/first_block.h"

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
        {"a\0,\0", 4, "r.csv: line 1: the line contains a zero byte"},
    };
    char out[256];
    for (size_t i = 0; i < COUNT(bad); i++) {
        expect_status(read_text(bad[i].text, bad[i].size, ',', out, sizeof out), FGT_E_FORMAT);
        expect_sentence(bad[i].sentence);
    }
}

/* In UTF-16 with a mark, either byte first. */
static size_t encode(const char *text, bool big, char *out)
{
    size_t n = 0;
    for (const char *p = big ? "\xfe\xff" : "\xff\xfe"; *p; p++) out[n++] = *p;
    for (; *text; text++) {
        out[n + big]  = *text;
        out[n + !big] = 0;
        n += 2;
    }
    return n;
}

static void test_utf16(void **state)
{
    (void)state;
    /* a letter of two bytes, one of three, and one of four, which are two units */
    static const char letters[] = "\xff\xfe"
                                  "a\0,\0\xe9\0\xac\x20\x3d\xd8\x00\xde\n";
    static const char half[]    = "\xff\xfe"
                                  "a\0\x3d\xd8"
                                  "b\0",
                      alone[]   = "\xfe\xff\xdc\x00";
    char out[256], text[64];
    for (int big = 0; big < 2; big++) {
        const size_t n = encode("a,b\r\n\"1\n2\",3", big, text);
        expect_ok(read_text(text, n, ',', out, sizeof out));
        assert_string_equal(out, "1|a|b\n2|[1\n2]|3\n");
        expect_status(read_text(text, n - 1, ',', out, sizeof out), FGT_E_FORMAT); /* half of a letter */
        expect_sentence("r.csv: line 3: the text in UTF-16 is damaged here");
    }
    expect_ok(read_text(letters, sizeof letters, ',', out, sizeof out));
    assert_string_equal(out, "1|a|\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\n");
    expect_ok(read_text("\xff\xfe", 2, ',', out, sizeof out));
    assert_string_equal(out, "");
    expect_status(read_text(half, sizeof half - 1, ',', out, sizeof out), FGT_E_FORMAT);
    expect_status(read_text(alone, sizeof alone - 1, ',', out, sizeof out), FGT_E_FORMAT);
}

/* Letters whose units lie in two blocks. */
static void test_utf16_blocks(void **state)
{
    (void)state;
    enum { SIZE = 200000 };
    char    *text = malloc(2 * SIZE + 64), *out = malloc(2 * SIZE + 64);
    fgti_csv csv;
    bool     more;
    assert_true(text && out);
    for (int shift = 0; shift < 3; shift++) {
        size_t n = encode(&"xyz"[3 - shift], false, text);
        for (int i = 0; i < SIZE / 2; i++, n += 4) memcpy(text + n, "\x3d\xd8\x00\xde", 4);
        test_write(in_directory("b.csv"), text, n);
        expect_ok(fgti_csv_open(&context, in_directory("b.csv"), ',', &csv));
        expect_ok(fgti_csv_next(&csv, &more));
        assert_int_equal(csv.cells[0].size, shift + 4 * (SIZE / 2));
        for (int i = 0; i < SIZE / 2; i++)
            assert_memory_equal(fgti_csv_cell(&csv, 0) + shift + 4 * i, "\xf0\x9f\x98\x80", 4);
        fgti_csv_close(&csv);
    }
    free(text);
    free(out);
}

static void test_other_files(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t      size;
        const char *sentence;
    } bad[] = {
        {"PK\3\4\24\0", 6,
         "r.csv: wrong kind of file (got a workbook (xlsx, ods) or another zip archive, need a CSV file); "
         "save the sheet as CSV"},
        {"\xd0\xcf\x11\xe0\xa1\xb1", 6, "r.csv: wrong kind of file (got a workbook (xls), need a CSV file)"},
        {"PAR1\x15\x04", 6, "r.csv: wrong kind of file (got a Parquet file, need a CSV file)"},
        {"ARROW1\0\0\xff", 9, "r.csv: wrong kind of file (got an Arrow file, need a CSV file)"},
        {"%PDF-1.7", 8, "r.csv: wrong kind of file (got a PDF document, need a CSV file)"},
        {"\x89PNG\r\n\x1a\n", 8, "r.csv: wrong kind of file (got a picture (PNG), need a CSV file)"},
        {"\x40\1\0\0\0\0\0\0{\"a\"", 12,
         "r.csv: wrong kind of file (got a model (safetensors), need a CSV file)"},
    };
    char out[256];
    for (size_t i = 0; i < COUNT(bad); i++) {
        expect_status(read_text(bad[i].bytes, bad[i].size, ',', out, sizeof out), FGT_E_FORMAT);
        expect_sentence(bad[i].sentence);
    }
    expect_ok(read_text("PAR1,PAR2\n", 10, ',', out, sizeof out));
    assert_string_equal(out, "1|PAR1|PAR2\n");
}

static void test_comments(void **state)
{
    (void)state;
    static const struct {
        const char *comment, *text;
        int64_t     skip;
        const char *cells; /* the first of each record */
    } cases[] = {
        {"#", "# a \"quote\n#\na,b\n#x\n1,2\n# end", 0, "a 1"},
        {"#", "a#,b\n1,#\n", 0, "a# 1"},
        {"Total", "Tot,b\nTo,2\nTotal,3\nT,4\n", 0, "Tot To T"},
        {NULL, "x\ny\r\na,b\n#,2\n", 2, "a #"},
        {"#", "x\n\n#\n\na,b\n", 1, "a"},
        {NULL, "x\n", 9, ""},
        {"#", "\"#\",b\n", 0, "#"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fgti_csv csv;
        bool     more;
        char     out[64] = "";
        expect_ok(fgti_csv_open(&context, put_text("c.csv", cases[i].text), ',', &csv));
        expect_ok(fgti_csv_skip(&csv, cases[i].skip, cases[i].comment));
        expect_ok(fgti_csv_skip_blank(&csv));
        for (expect_ok(fgti_csv_next_filled(&csv, &more)); more; expect_ok(fgti_csv_next_filled(&csv, &more)))
            snprintf(out + strlen(out), sizeof out - strlen(out), "%s%s", *out ? " " : "",
                     fgti_csv_cell(&csv, 0));
        assert_string_equal(out, cases[i].cells);
        fgti_csv_close(&csv);
    }
}

/* A line that begins as a comment at the end of a block, and is none, is read again. */
static void test_comment_blocks(void **state)
{
    (void)state;
    enum { BLOCK = 65536 };
    char *text = malloc(BLOCK + 64);
    assert_non_null(text);
    for (int shift = 0; shift < 8; shift++)
        for (int is = 0; is < 2; is++) {
            const int at = BLOCK - shift;
            fgti_csv  csv;
            bool      more;
            memset(text, 'x', (size_t)at);
            text[at - 1] = '\n';
            strcpy(text + at, is ? "Total,1\nlast,2\n" : "Tota,1\nlast,2\n");
            expect_ok(fgti_csv_open(&context, put_text("c.csv", text), ',', &csv));
            expect_ok(fgti_csv_skip(&csv, 0, "Total"));
            expect_ok(fgti_csv_next(&csv, &more));
            expect_ok(fgti_csv_next(&csv, &more));
            assert_string_equal(fgti_csv_cell(&csv, 0), is ? "last" : "Tota");
            assert_int_equal(csv.line, 2 + is);
            fgti_csv_close(&csv);
        }
    free(text);
}

static bool is_date(const char *text, size_t n)
{
    return n == 4 && !memcmp(text, "date", 4);
}

static void test_first_lines(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        char        delimiter;
        int64_t     titles;
    } cases[] = {
        {"sep=;\na;b,c\n1;2\n", ';', 0},
        {"\"sep=|\"\r\na|b\n", '|', 0},
        {"sep=a\n1\n", ',', 0},
        {"Report of 2023\n\na;b;c\n1;2;3\n4;5;6\n", ',', 2},
        {"Report,,\na,b,c\n1,2,3\n", ',', 1},
        {"Report, by me\nMore\na,b,c,d,e\n1,2,3,4,5\n", ',', 2},
        {",a,b\n1,2,3\n", ',', 0},
        {"a,b\n1,2,3\n1,2,3\n", ',', 0},
        {"a,b,c,\n1,2,3\n1,2,3\n", ',', 0},
        {"", ',', 0},
        /* titles with as many cells as the header */
        {"Report, 2019\nShop\nx,a\n2019-01-01,2\n2019-01-02,2\n", ',', 2},
        {"Shop\nReport, 2019\nx,a\n2019-01-01,2\n2019-01-02,2\n", ',', 2},
        {"Report, all, 2019\nShop\nx,a\n2019-01-01,2\n2019-01-02,2\n", ',', 2},
        {"Report, 2019\ndate,a\n2019-01-01,2\n2019-01-02,2\n", ',', 1},
        {"Report, Berlin\nAll, goods\ndate,a\n2019-01-01,2\n2019-01-02,2\n", ',', 2},
        {"date,a\nd,EUR\n2019-01-01,2\n2019-01-02,2\n", ',', 0},
        {"x,a\nd,EUR\n2019-01-01,2\n2019-01-02,2\n", ',', 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fgti_csv csv;
        expect_ok(fgti_csv_open(&context, put_text("d.csv", cases[i].text), 0, &csv));
        fgti_csv_detect(&csv, ",;\t|");
        assert_int_equal(csv.delimiter, cases[i].delimiter);
        assert_int_equal(fgti_csv_count_titles(&csv, ",;\t|", is_date), cases[i].titles);
        fgti_csv_close(&csv);
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

/* A line of a few cells, in which quotes do not begin a cell; returns its size. */
static size_t draw_line(uint64_t i, char *line)
{
    static const char signs[] = "017a.-; \t\"\xc3";
    size_t            n       = 0;
    uint32_t          w[4];
    fgti_rng_block((fgti_rng){3, 5}, i, w);
    for (const size_t cells = 1 + w[0] % 4; n < 4 * cells + w[0] / 4 % 20;) {
        fgti_rng_block((fgti_rng){4, (uint32_t)i}, n, w);
        const char c = signs[w[0] % (sizeof signs - 1)];
        line[n]      = c == '"' && (!n || line[n - 1] == ';') ? 'q' : c;
        n++;
    }
    return n;
}

/* Lines that are found in the middle of a block have the cells that they have alone, where a line without
 * others is read byte by byte. */
static void test_lines(void **state)
{
    (void)state;
    enum { LINES = 400, ROOM = 1 << 16 };
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    static char              text[ROOM], got[ROOM], want[ROOM], one[256];
    for (uint64_t round = 0; round < 20; round++) {
        size_t n = 0, at = 0;
        for (uint64_t i = 0; i < LINES; i++) {
            char        *line = text + n;
            const size_t size = draw_line(LINES * round + i, line);
            const char  *end  = ends[(round + i * i) % 3];
            memcpy(line + size, end, strlen(end) + 1);
            n += size + strlen(end);
            expect_ok(read_text(line, size + 1, ';', one, sizeof one));
            at += (size_t)snprintf(want + at, ROOM - at, "%d%s", (int)i + 1, one + 1); /* one is line 1 */
        }
        expect_ok(read_text(text, n, ';', got, ROOM));
        assert_string_equal(got, want);
    }
}

/* Any bytes, by both ways to find some of them. */
static void test_find_bytes(void **state)
{
    (void)state;
    static const char bytes[] = {',', '\t', '|', ' ', '~', 0, '\xff'};
    for (uint32_t i = 0; i < 20000; i++) {
        char     text[64];
        uint64_t want = 0;
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t w[4];
            fgti_rng_block((fgti_rng){9, i}, k, w);
            memcpy(text + 16 * k, w, sizeof w);
        }
        const char    byte = bytes[i % sizeof bytes];
        const uint8_t most = i % 3 ? '"' : (uint8_t)(text[63] & 0x7e);
        for (int k = 0; k < 64; k++)
            want |= (uint64_t)(text[k] == byte || (uint8_t)text[k] <= most) << k;
        assert_true(fgti_find_bytes(text, byte, most) == want);
        assert_true(fgti_find_bytes_by_words(text, byte, most) == want);
    }
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
    expect_sentence("long.csv: line 1: the line is too long (got ");
    fgti_csv_close(&csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_records, expect_no_leak),
        cmocka_unit_test_teardown(test_delimiters, expect_no_leak),
        cmocka_unit_test_teardown(test_damaged, expect_no_leak),
        cmocka_unit_test_teardown(test_utf16, expect_no_leak),
        cmocka_unit_test_teardown(test_utf16_blocks, expect_no_leak),
        cmocka_unit_test_teardown(test_other_files, expect_no_leak),
        cmocka_unit_test_teardown(test_comments, expect_no_leak),
        cmocka_unit_test_teardown(test_comment_blocks, expect_no_leak),
        cmocka_unit_test_teardown(test_first_lines, expect_no_leak),
        cmocka_unit_test_teardown(test_blocks, expect_no_leak),
        cmocka_unit_test_teardown(test_lines, expect_no_leak),
        cmocka_unit_test_teardown(test_find_bytes, expect_no_leak),
        cmocka_unit_test_teardown(test_long_lines, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
