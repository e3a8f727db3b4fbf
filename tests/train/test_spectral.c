/* SPDX-License-Identifier: BSD-3-Clause */
/* The spectral part of losses: its definition, missing targets, memory, threads, and what is refused. */
#include "small_models.h"

#include "train/loss/loss.h"

#define PI 3.14159265358979323846

enum { B = 3, H = 10, C = 19, EACH = H * C, ALL = B * EACH };

static float ys[ALL], targets[ALL], dys[ALL];

static void fill(void)
{
    for (int i = 0; i < ALL; i++) ys[i] = 3 * noise(1, i), targets[i] = noise(2, i);
}

static fgt_loss_opts share(float a)
{
    return (fgt_loss_opts){.size = sizeof(fgt_loss_opts), .spectral = a, .skip_nan = 1};
}

/* Mean |E_f| of a series of sample b; missing targets make differences of 0. */
static double size_of(int b, int c, int *kept)
{
    double sum = 0;
    *kept      = 0;
    for (int f = 0; f <= H / 2; f++) {
        double re = 0, im = 0;
        for (int h = 0; h < H; h++) {
            const int    i = b * EACH + h * C + c;
            const double e = isnan(targets[i]) ? 0 : (double)ys[i] - (double)targets[i];
            re += e * cos(2 * PI * f * h / H);
            im -= e * sin(2 * PI * f * h / H);
            *kept += !f && !isnan(targets[i]);
        }
        sum += sqrt(re * re + im * im);
    }
    return sum / (H / 2 + 1);
}

/* (1 - a) MSE + a sum n S / sum n */
static double expected(double a)
{
    double square = 0, sizes = 0;
    int    all = 0, kept;
    for (int i = 0; i < ALL; i++)
        if (!isnan(targets[i])) square += pow((double)ys[i] - (double)targets[i], 2);
    for (int b = 0; b < B; b++)
        for (int c = 0; c < C; c++) {
            const double size = size_of(b, c, &kept);
            sizes += kept * size;
            all += kept;
        }
    return ((1 - a) * square + a * sizes) / all;
}

static void test_definition(void **state)
{
    (void)state;
    for (int missing = 0; missing < 2; missing++)
        for (int i = 1; i <= 4; i++) {
            const fgt_loss_opts o = share((float)i / 4);
            double              loss;
            fill();
            for (int k = 0; missing && k < ALL; k += 7) targets[k] = (float)NAN;
            for (int h = 0; missing && h < H; h++) targets[EACH + h * C + 5] = (float)NAN; /* all of one */
            OK(fgt_loss_compute(ctx, FGT_VIEW(ys, B, H, C), FGT_VIEW(targets, B, H, C), &o, NULL, &loss,
                                FGT_VIEW(dys, B, H, C)));
            near(loss, expected(i / 4.0), 1e-5, "loss");
            for (int k = 0; k < ALL; k++) assert_true(!isnan(targets[k]) || dys[k] == 0);
        }
}

/* A sine of amplitude 2 in step with the transform has H at its frequency, and nothing elsewhere. */
static void test_sine(void **state)
{
    (void)state;
    enum { N = 12 };
    const fgt_loss_opts o = share(1);
    float               y[N], t[N] = {0};
    double              loss;
    for (int h = 0; h < N; h++) y[h] = (float)(2 * sin(2 * PI * 3 * h / N));
    OK(fgt_loss_compute(ctx, FGT_VIEW(y, 1, N), FGT_VIEW(t, 1, N), &o, NULL, &loss, NULL));
    near(loss, N / (N / 2 + 1.0), 1e-5, "loss");
    OK(fgt_loss_compute(ctx, FGT_VIEW(t, 1, N), FGT_VIEW(t, 1, N), &o, NULL, &loss, FGT_VIEW(y, 1, N)));
    assert_true(loss == 0);
    for (int h = 0; h < N; h++) assert_true(y[h] == 0);
}

/* Losses, norms and gradients of the samples are those of each alone, and dy may be y. */
static void test_samples(void **state)
{
    (void)state;
    const fgt_loss_opts o = share(0.5f);
    float               loss[B], norm[B], alone[EACH];
    double              sum, all, own;
    fgt_loss_samples    s = {.size = sizeof s, .loss = loss, .norm = norm};
    fill();
    OK(fgt_loss_compute(ctx, FGT_VIEW(ys, B, H, C), FGT_VIEW(targets, B, H, C), &o, NULL, &all, NULL));
    OK(fgt_loss_compute(ctx, FGT_VIEW(ys, B, H, C), FGT_VIEW(targets, B, H, C), &o, &s, &sum,
                        FGT_VIEW(dys, B, H, C)));
    assert_true(sum == all);
    for (int b = 0; b < B; b++) {
        double square = 0;
        OK(fgt_loss_compute(ctx, FGT_VIEW(ys + b * EACH, 1, H, C), FGT_VIEW(targets + b * EACH, 1, H, C), &o,
                            NULL, &own, FGT_VIEW(alone, 1, H, C)));
        near((double)loss[b], own, 1e-6, "loss of the sample");
        for (int i = 0; i < EACH; i++) {
            square += (double)alone[i] * (double)alone[i];
            near((double)dys[b * EACH + i], (double)alone[i] / B, 1e-8, "dy");
        }
        near((double)norm[b], sqrt(square), 1e-6, "norm of the sample");
    }
    OK(fgt_loss_compute(ctx, FGT_VIEW(ys, B, H, C), FGT_VIEW(targets, B, H, C), &o, NULL, &all,
                        FGT_VIEW(ys, B, H, C)));
    assert_memory_equal(ys, dys, sizeof ys);
}

