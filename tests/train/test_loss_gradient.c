/* SPDX-License-Identifier: BSD-3-Clause */
/* dy of every loss against central differences, in double. */
#include "small_models.h"

#include "train/loss/loss.h"

enum { ROWS = 5, CLASSES = 4, N = ROWS * CLASSES };
#define STEP 1e-5


static double loss_of(const fgt_loss_opts *o, double *y, const fgt_view *target, double *dy)
{
    const fgt_view v    = {.data = y, .rank = 2, .shape = {ROWS, CLASSES}, .dtype = FGT_DTYPE_F64};
    fgt_view       d = v;
    double         loss = 0;
    d.data = dy;
    OK(fgt_loss_compute(ctx, &v, target, o, NULL, &loss, dy ? &d : NULL));
    return loss;
}

/* Norm-wise error below 1e-7: h^2 = 1e-10 of the third derivative, and 1e-16 / h of rounding. */
static void check(const fgt_loss_opts *o, const fgt_view *target)
{
    double y[N], dy[N], error = 0, norm = 0;
    for (int i = 0; i < N; i++) y[i] = 3 * noise(1, i);
    for (int i = 0; fgti_loss_of_counts(o->kind) && i < N; i++) y[i] = 0.1 + fabs(y[i]);
    loss_of(o, y, target, dy);
    for (int i = 0; i < N; i++) {
        const double at = y[i];
        y[i]            = at + STEP;
        const double up = loss_of(o, y, target, NULL);
        y[i]            = at - STEP;
        const double slope = (up - loss_of(o, y, target, NULL)) / (2 * STEP);
        y[i]               = at;
        error += (slope - dy[i]) * (slope - dy[i]);
        norm += dy[i] * dy[i];
    }
    if (!(sqrt(error) <= 1e-7 * sqrt(norm)))
        fail_msg("loss %d: gradient off by %.3g of %.3g", o->kind, sqrt(error), sqrt(norm));
}

static void test_elements(void **state)
{
    (void)state;
    double t[N];
    for (int32_t kind = 0; fgti_loss_name(kind); kind++)
        for (int variant = 0; variant < 3; variant++) {
            const fgt_loss_opts o = {.size = sizeof o, .kind = kind, .beta = (float)variant * 0.7f,
                                     .quantile = (float)variant * 0.3f, .skip_nan = variant == 2,
                                     .dispersion = (float)variant * 0.3f, .quantile_count = variant,
                                     .quantiles = {0.1f, 0.6f},
                                     .spectral = kind > FGT_LOSS_HUBER ? 0 : (float)variant * 0.3f};
            if (fgti_loss_of_classes(&o)) continue;
            for (int i = 0; i < N; i++) t[i] = (noise(2, i) + 1) / 2;
            if (o.skip_nan) t[0] = t[7] = NAN;
            check(&o, &(fgt_view){.data = t, .rank = 2, .shape = {ROWS, CLASSES}, .dtype = FGT_DTYPE_F64});
        }
}

static void test_classes(void **state)
{
    (void)state;
    static const float of[CLASSES] = {0.5f, 2, 0.25f, 8};
    int64_t            t[ROWS]     = {0, 3, 1, 1, 2};
    for (int i = 0; i < 10; i++) {
        const fgt_loss_opts o = {.size = sizeof o, .kind = FGT_LOSS_CROSS_ENTROPY,
                                 .label_smoothing = (float)(i % 4) * 0.3f, .skip_nan = i % 4 == 3,
                                 .class_weights = i % 3 == 1 ? of : NULL,
                                 .class_priors = i % 3 == 2 ? of : NULL,
                                 .class_count = i % 3 ? CLASSES : 0};
        t[1] = o.skip_nan ? FGT_CLASS_MISSING : 3;
        check(&o, FGT_VIEW_OF(FGT_DTYPE_I64, t, ROWS));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_elements), cmocka_unit_test(test_classes)};
    return cmocka_run_group_tests(tests, test_open, test_close);
}
