/* SPDX-License-Identifier: BSD-3-Clause */
#include "small_models.h"

#define PI 3.14159265358979323846


static double rate(const fgt_schedule_opts *o, double lr, int64_t t)
{
    double out = -1;
    OK(fgt_schedule_get(ctx, o, lr, t, &out));
    return out;
}

static void test_constant(void **state)
{
    (void)state;
    const fgt_schedule_opts warm = {.size = sizeof warm, .warmup = 4, .warmup_start = 0.25};
    near(rate(NULL, 0.5, 0), 0.5, 0, "constant");
    near(rate(NULL, 0.5, 1 << 30), 0.5, 0, "constant");
    for (int t = 0; t < 4; t++) near(rate(&warm, 0.1, t), 0.1 * (0.25 + 0.75 * t / 4), 1e-16, "warm-up");
    near(rate(&warm, 0.1, 4), 0.1, 0, "after");
}

static void test_cosine(void **state)
{
    (void)state;
    const fgt_schedule_opts o = {.size = sizeof o, .kind = FGT_SCHEDULE_COSINE, .warmup = 7, .total = 40,
                                 .min_lr = 1e-4, .warmup_start = 1.0 / 7};
    for (int t = 0; t < 7; t++) near(rate(&o, 0.02, t), 0.02 * (1.0 / 7 + 6.0 / 7 * t / 7), 1e-16, "warm-up");
    for (int t = 7; t <= 40; t++)
        near(rate(&o, 0.02, t), 1e-4 + (0.02 - 1e-4) * 0.5 * (1 + cos(PI * (t - 7) / 33)), 1e-16, "cosine");
    near(rate(&o, 0.02, 40), 1e-4, 0, "end");
    near(rate(&o, 0.02, 100), 1e-4, 0, "after the end");
}

static void test_step(void **state)
{
    (void)state;
    fgt_schedule_opts o = {.size = sizeof o, .kind = FGT_SCHEDULE_STEP, .every = 3, .warmup = 2};
    const double want[] = {0, 0.5, 1, 1, 1, 0.5, 0.5, 0.5, 0.25};
    for (int t = 0; t < 9; t++) near(rate(&o, 1, t), want[t], 1e-16, "step");
    o.gamma = 0.1;
    near(rate(&o, 1, 8), 0.01, 1e-16, "gamma");
}

static void test_refusals(void **state)
{
    (void)state;
    double out = 7;
    const struct {
        fgt_schedule_opts opts;
        const char       *word;
    } bad[] = {
        {{.size = sizeof bad[0].opts, .kind = 3}, "kind"},
        {{.size = sizeof bad[0].opts, .warmup = -1}, "warmup"},
        {{.size = sizeof bad[0].opts, .warmup_start = 1.5}, "warmup_start"},
        {{.size = sizeof bad[0].opts, .min_lr = -1}, "min_lr"},
        {{.size = sizeof bad[0].opts, .gamma = NAN}, "gamma"},
        {{.size = sizeof bad[0].opts, .kind = FGT_SCHEDULE_COSINE}, "total is out of range (got 0"},
        {{.size = sizeof bad[0].opts, .kind = FGT_SCHEDULE_COSINE, .warmup = 5, .total = 5}, "warm-up"},
        {{.size = sizeof bad[0].opts, .kind = FGT_SCHEDULE_STEP}, "every"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        REFUSED(fgt_schedule_get(ctx, &bad[i].opts, 1, 0, &out), FGT_E_ARG, bad[i].word);
    assert_int_equal(fgt_schedule_get(NULL, NULL, 1, 0, &out), FGT_E_ARG);
    REFUSED(fgt_schedule_get(ctx, NULL, 1, 0, NULL), FGT_E_ARG, "out is NULL");
    REFUSED(fgt_schedule_get(ctx, NULL, 1, -1, &out), FGT_E_ARG, "t is out of range (got -1");
    REFUSED(fgt_schedule_get(ctx, NULL, -1, 0, &out), FGT_E_ARG, "lr");
    REFUSED(fgt_schedule_get(ctx, NULL, NAN, 0, &out), FGT_E_ARG, "lr");
    REFUSED(fgt_schedule_get(ctx, &FGT_OPTS(fgt_schedule_opts, .reserved = 1), 1, 0, &out), FGT_E_VERSION,
            "reserved");
    REFUSED(fgt_schedule_get(ctx, &(fgt_schedule_opts){0}, 1, 0, &out), FGT_E_VERSION, "size");
    assert_true(out == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant),
        cmocka_unit_test(test_cosine),
        cmocka_unit_test(test_step),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, test_open, test_close);
}
