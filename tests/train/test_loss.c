/* SPDX-License-Identifier: BSD-3-Clause */
/* Losses against their closed forms, and everything that is refused. */
#include "small_models.h"

#include "train/loss/loss.h"

/* Loss and dy of a few elements. */
static double apply(const fgt_loss_opts *o, int64_t n, const float *y, const float *t, float *dy)
{
    double loss = 0;
    OK(fgt_loss_compute(ctx, FGT_VIEW(y, n), FGT_VIEW(t, n), o, NULL, &loss, dy ? FGT_VIEW(dy, n) : NULL));
    return loss;
}

static void test_closed_forms(void **state)
{
    (void)state;
    /* e = -3, -0.5, 0, 0.25, 2 */
    const float y[5] = {-2, 0.5f, 1, 2.25f, 5}, t[5] = {1, 1, 1, 2, 3};
    const struct {
        fgt_loss_kind kind;
        float         option; /* beta or quantile */
        double        loss, d[5]; /* both times 5 */
    } cases[] = {
        {FGT_LOSS_MSE, 0, 9 + 0.25 + 0 + 0.0625 + 4, {-6, -1, 0, 0.5, 4}},
        {FGT_LOSS_L1, 0, 5.75, {-1, -1, 0, 1, 1}},
        {FGT_LOSS_SMOOTH_L1, 0, 2.5 + 0.125 + 0 + 0.03125 + 1.5, {-1, -0.5, 0, 0.25, 1}},
        {FGT_LOSS_SMOOTH_L1, 0.5f, 2.75 + 0.25 + 0 + 0.0625 + 1.75, {-1, -1, 0, 0.5, 1}},
        {FGT_LOSS_HUBER, 0, 2.5 + 0.125 + 0 + 0.03125 + 1.5, {-1, -0.5, 0, 0.25, 1}},
        {FGT_LOSS_HUBER, 2, 2 * (3 - 1) + 0.125 + 0 + 0.03125 + 2, {-2, -0.5, 0, 0.25, 2}},
        {FGT_LOSS_QUANTILE, 0, 2.875, {-0.5, -0.5, 0, 0.5, 0.5}},
        {FGT_LOSS_QUANTILE, 0.75f, 0.75 * 3.5 + 0.25 * 2.25, {-0.75, -0.75, 0, 0.25, 0.25}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const fgt_loss_opts o = {.size = sizeof o, .kind = (int32_t)cases[i].kind, .beta = cases[i].option,
                                 .quantile = cases[i].kind == FGT_LOSS_QUANTILE ? cases[i].option : 0};
        float               dy[5];
        near(apply(&o, 5, y, t, dy), cases[i].loss / 5, 1e-12, "loss");
        for (int j = 0; j < 5; j++) near((double)dy[j], cases[i].d[j] / 5, 1e-7, "dy");
        near(apply(&o, 5, y, t, NULL), cases[i].loss / 5, 1e-12, "loss without dy");
    }
}

/* Each element of y has the quantile of its place in the list. */
static void test_several_quantiles(void **state)
{
    (void)state;
    const float y[6] = {0, 0, 0, 1, 1, 1}, t[6] = {2, 2, 2, -1, -1, -1};
    fgt_loss_opts o = {.size = sizeof o, .kind = FGT_LOSS_QUANTILE, .quantile = 0.3f, .quantile_count = 3,
                       .quantiles = {0.25f, 0.5f, 0.75f}};
    const double d[6] = {-0.25, -0.5, -0.75, 0.75, 0.5, 0.25};
    float        dy[6];
    near(apply(&o, 6, y, t, dy), (2 * 1.5 + 2 * 1.5) / 6, 1e-12, "loss");
    for (int i = 0; i < 6; i++) near((double)dy[i], d[i] / 6, 1e-7, "dy");
    double loss;
    o.quantiles[1] = 0;
    REFUSED(fgt_loss_compute(ctx, FGT_VIEW(y, 6), FGT_VIEW(t, 6), &o, NULL, &loss, NULL), FGT_E_ARG,
            "quantile 1");
    o.quantile_count = FGT_QUANTILES_MAX + 1;
    REFUSED(fgt_loss_compute(ctx, FGT_VIEW(y, 6), FGT_VIEW(t, 6), &o, NULL, &loss, NULL), FGT_E_ARG,
            "quantiles");
}

/* Half deviances are 0 where y is t, and for counts of 0 they are y, and log(1 + a y) / a. */
static void test_counts(void **state)
{
    (void)state;
    const float y[4] = {3, 2, 4, 1e-9f}, t[4] = {3, 0, 1, 2};
    fgt_loss_opts o = {.size = sizeof o, .kind = FGT_LOSS_POISSON};
    float         dy[4];
    near(apply(&o, 3, y, t, dy), (0 + 2 + 3 + log(0.25)) / 3, 1e-7, "poisson");
    near((double)dy[0], 0, 0, "dy");
    near((double)dy[1], 1.0 / 3, 1e-7, "dy");
    near((double)dy[2], 0.75 / 3, 1e-7, "dy");
    assert_true(isfinite(apply(&o, 4, y, t, dy)) && isfinite(dy[3]) && dy[3] < 0);
    o = (fgt_loss_opts){.size = sizeof o, .kind = FGT_LOSS_NEGATIVE_BINOMIAL, .dispersion = 0.5f};
    near(apply(&o, 3, y, t, dy), (0 + 2 * log(2) + log(0.25) - 3 * log(1.5 / 3)) / 3, 1e-7, "binomial");
    near((double)dy[0], 0, 0, "dy");
    near((double)dy[1], 0.5 / 3, 1e-7, "dy");
    near((double)dy[2], 3.0 / 12 / 3, 1e-7, "dy");
    const float below[2] = {-1, 1};
    double      loss;
    for (int i = 0; i < 2; i++) {
        o.kind = i ? FGT_LOSS_POISSON : FGT_LOSS_NEGATIVE_BINOMIAL;
        REFUSED(fgt_loss_compute(ctx, FGT_VIEW(below, 2), FGT_VIEW(t, 2), &o, NULL, &loss, NULL),
                FGT_E_NONFINITE, "NaN");
        REFUSED(fgt_loss_compute(ctx, FGT_VIEW(y, 2), FGT_VIEW(below, 2), &o, NULL, &loss, NULL),
                FGT_E_NONFINITE, "NaN");
    }
}

static void test_default_is_mse(void **state)
{
    (void)state;
    const float y[2] = {1, 2}, t[2] = {0, 4};
    double      loss;
    OK(fgt_loss_mse(ctx, FGT_VIEW(y, 2), FGT_VIEW(t, 2), &loss, NULL));
    near(loss, 2.5, 0, "mse");
}

/* Far from 0 the loss is |y| or 0, and nothing overflows. */
static void test_bce(void **state)
{
    (void)state;
    const fgt_loss_opts o = {.size = sizeof o, .kind = FGT_LOSS_BCE};
    const float y[5] = {0, 3, -3, 1e4f, -1e4f}, t[5] = {1, 0.25f, 0.25f, 0, 1};
    const double d[5] = {-0.5, 1 / (1 + exp(-3)) - 0.25, 1 / (1 + exp(3)) - 0.25, 1, -1};
    float        dy[5];
    const double want = log(2) + (3 + log1p(exp(-3)) - 0.75) + (log1p(exp(-3)) + 0.75) + 1e4 + 1e4;
    near(apply(&o, 5, y, t, dy), want / 5, 1e-9, "loss");
    for (int i = 0; i < 5; i++) near((double)dy[i], d[i] / 5, 1e-7, "dy");
}

static void check_cross_entropy(float smoothing, int32_t dtype)
{
    enum { R = 3, C = 4 };
    const float   y[R][C] = {{1, 2, 3, 4}, {-900, 0, 900, 1}, {5, 5, 5, 5}};
    const int64_t wide[R] = {0, 2, 3};
    const int32_t narrow[R] = {0, 2, 3};
    const void         *t         = dtype == FGT_DTYPE_I64 ? (const void *)wide : (const void *)narrow;
    const fgt_loss_opts o = {.size = sizeof o, .kind = FGT_LOSS_CROSS_ENTROPY, .label_smoothing = smoothing};
    const double s = (double)smoothing;
    float        dy[R][C];
    double       loss, want = 0;
    OK(fgt_loss_compute(ctx, FGT_VIEW(y, R, C), FGT_VIEW_OF(dtype, t, R), &o, NULL, &loss,
                        FGT_VIEW(dy, R, C)));
    for (int r = 0; r < R; r++) {
        double top = -INFINITY, z = 0;
        for (int c = 0; c < C; c++)
            if ((double)y[r][c] > top) top = (double)y[r][c];
        for (int c = 0; c < C; c++) z += exp((double)y[r][c] - top);
        for (int c = 0; c < C; c++) {
            const double log_p = (double)y[r][c] - top - log(z), q = (c == wide[r] ? 1 - s : 0) + s / C;
            want -= q > 0 ? q * log_p / R : 0;
            near((double)dy[r][c], (exp(log_p) - q) / R, 1e-7, "dy");
        }
    }
    near(loss, want, 1e-12 * fmax(1, want), "loss");
}

static void test_cross_entropy(void **state)
{
    (void)state;
    check_cross_entropy(0, FGT_DTYPE_I64);
    check_cross_entropy(0, FGT_DTYPE_I32);
    check_cross_entropy(0.1f, FGT_DTYPE_I64);
    check_cross_entropy(0.75f, FGT_DTYPE_I32);
}

/* A row counts as often as its class weighs, and in the mean as one. */
static void test_class_weights(void **state)
{
    (void)state;
    static const float weights[] = {0.5f, 0, 2};
    const float        y[3][3]   = {{1, 2, 3}, {0, 1, -1}, {2, 0, 1}};
    const int64_t      t[]       = {2, 0, 1};
    float              dy[3][3], one[3];
    double             loss, want = 0, part;
    fgt_loss_opts      o = {.size = sizeof o, .kind = FGT_LOSS_CROSS_ENTROPY, .label_smoothing = 0.1f};
    const fgt_loss_opts plain = o;
    o.class_weights = weights;
    o.class_count   = 3;
    OK(fgt_loss_compute(ctx, FGT_VIEW(y, 3, 3), FGT_VIEW_OF(FGT_DTYPE_I64, t, 3), &o, NULL, &loss,
                        FGT_VIEW(dy, 3, 3)));
    for (int r = 0; r < 3; r++) {
        const double w = (double)weights[t[r]];
        OK(fgt_loss_compute(ctx, FGT_VIEW(y[r], 1, 3), FGT_VIEW_OF(FGT_DTYPE_I64, t + r, 1), &plain, NULL,
                            &part, FGT_VIEW(one, 1, 3)));
        want += w * part / 3;
        for (int c = 0; c < 3; c++) near((double)dy[r][c], w * (double)one[c] / 3, 1e-7, "dy");
    }
    near(loss, want, 1e-12, "loss");
    o.class_count = 2;
    REFUSED(fgt_loss_compute(ctx, FGT_VIEW(y, 3, 3), FGT_VIEW_OF(FGT_DTYPE_I64, t, 3), &o, NULL, &loss, NULL),
            FGT_E_SHAPE, "class_count is wrong (got 2, need 3, the classes of y)");
    o.class_weights = (const float[]){1, -1};
    REFUSED(fgt_loss_compute(ctx, FGT_VIEW(y, 3, 3), FGT_VIEW_OF(FGT_DTYPE_I64, t, 3), &o, NULL, &loss, NULL),
            FGT_E_ARG, "the weight of class 1 is out of range (got -1");
    o.class_weights = NULL;
    REFUSED(fgt_loss_compute(ctx, FGT_VIEW(y, 3, 3), FGT_VIEW_OF(FGT_DTYPE_I64, t, 3), &o, NULL, &loss, NULL),
            FGT_E_ARG, "class_weights and class_priors are NULL");
    o.class_weights = weights;
    o.kind          = FGT_LOSS_MSE;
    o.class_count   = 3;
    REFUSED(fgt_loss_compute(ctx, FGT_VIEW(y, 3, 3), FGT_VIEW(y, 3, 3), &o, NULL, &loss, NULL), FGT_E_ARG,
            "class_weights are for cross entropy, not for mse");
}

/* The loss of y + log p; the smoothing has the shares of p, on any scale. */
static void test_class_priors(void **state)
{
    (void)state;
    static const float q[] = {8, 1, 1};
    const float        y[3][3] = {{1, 2, 3}, {0, 1, -1}, {2, 0, 1}};
    const int64_t      t[]     = {2, 0, 1};
    float              dy[3][3];
    double             loss, want = 0;
    fgt_loss_opts      o = {.size = sizeof o, .kind = FGT_LOSS_CROSS_ENTROPY, .label_smoothing = 0.25f,
                            .class_priors = q, .class_count = 3};
    OK(fgt_loss_compute(ctx, FGT_VIEW(y, 3, 3), FGT_VIEW_OF(FGT_DTYPE_I64, t, 3), &o, NULL, &loss,
                        FGT_VIEW(dy, 3, 3)));
    for (int r = 0; r < 3; r++) {
        double z = 0;
        for (int c = 0; c < 3; c++) z += (double)q[c] / 10 * exp((double)y[r][c]);
        for (int c = 0; c < 3; c++) {
            const double p = (double)q[c] / 10, found = p * exp((double)y[r][c]) / z;
            const double asked = (c == t[r] ? 0.75 : 0) + 0.25 * p;
            want -= asked * log(found) / 3;
            near((double)dy[r][c], (found - asked) / 3, 1e-7, "dy");
        }
    }
    near(loss, want, 1e-12, "loss");
    o.class_priors = (const float[]){1, 0, 1};
    REFUSED(fgt_loss_compute(ctx, FGT_VIEW(y, 3, 3), FGT_VIEW_OF(FGT_DTYPE_I64, t, 3), &o, NULL, &loss, NULL),
            FGT_E_ARG, "the prior of class 1 is out of range (got 0, need finite and above 0)");
    o.class_priors = q;
    o.kind         = FGT_LOSS_MSE;
    REFUSED(fgt_loss_compute(ctx, FGT_VIEW(y, 3, 3), FGT_VIEW(y, 3, 3), &o, NULL, &loss, NULL), FGT_E_ARG,
            "class_priors are for cross entropy, not for mse");
}

/* A class that is ruled out (-inf) costs nothing, unless it is the target or smoothing asks for it. */
static void test_cross_entropy_of_minus_infinity(void **state)
{
    (void)state;
    const float   y[3] = {0, -INFINITY, 0};
    fgt_loss_opts o = {.size = sizeof o, .kind = FGT_LOSS_CROSS_ENTROPY};
    int64_t       t = 0;
    float         dy[3];
    double        loss;
    const fgt_view *target = FGT_VIEW_OF(FGT_DTYPE_I64, &t, 1);
    OK(fgt_loss_compute(ctx, FGT_VIEW(y, 1, 3), target, &o, NULL, &loss, FGT_VIEW(dy, 1, 3)));
    near(loss, log(2), 1e-12, "loss");
    near((double)dy[1], 0, 0, "dy");
    t = 1;
    REFUSED(fgt_loss_compute(ctx, FGT_VIEW(y, 1, 3), target, &o, NULL, &loss, NULL), FGT_E_NONFINITE,
            "cross entropy");
    t                 = 0;
    o.label_smoothing = 0.1f;
    REFUSED(fgt_loss_compute(ctx, FGT_VIEW(y, 1, 3), target, &o, NULL, &loss, NULL), FGT_E_NONFINITE,
            "cross entropy");
}

static void test_skip_nan(void **state)
{
    (void)state;
    const float         y[4] = {1, NAN, 3, 9}, t[4] = {0, NAN, NAN, 6};
    const fgt_loss_opts skip = {.size = sizeof skip, .skip_nan = 1};
    const float         want[4] = {1, 0, 0, 3};
    float               dy[4];
    near(apply(&skip, 4, y, t, dy), 5, 1e-12, "loss");
    assert_memory_equal(dy, want, sizeof dy);
    double loss = 7;
    REFUSED(fgt_loss_compute(ctx, FGT_VIEW(y + 1, 2), FGT_VIEW(t + 1, 2), &skip, NULL, &loss, NULL),
            FGT_E_DATA, "every element of the target is missing");
    REFUSED(fgt_loss_compute(ctx, FGT_VIEW(y, 0), FGT_VIEW(t, 0), &skip, NULL, &loss, NULL), FGT_E_DATA,
            "every element of the target is missing");
    REFUSED(fgt_loss_compute(ctx, FGT_VIEW(y, 4), FGT_VIEW(t, 4), NULL, NULL, &loss, NULL), FGT_E_NONFINITE,
            "element 1 of the target is NaN (skip_nan");
    assert_true(loss == 7);
}

/* The loss of the rows that have a class; the others have no gradient, whatever their logits are. */
static void test_missing_classes(void **state)
{
    (void)state;
    enum { C = 3 };
    const float   all[4][C] = {{1, 2, 3}, {NAN, 0, INFINITY}, {0, 5, 1}, {2, 2, 2}};
    const float   kept[2][C] = {{1, 2, 3}, {0, 5, 1}}, zero[C] = {0};
    const int64_t t[4] = {2, FGT_CLASS_MISSING, 0, FGT_CLASS_MISSING}, own[2] = {2, 0}, bad = -2;
    fgt_loss_opts o = {.size = sizeof o, .kind = FGT_LOSS_CROSS_ENTROPY, .label_smoothing = 0.1f};
    float         dy[4][C], want[2][C];
    double        loss, expected, untouched = 7;
    OK(fgt_loss_compute(ctx, FGT_VIEW(kept, 2, C), FGT_VIEW_OF(FGT_DTYPE_I64, own, 2), &o, NULL, &expected,
                        FGT_VIEW(want, 2, C)));
    REFUSED(fgt_loss_compute(ctx, FGT_VIEW(all, 4, C), FGT_VIEW_OF(FGT_DTYPE_I64, t, 4), &o, NULL, &untouched,
                             NULL),
            FGT_E_DATA, "row 1 of the batch is out of range (got -1, need 0 .. 2)");
    o.skip_nan = 1;
    OK(fgt_loss_compute(ctx, FGT_VIEW(all, 4, C), FGT_VIEW_OF(FGT_DTYPE_I64, t, 4), &o, NULL, &loss,
                        FGT_VIEW(dy, 4, C)));
    near(loss, expected, 0, "loss");
    assert_memory_equal(dy[0], want[0], sizeof want[0]);
    assert_memory_equal(dy[1], zero, sizeof zero);
    assert_memory_equal(dy[2], want[1], sizeof want[1]);
    assert_memory_equal(dy[3], zero, sizeof zero);
    REFUSED(fgt_loss_compute(ctx, FGT_VIEW(all, 1, C), FGT_VIEW_OF(FGT_DTYPE_I64, t + 1, 1), &o, NULL,
                             &untouched, NULL),
            FGT_E_DATA, "every element of the target is missing");
    REFUSED(fgt_loss_compute(ctx, FGT_VIEW(all, 1, C), FGT_VIEW_OF(FGT_DTYPE_I64, &bad, 1), &o, NULL,
                             &untouched, NULL),
            FGT_E_DATA, "got -2, need -1 .. 2");
    assert_true(untouched == 7);
}

static void test_dy_in_place(void **state)
{
    (void)state;
    for (int32_t kind = 0; fgti_loss_name(kind); kind++) {
        const fgt_loss_opts o = {.size = sizeof o, .kind = kind, .label_smoothing = 0.1f};
        const bool          classes = kind == FGT_LOSS_CROSS_ENTROPY;
        float               y[12], apart[12], t[12];
        const int64_t       c[3] = {0, 3, 1};
        for (int i = 0; i < 12; i++) y[i] = 3 * noise(1, i), t[i] = noise(2, i);
        for (int i = 0; fgti_loss_of_counts(kind) && i < 12; i++) y[i] = fabsf(y[i]), t[i] = fabsf(t[i]);
        const fgt_view *target = classes ? FGT_VIEW_OF(FGT_DTYPE_I64, c, 3) : FGT_VIEW(t, 3, 4);
        double          first, second;
        OK(fgt_loss_compute(ctx, FGT_VIEW(y, 3, 4), target, &o, NULL, &first, FGT_VIEW(apart, 3, 4)));
        OK(fgt_loss_compute(ctx, FGT_VIEW(y, 3, 4), target, &o, NULL, &second, FGT_VIEW(y, 3, 4)));
        assert_true(first == second);
        assert_memory_equal(y, apart, sizeof y);
    }
}

static void test_nonfinite(void **state)
{
    (void)state;
    float  y[2] = {1, 2}, t[2] = {1, INFINITY};
    double loss = 7;
    const fgt_loss_opts skip = {.size = sizeof skip, .skip_nan = 1};
    REFUSED(fgt_loss_compute(ctx, FGT_VIEW(y, 2), FGT_VIEW(t, 2), &skip, NULL, &loss, NULL), FGT_E_NONFINITE,
            "element 1 of the target is infinite");
    t[1] = 0;
    y[0] = NAN;
    for (int32_t kind = 0; fgti_loss_name(kind); kind++) {
        const fgt_loss_opts o = {.size = sizeof o, .kind = kind};
        const int64_t       c = 1;
        const bool          classes = kind == FGT_LOSS_CROSS_ENTROPY;
        const fgt_view     *target  = classes ? FGT_VIEW_OF(FGT_DTYPE_I64, &c, 1) : FGT_VIEW(t, 1, 2);
        REFUSED(fgt_loss_compute(ctx, FGT_VIEW(y, 1, 2), target, &o, NULL, &loss, NULL), FGT_E_NONFINITE,
                "loss is NaN or infinite");
    }
    assert_true(loss == 7);
}

static void test_refusals(void **state)
{
    (void)state;
    float   y[6] = {0}, t[6] = {0};
    int64_t c[2] = {0, 3};
    double  loss;
    const fgt_view *good = FGT_VIEW(y, 2, 3), *target = FGT_VIEW(t, 2, 3);
    const fgt_view *classes = FGT_VIEW_OF(FGT_DTYPE_I64, c, 2),
                   *numbers = FGT_VIEW_OF(FGT_DTYPE_I64, t, 2, 3);
    const fgt_loss_opts ce = {.size = sizeof ce, .kind = FGT_LOSS_CROSS_ENTROPY};
    assert_int_equal(fgt_loss_compute(NULL, good, target, NULL, NULL, &loss, NULL), FGT_E_ARG);
    REFUSED(fgt_loss_compute(ctx, good, target, NULL, NULL, NULL, NULL), FGT_E_ARG, "loss is NULL");
    REFUSED(fgt_loss_compute(ctx, NULL, target, NULL, NULL, &loss, NULL), FGT_E_ARG, "y is NULL");
    REFUSED(fgt_loss_compute(ctx, good, NULL, NULL, NULL, &loss, NULL), FGT_E_ARG, "target is NULL");
    REFUSED(fgt_loss_compute(ctx, good, FGT_VIEW(t, 3, 2), NULL, NULL, &loss, NULL), FGT_E_SHAPE, "[3,2]");
    REFUSED(fgt_loss_compute(ctx, good, target, NULL, NULL, &loss, FGT_VIEW(t, 6)), FGT_E_SHAPE, "dy");
    REFUSED(fgt_loss_compute(ctx, good, numbers, NULL, NULL, &loss, NULL), FGT_E_SHAPE, "I64");
    REFUSED(fgt_loss_compute(ctx, good, FGT_VIEW(t, 2), &ce, NULL, &loss, NULL), FGT_E_SHAPE, "F32");
    REFUSED(fgt_loss_compute(ctx, good, numbers, &ce, NULL, &loss, NULL), FGT_E_SHAPE, "[2,3]");
    REFUSED(fgt_loss_compute(ctx, FGT_VIEW(y, 2, 0), classes, &ce, NULL, &loss, NULL), FGT_E_SHAPE, "logits");
    REFUSED(fgt_loss_compute(ctx, good, classes, &ce, NULL, &loss, NULL), FGT_E_DATA,
            "row 1 of the batch is out of range (got 3");
    c[1] = -1;
    REFUSED(fgt_loss_compute(ctx, good, classes, &ce, NULL, &loss, NULL), FGT_E_DATA,
            "row 1 of the batch is out of range (got -1");
    const struct {
        fgt_loss_opts opts;
        const char   *word;
    } bad[] = {
        {{.size = sizeof ce, .kind = FGT_LOSS_NEGATIVE_BINOMIAL + 1}, "kind"},
        {{.size = sizeof ce, .kind = FGT_LOSS_QUANTILE, .quantile = 1}, "quantile"},
        {{.size = sizeof ce, .kind = FGT_LOSS_QUANTILE, .quantile = -0.5f}, "quantile"},
        {{.size = sizeof ce, .kind = FGT_LOSS_QUANTILE, .quantile = NAN}, "quantile"},
        {{.size = sizeof ce, .kind = FGT_LOSS_NEGATIVE_BINOMIAL, .dispersion = -1}, "dispersion"},
        {{.size = sizeof ce, .quantile_count = -1}, "quantiles"},
        {{.size = sizeof ce, .kind = -1}, "kind"},
        {{.size = sizeof ce, .kind = FGT_LOSS_HUBER, .beta = -1}, "beta"},
        {{.size = sizeof ce, .kind = FGT_LOSS_HUBER, .beta = NAN}, "beta"},
        {{.size = sizeof ce, .label_smoothing = 1}, "label_smoothing"},
        {{.size = sizeof ce, .label_smoothing = -0.1f}, "label_smoothing"},
        {{.size = sizeof ce, .skip_nan = 2}, "skip_nan"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        REFUSED(fgt_loss_compute(ctx, good, target, &bad[i].opts, NULL, &loss, NULL), FGT_E_ARG, bad[i].word);
    REFUSED(fgt_loss_compute(ctx, good, target, &(fgt_loss_opts){0}, NULL, &loss, NULL), FGT_E_VERSION,
            "size");
}

/* Long enough for many chunks: the sum is the plain one to rounding, and the same for any thread count. */
static void test_threads(void **state)
{
    (void)state;
    enum { N = 100003 };
    static float  y[N], t[N], dy[3][N];
    double        loss[3], want = 0;
    for (int i = 0; i < N; i++) {
        y[i] = noise(1, i), t[i] = noise(2, i);
        want += ((double)y[i] - (double)t[i]) * ((double)y[i] - (double)t[i]);
    }
    for (int32_t threads = 1; threads <= 3; threads++) {
        test_memory   m;
        fgt_context  *c = test_context(&m, threads);
        const int64_t before = m.calls;
        const int i = threads - 1;
        OK_OF(c, fgt_loss_mse(c, FGT_VIEW(y, N), FGT_VIEW(t, N), &loss[i], FGT_VIEW(dy[i], N)));
        assert_int_equal(m.calls, before);
        fgt_context_destroy(&c);
    }
    near(loss[0], want / N, 1e-12, "loss");
    for (int i = 1; i < 3; i++) {
        assert_true(loss[i] == loss[0]);
        assert_memory_equal(dy[i], dy[0], sizeof dy[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_several_quantiles),
        cmocka_unit_test(test_class_weights),
        cmocka_unit_test(test_class_priors),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_default_is_mse),
        cmocka_unit_test(test_bce),
        cmocka_unit_test(test_cross_entropy),
        cmocka_unit_test(test_cross_entropy_of_minus_infinity),
        cmocka_unit_test(test_skip_nan),
        cmocka_unit_test(test_missing_classes),
        cmocka_unit_test(test_dy_in_place),
        cmocka_unit_test(test_nonfinite),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, open_two, test_close);
}
