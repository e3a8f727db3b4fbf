/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "../comma_locale.h"
#include "../helper.h"
#include "core/text.h"

static void assert_text(double v, const char *text)
{
    char buf[FGTI_NUMBER_TEXT_MAX];
    assert_string_equal(fgti_number_text(v, buf), text);
}

/* Of floats as short as for a float, of doubles as short as for a double. */
static void test_shortest(void **state)
{
    (void)state;
    assert_text(0, "0");
    assert_text(-3, "-3");
    assert_text((double)0.1f, "0.1");
    assert_text((double)1.17549435e-38f, "1.1754944e-38");
    assert_text((double)16777.215f, "16777.215");
    assert_text(0.1, "0.1");
    assert_text(123456794.25, "123456794.25");
    assert_text(1707982927790., "1707982927790");
    assert_text(1707990121491.27, "1707990121491.27");
    assert_text(0x1p53 - 1, "9007199254740991");
    assert_text(0.1 + 0.2, "0.30000000000000004");
    assert_text(5e-324, "4.94065645841247e-324");
    assert_text(NAN, "nan");
    assert_text(INFINITY, "inf");
    assert_text(-INFINITY, "-inf");
}

/* Bits of any kind; numbers near each other have other texts. */
static void test_back(void **state)
{
    (void)state;
    uint64_t bits = 1;
    for (int i = 0; i < 100000; i++) {
        char   buf[FGTI_NUMBER_TEXT_MAX];
        double v;
        float  f;
        bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        memcpy(&v, &bits, sizeof v);
        memcpy(&f, (const char *)&bits + 3, sizeof f);
        if (isfinite(v)) assert_true(strtod(fgti_number_text(v, buf), NULL) == v);
        if (!isfinite(f)) continue;
        const char *p = fgti_number_text((double)f, buf);
        assert_true(strtof(p, NULL) == f);
        assert_true(strlen(p) <= 17);
        assert_true(fgti_number_read(&p, &v) && !*p && (float)v == f);
        v = (double)f * (1 + 0x1p-30); /* no float */
        p = fgti_number_exact(v, buf);
        double back;
        assert_true(fgti_number_read(&p, &back) && !*p && back == v);
    }
}

static void test_comma(void **state)
{
    (void)state;
    if (!set_comma_locale(".")) skip();
    assert_text(123456794.25, "123456794.25");
    assert_text((double)0.1f, "0.1");
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shortest),
        cmocka_unit_test(test_back),
        cmocka_unit_test(test_comma),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
