/* SPDX-License-Identifier: BSD-3-Clause */
/* Vector kernels, dropout and parameter updates of every table. */
#include "vec_canaries.h"

/* Integers are exact, with or without fma. */
static void vectors(void)
{
    static guarded gx, gy, gz, gw;
    for (int64_t n = 0; n < LENGTHS; n++) {
        fgti_real *x = integers(&gx, n, 1), *y = integers(&gy, n, 2), *z = integers(&gz, n, 3),
                  *w = integers(&gw, n, 2);
        double sum   = 0;
        for (int64_t i = 0; i < n; i++) sum += (double)x[i] * (double)x[i];
        assert_true(vec->sumsq(n, x) == sum);

        vec->axpy(n, 3, x, y);
        for (int64_t i = 0; i < n; i++) assert_true(y[i] == w[i] + 3 * x[i]);
        vec->scale(n, (fgti_real)0.5, y);
        for (int64_t i = 0; i < n; i++) assert_true(y[i] == (w[i] + 3 * x[i]) / 2);
        vec->muladd(n, x, z, w);
        integers(&gy, n, 2);
        for (int64_t i = 0; i < n; i++) assert_true(w[i] == y[i] + x[i] * z[i]);
        vec->axpy(n, 1, y, y);
        vec->muladd(n, x, x, x);
        intact(&gx, n);
        intact(&gy, n);
        intact(&gw, n);
        integers(&gw, n, 2);
        integers(&gz, n, 1);
        for (int64_t i = 0; i < n; i++) assert_true(y[i] == 2 * w[i] && x[i] == z[i] + z[i] * z[i]);
    }
}

/* Squares beyond the range of float; NaN and infinity come through, for the loss guard. */
static void sumsq_edges(void)
{
    fgti_real x[40];
    for (int i = 0; i < 40; i++) x[i] = (fgti_real)1e30;
    near(vec->sumsq(40, x), 40e60, 1e-6 * 40e60, "sumsq", 1e30);
    x[17] = INF;
    assert_true(isinf(vec->sumsq(40, x)));
    x[39] = (fgti_real)NAN;
    assert_true(isnan(vec->sumsq(40, x)));
    assert_true(vec->sumsq(17, x) < INFINITY);
}

static void test_vectors(void **state)
{
    (void)state;
    each_table(vectors);
    each_table(sumsq_edges);
}

/* ---- dropout ---- */

static void dropout_mask(void)
{
    static guarded gx, gy;
    const fgti_rng rng     = fgti_rng_of(11, FGTI_STREAM_DROPOUT, 3, 5);
    const double   ps[]    = {0, 0.1, 0.5, 0.75, 0.999};
    const uint64_t first[] = {0, 4, 1000, UINT64_C(0x3fffffff0), UINT64_C(0xffffffffffffff00)};
    for (size_t k = 0; k < 5; k++)
        for (int64_t n = 0; n < 3 * LENGTHS; n++) {
            fgti_real *x = integers(&gx, n, 1), *y = fresh(&gy);
            vec->dropout(rng, ps[k], first[k], n, x, y);
            intact(&gy, n);
            for (int64_t i = 0; i < n; i++) {
                const bool drop = fgti_rng_uniform(rng, first[k] + (uint64_t)i) < ps[k];
                near((double)y[i], drop ? 0 : (double)x[i] / (1 - ps[k]),
                     2 * EPS * fabs((double)x[i]) / (1 - ps[k]), "dropout", (double)i);
                assert_true(!drop || y[i] == 0);
            }
            const int64_t cut = n / 2 / 4 * 4; /* in place, and in two parts */
            vec->dropout(rng, ps[k], first[k] + (uint64_t)cut, n - cut, x + cut, x + cut);
            vec->dropout(rng, ps[k], first[k], cut, x, x);
            assert_true(same_bits(x, y, n));
        }
}

static void test_dropout(void **state)
{
    (void)state;
    each_table(dropout_mask);
}

/* ---- updates: the formulas of torch.optim in double ---- */

enum { STEPS = 6 };

static void sgd_case(int64_t n, double momentum, double decay, int nesterov)
{
    static guarded gg, gv, gw;
    static double  rv[LENGTHS], rw[LENGTHS];
    fgti_real     *w = filled(&gw, n, 1, 1), *v = filled(&gv, n, 1, 9); /* the first step must not read v */
    for (int64_t i = 0; i < n; i++) rw[i] = (double)w[i];
    for (uint64_t t = 0; t < STEPS; t++) {
        const fgti_real *g = filled(&gg, n, 1, 20 + t);
        const fgti_sgd   o = {0.05, momentum, decay, nesterov, t == 0};
        vec->updates->sgd(&o, n, 0.5, g, momentum == 0 ? NULL : v, w);
        for (int64_t i = 0; i < n; i++) {
            const double gi = 0.5 * (double)g[i] + decay * rw[i];
            rv[i]           = t == 0 ? gi : momentum * rv[i] + gi;
            rw[i] -= 0.05 * (momentum == 0 ? gi : nesterov ? gi + momentum * rv[i] : rv[i]);
            near((double)w[i], rw[i], 6 * EPS, "sgd", (double)n);
        }
    }
    intact(&gg, n);
    intact(&gv, n);
    intact(&gw, n);
}

