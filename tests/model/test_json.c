/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/files/json.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static fgti_json reader(const char *text)
{
    return (fgti_json){.text = text, .size = strlen(text)};
}

/* The decoded string, or NULL and the reason in *j. */
static const char *read_string(fgti_json *j, const char *text)
{
    static char    buf[256];
    fgti_json_text t;
    *j = reader(text);
    if (!fgti_json_string(j, &t) || !fgti_json_end(j)) return NULL;
    assert_ptr_equal(fgti_json_decode(t, buf), buf + t.size + 1);
    assert_true(fgti_json_equal(t, buf));
    return buf;
}

static void test_strings(void **state)
{
    (void)state;
    static const struct {
        const char *text, *value;
    } good[] = {
        {"\"\"", ""},
        {"\"weight\"", "weight"},
        {" \t\r\n\"a b\" ", "a b"},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"", "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"},
        {"\"\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\"", "\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF"},
        {"\"\xED\x9F\xBF\xEE\x80\x80\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\"",
         "\xED\x9F\xBF\xEE\x80\x80\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"},
    };
    fgti_json j;
    for (size_t i = 0; i < COUNT(good); i++) {
        const char *value = read_string(&j, good[i].text);
        assert_non_null(value);
        assert_string_equal(value, good[i].value);
    }
}

static void test_malformed_strings(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "x",
        "\"",
        "\"abc",
        "\"abc\\",
        "\"abc\\\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12G4\"",
        "\"\\u0000\"",
        "\"\\ud83d\"",
        "\"\\ud83d\\n\"",
        "\"\\ud83d\\u0041\"",
        "\"\\ud83d\\ud83d\"",
        "\"\\ude00\"",
        "\"\n\"",
        "\"\x1F\"",
        "\"\x80\"",
        "\"\xC0\xAF\"",
        "\"\xC1\xBF\"",
        "\"\xC3\"",
        "\"\xC3",
        "\"\xE0\x9F\xBF\"",
        "\"\xED\xA0\x80\"",
        "\"\xF0\x8F\xBF\xBF\"",
        "\"\xF4\x90\x80\x80\"",
        "\"\xF5\x80\x80\x80\"",
        "\"\xFE\"",
        "\"a\" b",
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        fgti_json j;
        assert_null(read_string(&j, bad[i]));
        assert_non_null(j.reason);
        assert_true(j.at <= j.size);
    }
    fgti_json_text t;
    fgti_json      j = {.text = "\"a\0b\"", .size = 5};
    assert_false(fgti_json_string(&j, &t));
    assert_int_equal(j.at, 2);
}

static void test_counts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t     value; /* -1: refused */
    } cases[] = {
        {"0", 0},
        {" 17 ", 17},
        {"9223372036854775807", INT64_MAX},
        {"9223372036854775808", -1},
        {"99999999999999999999999", -1},
        {"-1", -1},
        {"-0", -1},
        {"+1", -1},
        {"007", -1},
        {"1.0", -1},
        {"1e3", -1},
        {"", -1},
        {"true", -1},
        {"\"1\"", -1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fgti_json j     = reader(cases[i].text);
        int64_t   value = -7;
        bool      ok    = fgti_json_count(&j, &value) && fgti_json_end(&j);
        assert_int_equal(ok, cases[i].value >= 0);
        if (ok)
            assert_int_equal(value, cases[i].value);
        else
            assert_non_null(j.reason);
    }
}

/* An array of counts: their sum, -1 when malformed. */
static int64_t sum(const char *text)
{
    fgti_json j     = reader(text);
    int64_t   total = 0, value;
    fgti_json_open(&j, '[');
    for (int64_t n = 0; fgti_json_next(&j, ']', &n); total += value)
        if (!fgti_json_count(&j, &value)) break;
    return fgti_json_end(&j) ? total : -1;
}

static void test_arrays_and_objects(void **state)
{
    (void)state;
    assert_int_equal(sum("[]"), 0);
    assert_int_equal(sum(" [ 1 , 2,3 ] "), 6);
    static const char *const bad[] = {"", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1}", "{1]", "[1]]"};
    for (size_t i = 0; i < COUNT(bad); i++) assert_int_equal(sum(bad[i]), -1);

    fgti_json      j = reader("{\"\\u0061\" : 1, \"b\":2}");
    fgti_json_text key;
    int64_t        n = 0, value;
    assert_true(fgti_json_open(&j, '{'));
    assert_true(fgti_json_next(&j, '}', &n));
    assert_true(fgti_json_key(&j, &key));
    assert_true(fgti_json_equal(key, "a"));
    assert_false(fgti_json_equal(key, "ab"));
    assert_true(fgti_json_count(&j, &value));
    assert_true(fgti_json_next(&j, '}', &n));
    assert_true(fgti_json_key(&j, &key) && fgti_json_count(&j, &value));
    assert_int_equal(value, 2);
    assert_false(fgti_json_next(&j, '}', &n));
    assert_true(fgti_json_end(&j));
}

/* After the first error nothing moves and the first reason stays. */
static void test_errors_stick(void **state)
{
    (void)state;
    fgti_json      j = reader("[x, \"s\", 1]");
    fgti_json_text t;
    int64_t        n = 0, value;
    assert_true(fgti_json_open(&j, '['));
    assert_true(fgti_json_next(&j, ']', &n));
    assert_false(fgti_json_count(&j, &value));
    const char *reason = j.reason;
    assert_int_equal(j.at, 1);
    assert_false(fgti_json_next(&j, ']', &n));
    assert_false(fgti_json_string(&j, &t));
    assert_false(fgti_json_open(&j, '['));
    assert_false(fgti_json_end(&j));
    assert_ptr_equal(j.reason, reason);
    assert_int_equal(j.at, 1);
}

static void test_quote(void **state)
{
    (void)state;
    static const char *const values[] = {"", "plain", "a\"b\\c/d", "\x01\x1F\x7F\n\t",
                                         "\xC3\xA9\xF0\x9F\x98\x80"};
    for (size_t i = 0; i < COUNT(values); i++) {
        char         text[64];
        fgti_json    j;
        const size_t n = fgti_json_quote(values[i], text);
        assert_int_equal(n, fgti_json_quote(values[i], NULL));
        text[n]           = 0;
        const char *value = read_string(&j, text);
        assert_non_null(value);
        assert_string_equal(value, values[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings),      cmocka_unit_test(test_malformed_strings),
        cmocka_unit_test(test_counts),       cmocka_unit_test(test_arrays_and_objects),
        cmocka_unit_test(test_errors_stick), cmocka_unit_test(test_quote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
