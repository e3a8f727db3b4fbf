/* SPDX-License-Identifier: BSD-3-Clause */
/* Cycles: what they refuse, batches in all, a state within one, weights. The epochs themselves are compared
 * with a reference by tests/tools/test_attent_cycles.py. */
#include <stdlib.h>

#include <fighter/attent.h>

#include "../attent/attent_state.h"
#include "../train/small_models.h"
#include "attent/attent_impl.h"
#include "attent/attent_schedule.h"

enum { N = 40, EPOCHS = 31 };

static fgt_attent_opts cycles(void)
{
    return (fgt_attent_opts){.size = sizeof(fgt_attent_opts), .samples = N, .epochs = EPOCHS, .cycles = 4,
                             .interval = 2, .interval_end = 6,
                             .interval_schedule = FGT_ATTENT_INTERVAL_CYCLES};
}

static void score(fgt_attent *a, int64_t t)
{
    for (int64_t i = 0; i < N; i++) {
        const float s = noise((uint64_t)t, i);
        OK(fgt_attent_add(a, &i, 1, &s));
    }
}

static fgt_attent_subset step(fgt_attent *a)
{
    fgt_attent_subset s = {.size = sizeof s};
    if (fgt_attent_get_due(a)) score(a, a->clock.epoch);
    OK(fgt_attent_begin_epoch(a, &s));
    return s;
}

static void refused(fgt_attent_opts o, const char *words)
{
    fgt_attent *a;
    REFUSED(fgt_attent_create(ctx, &o, &a), FGT_E_ARG, words);
    assert_null(a);
}

static void options(void **state)
{
    (void)state;
    fgt_attent_opts o = cycles();
    o.epochs          = 4;
    refused(o, "4 cycles need more epochs (got 4, need 5 at least)");
    o          = cycles();
    o.rescore  = 1;
    refused(o, "redraw");
    o          = cycles();
    o.cycles   = -1;
    refused(o, "cycles");
    o          = cycles();
    o.weights  = 3;
    refused(o, "weights");
}

/* What a learning rate is spread over, from any epoch on. */
static void batches(void **state)
{
    (void)state;
    for (int redraw = 0; redraw < 2; redraw++) {
        fgt_attent_opts o = cycles();
        int64_t         left[EPOCHS], sum = 0;
        fgt_attent     *a;
        o.redraw = o.rescore = redraw;
        OK(fgt_attent_create(ctx, &o, &a));
        const int64_t all = fgti_attent_count_batches(a, EPOCHS, 7);
        for (int t = 0; t < EPOCHS; t++) {
            sum += (step(a).count - 1) / 7 + 1;
            left[t] = sum + fgti_attent_count_batches(a, EPOCHS, 7);
        }
        for (int t = 0; t < EPOCHS; t++) assert_int_equal(left[t], all);
        assert_true(sum == all && step(a).stop);
        fgt_attent_destroy(&a);
    }
}

/* Lengths that no double holds: the last interval has `interval_end` epochs all the same. */
static void huge(void **state)
{
    (void)state;
    enum { CYCLES = 162706, EACH = 2 };
    const int64_t   lengths[2] = {INT64_C(930779435445), 1};
    fgt_attent_opts o          = {.size              = sizeof o,
                                  .samples           = 2,
                                  .epochs            = 1 + EACH * CYCLES,
                                  .cycles            = CYCLES,
                                  .strategy          = FGT_ATTENT_STRATEGY_RANDOM,
                                  .interval_schedule = FGT_ATTENT_INTERVAL_CYCLES};
    for (int falls = 0; falls < 2; falls++) {
        fgt_attent_subset s = {0};
        fgt_attent       *a;
        o.interval     = lengths[!falls];
        o.interval_end = lengths[falls];
        OK(fgt_attent_create(ctx, &o, &a));
        const int64_t all = fgti_attent_count_batches(a, o.epochs, 1);
        int64_t       sum = 0;
        for (int64_t t = 0; t < o.epochs; t++) {
            s = step(a);
            sum += s.count;
            if (t == o.epochs - EACH) assert_int_equal(s.interval, falls ? 1 : EACH);
        }
        assert_true(sum == all && s.interval == (falls ? 1 : EACH) && step(a).stop);
        fgt_attent_destroy(&a);
    }
}

/* A selector that takes over a state goes on as the first one does. */
static void states(void **state)
{
    (void)state;
    for (int at = 1; at < EPOCHS; at++) {
        fgt_attent_opts o = cycles();
        fgt_attent     *a, *b;
        o.redraw = o.rescore = at % 2;
        OK(fgt_attent_create(ctx, &o, &a));
        OK(fgt_attent_create(ctx, &o, &b));
        for (int t = 0; t < at; t++) step(a);
        const int64_t size = attent_state_bytes(a);
        void         *data = malloc((size_t)size);
        assert_non_null(data);
        OK(attent_state(a, data, size));
        OK(fgt_attent_set_state(b, data, size));
        free(data);
        for (int t = at; t < EPOCHS; t++) assert_true(step(a).hash == step(b).hash);
        fgt_attent_destroy(&a), fgt_attent_destroy(&b);
    }
}

/* Draws without replacement of one sample: chances are those of the weights, whatever the size of scores. */
static void sigmoids(void **state)
{
    (void)state;
    enum { DRAWS = 20000 };
    const float     s[3]    = {-2, 0, 800};
    const double    w[3]    = {1 / (1 + exp(2)), 0.5, 1};
    int64_t         hits[3] = {0};
    fgt_attent_opts o       = {.size = sizeof o, .samples = 3, .count = 1, .seed = 5, .redraw = 1,
                               .ratio_schedule    = FGT_ATTENT_RATIO_FIXED,
                               .weights           = FGT_ATTENT_WEIGHTS_SIGMOID,
                               .interval_schedule = FGT_ATTENT_INTERVAL_FIXED};
    fgt_attent     *a;
    OK(fgt_attent_create(ctx, &o, &a));
    OK(fgt_attent_add(a, (int64_t[]){0, 1, 2}, 3, s));
    for (int t = 0; t < DRAWS; t++) {
        fgt_attent_subset got = {.size = sizeof got};
        OK(fgt_attent_begin_epoch(a, &got));
        hits[got.index[0]]++;
    }
    const double sum = w[0] + w[1] + w[2];
    for (int i = 0; i < 3; i++) {
        const double p = w[i] / sum, sigma = sqrt(p * (1 - p) / DRAWS);
        assert_true(fabs((double)hits[i] / DRAWS - p) < 4 * sigma);
    }
    fgt_attent_destroy(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options),
        cmocka_unit_test(batches),
        cmocka_unit_test(huge),
        cmocka_unit_test(states),
        cmocka_unit_test(sigmoids),
    };
    return cmocka_run_group_tests(tests, open_two, test_close);
}
