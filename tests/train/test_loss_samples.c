/* SPDX-License-Identifier: BSD-3-Clause */
/* The loss sample by sample against the loss of each sample alone. */
#include "small_models.h"

#include "train/loss/loss.h"

enum { B = 5, R = 6, C = 4 };


enum { EACH = R * C, ALL = B * EACH };

static float   ys[ALL], targets[ALL], dys[ALL], alone[EACH];
static int64_t classes[B * R];

/* y, targets in 0 .. 1, classes. */
static void fill(int32_t kind)
{
    for (int i = 0; i < ALL; i++) {
        ys[i]      = 3 * noise(1, i);
        if (fgti_loss_of_counts(kind)) ys[i] = 0.1f + fabsf(ys[i]);
        targets[i] = (float)fabs((double)noise(2, i));
    }
    for (int i = 0; i < B * R; i++) classes[i] = i * 7 % C;
}

static fgt_view y_of(int b, int n)
{
    return *FGT_VIEW(ys + b * EACH, n, R, C);
}

static fgt_view target_of(int32_t kind, int b, int n)
{
    if (kind == FGT_LOSS_CROSS_ENTROPY) return *FGT_VIEW_OF(FGT_DTYPE_I64, classes + b * R, n, R);
    return *FGT_VIEW(targets + b * EACH, n, R, C);
}

static void test_each_sample_alone(void **state)
{
    (void)state;
    const float weight[B] = {1, 2, 0.5f, 0, -1};
    for (int32_t kind = 0; fgti_loss_name(kind); kind++) {
        fill(kind);
        const fgt_loss_opts o = {.size = sizeof o, .kind = kind, .beta = 0.7f, .quantile = 0.2f,
                                 .label_smoothing = kind == FGT_LOSS_CROSS_ENTROPY ? 0.1f : 0};
        const fgt_view y = y_of(0, B), t = target_of(kind, 0, B), dy = *FGT_VIEW(dys, B, R, C);
        float          loss[B], norm[B];
        double         plain, weighted, want = 0;
        OK(fgt_loss_compute(ctx, &y, &t, &o, NULL, &plain, NULL));
        fgt_loss_samples s = {.size = sizeof s};
        OK(fgt_loss_compute(ctx, &y, &t, &o, &s, &weighted, NULL));
        near(weighted, plain, 1e-12, "mean loss");
        s.weight = weight, s.loss = loss, s.norm = norm;
        OK(fgt_loss_compute(ctx, &y, &t, &o, &s, &weighted, &dy));
        for (int b = 0; b < B; b++) {
            const fgt_view yb = y_of(b, 1), tb = target_of(kind, b, 1), db = *FGT_VIEW(alone, 1, R, C);
            double         own, square = 0;
            OK(fgt_loss_compute(ctx, &yb, &tb, &o, NULL, &own, &db));
            for (int i = 0; i < EACH; i++) {
                square += (double)alone[i] * (double)alone[i];
                near((double)dys[b * EACH + i], (double)(weight[b] * alone[i]) / B, 1e-7, "dy");
            }
            near((double)loss[b], own, 1e-6, "loss of the sample");
            near((double)norm[b], sqrt(square), 1e-6, "norm of the sample");
            want += (double)weight[b] * own / B;
        }
        near(weighted, want, 1e-6, "weighted loss");
    }
}

/* y may be overwritten by dy; norms do not need dy. */
static void test_in_place(void **state)
{
    (void)state;
    for (int32_t kind = 0; fgti_loss_name(kind); kind++) {
        const fgt_loss_opts o = {.size = sizeof o, .kind = kind};
        float               norm[2][B], loss[2][B];
        double              sum;
        fill(kind);
        const fgt_view   y = y_of(0, B), t = target_of(kind, 0, B), dy = *FGT_VIEW(dys, B, R, C);
        fgt_loss_samples s = {.size = sizeof s, .norm = norm[0], .loss = loss[0]};
        OK(fgt_loss_compute(ctx, &y, &t, &o, &s, &sum, NULL));
        OK(fgt_loss_compute(ctx, &y, &t, &o, NULL, &sum, &dy));
        s.norm = norm[1], s.loss = loss[1];
        OK(fgt_loss_compute(ctx, &y, &t, &o, &s, &sum, &y));
        assert_memory_equal(ys, dys, sizeof ys);
        assert_memory_equal(norm[0], norm[1], sizeof norm[0]);
        assert_memory_equal(loss[0], loss[1], sizeof loss[0]);
    }
}

static void test_missing_targets(void **state)
{
    (void)state;
    float            loss[B], norm[B];
    double           mean, samples;
    fgt_loss_samples s = {.size = sizeof s, .loss = loss, .norm = norm};
    fgt_loss_opts    o = {.size = sizeof o, .skip_nan = 1};
    fill(FGT_LOSS_MSE);
    for (int i = 0; i < EACH; i++) targets[2 * EACH + i] = (float)NAN;
    targets[EACH + 11] = (float)NAN;
    const fgt_view y = y_of(0, B), t = target_of(FGT_LOSS_MSE, 0, B), dy = *FGT_VIEW(dys, B, R, C);
    OK(fgt_loss_compute(ctx, &y, &t, &o, NULL, &mean, NULL));
    OK(fgt_loss_compute(ctx, &y, &t, &o, &s, &samples, &dy));
    near(samples, mean, 1e-12, "mean loss");
    assert_true(loss[2] == 0 && norm[2] == 0 && loss[1] > 0 && norm[1] > 0);
    for (int i = 0; i < EACH; i++) assert_true(dys[2 * EACH + i] == 0);
    const fgt_view none = target_of(FGT_LOSS_MSE, 2, 1), y2 = y_of(2, 1);
    REFUSED(fgt_loss_compute(ctx, &y2, &none, &o, &s, &mean, NULL), FGT_E_DATA,
            "every element of the target is missing");
    o.skip_nan = 0;
    samples    = 5;
    REFUSED(fgt_loss_compute(ctx, &y, &t, &o, &s, &samples, NULL), FGT_E_NONFINITE, "sample 1: mse");
    assert_true(samples == 5);
}