static void test_refusals(void **state)
{
    (void)state;
    const fgt_view *y = FGT_VIEW(ys, B, H, C), *t = FGT_VIEW(targets, B, H, C);
    double          loss;
    fgt_loss_opts   o = share(0.5f);
    fill();
    REFUSED(fgt_loss_compute(ctx, FGT_VIEW(ys, H), FGT_VIEW(targets, H), &o, NULL, &loss, NULL), FGT_E_SHAPE,
            "needs y with an axis of time");
    REFUSED(fgt_loss_compute(ctx, NULL, t, &o, NULL, &loss, NULL), FGT_E_ARG, "y is NULL");
    REFUSED(fgt_loss_compute(ctx, y, FGT_VIEW(targets, B, C, H), &o, NULL, &loss, NULL), FGT_E_SHAPE,
            "target");
    REFUSED(fgt_loss_compute(ctx, FGT_VIEW(ys, B, 0, C), FGT_VIEW(targets, B, 0, C), &o, NULL, &loss, NULL),
            FGT_E_DATA, "every element of the target is missing");
    for (o.kind = 0; fgti_loss_name(o.kind); o.kind++)
        if (o.kind > FGT_LOSS_HUBER)
            REFUSED(fgt_loss_compute(ctx, y, t, &o, NULL, &loss, NULL), FGT_E_ARG, "not a function");
    o = share(1.5f);
    REFUSED(fgt_loss_compute(ctx, y, t, &o, NULL, &loss, NULL), FGT_E_ARG, "spectral");
    o          = share(0.5f);
    o.skip_nan = 0;
    targets[7] = (float)NAN;
    REFUSED(fgt_loss_compute(ctx, y, t, &o, NULL, &loss, NULL), FGT_E_NONFINITE,
            "element 7 of the target is NaN");
    o = share(0.5f);
    fgt_status s;
    SWEEP(&memory, s, 2, fgt_loss_compute(ctx, y, t, &o, NULL, &loss, NULL)) NOTHING_LEAKS;
}

static void test_threads(void **state)
{
    (void)state;
    enum { MANY = 90, STEPS = 24, WIDE = 20 };
    static float        y[MANY * STEPS * WIDE], t[MANY * STEPS * WIDE], dy[3][MANY * STEPS * WIDE];
    const fgt_loss_opts o = share(0.5f);
    double              loss[3];
    for (int i = 0; i < MANY * STEPS * WIDE; i++) y[i] = noise(3, i), t[i] = noise(4, i);
    for (int k = 0; k < 3; k++) {
        test_memory  m;
        fgt_context *c = test_context(&m, k + 1);
        OK_OF(c, fgt_loss_compute(c, FGT_VIEW(y, MANY, STEPS, WIDE), FGT_VIEW(t, MANY, STEPS, WIDE), &o, NULL,
                                  &loss[k], FGT_VIEW(dy[k], MANY, STEPS, WIDE)));
        fgt_context_destroy(&c);
    }
    for (int k = 1; k < 3; k++) {
        assert_true(loss[k] == loss[0]);
        assert_memory_equal(dy[k], dy[0], sizeof dy[0]);
    }
}

/* ---- in a run of training ---- */

typedef struct course {
    int64_t calls; /* allocations before the first step was done, and at the end */
    bool    steady;
} course;

static int watch(void *user, const fgt_progress *p)
{
    course *c = user;
    if (p->step == 1)
        c->calls = memory.calls;
    else
        c->steady = c->steady && memory.calls == c->calls;
    return 0;
}

/* Both parts fall, the report has their mean, and no step allocates. */
static void test_fit(void **state)
{
    (void)state;
    struct samples      s;
    const fgt_loss_opts o      = share(0.5f);
    course              c      = {.steady = true};
    fgt_fit_report      report = {.size = sizeof report};
    fgt_model          *m      = new_linear(ctx, 8, 6, 2, 3);
    double              loss;
    samples_init(&s, 40, 2);
    OK(fgt_model_evaluate(m, &s.source, &o, FGT_DTYPE_F32, &loss, NULL));
    OK(fgt_model_fit(m,
                     &FGT_OPTS(fgt_fit_opts, .train = &s.source, .validation = &s.source, .loss = &o,
                               .training = {.epochs = 30, .patience = -1, .progress = watch, .user = &c}),
                     &report));
    assert_true(report.best_loss < loss && c.steady);
    OK(fgt_model_evaluate(m, &s.source, &o, FGT_DTYPE_F32, &loss, NULL));
    assert_true(loss == report.best_loss);
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition), cmocka_unit_test(test_sine),    cmocka_unit_test(test_samples),
        cmocka_unit_test(test_refusals),   cmocka_unit_test(test_threads), cmocka_unit_test(test_fit),
    };
    return cmocka_run_group_tests(tests, open_two, test_close);
}
