/* SPDX-License-Identifier: BSD-3-Clause */
/* The activations of every table that this processor runs against plain double arithmetic: lengths
 * 0 .. 67 at odd addresses between canaries, in place, edge values, and the errors of vec_math.h. */
#include "vec_canaries.h"

#include "core/vec/vec_math.h"

static double ref_sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double ref_act(fgti_act kind, double x)
{
    const double u = 0.79788456080286536 * (x + 0.044715 * x * x * x);
    switch (kind) {
    case FGTI_ACT_NONE: return x;
    case FGTI_ACT_RELU: return x < 0 ? 0 : x;
    case FGTI_ACT_GELU: return x < -40 ? 0 : 0.5 * x * erfc(-x * 0.70710678118654752);
    case FGTI_ACT_GELU_TANH: return x < -40 ? 0 : x * ref_sigmoid(2 * u); /* 1 + tanh(u) would cancel */
    case FGTI_ACT_TANH: return tanh(x);
    case FGTI_ACT_SIGMOID: return ref_sigmoid(x);
    case FGTI_ACT_SILU: return x < -800 ? 0 : x * ref_sigmoid(x);
    case FGTI_ACT_ELU: return x > 0 ? x : expm1(x);
    case FGTI_ACT_SOFTPLUS: return (x < 0 ? 0 : x) + log1p(exp(-fabs(x)));
    }
    return NAN;
}

static double ref_slope(fgti_act kind, double x)
{
    if (kind != FGTI_ACT_NONE && isinf(x)) return x > 0 && kind != FGTI_ACT_TANH && kind != FGTI_ACT_SIGMOID;
    const double u = 0.79788456080286536 * (x + 0.044715 * x * x * x), s = ref_sigmoid(x), e = exp(-fabs(x));
    const double flat = e / ((1 + e) * (1 + e)), e2 = exp(-2 * fabs(x));
    switch (kind) {
    case FGTI_ACT_NONE: return 1;
    case FGTI_ACT_RELU: return x <= 0 ? 0 : 1;
    case FGTI_ACT_GELU:
        return 0.5 * erfc(-x * 0.70710678118654752) + x * 0.3989422804014327 * exp(-0.5 * x * x);
    case FGTI_ACT_GELU_TANH:
        return fabs(x) > 40 ? x > 0
                            : ref_sigmoid(2 * u) + x * ref_sigmoid(2 * u) * ref_sigmoid(-2 * u) *
                                                       1.5957691216057308 * (1 + 3 * 0.044715 * x * x);
    case FGTI_ACT_TANH: return 4 * e2 / ((1 + e2) * (1 + e2));
    case FGTI_ACT_SIGMOID: return flat;
    case FGTI_ACT_SILU: return fabs(x) > 800 ? x > 0 : s + x * flat;
    case FGTI_ACT_ELU: return x > 0 ? 1 : exp(x);
    case FGTI_ACT_SOFTPLUS: return s;
    }
    return NAN;
}

/* Bounds in units of EPS = 1.2e-7: relative, and absolute per unit of max(1, |x|) where arguments of exp
 * or sums of two terms round. FLUSH is what may become 0: exp(-86.99), and a denormal product. */
#define FLUSH 1.7e-38
static const struct {
    fgti_act    kind;
    const char *name;
    double      relative, absolute, slope_relative, slope_absolute;
} acts[] = {
    {FGTI_ACT_NONE, "none", 0, 0, 0, 0},   {FGTI_ACT_RELU, "relu", 0, 0, 0, 0},
    {FGTI_ACT_GELU, "gelu", 3, 1, 4, 2},   {FGTI_ACT_GELU_TANH, "gelu_tanh", 3, 1, 4, 2},
    {FGTI_ACT_TANH, "tanh", 3.5, 0, 4, 0}, {FGTI_ACT_SIGMOID, "sigmoid", 3, 0, 4, 0},
    {FGTI_ACT_SILU, "silu", 3.5, 0, 4, 2}, {FGTI_ACT_ELU, "elu", 2.5, 0, 2, 0},
    {FGTI_ACT_SOFTPLUS, "softplus", 3.5, 0, 3, 0},
};
#define ACTS (sizeof acts / sizeof *acts)

