/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>

#include "../helper.h"
#include "core/half.h"
#include "core/vec/vec.h"

static float value_of(uint16_t half)
{
    fgti_real x;
    fgti_vec_get(NULL)->expand(1, &half, &x);
    return (float)x;
}

/* Every half is a float that becomes this half again; what lies between two goes to the nearer one. */
static void test_round_trip(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 0x10000; h++) {
        const float x = value_of((uint16_t)h);
        if (isnan(x)) {
            assert_true(isnan(value_of(fgti_half_of(x))));
            continue;
        }
        assert_int_equal(fgti_half_of(x), h);
        if (!isfinite(x) || !isfinite(value_of((uint16_t)(h + 1)))) continue;
        const float next = value_of((uint16_t)(h + 1)), middle = x + (next - x) / 2;
        assert_int_equal(fgti_half_of(nextafterf(middle, x)), h);
        assert_int_equal(fgti_half_of(nextafterf(middle, next)), h + 1);
        assert_int_equal(fgti_half_of(middle), h + h % 2);
    }
}

static void test_edges(void **state)
{
    (void)state;
    assert_true(isfinite(value_of(fgti_half_of(FLT_MAX))) && isfinite(value_of(fgti_half_of(-FLT_MAX))));
    assert_true(isinf(value_of(fgti_half_of(INFINITY))) && isnan(value_of(fgti_half_of(NAN))));
    for (int i = 0; i < 1000; i++) {
        const float x = 1 + (float)i / 999;
        assert_true(fabsf(value_of(fgti_half_of(x)) - x) <= x / 256);
    }
    assert_int_equal(fgti_halves(1), 1);
    assert_int_equal(fgti_halves(6), 3);
}

/* All lengths, in every table of kernels. */
static void test_expand(void **state)
{
    (void)state;
    static const char *const tables[] = {"baseline", "avx2", "avx512"};
    uint16_t                 from[200];
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (int64_t n = 0; n < 200; n++) {
            fgti_real to[201];
            to[n] = -7;
            for (int64_t i = 0; i < n; i++) from[i] = fgti_half_of((fgti_real)(i * 3 - 100));
            fgti_vec_get(tables[t])->expand(n, from, to);
            for (int64_t i = 0; i < n; i++) assert_true(to[i] == (fgti_real)value_of(from[i]));
            assert_true(to[n] == -7);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_expand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
