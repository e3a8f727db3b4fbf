/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* newlocale of every libc */
#include "../comma_locale.h"
#include "small_files.h"

#include <inttypes.h>
#include <locale.h>

#include "core/rng.h"
#include "data/csv/number.h"
#include "data/csv/short_number.h"
#include "data/csv/shown.h"

static locale_t c_locale;

static int make_locale(void **state)
{
    (void)state;
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return c_locale == (locale_t)0;
}

static int free_locale(void **state)
{
    (void)state;
    freelocale(c_locale);
    return 0;
}

static fgti_number parse(const char *s, double *v)
{
    return fgti_number_parse(c_locale, s, (int64_t)strlen(s), v);
}

static void test_words(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        fgti_number kind;
    } cases[] = {
        {"", FGTI_NUMBER_MISSING},       {"nan", FGTI_NUMBER_MISSING},    {"NaN", FGTI_NUMBER_MISSING},
        {"-NAN", FGTI_NUMBER_MISSING},   {"NA", FGTI_NUMBER_MISSING},     {"n/a", FGTI_NUMBER_MISSING},
        {"null", FGTI_NUMBER_MISSING},   {"inf", FGTI_NUMBER_INFINITE},   {"-Infinity", FGTI_NUMBER_INFINITE},
        {"1e999", FGTI_NUMBER_INFINITE}, {"-1e400", FGTI_NUMBER_INFINITE}, {"1e999999", FGTI_NUMBER_INFINITE},
        {"abc", FGTI_NUMBER_TEXT},       {"1,5", FGTI_NUMBER_TEXT},       {"1 2", FGTI_NUMBER_TEXT},
        {"0x10", FGTI_NUMBER_TEXT},      {"1e", FGTI_NUMBER_TEXT},        {"1e+", FGTI_NUMBER_TEXT},
        {".", FGTI_NUMBER_TEXT},         {"-", FGTI_NUMBER_TEXT},         {"+.e1", FGTI_NUMBER_TEXT},
        {"1.2.3", FGTI_NUMBER_TEXT},     {"--1", FGTI_NUMBER_TEXT},       {"2016-07-01", FGTI_NUMBER_TEXT},
        {"nano", FGTI_NUMBER_TEXT},      {"e5", FGTI_NUMBER_TEXT},        {"nan(1)", FGTI_NUMBER_TEXT},
    };
    double v;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (parse(cases[i].text, &v) != cases[i].kind) fail_msg("\"%s\"", cases[i].text);
}

static void test_gaps(void **state)
{
    (void)state;
    static const char *const gaps[] = {
        "None", "-",    "--",   "---",     "\xe2\x80\x93", "#N/A",    ".",   "..",      "?",     "<NA>",
        "NaT",  "n.a.", "N.A.", "#DIV/0!", "\\N",          "missing", "#NA", "#VALUE!", "#REF!", "nil"};
    static const char *const none[] = {"", "0", "a", "-1", "nan", "n", "N", "....", "unknown", "x", "#"};
    for (size_t i = 0; i < COUNT(gaps); i++)
        if (!fgti_number_is_gap(gaps[i])) fail_msg("\"%s\"", gaps[i]);
    for (size_t i = 0; i < COUNT(none); i++)
        if (fgti_number_is_gap(none[i])) fail_msg("\"%s\"", none[i]);
}

#define NBSP "\xc2\xa0"
#define EURO "\xe2\x82\xac"

