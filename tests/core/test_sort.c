/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/rng.h"
#include "core/sort.h"

/* Three bytes, so that elements are not aligned; the first one decides. */
typedef struct element {
    unsigned char key, number, low;
} element;

static int by_key(const void *a, const void *b, const void *sign)
{
    const element *x = a, *y = b;
    if (x->key != y->key) return *(const int *)sign * (x->key < y->key ? -1 : 1);
    return x->number < y->number ? -1 : x->number > y->number;
}

/* In order, and each element once. */
static void check(element *e, int64_t n, int sign)
{
    bool seen[256] = {false};
    fgti_sort(e, n, sizeof *e, by_key, &sign);
    for (int64_t i = 0; i < n; i++) {
        assert_false(seen[e[i].number]);
        seen[e[i].number] = true;
        assert_int_equal(e[i].low, (unsigned char)(e[i].key ^ e[i].number));
        if (i) assert_true(by_key(&e[i - 1], &e[i], &sign) < 0);
    }
}

static void test_sizes(void **state)
{
    (void)state;
    for (int64_t n = 0; n <= 200; n++)
        for (int range = 1; range < 256; range += 50) {
            element e[200];
            for (int64_t i = 0; i < n; i++) {
                const fgti_rng rng = {3, (uint64_t)n};
                e[i].key           = (unsigned char)fgti_rng_below(rng, (uint64_t)i, (uint64_t)range);
                e[i].number        = (unsigned char)i;
                e[i].low           = (unsigned char)(e[i].key ^ i);
            }
            check(e, n, 1);
            check(e, n, 1); /* in order already */
            check(e, n, -1);
        }
}

static int by_number(const void *a, const void *b, const void *arg)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    (void)arg;
    return (x > y) - (x < y);
}

/* Of one digit to four, some of them equal. */
static void test_numbers(void **state)
{
    (void)state;
    for (int64_t n = 0; n <= 200; n++)
        for (int bits = 0; bits <= 31; bits++) {
            int32_t        a[200], b[200], spare[200];
            const fgti_rng rng = {7, (uint64_t)(n * 32 + bits)};
            for (int64_t i = 0; i < n; i++)
                b[i] = a[i] = (int32_t)fgti_rng_below(rng, (uint64_t)i, UINT64_C(1) << bits);
            fgti_sort_numbers(a, n, spare);
            fgti_sort(b, n, sizeof *b, by_number, NULL);
            for (int64_t i = 0; i < n; i++) assert_int_equal(a[i], b[i]);
        }
    int32_t ends[] = {INT32_MAX, 0, 65536, 65535, INT32_MAX}, spare[5];
    fgti_sort_numbers(ends, 5, spare);
    assert_int_equal(ends[0], 0);
    assert_int_equal(ends[2], 65536);
    assert_int_equal(ends[4], INT32_MAX);
}

/* The first k of what is offered, whatever the order. */
static void test_offer(void **state)
{
    (void)state;
    const fgti_rng rng  = {5, 1};
    const int      sign = 1;
    for (int64_t n = 1; n <= 60; n++)
        for (int64_t k = 1; k <= n + 2; k += 3) {
            element all[60], kept[62];
            for (int64_t i = 0; i < n; i++) {
                all[i] = (element){(unsigned char)fgti_rng_below(rng, (uint64_t)(n * 60 + i), 20),
                                   (unsigned char)i, 0};
                fgti_sort_offer(kept, k, sizeof *kept, i, &all[i], by_key, &sign);
            }
            const int64_t most = n < k ? n : k;
            fgti_sort(all, n, sizeof *all, by_key, &sign);
            fgti_sort(kept, most, sizeof *kept, by_key, &sign);
            assert_memory_equal(kept, all, (size_t)most * sizeof *all);
        }
}

static int by_size(const void *a, const void *b, const void *arg)
{
    const double x = *(const double *)a, y = *(const double *)b;
    (void)arg;
    return (x > y) - (x < y);
}

static void test_doubles(void **state)
{
    enum { MOST = 70 };
    double number[MOST], want[MOST];
    (void)state;
    for (int64_t n = 0; n <= MOST; n++) {
        for (int64_t i = 0; i < n; i++)
            number[i] = want[i] = (double)(i * i * 37 % 23) - 11 + (i % 5 == 0 ? 1e300 : 0);
        fgti_sort_doubles(number, n);
        fgti_sort(want, n, sizeof *want, by_size, NULL);
        for (int64_t i = 0; i < n; i++) assert_true(number[i] == want[i]);
    }
}

/* As many equal numbers, in as many orders, as there may be. */
static double number_of(int64_t i, int64_t n, int kind, fgti_rng rng)
{
    if (kind < 4) return (double)fgti_rng_below(rng, (uint64_t)(i * 4 + kind), kind % 2 ? 5 : 1000);
    if (kind == 4) return (double)i;
    if (kind == 5) return (double)-i;
    return (double)(i < n / 2 ? i : n - i); /* up and down */
}

static void test_select(void **state)
{
    enum { MOST = 3000, KINDS = 7 };
    static double number[MOST], sorted[MOST];
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int64_t n = 1; n <= MOST; n += n < 40 ? 1 : n) {
            for (int64_t i = 0; i < n; i++) sorted[i] = number_of(i, n, kind, (fgti_rng){9, (uint64_t)n});
            memcpy(number, sorted, (size_t)n * sizeof *number);
            fgti_sort_doubles(sorted, n);
            for (int64_t k = 0; k < n; k += 1 + n / 50) {
                for (int64_t i = 0; i < n; i++) number[i] = number_of(i, n, kind, (fgti_rng){9, (uint64_t)n});
                assert_true(fgti_sort_select(number, n, k) == sorted[k] && number[k] == sorted[k]);
                for (int64_t i = 0; i < n; i++)
                    assert_true(i < k ? number[i] <= sorted[k] : number[i] >= sorted[k]);
            }
            assert_true(fgti_sort_median(number, n) == (sorted[(n - 1) / 2] + sorted[n / 2]) / 2);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes), cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_offer), cmocka_unit_test(test_doubles),
                                       cmocka_unit_test(test_select)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
