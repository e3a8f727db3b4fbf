/* SPDX-License-Identifier: BSD-3-Clause */
#include "allocator_only.h"

static void test_sizes(void **state)
{
    (void)state;
    int64_t n = 77;
    assert_true(fgti_size_mul(0, INT64_MAX, &n) && n == 0);
    assert_true(fgti_size_mul(INT64_MAX, 1, &n) && n == INT64_MAX);
    assert_true(fgti_size_mul(INT64_C(1) << 31, (INT64_C(1) << 32) - 1, &n));
    assert_true(n == INT64_MAX - (INT64_C(1) << 31) + 1);
    n = 77;
    assert_false(fgti_size_mul(INT64_C(1) << 32, INT64_C(1) << 31, &n));
    assert_false(fgti_size_mul(-1, 5, &n) || fgti_size_mul(5, -1, &n) || fgti_size_mul(0, INT64_MIN, &n));
    assert_false(fgti_size_add(INT64_MAX, 1, &n) || fgti_size_add(-1, 1, &n) || fgti_size_add(1, -1, &n));
    assert_int_equal(n, 77);
    assert_true(fgti_size_add(INT64_MAX - 1, 1, &n) && n == INT64_MAX);
}

static void test_blocks(void **state)
{
    (void)state;
    ledger      l   = {0};
    fgt_context ctx = bare_context(&l);
    char       *p[200];
    for (int64_t n = 0; n < 200; n++) {
        assert_int_equal(FGTI_NEW(&ctx, n, "block", &p[n]), FGT_OK);
        assert_int_equal((uintptr_t)p[n] % FGTI_ALIGN, 0);
        for (int64_t i = 0; i < n; i++) assert_int_equal(p[n][i], 0);
        memset(p[n], 1, (size_t)n);
    }
    assert_int_equal(l.blocks, 200);
    for (int n = 0; n < 200; n++) fgti_free(&ctx, p[n]);
    fgti_free(&ctx, NULL);
    assert_true(l.blocks == 0 && l.bytes == 0);
}

static void test_text(void **state)
{
    (void)state;
    ledger      l   = {0};
    fgt_context ctx = bare_context(&l);
    char       *copy;
    assert_int_equal(fgti_strdup(&ctx, "", &copy), FGT_OK);
    assert_string_equal(copy, "");
    fgti_free(&ctx, copy);
    assert_int_equal(fgti_strdup(&ctx, "encoder.0", &copy), FGT_OK);
    assert_string_equal(copy, "encoder.0");
    fgti_free(&ctx, copy);
    l.refuse = l.requests + 1;
    assert_int_equal(fgti_strdup(&ctx, "x", &copy), FGT_E_NOMEM);
    assert_null(copy);
    assert_int_equal(l.blocks, 0);
}

static void test_failures(void **state)
{
    (void)state;
    ledger      l   = {.refuse = 1};
    fgt_context ctx = bare_context(&l);
    double     *p   = (double *)&l;
    assert_int_equal(FGTI_NEW(&ctx, 10, "weights", &p), FGT_E_NOMEM);
    assert_null(p);
    assert_string_equal(ctx.error.text, "weights: no memory for 80 bytes");

    const int64_t many[] = {-1, INT64_MIN, INT64_MAX, INT64_MAX / 8, INT64_MAX / 8 - 7};
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        p = (double *)&l;
        assert_int_equal(FGTI_NEW(&ctx, many[i], "weights", &p), FGT_E_SIZE);
        assert_null(p);
    }
    assert_int_equal(l.requests, 1); /* the hook never saw those */
    assert_int_equal(l.blocks, 0);
}

static void *crooked_alloc(void *user, size_t size, size_t align)
{
    char *p = ledger_alloc(user, size + 16, align);
    return p ? p + 16 : NULL;
}

static void crooked_release(void *user, void *ptr, size_t size)
{
    ledger_release(user, (char *)ptr - 16, size + 16);
}

static void test_hook_without_alignment(void **state)
{
    (void)state;
    ledger      l         = {0};
    fgt_context ctx       = bare_context(&l);
    ctx.allocator.alloc   = crooked_alloc;
    ctx.allocator.release = crooked_release;
    double *p;
    assert_int_equal(FGTI_NEW(&ctx, 10, "weights", &p), FGT_E_ARG);
    assert_null(p);
    assert_int_equal(l.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_hook_without_alignment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