static void test_shown(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool        comma;
        double      value;
        const char *unit;
    } good[] = {
        {"1,200.5", false, 1200.5, ""},
        {"1.200,5", true, 1200.5, ""},
        {"1,234,567", false, 1234567, ""},
        {"1.234.567,25", true, 1234567.25, ""},
        {"1 200.5", false, 1200.5, ""},
        {"1" NBSP "200,5", true, 1200.5, ""},
        {"1\xe2\x80\xaf"
         "200",
         true, 1200, ""},
        {"1'200.5", false, 1200.5, ""},
        {"1\xe2\x80\x99"
         "200.5",
         false, 1200.5, ""},
        {"12.5%", false, 12.5, "%"},
        {"12,5 %", true, 12.5, "%"},
        {"12" NBSP "%", false, 12, "%"},
        {"$1,200.0", false, 1200, "$"},
        {"-$5", false, -5, "$"},
        {"$-5.25", false, -5.25, "$"},
        {"5 " EURO, false, 5, EURO},
        {EURO "5", false, 5, EURO},
        {"\xc2\xa3"
         "1,000",
         false, 1000, "\xc2\xa3"},
        {"1.200 EUR", true, 1200, "EUR"},
        {"CHF 1'200.50", false, 1200.5, "CHF"},
        {"(1200.0)", false, -1200, ""},
        {"($1,200)", false, -1200, "$"},
        {"$(5)", false, -5, "$"},
        {"1,200.50-", false, -1200.5, ""},
        {"\xe2\x88\x92"
         "5",
         false, -5, ""},
        {"+5%", false, 5, "%"},
        {".5%", false, .5, "%"},
        {"007", false, 7, ""},
        {"\xe2\x82\xb9"
         "1,00,000",
         false, 0, NULL},
        {"1,23", false, 0, NULL},
        {"1,2345", false, 0, NULL},
        {"1234,567", false, 0, NULL},
        {"1,234 567", false, 0, NULL},
        {"1.2.3", false, 0, NULL},
        {"(5", false, 0, NULL},
        {"5)", false, 0, NULL},
        {"(-5)", false, 0, NULL},
        {"--5", false, 0, NULL},
        {"-5-", false, 0, NULL},
        {"$5" EURO, false, 0, NULL},
        {"$", false, 0, NULL},
        {"%", false, 0, NULL},
        {"", false, 0, NULL},
        {".", false, 0, NULL},
        {"5 kg", false, 0, NULL},
        {"2023-01-02", false, 0, NULL},
        {"1,200,", false, 0, NULL},
        {"12:30", false, 0, NULL},
    };
    for (size_t i = 0; i < COUNT(good); i++) {
        char       unit[FGTI_UNIT];
        double     v    = 0;
        const bool read = fgti_shown_parse(c_locale, good[i].text, good[i].comma, &v, unit);
        if (read != (good[i].unit != NULL) ||
            (read && (v != good[i].value || strcmp(unit, good[i].unit) != 0)))
            fail_msg("\"%s\": %d, %g %s", good[i].text, read, v, read ? unit : "");
    }
}

/* Bit by bit what the C library makes of it; this program has the locale "C". */
static void same_as_strtod(const char *s)
{
    double       v = 0;
    const double want = strtod(s, NULL);
    if (parse(s, &v) != FGTI_NUMBER || memcmp(&v, &want, sizeof v))
        fail_msg("\"%s\": %a instead of %a", s, v, want);
    /* the quick way reads the same, or nothing, whatever follows */
    char text[64 + FGTI_NUMBER_PAD];
    for (const char *after = "\"0.,x"; *after; after++) {
        memset(text, *after, sizeof text);
        memcpy(text, s, strlen(s));
        if (fgti_number_read_short(text, (int64_t)strlen(s), &v) && memcmp(&v, &want, sizeof v))
            fail_msg("\"%s\" before %c: %a instead of %a", s, *after, v, want);
    }
}

/* Cells that the quick way must read, and some that are no numbers. */
static void test_short(void **state)
{
    (void)state;
    static const char *const good[] = {
        "7",        "-7",        "0.5",       "-.5",           "5.",               "-711.681",
        "12345678", "1234567.8", "-900.9274", "123456789012345", "0.12345678901234", "-12345678.1234567",
    };
    static const char *const bad[] = {
        "",           "-",          ".",    "-.",   "--1",         "+1",        "1.2.3",      "1e5",
        "1 2",        "12345678a",  "\xb1", "1.\xb2", "1234.5678.9", "a2345678.1", "1234567a.123",
        "1.23456789a", "9007199254740993", "12345678901234567",
    };
    char   text[64] = "";
    double v;
    for (size_t i = 0; i < COUNT(good); i++) {
        memcpy(text, good[i], strlen(good[i]) + 1);
        if (!fgti_number_read_short(text, (int64_t)strlen(text), &v) || v != strtod(text, NULL))
            fail_msg("\"%s\"", good[i]);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        memcpy(text, bad[i], strlen(bad[i]) + 1);
        if (fgti_number_read_short(text, (int64_t)strlen(text), &v)) fail_msg("\"%s\"", bad[i]);
    }
}

