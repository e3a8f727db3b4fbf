/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* newlocale of every libc */
#include "../comma_locale.h"
#include "fixture.h"

#include <inttypes.h>
#include <locale.h>

#include "core/rng.h"
#include "data/csv/number.h"

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

/* Bit by bit what the C library makes of it; this program has the locale "C". */
static void same_as_strtod(const char *s)
{
    double       v = 0;
    const double want = strtod(s, NULL);
    if (parse(s, &v) != FGTI_NUMBER || memcmp(&v, &want, sizeof v))
        fail_msg("\"%s\": %a instead of %a", s, v, want);
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
    const fgt_csv_opts opts = FGT_OPTS(fgt_csv_opts, .delimiter = ';', .date = FGT_DATE_NONE);
    expect_status(fgt_table_load(&context, put_text("t.csv", "a;b\n1,5;2\n"), &opts, &t), FGT_E_DATA);
    expect_sentence("\"1,5\" is not a number");
    assert_string_equal(setlocale(LC_ALL, NULL), before);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_words, make_locale, free_locale),
        cmocka_unit_test_setup_teardown(test_values, make_locale, free_locale),
        cmocka_unit_test_setup_teardown(test_random, make_locale, free_locale),
        cmocka_unit_test_teardown(test_host_locale, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
