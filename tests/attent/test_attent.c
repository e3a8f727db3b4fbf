/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection: of the scheduled size, no sample twice, reproducible, and with the probabilities that the header
 * names. Statistical tests have fixed seeds, so they pass or fail for ever. */
#include <stdlib.h>

#include <fighter/attent.h>

#include "../train/small_models.h"
#include "attent/attent_impl.h"
#include "attent/attent_schedule.h"

static fgt_attent *create(const fgt_attent_opts *o)
{
    fgt_attent *a;
    OK(fgt_attent_create(ctx, o, &a));
    return a;
}

static fgt_attent_subset step(fgt_attent *a)
{
    fgt_attent_subset s = {.size = sizeof s};
    OK(fgt_attent_begin_epoch(a, &s));
    return s;
}

/* The score of every sample. */
static void give(fgt_attent *a, int64_t n, const float *score)
{
    for (int64_t i = 0; i < n; i++) OK(fgt_attent_add(a, &i, 1, &score[i]));
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* One subset of m an epoch, drawn afresh. */
static fgt_attent_opts steady(int64_t n, int64_t m, int32_t strategy)
{
    return (fgt_attent_opts){.size = sizeof(fgt_attent_opts), .samples = n, .count = m, .seed = 7,
                             .strategy = strategy, .ratio_schedule = FGT_ATTENT_RATIO_FIXED,
                             .interval_schedule = FGT_ATTENT_INTERVAL_FIXED};
}

enum { N = 1000 };

/* ---- sizes, orders, repetition ---- */

static void test_subsets(void **state)
{
    (void)state;
    static float   score[N];
    static int64_t sorted[N];
    for (int i = 0; i < N; i++) score[i] = (float)fabs((double)noise(1, i));
    static const int32_t strategies[] = {FGT_ATTENT_STRATEGY_SOFT, FGT_ATTENT_STRATEGY_HARD,
                                         FGT_ATTENT_STRATEGY_RANDOM};
    for (size_t each = 0; each < sizeof strategies / sizeof *strategies; each++) {
        const int32_t strategy = strategies[each];
        fgt_attent_opts o = {.size = sizeof o, .samples = N, .epochs = 9, .seed = 3, .strategy = strategy};
        fgt_attent *a = create(&o), *again = create(&o);
        o.seed         = 4;
        fgt_attent *other = create(&o);
        give(a, N, score), give(again, N, score), give(other, N, score);
        int64_t different = 0;
        for (int64_t t = 1; t <= 9; t++) {
            const fgt_attent_subset s = step(a), r = step(again), q = step(other);
            assert_true(s.count == r.count && s.epoch == t && !s.stop && s.hash == r.hash);
            assert_memory_equal(s.index, r.index, (size_t)s.count * sizeof *s.index);
            different += s.hash != q.hash;
            memcpy(sorted, s.index, (size_t)s.count * sizeof *sorted);
            qsort(sorted, (size_t)s.count, sizeof *sorted, by_number);
            for (int64_t i = 0; i < s.count; i++)
                assert_true(sorted[i] >= 0 && sorted[i] < N && (i == 0 || sorted[i] > sorted[i - 1]));
            assert_memory_not_equal(sorted, s.index, (size_t)s.count * sizeof *sorted);
        }
        assert_int_equal(different, strategy == FGT_ATTENT_STRATEGY_HARD ? 0 : 9);
        assert_true(step(a).stop);
        fgt_attent_destroy(&a), fgt_attent_destroy(&again), fgt_attent_destroy(&other);
    }
}

static void expect_sizes(const fgt_attent_opts *o, int64_t epochs, const int64_t *count,
                         const int64_t *interval)
{
    fgt_attent *a = create(o);
    for (int64_t t = 1; t <= epochs; t++) {
        fgt_attent_subset s;
        if (fgt_attent_get_due(a))
            for (int64_t i = 0; i < o->samples; i++) OK(fgt_attent_add(a, &i, 1, &(float){1}));
        s = step(a);
        if (s.count != count[t - 1] || s.interval != interval[t - 1])
            fail_msg("epoch %d: %d in an interval of %d, expected %d and %d", (int)t, (int)s.count,
                     (int)s.interval, (int)count[t - 1], (int)interval[t - 1]);
        near(s.ratio, (double)s.count / (double)o->samples, 0, "ratio");
    }
    fgt_attent_destroy(&a);
}

static void test_schedules(void **state)
{
    (void)state;
    const int64_t ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    int64_t       want[9];
    fgt_attent_opts o = {.size              = sizeof o,
                         .samples           = N,
                         .epochs            = 9,
                         .strategy          = FGT_ATTENT_STRATEGY_RANDOM,
                         .interval_schedule = FGT_ATTENT_INTERVAL_FIXED};
    for (int t = 1; t <= 9; t++) want[t - 1] = 200 + 600 * (t - 1) / 8;
    expect_sizes(&o, 9, want, ones);
    o.ratio_schedule = FGT_ATTENT_RATIO_COSINE;
    o.ratio_start = 0.1, o.ratio_end = 0.9;
    for (int t = 1; t <= 9; t++) {
        const double u = 3.14159265358979323846 * (t - 1) / 8;
        want[t - 1]    = (int64_t)floor(N * (0.9 - 0.8 * (1 + cos(u)) / 2) + 0.5);
    }
    assert_true(want[0] == 100 && want[4] == 500 && want[8] == 900);
    expect_sizes(&o, 9, want, ones);
    o.ratio_schedule = FGT_ATTENT_RATIO_FIXED;
    for (int t = 1; t <= 9; t++) want[t - 1] = 700;
    expect_sizes(&o, 9, want, ones);
    o.ratio_schedule = FGT_ATTENT_RATIO_SIMPLE;
    want[0]          = N;
    expect_sizes(&o, 9, want, ones);
    o.count = 17, o.ratio_schedule = FGT_ATTENT_RATIO_FIXED;
    for (int t = 1; t <= 9; t++) want[t - 1] = 17;
    expect_sizes(&o, 9, want, ones);

    /* within an interval the size stays, though the ratio would move */
    o = (fgt_attent_opts){
        .size = sizeof o, .samples = N, .epochs = 9, .strategy = FGT_ATTENT_STRATEGY_RANDOM};
    expect_sizes(&o, 9, (const int64_t[]){200, 275, 275, 425, 425, 425, 650, 650, 650},
                 (const int64_t[]){1, 2, 2, 3, 3, 3, 4, 4, 4});
    o.redraw = 1, o.interval = 2, o.growth = 3;
    for (int t = 1; t <= 9; t++) want[t - 1] = 200 + 600 * (t - 1) / 8;
    expect_sizes(&o, 9, want, (const int64_t[]){2, 2, 5, 5, 5, 5, 5, 8, 8});
    /* the full epoch is no interval of a subset */
    o = (fgt_attent_opts){.size           = sizeof o,
                          .samples        = 10,
                          .epochs         = 9,
                          .strategy       = FGT_ATTENT_STRATEGY_RANDOM,
                          .ratio_schedule = FGT_ATTENT_RATIO_SIMPLE,
                          .interval       = 2};
    expect_sizes(&o, 9, (const int64_t[]){10, 7, 7, 7, 7, 7, 7, 7, 7},
                 (const int64_t[]){1, 2, 2, 3, 3, 3, 4, 4, 4});
    /* a single epoch, and less than one sample */
    o = (fgt_attent_opts){.size = sizeof o, .samples = 10, .epochs = 1};
    expect_sizes(&o, 1, (const int64_t[]){8}, ones);
    o.ratio_end = 0.01;
    expect_sizes(&o, 1, (const int64_t[]){1}, ones);
}

/* Within an interval the subset stays, its order does not. */
static void test_interval_keeps_the_subset(void **state)
{
    (void)state;
    fgt_attent_opts o   = steady(N, 300, FGT_ATTENT_STRATEGY_RANDOM);
    o.interval        = 3;
    fgt_attent       *a = create(&o);
    fgt_attent_subset s = step(a);
    static int64_t    first[300];
    const uint64_t    hash = s.hash;
    memcpy(first, s.index, sizeof first);
    assert_true(s.fresh);
    for (int i = 0; i < 2; i++) {
        s = step(a);
        assert_true(!s.fresh && s.hash == hash);
        assert_memory_not_equal(first, s.index, sizeof first);
    }
    s = step(a);
    assert_true(s.fresh && s.hash != hash);
    fgt_attent_destroy(&a);

    o.ordered = 1;
    a         = create(&o);
    s         = step(a);
    assert_true(s.hash == hash);
    for (int i = 1; i < 300; i++) assert_true(s.index[i] > s.index[i - 1]);
    fgt_attent_destroy(&a);
}

/* ---- hard ---- */

static float sort_score[5 * N];

static int by_score(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    const float   p = sort_score[x], q = sort_score[y];
    return p != q ? (p < q) - (p > q) : (x > y) - (x < y);
}

static void test_hard_is_a_full_sort(void **state)
{
    (void)state;
    enum { M = 5 * N };
    static int64_t all[M], got[M];
    for (int round = 0; round < 12; round++) {
        const int64_t n = round < 2 ? round + 1 : M - round;
        for (int64_t i = 0; i < n; i++) {
            const float v = (float)noise((uint64_t)round + 1, i);
            /* many ties and zeros of both signs; one value; few ties; the range of floats */
            const float kinds[] = {rintf(8 * v), 0.5f, v, v * 1e38f};
            sort_score[i]       = kinds[round % 4];
            all[i]              = i;
        }
        qsort(all, (size_t)n, sizeof *all, by_score);
        for (int64_t m = 1; m <= n; m += n > 10 ? n / 7 : 1) {
            fgt_attent_opts o = steady(n, m, FGT_ATTENT_STRATEGY_HARD);
            o.ordered         = 1;
            fgt_attent *a     = create(&o);
            give(a, n, sort_score);
            const fgt_attent_subset s = step(a);
            assert_int_equal(s.count, m);
            memcpy(got, all, (size_t)m * sizeof *got);
            qsort(got, (size_t)m, sizeof *got, by_number);
            assert_memory_equal(got, s.index, (size_t)m * sizeof *got);
            double sum = 0;
            for (int64_t i = 0; i < m; i++) sum += (double)sort_score[got[i]];
            near(s.score, sum / (double)m, 1e-12 * fabs(sum), "mean score");
            fgt_attent_destroy(&a);
        }
    }
}

/* ---- probabilities ---- */

enum { FEW = 20, ROUNDS = 20000 };

/* How often each of FEW samples is selected in ROUNDS epochs, and how often it comes first. */
static void tally(const fgt_attent_opts *o, const float *score, int64_t *selected, int64_t *first)
{
    fgt_attent *a = create(o);
    memset(selected, 0, FEW * sizeof *selected);
    memset(first, 0, FEW * sizeof *first);
    for (int64_t i = 0; score && i < FEW; i++) OK(fgt_attent_add(a, &i, 1, &score[i]));
    for (int r = 0; r < ROUNDS; r++) {
        const fgt_attent_subset s = step(a);
        for (int64_t i = 0; i < s.count; i++) selected[s.index[i]]++;
        first[s.index[0]]++;
    }
    fgt_attent_destroy(&a);
}

/* 99.9 % of chi-square with 19 degrees of freedom: the table in any book. */
#define CHI_19 43.82

/* sum (c - R p)^2 / (R p) against the probabilities p of single draws */
static void fits(const int64_t *count, const double *weight)
{
    double total = 0, chi = 0;
    for (int i = 0; i < FEW; i++) total += weight[i];
    for (int i = 0; i < FEW; i++) {
        const double want = ROUNDS * weight[i] / total;
        chi += ((double)count[i] - want) * ((double)count[i] - want) / want;
    }
    if (chi > CHI_19) fail_msg("chi-square is %g", chi);
}

static void test_equal_scores_are_uniform(void **state)
{
    (void)state;
    int64_t selected[FEW], first[FEW];
    float   score[FEW];
    double  one[FEW];
    for (int i = 0; i < FEW; i++) score[i] = 0.3f, one[i] = 1;
    static const int32_t strategies[] = {FGT_ATTENT_STRATEGY_SOFT, FGT_ATTENT_STRATEGY_RANDOM};
    for (size_t each = 0; each < sizeof strategies / sizeof *strategies; each++) {
        const int32_t strategy = strategies[each];
        const int64_t         m = 7;
        const double          p = (double)m / FEW;
        double                chi = 0;
        const fgt_attent_opts o = steady(FEW, m, strategy);
        tally(&o, score, selected, first);
        /* counts of subsets of m have variance R p (1-p) and correlation -1/(n-1) */
        for (int i = 0; i < FEW; i++) chi += pow((double)selected[i] - ROUNDS * p, 2);
        chi *= (FEW - 1.0) / FEW / (ROUNDS * p * (1 - p));
        if (chi > CHI_19) fail_msg("strategy %d: chi-square is %g", strategy, chi);
        fits(first, one);
    }
}

/* However large they are, and whatever one of them is, equal scores are chosen at random. */
static void test_large_scores(void **state)
{
    (void)state;
    static const struct {
        float  score, other;
        double temperature;
    } cases[] = {
        {1e8f, 1e8f, 1}, {1e30f, 1e30f, 1}, {-1e30f, 0, 1}, {0.5f, 1, 1e-20}, {3e38f, 3e38f, 1e-300},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        fgt_attent_opts o = steady(N, 100, FGT_ATTENT_STRATEGY_SOFT);
        o.temperature     = cases[c].temperature;
        fgt_attent *a     = create(&o);
        double      sum   = 0;
        for (int64_t i = 0; i < N; i++)
            OK(fgt_attent_add(a, &i, 1, i ? &cases[c].score : &cases[c].other));
        for (int t = 0; t < 20; t++) {
            const fgt_attent_subset s = step(a);
            for (int64_t i = 0; i < s.count; i++) sum += (double)s.index[i] / (20 * 100);
        }
        near(sum, N / 2, 5 * N / sqrt(12 * 20 * 100), "mean number");
        fgt_attent_destroy(&a);
    }
}

/* A single draw has the probabilities of the header. */
static void test_weights(void **state)
{
    (void)state;
    int64_t       selected[FEW], first[FEW];
    float         score[FEW];
    double        want[FEW];
    const double  group_weight[3] = {1, 2, 5};
    int32_t       group[FEW];
    const fgt_view groups  = *FGT_VIEW_OF(FGT_DTYPE_I32, group, FEW);
    double        mean[3] = {0};
    const double  size[3] = {1, 9, 10};
    for (int i = 0; i < FEW; i++) {
        score[i] = (float)(1 + i) / 8;
        group[i] = i ? 1 + i % 2 : 0;
        mean[group[i]] += (double)score[i] / size[group[i]];
    }
    assert_true(group[19] == 2 && group[18] == 1);

    fgt_attent_opts o = steady(FEW, 1, FGT_ATTENT_STRATEGY_SOFT);
    o.groups = &groups, o.group_count = 3, o.group_weight = group_weight;
    for (int i = 0; i < FEW; i++) want[i] = exp((double)score[i]);
    tally(&o, score, selected, first);
    fits(selected, want);
    o.temperature = 0.5;
    for (int i = 0; i < FEW; i++) want[i] = exp(2 * (double)score[i]);
    tally(&o, score, selected, first);
    fits(selected, want);
    o.weights      = FGT_ATTENT_WEIGHTS_PROPORTIONAL;
    for (int i = 0; i < FEW; i++) want[i] = (double)score[i] * (double)score[i];
    tally(&o, score, selected, first);
    fits(selected, want);

    o.strategy = FGT_ATTENT_STRATEGY_CLASS_WEIGHT;
    for (int i = 0; i < FEW; i++) want[i] = 1 / size[group[i]];
    tally(&o, NULL, selected, first);
    fits(selected, want);
    o.strategy = FGT_ATTENT_STRATEGY_FIXED_WEIGHT;
    for (int i = 0; i < FEW; i++) want[i] = group_weight[group[i]];
    tally(&o, NULL, selected, first);
    fits(selected, want);
    o.strategy = FGT_ATTENT_STRATEGY_GRADNORM;
    for (int i = 0; i < FEW; i++) want[i] = mean[group[i]];
    tally(&o, score, selected, first);
    fits(selected, want);
    o.groups = NULL;
    for (int i = 0; i < FEW; i++) want[i] = (double)score[i];
    tally(&o, score, selected, first);
    fits(selected, want);
}

/* Scores of training only: who has none yet comes before all others, in no order; what is worth nothing comes
 * last, but comes. */
static void test_unknown_and_worthless(void **state)
{
    (void)state;
    static bool seen[N];
    static const int32_t strategies[] = {FGT_ATTENT_STRATEGY_SOFT, FGT_ATTENT_STRATEGY_HARD};
    for (size_t each = 0; each < sizeof strategies / sizeof *strategies; each++) {
        const int32_t strategy = strategies[each];
        fgt_attent_opts o = steady(N, 100, strategy);
        o.scores          = FGT_ATTENT_SCORES_TRAINING;
        o.weights         = FGT_ATTENT_WEIGHTS_PROPORTIONAL;
        fgt_attent *a     = create(&o);
        memset(seen, 0, sizeof seen);
        for (int t = 1; t <= 10; t++) {
            assert_false(fgt_attent_get_due(a));
            const fgt_attent_subset s = step(a);
            int64_t                 ascending = 0;
            for (int64_t i = 0; i < s.count; i++) {
                assert_false(seen[s.index[i]]);
                seen[s.index[i]] = true;
                ascending += s.index[i] == 100 * (t - 1) + i;
                OK(fgt_attent_add(a, &s.index[i], 1, &(float){s.index[i] < 900 ? 1.0f : 0.0f}));
            }
            assert_true(isnan(s.score) && isnan(s.residual) && ascending < 20);
        }
        const fgt_attent_subset s = step(a);
        for (int64_t i = 0; i < s.count; i++) assert_true(s.index[i] < 900);
        near(s.residual, 30, 0, "residual");
        fgt_attent_destroy(&a);

        o.count = 950;
        a       = create(&o);
        memset(seen, 0, sizeof seen);
        for (int64_t i = 0; i < N; i++) OK(fgt_attent_add(a, &i, 1, &(float){i < 900 ? 1.0f : 0.0f}));
        const fgt_attent_subset all = step(a);
        for (int64_t i = 0; i < all.count; i++) seen[all.index[i]] = true;
        for (int64_t i = 0; i < 900; i++) assert_true(seen[i]);
        fgt_attent_destroy(&a);

        o.count = 900, o.temperature = 1e6;
        a       = create(&o);
        for (int64_t i = 0; i < N; i++) OK(fgt_attent_add(a, &i, 1, &(float){i < 900 ? 1e-30f : 0.0f}));
        const fgt_attent_subset warm = step(a);
        for (int64_t i = 0; i < warm.count; i++) assert_true(warm.index[i] < 900);
        fgt_attent_destroy(&a);
    }
}

/* ---- InfoBatch ---- */

static void test_infobatch(void **state)
{
    (void)state;
    enum { T = 16000, PRUNED = 14000 };
    double          sum[FEW] = {0}, factor = 1 / (1 - 0.4);
    int64_t         dropped[FEW] = {0};
    float           score[FEW], weight[FEW];
    fgt_attent_opts o = {.size     = sizeof o,
                         .samples  = FEW,
                         .epochs   = T,
                         .seed     = 5,
                         .prune    = 0.4,
                         .strategy = FGT_ATTENT_STRATEGY_INFOBATCH};
    fgt_attent *a = create(&o);
    for (int i = 0; i < FEW; i++) score[i] = (float)(i * i);
    assert_false(fgt_attent_get_due(a));
    assert_int_equal(step(a).count, FEW); /* no scores yet: all */
    give(a, FEW, score);
    for (int t = 2; t <= T; t++) {
        const fgt_attent_subset s = step(a);
        OK(fgt_attent_get_weights(a, s.index, s.count, weight));
        if (t > PRUNED) assert_int_equal(s.count, FEW);
        bool seen[FEW] = {0};
        for (int64_t i = 0; i < s.count; i++) {
            const bool low    = score[s.index[i]] < 123.5f; /* the mean of i^2 for i < 20 */
            const bool scaled = low && t <= PRUNED;
            near((double)weight[i], scaled ? factor : 1, 1e-6, "weight");
            seen[s.index[i]] = true;
            if (t <= PRUNED) sum[s.index[i]] += (double)weight[i];
        }
        for (int i = 0; i < FEW; i++) dropped[i] += !seen[i];
    }
    /* E(weight) = 1; its standard deviation is sqrt(r / (1 - r)): five of them */
    for (int i = 0; i < FEW; i++) {
        near(sum[i] / (PRUNED - 1), 1, 5 * sqrt(0.4 / 0.6 / PRUNED), "expected weight");
        assert_true((dropped[i] == 0) == (score[i] >= 123.5f));
    }
    fgt_attent_destroy(&a);

    /* equal scores: their mean, rounded, must not lie above all of them */
    static float equal[N];
    for (int i = 0; i < N; i++) equal[i] = 0.1f;
    o = (fgt_attent_opts){
        .size = sizeof o, .samples = N, .epochs = 9, .strategy = FGT_ATTENT_STRATEGY_INFOBATCH};
    a = create(&o);
    give(a, N, equal);
    assert_int_equal(step(a).count, N);
    fgt_attent_destroy(&a);
}

/* ---- the stop rule ---- */

static void test_stop(void **state)
{
    (void)state;
    for (int32_t norms = 0; norms <= 1; norms++) {
        fgt_attent_opts o = steady(4, 2, FGT_ATTENT_STRATEGY_HARD);
        o.epochs = 5, o.stop_below = 1.0;
        o.residual = norms ? FGT_ATTENT_RESIDUAL_NORMS : FGT_ATTENT_RESIDUAL_SQUARES;
        fgt_attent *a = create(&o);
        give(a, 4, (const float[]){1, 0.5f, 0.25f, 2});
        fgt_attent_subset s = step(a);
        near(s.residual, norms ? sqrt(1 + 0.25 + 0.0625 + 4) : sqrt(3.75), 1e-12, "residual");
        assert_true(!s.stop && s.count == 2);
        give(a, 4, (const float[]){0.25f, 0.25f, 0.25f, 0.24f});
        s = step(a);
        assert_true(s.stop && s.count == 0 && s.epoch == 1 && s.residual < 1);
        give(a, 4, (const float[]){1, 1, 1, 1}); /* it was not final */
        for (int t = 2; t <= 5; t++) assert_true(!step(a).stop);
        assert_true(step(a).stop && !fgt_attent_get_due(a));
        fgt_attent_destroy(&a);
    }
}

/* When a scoring pass is due: before each interval, where scores are looked at and not all samples taken. */
static void test_due(void **state)
{
    (void)state;
    static const struct {
        int32_t strategy, ratio, scores;
        int     due[6];
    } cases[] = {
        {FGT_ATTENT_STRATEGY_SOFT, FGT_ATTENT_RATIO_FIXED, FGT_ATTENT_SCORES_PASS, {1, 1, 0, 1, 0, 0}},
        {FGT_ATTENT_STRATEGY_HARD, FGT_ATTENT_RATIO_SIMPLE, FGT_ATTENT_SCORES_PASS, {0, 1, 1, 0, 1, 0}},
        {FGT_ATTENT_STRATEGY_GRADNORM, FGT_ATTENT_RATIO_FIXED, FGT_ATTENT_SCORES_PASS, {1, 1, 0, 1, 0, 0}},
        {FGT_ATTENT_STRATEGY_SOFT, FGT_ATTENT_RATIO_FIXED, FGT_ATTENT_SCORES_TRAINING, {0}},
        {FGT_ATTENT_STRATEGY_RANDOM, FGT_ATTENT_RATIO_FIXED, FGT_ATTENT_SCORES_PASS, {0}},
        {FGT_ATTENT_STRATEGY_INFOBATCH, FGT_ATTENT_RATIO_FIXED, FGT_ATTENT_SCORES_PASS, {0}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const fgt_attent_opts o = {.size = sizeof o, .samples = 4, .epochs = 6, .strategy = cases[c].strategy,
                                   .ratio_schedule = cases[c].ratio, .scores = cases[c].scores};
        fgt_attent *a = create(&o);
        for (int t = 0; t < 6; t++) {
            assert_int_equal(fgt_attent_get_due(a), cases[c].due[t]);
            give(a, 4, (const float[]){1, 2, 3, 4});
            step(a);
        }
        assert_int_equal(fgt_attent_get_due(a), 0);
        fgt_attent_destroy(&a);
    }
}

/* An interval that begins with all samples asks for no scores; the first smaller subset in it does. */
static void test_due_within_an_interval(void **state)
{
    (void)state;
    const int             due[6] = {0, 1, 0, 1, 0, 0};
    const fgt_attent_opts o      = {.size = sizeof o, .samples = 10, .epochs = 6, .interval = 3, .redraw = 1,
                                    .interval_schedule = FGT_ATTENT_INTERVAL_FIXED, .ratio_start = 1,
                                    .ratio_end = 0.2};
    fgt_attent *a = create(&o);
    for (int t = 0; t < 6; t++) {
        assert_int_equal(fgt_attent_get_due(a), due[t]);
        if (due[t]) give(a, 10, (const float[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
        step(a);
    }
    fgt_attent_destroy(&a);
}

/* ---- all epochs ---- */

static int64_t count_one_by_one(const fgt_attent *a, int64_t epochs, int64_t batch)
{
    fgti_attent_clock c     = a->clock;
    int64_t           total = 0;
    bool              fresh, begins;
    for (int64_t e = 0; e < epochs && !(a->opts.epochs && c.epoch >= a->opts.epochs); e++) {
        fgti_attent_tick(&a->opts, &c, &fresh, &begins);
        total += (c.count - 1) / batch + 1;
    }
    return total;
}

/* Of each kind, from each epoch on. The batches of the longest run that there can be are counted at once. */
static void test_batches(void **state)
{
    (void)state;
    for (int i = 0; i < 4 * 2 * 2 * 3; i++) {
        fgt_attent_opts o = {.size              = sizeof o,
                             .samples           = 100,
                             .epochs            = 60,
                             .strategy          = FGT_ATTENT_STRATEGY_RANDOM,
                             .ratio_schedule    = i % 4,
                             .interval_schedule = i / 4 % 2,
                             .redraw            = i / 8 % 2,
                             .interval          = 1 + i / 16,
                             .growth            = 2};
        fgt_attent *a = create(&o);
        for (int t = 0; t <= o.epochs; t++) {
            for (int64_t epochs = 0; epochs < 70; epochs += 7)
                assert_int_equal(fgti_attent_count_batches(a, epochs, 9), count_one_by_one(a, epochs, 9));
            step(a);
        }
        fgt_attent_destroy(&a);
        o.epochs = INT64_C(1) << 40;
        a        = create(&o);
        assert_true(fgti_attent_count_batches(a, o.epochs, 9) > o.epochs);
        fgt_attent_destroy(&a);
    }
}

/* ---- many samples ---- */

static void test_threads(void **state)
{
    (void)state;
    enum { MANY = 300001 };
    static float score[MANY];
    uint64_t     hash[4][FGT_ATTENT_STRATEGY_INFOBATCH + 1];
    int32_t     *group = calloc(MANY, sizeof *group);
    for (int i = 0; i < MANY; i++) score[i] = (float)fabs((double)noise(1, i)), group[i] = i % 7;
    const fgt_view       groups       = *FGT_VIEW_OF(FGT_DTYPE_I32, group, MANY);
    static const int32_t strategies[] = {
        FGT_ATTENT_STRATEGY_SOFT,         FGT_ATTENT_STRATEGY_HARD,         FGT_ATTENT_STRATEGY_RANDOM,
        FGT_ATTENT_STRATEGY_CLASS_WEIGHT, FGT_ATTENT_STRATEGY_FIXED_WEIGHT, FGT_ATTENT_STRATEGY_GRADNORM,
        FGT_ATTENT_STRATEGY_INFOBATCH,
    };
    for (int32_t threads = 1; threads <= 3; threads++)
        for (size_t each = 0; each < sizeof strategies / sizeof *strategies; each++) {
            const int32_t strategy = strategies[each];
            test_memory    mem;
            fgt_context   *c = test_context(&mem, threads);
            fgt_attent    *a;
            const double   weight[7] = {1, 2, 3, 4, 5, 6, 7};
            const fgt_attent_opts o = {.size = sizeof o, .samples = MANY, .epochs = 3, .strategy = strategy,
                                       .groups = &groups, .group_count = 7, .group_weight = weight};
            fgt_attent_subset s = {.size = sizeof s};
            OK_OF(c, fgt_attent_create(c, &o, &a));
            give(a, MANY, score);
            OK_OF(c, fgt_attent_begin_epoch(a, &s));
            hash[threads][strategy] = s.hash;
            for (int64_t i = 0; i < s.count; i++)
                hash[threads][strategy] = hash[threads][strategy] * 31 + (uint64_t)s.index[i];
            fgt_attent_destroy(&a);
            fgt_context_destroy(&c);
            assert_int_equal(mem.live, 0);
        }
    assert_memory_equal(hash[1], hash[2], sizeof hash[1]);
    assert_memory_equal(hash[1], hash[3], sizeof hash[1]);
    free(group);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_subsets),
        cmocka_unit_test(test_schedules),
        cmocka_unit_test(test_interval_keeps_the_subset),
        cmocka_unit_test(test_hard_is_a_full_sort),
        cmocka_unit_test(test_equal_scores_are_uniform),
        cmocka_unit_test(test_large_scores),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_unknown_and_worthless),
        cmocka_unit_test(test_infobatch),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_due),
        cmocka_unit_test(test_due_within_an_interval),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, open_two, test_close);
}