/* Good numbers with any byte in the place of any other: refused, or as the whole parser reads them. */
static void test_short_changed(void **state)
{
    (void)state;
    static const char *const good[] = {"7", "-.5", "1234567.8", "12345678.1234567", "123456789.123456",
                                       "123.123456789", "x.1234567", "-12345678.123456", "1234567890123456"};
    for (size_t i = 0; i < COUNT(good); i++)
        for (size_t at = 0; at < strlen(good[i]); at++)
            for (int byte = 1; byte < 256; byte++) {
                char   text[64] = "";
                double v, want;
                memcpy(text, good[i], strlen(good[i]));
                text[at] = (char)byte;
                if (!fgti_number_read_short(text, (int64_t)strlen(text), &v)) continue;
                if (fgti_number_parse(c_locale, text, (int64_t)strlen(text), &want) != FGTI_NUMBER ||
                    memcmp(&v, &want, sizeof v))
                    fail_msg("\"%s\" is read as %.17g", text, v);
            }
}

static void test_values(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "0", "-0", "+1", "1.", ".5", "-.5e-3", "1e5", "1E+05", "00012.50", "123456789012345678901234567890",
        "9007199254740992", "9007199254740993", "9007199254740993.5", "1e22", "1e23", "1e-22", "1e-23",
        "0.000000000000000000000000000001", "5e-324", "2e-324", "1.7976931348623157e308", "-9999",
        "2.2250738585072011e-308", "8.41499996185303", "30.531000137329098", "62.666666666666664",
        "1e-99999999999", "18446744073709551615", "18446744073709551616", "1844674407370955161", "0.1e1",
        "7.2057594037927933e16",
    };
    for (size_t i = 0; i < COUNT(cases); i++) same_as_strtod(cases[i]);
}

static void test_random(void **state)
{
    (void)state;
    const fgti_rng rng = {7, 7};
    char           s[64];
    for (uint64_t i = 0; i < 200000; i++) {
        uint32_t w[4];
        fgti_rng_block(rng, i, w);
        const uint64_t m = ((uint64_t)w[0] << 32 | w[1]) >> (w[2] & 63);
        const int      point = (int)(w[3] & 31), e = (int)(w[3] >> 8 & 63) - 32;
        const double   x = (double)m / (1 + (double)(w[2] >> 6));
        switch (w[3] >> 30) {
        case 0: snprintf(s, sizeof s, "%" PRIu64 "e%d", m, e); break;
        case 1: snprintf(s, sizeof s, "-%" PRIu64 ".%" PRIu32, m >> point, w[2]); break;
        case 2: snprintf(s, sizeof s, "%.17g", x); break;
        default: snprintf(s, sizeof s, "%.*f", point % 20, x * 1e-12); break;
        }
        same_as_strtod(s);
    }
}

/* The host writes 1,5: the file still says 1.5, and the host's locale stays as it is. */
static void test_host_locale(void **state)
{
    (void)state;
    const char *name = set_comma_locale(directory);
    if (!name) {
        print_message("SKIP: no locale with a decimal comma\n");
        skip();
    }
    char before[128];
    snprintf(before, sizeof before, "%s", name);
    assert_string_equal(localeconv()->decimal_point, ",");
    fgt_table *t = load_text("a,b\n1.5,0.30000000000000004441\n", NULL);
    assert_true(value_at(t, 0, 0) == 1.5);
    assert_true(value_at(t, 0, 1) == 0x1.3333333333334p-2); /* through strtod_l */
    fgt_table_destroy(&t);
    const fgt_csv_opts opts = FGT_OPTS(fgt_csv_opts, .delimiter = ';', .date = FGT_TABLE_DATE_NONE);
    expect_status(fgt_table_load(&context, put_text("t.csv", "a;b\n1,5;2\n"), &opts, &t), FGT_E_DATA);
    expect_sentence("\"1,5\" is not a number");
    assert_string_equal(setlocale(LC_ALL, NULL), before);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_words, make_locale, free_locale),
        cmocka_unit_test_setup_teardown(test_gaps, make_locale, free_locale),
        cmocka_unit_test_setup_teardown(test_shown, make_locale, free_locale),
        cmocka_unit_test_setup_teardown(test_values, make_locale, free_locale),
        cmocka_unit_test_setup_teardown(test_short, make_locale, free_locale),
        cmocka_unit_test_setup_teardown(test_short_changed, make_locale, free_locale),
        cmocka_unit_test_setup_teardown(test_random, make_locale, free_locale),
        cmocka_unit_test_teardown(test_host_locale, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