static void sgd_cases(void)
{
    for (int64_t n = 0; n < LENGTHS; n++) {
        sgd_case(n, 0, 0, 0);
        sgd_case(n, 0, 0.01, 0);
        sgd_case(n, 0.9, 0, 0);
        sgd_case(n, 0.9, 0.01, 0);
        sgd_case(n, 0.9, 0.01, 1);
    }
    /* whatever the velocity's memory holds at first */
    const fgti_sgd  o = {0.5, 0.9, 0, 0, 1};
    fgti_real       v = (fgti_real)NAN, w = 1;
    const fgti_real g = 1;
    vec->updates->sgd(&o, 1, 1, &g, &v, &w);
    assert_true(v == 1 && w == (fgti_real)0.5);
}

static void adam_case(int64_t n, double decay, int decoupled)
{
    static guarded gg, gm, gv, gw;
    static double  rm[LENGTHS], rv[LENGTHS], rw[LENGTHS];
    fgti_real     *w = filled(&gw, n, 1, 1), *m = filled(&gm, n, 0, 1), *v = filled(&gv, n, 0, 1);
    for (int64_t i = 0; i < n; i++) {
        rw[i] = (double)w[i];
        rm[i] = rv[i] = 0;
    }
    for (int64_t t = 1; t <= STEPS; t++) {
        const fgti_real *g = filled(&gg, n, 1, 20 + (uint64_t)t);
        const fgti_adam  o = {0.05, 0.9, 0.999, 1e-8, decay, decoupled, t};
        vec->updates->adam(&o, n, 0.5, g, m, v, w);
        for (int64_t i = 0; i < n; i++) {
            const double gi = 0.5 * (double)g[i] + (decoupled ? 0 : decay * rw[i]);
            if (decoupled) rw[i] *= 1 - 0.05 * decay;
            rm[i] = 0.9 * rm[i] + 0.1 * gi;
            rv[i] = 0.999 * rv[i] + 0.001 * gi * gi;
            rw[i] -= 0.05 / (1 - pow(0.9, (double)t)) * rm[i] /
                     (sqrt(rv[i]) / sqrt(1 - pow(0.999, (double)t)) + 1e-8);
            /* where the gradient nearly vanishes, its rounding moves the quotient of m and sqrt(v) */
            near((double)w[i], rw[i], 20 * EPS, "adam", (double)n);
        }
    }
    intact(&gg, n);
    intact(&gm, n);
    intact(&gv, n);
    intact(&gw, n);
}

static void adam_cases(void)
{
    for (int64_t n = 0; n < LENGTHS; n++) {
        adam_case(n, 0, 0);
        adam_case(n, 0.01, 0);
        adam_case(n, 0.01, 1);
    }
}

static void adam_lazy_cases(void)
{
    static guarded       gm, gv, gw;
    const fgti_adam_lazy o = {0.3, 1e-6, 0.9, 0.5, 0.25};
    for (int64_t n = 0; n < LENGTHS; n++) {
        fgti_real *w = filled(&gw, n, 1, 1), *m = filled(&gm, n, 1, 2), *v = filled(&gv, n, 1, 3);
        double     rw[LENGTHS], rm[LENGTHS], rv[LENGTHS];
        for (int64_t i = 0; i < n; i++) {
            v[i] *= v[i];
            rm[i] = 0.5 * (double)m[i];
            rv[i] = 0.25 * (double)v[i];
            rw[i] = 0.9 * (double)w[i] - 0.3 * (double)m[i] / (sqrt((double)v[i]) + 1e-6);
        }
        vec->updates->adam_lazy(&o, n, m, v, w);
        for (int64_t i = 0; i < n; i++) {
            near((double)w[i], rw[i], 4 * EPS * (1 + fabs(rw[i])), "adam_lazy", (double)n);
            assert_true((double)m[i] == rm[i] && (double)v[i] == rv[i]);
        }
        intact(&gm, n);
        intact(&gv, n);
        intact(&gw, n);
    }
}

static void test_updates(void **state)
{
    (void)state;
    each_table(sgd_cases);
    each_table(adam_cases);
    each_table(adam_lazy_cases);
}

/* ---- the choice of a table ---- */

static void test_dispatch(void **state)
{
    (void)state;
    assert_string_equal(fgti_vec_get("baseline")->name, "baseline");
    assert_ptr_equal(fgti_vec_get(NULL), fgti_vec_get("no such table"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *const *field = (void *const *)(const void *)fgti_vec_get(names[i]);
        for (size_t f = 0; f < sizeof(fgti_vec) / sizeof *field; f++) assert_non_null(field[f]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_dropout),
        cmocka_unit_test(test_updates),
        cmocka_unit_test(test_dispatch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
