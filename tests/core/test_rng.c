/* SPDX-License-Identifier: BSD-3-Clause */
#include "allocator_only.h"

#include <math.h>

#include "core/rng.h"

enum { DRAWS = 1 << 18 };

/* The vectors that the authors of Philox publish (kat_vectors of Random123): counter words 0,1 are the
 * block, 2,3 the stream. */
static void test_known_answers(void **state)
{
    (void)state;
    static const struct {
        fgti_rng rng;
        uint64_t block;
        uint32_t want[4];
    } known[] = {
        {{0, 0}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{UINT64_MAX, UINT64_MAX}, UINT64_MAX, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{UINT64_C(0x299f31d0a4093822), UINT64_C(0x0370734413198a2e)},
         UINT64_C(0x85a308d3243f6a88),
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t got[4];
        fgti_rng_block(known[i].rng, known[i].block, got);
        assert_memory_equal(got, known[i].want, sizeof got);
    }
    const fgti_rng rng = {1, 2};
    for (uint64_t i = 0; i < 40; i++) {
        uint32_t got[4];
        fgti_rng_block(rng, i / 4, got);
        assert_int_equal(fgti_rng_u32(rng, i), got[i % 4]);
        assert_true(fgti_rng_uniform(rng, i) == (got[i % 4] >> 8) / 16777216.0);
    }
}

/* Mean and variance within five standard errors. */
static void moments(double sum, double squares, double mean, double variance, double kurtosis)
{
    const double m = sum / DRAWS, v = squares / DRAWS - m * m;
    assert_true(fabs(m - mean) < 5 * sqrt(variance / DRAWS));
    assert_true(fabs(v - variance) < 5 * variance * sqrt((kurtosis - 1) / DRAWS));
}

static void test_moments(void **state)
{
    (void)state;
    const fgti_rng rng = {42, 7};
    double         su = 0, qu = 0, sn = 0, qn = 0, lag = 0, before = 0;
    int            beyond = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        const double u = fgti_rng_uniform(rng, i), n = fgti_rng_normal(rng, i);
        assert_true(u >= 0 && u < 1 && isfinite(n));
        su += u;
        qu += u * u;
        sn += n;
        qn += n * n;
        lag += n * before;
        before = n;
        beyond += fabs(n) > 1.959963985;
    }
    moments(su, qu, 0.5, 1.0 / 12, 1.8);
    moments(sn, qn, 0, 1, 3);
    assert_true(fabs(lag / DRAWS) < 5 / sqrt(DRAWS));
    assert_true(fabs(beyond / (double)DRAWS - 0.05) < 5 * sqrt(0.05 * 0.95 / DRAWS));
}

/* Pearson's statistic of `cells` cells lies within five standard deviations of its mean. */
static void spread_evenly(const int *count, int cells, double total)
{
    double chi2 = 0;
    for (int i = 0; i < cells; i++) chi2 += pow(count[i] - total / cells, 2) / (total / cells);
    assert_true(fabs(chi2 - (cells - 1)) < 5 * sqrt(2.0 * (cells - 1)));
}

static void test_chi_square(void **state)
{
    (void)state;
    static int low[256], high[256], seeds[256], streams[256], seven[7];
    for (uint64_t i = 0; i < DRAWS; i++) {
        const uint32_t w = fgti_rng_u32((fgti_rng){3, 4}, i);
        low[w & 255]++;
        high[w >> 24]++;
        seeds[fgti_rng_u32((fgti_rng){i, 0}, 0) >> 24]++; /* neighbouring seeds and streams are apart */
        streams[fgti_rng_u32(fgti_rng_of(1, FGTI_STREAM_DROPOUT, i & 255, i >> 8), 5) & 255]++;
        seven[fgti_rng_below((fgti_rng){5, 6}, i, 7)]++;
    }
    spread_evenly(low, 256, DRAWS);
    spread_evenly(high, 256, DRAWS);
    spread_evenly(seeds, 256, DRAWS);
    spread_evenly(streams, 256, DRAWS);
    spread_evenly(seven, 7, DRAWS);
}

static void test_below(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 1000; i++) {
        assert_int_equal(fgti_rng_below((fgti_rng){1, 1}, i, 1), 0);
        assert_true(fgti_rng_below((fgti_rng){1, 1}, i, UINT64_MAX) < UINT64_MAX);
        assert_true(fgti_rng_below((fgti_rng){1, 1}, i, 3) < 3);
    }
}

static void test_shuffle(void **state)
{
    (void)state;
    enum { N = 1000 };
    int64_t a[N], b[N], c[N];
    for (int64_t n = 0; n <= N; n += n < 20 ? 1 : 49) {
        char seen[N] = {0};
        fgti_rng_shuffle((fgti_rng){1, 2}, n, a);
        for (int64_t i = 0; i < n; i++) {
            assert_true(a[i] >= 0 && a[i] < n && !seen[a[i]]);
            seen[a[i]] = 1;
        }
    }
    fgti_rng_shuffle((fgti_rng){1, 2}, N, a);
    fgti_rng_shuffle((fgti_rng){1, 2}, N, b);
    assert_memory_equal(a, b, sizeof a);
    fgti_rng_shuffle((fgti_rng){2, 2}, N, b);
    fgti_rng_shuffle((fgti_rng){1, 3}, N, c);
    assert_memory_not_equal(a, b, sizeof a);
    assert_memory_not_equal(a, c, sizeof a);

    static int first[24]; /* all 24 orders of 4 things come equally often */
    for (uint64_t s = 0; s < DRAWS; s++) {
        fgti_rng_shuffle((fgti_rng){9, s}, 4, a);
        first[a[0] * 6 + (a[1] - (a[1] > a[0])) * 2 + (a[2] > a[3])]++;
    }
    spread_evenly(first, 24, DRAWS);
}

static void test_streams(void **state)
{
    (void)state;
    const fgti_rng a        = fgti_rng_of(1, FGTI_STREAM_INIT, 2, 3);
    const fgti_rng others[] = {
        fgti_rng_of(2, FGTI_STREAM_INIT, 2, 3),
        fgti_rng_of(1, FGTI_STREAM_SHUFFLE, 2, 3),
        fgti_rng_of(1, FGTI_STREAM_INIT, 3, 3),
        fgti_rng_of(1, FGTI_STREAM_INIT, 2, 4),
    };
    uint32_t x[4], y[4];
    fgti_rng_block(a, 0, x);
    for (int i = 0; i < 4; i++) {
        fgti_rng_block(others[i], 0, y);
        assert_memory_not_equal(x, y, sizeof x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers), cmocka_unit_test(test_moments),
        cmocka_unit_test(test_chi_square),    cmocka_unit_test(test_below),
        cmocka_unit_test(test_shuffle),       cmocka_unit_test(test_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