static void act_point(size_t k, double x, double got, double got_slope)
{
    const double wide = fabs(x) > 1 && !isinf(x) ? fabs(x) : 1;
    const double y = ref_act(acts[k].kind, x), d = ref_slope(acts[k].kind, x);
    if (isinf(y))
        assert_true(got == y);
    else
        near(got, y, EPS * (acts[k].relative * fabs(y) + acts[k].absolute * wide) + FLUSH * wide,
             acts[k].name, x);
    near(got_slope, d, EPS * (acts[k].slope_relative * fabs(d) + acts[k].slope_absolute) + FLUSH * wide,
         "its slope", x);
}

/* 400 000 points over -100 .. 100, tiny numbers of both signs, edges. */
static void act_sweep(void)
{
    static const double edges[] = {0,     -0.0,  1,     -1,      1e-45, -1e-45, 1e-38,    -1e-38,    3e38,
                                   -3e38, 1e10,  -1e10, 88.7228, 88.73, -86.98, -87,      -87.4,     -104,
                                   9.02,  -9.02, 9.5,   3.92,    5.55,  -5.55,  INFINITY, -INFINITY, NAN};
    enum { BLOCK = 4000, BLOCKS = 102 };
    static fgti_real x[BLOCK], y[BLOCK], one[BLOCK], dx[BLOCK];
    for (size_t k = 0; k < ACTS; k++)
        for (int b = 0; b < BLOCKS; b++) {
            for (int i = 0; i < BLOCK; i++) {
                one[i] = 1;
                x[i]   = (fgti_real)(b < 100    ? -100 + (b * BLOCK + i) * 0.0005
                                     : b == 100 ? (i % 2 ? 1 : -1) * pow(10, -30 * (double)i / BLOCK)
                                                : edges[i % (int)(sizeof edges / sizeof *edges)]);
            }
            vec->act(acts[k].kind, BLOCK, x, y);
            vec->act_grad(acts[k].kind, BLOCK, x, one, dx);
            for (int i = 0; i < BLOCK; i++) act_point(k, (double)x[i], (double)y[i], (double)dx[i]);
        }
}

static void test_act_sweep(void **state)
{
    (void)state;
    each_table(act_sweep);
}

/* The same bits alone, in a row of any length, and in place: a batch is its rows. */
static void act_lengths(void)
{
    static guarded   gx, gy, gd, gone;
    static fgti_real want[LENGTHS], slope[LENGTHS];
    for (size_t k = 0; k < ACTS; k++) {
        const fgti_act kind = acts[k].kind;
        fgti_real     *x = filled(&gx, LENGTHS, 6, 1), *dy = filled(&gd, LENGTHS, 1, 2);
        for (int i = 0; i < LENGTHS; i++) {
            vec->act(kind, 1, x + i, want + i);
            vec->act_grad(kind, 1, x + i, dy + i, slope + i);
        }
        for (int64_t n = 0; n < LENGTHS; n++) {
            vec->act(kind, n, x, fresh(&gy));
            intact(&gy, n);
            assert_true(same_bits(at(&gy), want, n));
            vec->act_grad(kind, n, x, dy, fresh(&gy));
            intact(&gy, n);
            assert_true(same_bits(at(&gy), slope, n));
            fgti_real *in_place = filled(&gone, n, 6, 1);
            vec->act(kind, n, in_place, in_place);
            assert_true(same_bits(in_place, want, n));
            in_place = filled(&gone, n, 6, 1);
            vec->act_grad(kind, n, in_place, dy, in_place);
            assert_true(same_bits(in_place, slope, n));
            in_place = filled(&gone, n, 1, 2);
            vec->act_grad(kind, n, x, in_place, in_place);
            assert_true(same_bits(in_place, slope, n));
        }
    }
}

