/* SPDX-License-Identifier: BSD-3-Clause */
#include "small_files.h"

#if UINTPTR_MAX > UINT32_MAX
_Static_assert(sizeof(fgt_split_opts) == 7 * 8 + 2 * 4, "no padding");
#endif

static void test_presets(void **state)
{
    (void)state;
    static const struct {
        int64_t        rows;
        fgt_split_opts opts;
        int64_t        train, val, test;
    } cases[] = {
        /* shared/data/README.md, conventional splits */
        {17420, {.kind = FGT_SPLIT_KIND_ETTH}, 8640, 2880, 2880},
        {14400, {.kind = FGT_SPLIT_KIND_ETTH}, 8640, 2880, 2880},
        {69680, {.kind = FGT_SPLIT_KIND_ETTM}, 34560, 11520, 11520},
        {52696, {.ratio = {0.7, 0.1, 0.2}}, 36887, 5270, 10539},
        {52696, {.ratio = {0}}, 36887, 5270, 10539},
        {34272, {.ratio = {0.7, 0.1, 0.2}}, 23990, 3428, 6854},
        {26304, {.ratio = {0.7, 0.1, 0.2}}, 18412, 2632, 5260},
        {52696, {.kind = FGT_SPLIT_KIND_ROWS, .rows = {36887, 7904, 7905}}, 36887, 7904, 7905},
        {1000, {.kind = FGT_SPLIT_KIND_ROWS, .rows = {700, 0, 0}}, 700, 0, 0},
        {999, {.ratio = {0.8, 0, 0.2}}, 799, 0, 200},
        {10, {.ratio = {1, 0, 0}}, 10, 0, 0},
        {100, {.ratio = {0.333333, 0.333333, 0.333333}}, 33, 34, 33},
        {1000000, {.ratio = {0.5, 1e-9, 0.500009}}, 500000, 0, 500000},
        {1000000, {.ratio = {1.000009, 0, 0}}, 1000000, 0, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fgt_split_opts opts = cases[i].opts;
        fgt_split      s;
        opts.size = sizeof opts;
        expect_ok(fgt_split_compute(&context, cases[i].rows, &opts, &s));
        assert_int_equal(s.train_begin, 0);
        assert_int_equal(s.train_end, cases[i].train);
        assert_int_equal(s.val_begin, s.train_end);
        assert_int_equal(s.val_end - s.val_begin, cases[i].val);
        assert_int_equal(s.test_begin, s.val_end);
        assert_int_equal(s.test_end - s.test_begin, cases[i].test);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        int64_t        rows;
        fgt_split_opts opts;
        fgt_status     status;
        const char    *sentence;
    } bad[] = {
        {14399,
         {.kind = FGT_SPLIT_KIND_ETTH},
         FGT_E_DATA,
         "8640 + 2880 + 2880 rows are more than the 14399 rows there are"},
        {100,
         {.kind = FGT_SPLIT_KIND_ROWS, .rows = {60, 30, 11}},
         FGT_E_DATA,
         "60 + 30 + 11 rows are more than the 100"},
        {100,
         {.kind = FGT_SPLIT_KIND_ROWS, .rows = {0, 30, 11}},
         FGT_E_ARG,
         "rows are wrong (got 0, 30, 11, need 0 or more"},
        {100,
         {.kind = FGT_SPLIT_KIND_ROWS, .rows = {9, -1, 1}},
         FGT_E_ARG,
         "rows are wrong (got 9, -1, 1, need 0 or more"},
        {100, {.kind = FGT_SPLIT_KIND_ROWS, .rows = {INT64_MAX, 1, 1}}, FGT_E_ARG, "need 0 or more"},
        {100, {.ratio = {0.7, 0.2, 0.2}}, FGT_E_ARG, "ratios are wrong (got 0.7, 0.2, 0.2, need 0 or more"},
        {100, {.ratio = {1.2, -0.2, 0}}, FGT_E_ARG, "ratios are wrong (got 1.2, -0.2, 0, need 0 or more"},
        {100, {.ratio = {NAN, 0.5, 0.5}}, FGT_E_ARG, "need 0 or more"},
        {100, {.ratio = {0, 0.5, 0.5}}, FGT_E_ARG, "the first above 0"},
        {1, {.ratio = {0.7, 0.1, 0.2}}, FGT_E_DATA, "of 1 rows none is left to train on"},
        {0, {.kind = 0}, FGT_E_DATA, "of 0 rows none is left to train on"},
        {-1, {.kind = 0}, FGT_E_ARG, "rows is negative"},
        {9, {.kind = 4}, FGT_E_ARG, "unknown kind (got 4"},
        {9, {.kind = -1}, FGT_E_ARG, "unknown kind (got -1"},
        {9, {.reserved = 1}, FGT_E_VERSION, "reserved is wrong (got 1"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        fgt_split_opts opts = bad[i].opts;
        fgt_split      s    = {.train_end = 77};
        opts.size           = sizeof opts;
        expect_status(fgt_split_compute(&context, bad[i].rows, &opts, &s), bad[i].status);
        expect_sentence(bad[i].sentence);
        assert_int_equal(s.train_end, 77);
    }
    fgt_split s;
    expect_status(fgt_split_compute(NULL, 9, NULL, &s), FGT_E_ARG);
    expect_status(fgt_split_compute(&context, 9, NULL, NULL), FGT_E_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_presets), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
