/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers for tensors by their lives: none is shared by two that are needed at once, and few are needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "model/workspace/placement.h"

enum { MOST = 64 };

static fgti_life life[MOST];
static int64_t   size[MOST], busy[MOST];

static int64_t total(int64_t buffers)
{
    int64_t sum = 0;
    for (int64_t b = 0; b < buffers; b++) sum += size[b];
    return sum;
}

/* Every life has a buffer that is large enough, and for itself while it lasts. */
static void check(int64_t n, int64_t buffers)
{
    assert_true(buffers <= n);
    for (int64_t i = 0; i < n; i++) {
        assert_in_range(life[i].buffer, 0, buffers - 1);
        assert_true(size[life[i].buffer] >= life[i].size);
        for (int64_t j = 0; j < i; j++)
            if (life[i].first <= life[j].last && life[j].first <= life[i].last)
                assert_true(life[i].buffer != life[j].buffer);
    }
}

/* Tensor i is made in step i and read in step i + 1. */
static void a_chain_needs_two(void **state)
{
    static const int64_t widths[] = {5, 9, 2, 2, 100, 1, 50, 99, 3, 100, 7};
    const int64_t        n        = sizeof widths / sizeof *widths;
    (void)state;
    for (int64_t i = 0; i < n; i++) life[i] = (fgti_life){.first = i, .last = i + 1, .size = widths[i]};
    const int64_t buffers = fgti_place(n, life, size, busy);
    check(n, buffers);
    assert_int_equal(buffers, 2);
    assert_true(total(buffers) <= 2 * 100);
}

/* A residual path over every two layers: one more, and no more however deep. */
static void residual_paths_need_three(void **state)
{
    (void)state;
    for (int64_t i = 0; i < MOST; i++)
        life[i] = (fgti_life){.first = i, .last = i + (i % 3 ? 1 : 3), .size = 10};
    const int64_t buffers = fgti_place(MOST, life, size, busy);
    check(MOST, buffers);
    assert_int_equal(buffers, 3);
    assert_int_equal(total(buffers), 30);
}

static void nothing_and_empty(void **state)
{
    (void)state;
    assert_int_equal(fgti_place(0, life, size, busy), 0);
    life[0] = (fgti_life){.first = -1, .last = 3};
    life[1] = (fgti_life){.first = -1, .last = 3, .size = 4};
    life[2] = (fgti_life){.first = 2, .last = 2, .size = 4};
    check(3, fgti_place(3, life, size, busy));
    assert_int_equal(total(3), 8);
}

static int64_t below(uint64_t seed, uint64_t index, uint64_t most)
{
    return (int64_t)fgti_rng_below((fgti_rng){.key = seed, .stream = 3}, index, most);
}

/* The most lives at one time. */
static int64_t crowd(int64_t n)
{
    int64_t most = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t here = 0;
        for (int64_t j = 0; j < n; j++)
            here += life[j].first <= life[i].first && life[j].last >= life[i].first;
        most = here > most ? here : most;
    }
    return most;
}

/* Lives sorted by their start: first come, first served takes as many buffers as live at once,
 * and no more. */
static void random_lives(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        const int64_t n     = 1 + below(seed, 0, MOST);
        int64_t       first = -1, widest = 0;
        for (int64_t i = 0; i < n; i++) {
            const uint64_t k = 3 * (uint64_t)i + 1;
            first += below(seed, k, 3);
            life[i] = (fgti_life){.first = first,
                                  .last  = first + below(seed, k + 1, 1 + seed % 9),
                                  .size  = below(seed, k + 2, 100)};
            widest  = life[i].size > widest ? life[i].size : widest;
        }
        const int64_t buffers = fgti_place(n, life, size, busy);
        check(n, buffers);
        assert_int_equal(buffers, crowd(n));
        assert_true(total(buffers) <= buffers * widest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_needs_two),
        cmocka_unit_test(residual_paths_need_three),
        cmocka_unit_test(nothing_and_empty),
        cmocka_unit_test(random_lives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