static void test_act_lengths(void **state)
{
    (void)state;
    each_table(act_lengths);
}

static void relu_drops_infinite_gradients(void)
{
    const fgti_real x[3] = {-1, 0, 1}, dy[3] = {INF, INF, INF};
    fgti_real       dx[3];
    vec->act_grad(FGTI_ACT_RELU, 3, x, dy, dx);
    assert_true(dx[0] == 0 && dx[1] == 0 && dx[2] == INF);
}

static void test_relu_gradient(void **state)
{
    (void)state;
    each_table(relu_drops_infinite_gradients);
}

/* vec_math.h itself, with this file's flags. */
static void test_exp(void **state)
{
    (void)state;
    double worst = 0, worst_expm1 = 0;
    vec = NULL;
    for (double v = -86.9; v < 88.72; v += 0.00037) {
        const fgti_real x = (fgti_real)v;
        worst             = fmax(worst, fabs((double)exp_real(x) / exp((double)x) - 1));
        if (v < -1e-3) worst_expm1 = fmax(worst_expm1, fabs((double)expm1_real(x) / expm1((double)x) - 1));
    }
    print_message("relative error: exp %.2e, expm1 %.2e\n", worst, worst_expm1);
    assert_true(worst < 2e-7 && worst_expm1 < 3e-7);
    assert_true(exp_real(0) == 1 && exp_real((fgti_real)-0.0) == 1);
    assert_true(exp_real(-INF) == 0 && exp_real(-1000) == 0 && !signbit(exp_real(-INF)));
    assert_true(exp_real(INF) == INF && exp_real(1000) == INF && exp_real((fgti_real)3e38) == INF);
    assert_true(isnan(exp_real((fgti_real)NAN)) && isnan(exp_real(-(fgti_real)NAN)));
    if (sizeof(fgti_real) == 4)
        assert_true(exp_real((fgti_real)88.7229) == INF && exp_real((fgti_real)88.722) < INF);
}

static void test_tanh(void **state)
{
    (void)state;
    double worst = 0;
    for (double v = -10; v < 10; v += 0.00037) {
        const fgti_real x = (fgti_real)v;
        worst             = fmax(worst, fabs((double)tanh_real(x) / tanh((double)x) - 1));
        assert_true(absolute(tanh_real(x)) <= 1);
    }
    print_message("relative error: tanh %.2e\n", worst);
    assert_true(worst < 5e-7);
    assert_true(tanh_real(INF) == 1 && tanh_real(-INF) == -1 && isnan(tanh_real((fgti_real)NAN)));
    assert_true(tanh_real(0) == 0 && signbit(tanh_real((fgti_real)-0.0)));
}

/* erf(a/sqrt 2) = 1 - 2 Phi(-a), which gelu stands on. */
static void test_normal(void **state)
{
    (void)state;
    double erf_abs = 0, tail_rel = 0;
    for (double v = 0; v < 13; v += 0.00013) {
        const fgti_real x = (fgti_real)v;
        fgti_real       pdf;
        const double    tail = (double)normal_tail(x, &pdf), a = (double)x,
                     want = 0.5 * erfc(a * 0.70710678118654752);
        erf_abs  = fmax(erf_abs, fabs((double)(1 - 2 * (fgti_real)tail) - erf(a * 0.70710678118654752)));
        tail_rel = fmax(tail_rel, fabs(tail / want - 1) / (4 + a * a));
        near((double)pdf, 0.39894228040143268 * exp(-0.5 * a * a), (double)pdf * EPS * (2 + a * a / 2), "pdf",
             a);
    }
    print_message("errors: erf %.2e absolute, Phi(-a) (4 + a^2) %.2e relative\n", erf_abs, tail_rel);
    assert_true(erf_abs < 2e-7 && tail_rel < 8e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_act_sweep),     cmocka_unit_test(test_act_lengths),
        cmocka_unit_test(test_relu_gradient), cmocka_unit_test(test_exp),
        cmocka_unit_test(test_tanh),          cmocka_unit_test(test_normal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