/* A sample none of whose rows has a class. */
static void test_missing_classes(void **state)
{
    (void)state;
    float            loss[2], norm[2], dy[2][2][3];
    const float      y[2][2][3] = {{{1, 2, 3}, {3, 1, 0}}, {{0, 5, 1}, {1, 1, 2}}};
    const int64_t    t[2][2] = {{FGT_CLASS_MISSING, FGT_CLASS_MISSING}, {0, FGT_CLASS_MISSING}};
    double           mean, samples;
    fgt_loss_samples s = {.size = sizeof s, .loss = loss, .norm = norm};
    fgt_loss_opts    o = {.size = sizeof o, .kind = FGT_LOSS_CROSS_ENTROPY, .skip_nan = 1};
    OK(fgt_loss_compute(ctx, FGT_VIEW(y, 2, 2, 3), FGT_VIEW_OF(FGT_DTYPE_I64, t, 2, 2), &o, NULL, &mean,
                        NULL));
    OK(fgt_loss_compute(ctx, FGT_VIEW(y, 2, 2, 3), FGT_VIEW_OF(FGT_DTYPE_I64, t, 2, 2), &o, &s, &samples,
                        FGT_VIEW(dy, 2, 2, 3)));
    near(samples, mean, 0, "mean loss");
    near((double)loss[1], mean, 1e-6, "loss of a sample");
    assert_true(loss[0] == 0 && norm[0] == 0 && norm[1] > 0 && dy[0][0][0] == 0 && dy[1][0][0] != 0);
}

static void test_refusals(void **state)
{
    (void)state;
    float            weight[B] = {1, 1, 1, (float)NAN, 1};
    double           loss;
    fgt_loss_samples s = {.size = sizeof s, .weight = weight};
    fill(FGT_LOSS_MSE);
    const fgt_view y = y_of(0, B), t = target_of(FGT_LOSS_MSE, 0, B), short_one = *FGT_VIEW(targets, B, R);
    const fgt_view number = {.data = ys, .rank = 0, .dtype = FGT_DTYPE_F32};
    REFUSED(fgt_loss_compute(ctx, &y, &t, NULL, &s, &loss, NULL), FGT_E_ARG, "the weight of sample 3");
    REFUSED(fgt_loss_compute(ctx, &y, &t, NULL, NULL, NULL, NULL), FGT_E_ARG, "loss is NULL");
    REFUSED(fgt_loss_compute(ctx, &y, &short_one, NULL, NULL, &loss, NULL), FGT_E_SHAPE, "target");
    REFUSED(fgt_loss_compute(ctx, &number, &number, NULL, &s, &loss, NULL), FGT_E_SHAPE, "samples");
    REFUSED(fgt_loss_compute(ctx, &y, NULL, NULL, &s, &loss, NULL), FGT_E_ARG, "NULL");
    assert_int_equal(fgt_loss_compute(NULL, &y, &t, NULL, NULL, &loss, NULL), FGT_E_ARG);
}

/* More samples than chunks, of more elements than a chunk's least. */
static void test_threads(void **state)
{
    (void)state;
    enum { MANY = 150, WIDE = 700 };
    static float y[MANY * WIDE], t[MANY * WIDE], loss[3][MANY], dy[3][MANY * WIDE];
    double       sum[3];
    for (int i = 0; i < MANY * WIDE; i++) y[i] = noise(3, i), t[i] = noise(4, i);
    for (int k = 0; k < 3; k++) {
        test_memory      mem;
        fgt_context     *c = test_context(&mem, k + 1);
        fgt_loss_samples s = {.size = sizeof s, .loss = loss[k]};
        OK_OF(c, fgt_loss_compute(c, FGT_VIEW(y, MANY, WIDE), FGT_VIEW(t, MANY, WIDE), NULL, &s, &sum[k],
                                  FGT_VIEW(dy[k], MANY, WIDE)));
        fgt_context_destroy(&c);
    }
    assert_true(sum[0] == sum[1] && sum[0] == sum[2]);
    for (int k = 1; k < 3; k++) {
        assert_memory_equal(loss[0], loss[k], sizeof loss[0]);
        assert_memory_equal(dy[0], dy[k], sizeof dy[0]);
    }
}

/* Weights are as many as y has samples: a target of another size is refused before they are read. */
static void test_fewer_weights(void **state)
{
    (void)state;
    enum { MANY = 4000 };
    static float     t[MANY * 3];
    float            y[4 * 3] = {0};
    double           sum;
    float            weight[4] = {1, 1, 1, 1};
    fgt_loss_samples s         = {.size = sizeof s, .weight = weight};
    REFUSED(fgt_loss_compute(ctx, FGT_VIEW(y, 4, 3), FGT_VIEW(t, MANY, 3), NULL, &s, &sum, NULL), FGT_E_SHAPE,
            "target");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_sample_alone), cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_missing_targets),   cmocka_unit_test(test_missing_classes),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_threads),           cmocka_unit_test(test_fewer_weights),
    };
    return cmocka_run_group_tests(tests, open_two, test_close);
}
