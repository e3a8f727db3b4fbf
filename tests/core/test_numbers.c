/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers that programs write have the text of printf() and strtod(), digit by digit. */
#include <math.h>

#include "../../programs/common/numbers.h"
#include "../helper.h"

static void assert_double(double v)
{
    char text[NUMBER_TEXT], want[NUMBER_TEXT];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(want, sizeof want, "%.*g", digits, v);
        if (strtod(want, NULL) == v) break;
    }
    assert_string_equal(number_text(v, text), want);
}

static void assert_float(float v)
{
    char text[NUMBER_TEXT], want[NUMBER_TEXT];
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(want, sizeof want, "%.*g", digits, (double)v);
        if (strtof(want, NULL) == v) break;
    }
    assert_string_equal(number_text_float(v, text), want);
}

static void assert_both(double v)
{
    assert_double(v);
    assert_double(-v);
    if (fabs(v) < 1e38) assert_float((float)v);
}

static void test_borders(void **state)
{
    static const double some[] = {0,     1,     3,    10,    0.1,        1e-4,      1e5,
                                  1e6,   1e14,  1e15, 1e16,  1e22,       0.1 + 0.2, 1.0 / 3,
                                  1e308, 5e-324, 7e-5, 0.015, 9.9999995, 123456.5, 99999999999999.98};
    (void)state;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        assert_both(some[i]);
        assert_both(nextafter(some[i], 0));
        assert_both(nextafter(some[i], INFINITY));
    }
    assert_double(INFINITY);
    assert_float(INFINITY);
}

/* Powers of two have a near neighbour below. */
static void test_powers_of_two(void **state)
{
    (void)state;
    for (int e = -60; e < 80; e++) {
        assert_both(ldexp(1, e));
        assert_both(nextafter(ldexp(1, e), 0));
        assert_float(nextafterf(ldexpf(1, e), 0));
        assert_float(nextafterf(ldexpf(1, e), 1e38F));
    }
}

static void test_any(void **state)
{
    uint64_t bits = 1;
    (void)state;
    for (int i = 0; i < 40000; i++) {
        double v;
        float  f;
        bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        memcpy(&v, &bits, sizeof v);
        memcpy(&f, (const char *)&bits + 3, sizeof f);
        if (isfinite(v)) assert_double(v);
        if (isfinite(f)) assert_float(f);
        const double whole = (double)(bits >> 11);
        assert_both(ldexp(whole, -(int)(bits % 64)));                   /* of usual size */
        assert_both((double)(bits >> 40) / pow(10, (double)(bits % 8))); /* of few digits */
        assert_both((double)(bits >> 50) / 64 + 0.5);                   /* in the middle of two */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_powers_of_two),
        cmocka_unit_test(test_any),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
