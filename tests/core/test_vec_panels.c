/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of vec_panels.h in every table that this processor runs, against plain double arithmetic:
 * numbers of lanes with and without rests, lanes that are masked altogether, NaN and infinity, between
 * canaries. */
#include "vec_canaries.h"

static const int64_t widths[] = {4, 8, 12, 16, 32, 40, 48};
static const int64_t depths[] = {1, 2, 7, 48, 64, 96};
static guarded       first, second, third, fourth;

#define WIDEST 48
#define RANGE  30.0

static void each_shape(void (*check)(int64_t n, int64_t v))
{
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        for (size_t j = 0; j < sizeof depths / sizeof *depths; j++) check(depths[j], widths[i]);
}

/* softmax of lane l of s */
static void reference(int64_t n, int64_t v, int64_t l, const fgti_real *s, double *a)
{
    double top = -INFINITY, sum = 0;
    for (int64_t j = 0; j < n; j++)
        if ((double)s[j * v + l] > top) top = (double)s[j * v + l];
    for (int64_t j = 0; j < n; j++) sum += a[j] = top == -INFINITY ? 0 : exp((double)s[j * v + l] - top);
    for (int64_t j = 0; j < n; j++) a[j] = sum == 0 ? 0 : a[j] / sum;
}

/* Scores with masks: every third of lane 1, all of lane 2. */
static fgti_real *scores(int64_t n, int64_t v)
{
    fgti_real *s = filled(&first, n * v, RANGE, 3);
    for (int64_t j = 0; j < n; j++) {
        if (j % 3 == 1) s[j * v + 1] = -INF;
        s[j * v + 2] = -INF;
    }
    return s;
}

static void softmax_in_parts(int64_t n, int64_t v, fgti_real *s, fgti_real *top, fgti_real *sum,
                             fgti_real *fix)
{
    const int64_t half = (n + 1) / 2;
    for (int64_t l = 0; l < v; l++) top[l] = -INF, sum[l] = 0;
    vec->panels->softmax_part(half, v, s, top, sum, fix);
    if (half < n) {
        vec->panels->softmax_part(n - half, v, s + half * v, top, sum, fix);
        vec->panels->scale(half, v, fix, s);
    }
    vec->panels->softmax_end(v, top, sum);
    vec->panels->scale(n, v, sum, s);
}

/* The bits of four lanes do not depend on those beside them. */
static void check_alone(int64_t n, int64_t v, const fgti_real *soft)
{
    const fgti_real *s     = scores(n, v);
    fgti_real       *alone = fresh(&second);
    for (int64_t l = 0; l < v; l += 4) {
        for (int64_t j = 0; j < n; j++) memcpy(alone + 4 * j, s + j * v + l, 4 * sizeof *s);
        vec->panels->softmax(n, 4, alone, fresh(&fourth), fresh(&fourth) + 4);
        for (int64_t j = 0; j < n; j++) assert_true(same_bits(alone + 4 * j, soft + j * v + l, 4));
    }
}

static void check_softmax(int64_t n, int64_t v)
{
    fgti_real *s = scores(n, v);
    fgti_real *copy = fresh(&second), *shift = fresh(&third), *factor = fresh(&fourth);
    double     want[WIDEST][96];
    for (int64_t l = 0; l < v; l++) reference(n, v, l, s, want[l]);
    memcpy(copy, s, (size_t)(n * v) * sizeof *s);
    vec->panels->softmax(n, v, s, shift, factor);
    vec->panels->exp_lanes(n, v, shift, factor, copy);
    for (int64_t l = 0; l < v; l++)
        for (int64_t j = 0; j < n; j++) {
            near((double)s[j * v + l], want[l][j], 8 * EPS, "softmax", (double)j);
            near((double)copy[j * v + l], want[l][j], 8 * EPS, "softmax again", (double)j);
        }
    intact(&first, n * v);
    intact(&second, n * v);
    intact(&third, v);
    intact(&fourth, v);
    fgti_real *soft = fresh(&third);
    memcpy(soft, s, (size_t)(n * v) * sizeof *s);
    check_alone(n, v, soft);
}

/* Two parts, and the weights that shift and factor give back. */
static void check_parts(int64_t n, int64_t v)
{
    fgti_real *s = scores(n, v), *copy = fresh(&second), *of = fresh(&third), *fix = fresh(&fourth);
    fgti_real *top = of, *sum = of + v;
    double     want[WIDEST][96];
    for (int64_t l = 0; l < v; l++) reference(n, v, l, s, want[l]);
    memcpy(copy, s, (size_t)(n * v) * sizeof *s);
    softmax_in_parts(n, v, s, top, sum, fix);
    vec->panels->exp_lanes(n, v, top, sum, copy);
    for (int64_t l = 0; l < v; l++)
        for (int64_t j = 0; j < n; j++) {
            near((double)s[j * v + l], want[l][j], 16 * EPS, "softmax in parts", (double)j);
            near((double)copy[j * v + l], want[l][j], 16 * EPS, "softmax by its shift", (double)j);
        }
    intact(&first, n * v);
    intact(&second, n * v);
    intact(&third, 2 * v);
    intact(&fourth, v);
}

/* Each lane has `key` once, lane by lane elsewhere, and `rest` in all other places. */
static void check_edge(int64_t n, int64_t v, fgti_real key, fgti_real rest, double want_key, double want_rest,
                       double bound)
{
    for (int parts = 0; parts < 2; parts++) {
        fgti_real *s = fresh(&first), *of = fresh(&third), *fix = fresh(&fourth);
        for (int64_t j = 0; j < n; j++)
            for (int64_t l = 0; l < v; l++) s[j * v + l] = j == 5 * l % n ? key : rest;
        if (parts)
            softmax_in_parts(n, v, s, of, of + v, fix);
        else
            vec->panels->softmax(n, v, s, fresh(&second), fresh(&third));
        for (int64_t j = 0; j < n; j++)
            for (int64_t l = 0; l < v; l++)
                near((double)s[j * v + l], j == 5 * l % n ? want_key : want_rest, bound,
                     parts ? "edge in parts" : "edge", (double)key);
        intact(&first, n * v);
    }
}

static void check_edges(int64_t n, int64_t v)
{
    const fgti_real bad[] = {(fgti_real)NAN, -(fgti_real)NAN, INF};
    const double    equal = 1 / (double)n;
    check_edge(n, v, -INF, -INF, 0, 0, 0);
    check_edge(n, v, (fgti_real)-1e30, -INF, 1, 0, 0); /* one key left */
    check_edge(n, v, (fgti_real)3e38, (fgti_real)-3e38, 1, 0, 0);
    check_edge(n, v, (fgti_real)1e-45, (fgti_real)-0.0, equal, equal, (n & (n - 1)) ? EPS : 0);
    for (int b = 0; b < 3; b++) {
        check_edge(n, v, bad[b], -INF, NAN, NAN, 0);
        check_edge(n, v, bad[b], 1, NAN, NAN, 0);
    }
}

static void check_columns(int64_t n, int64_t v)
{
    fgti_real *s = filled(&first, n * v, RANGE, 4), *shift = filled(&second, n, 1, 5);
    fgti_real *factor = filled(&third, n, 1, 14);
    for (int64_t j = 0; j < n; j++) shift[j] += (fgti_real)RANGE;
    if (n > 1) factor[1] = 0; /* a row of which nothing is allowed */
    double want[WIDEST * 96];
    for (int64_t i = 0; i < n * v; i++)
        want[i] = exp((double)s[i] - (double)shift[i / v]) * (double)factor[i / v];
    vec->panels->exp_rows(n, v, v, shift, factor, s);
    for (int64_t i = 0; i < n * v; i++) near((double)s[i], want[i], 16 * EPS, "exp of rows", (double)i);
    intact(&first, n * v);

    fgti_real *a = filled(&first, n * v, 1, 6), *b = filled(&second, n * v, 1, 7);
    fgti_real *da = filled(&third, n * v, 1, 8), *delta = filled(&fourth, n, 1, 9);
    for (int64_t i = 0; i < n * v; i++)
        want[i] = (double)b[i] * (double)da[i] - (double)a[i] * (double)delta[i / v];
    vec->panels->softmax_grad(n, v, a, b, delta, da);
    for (int64_t i = 0; i < n * v; i++) near((double)da[i], want[i], 2 * EPS, "gradient", (double)i);
    intact(&third, n * v);
}

static void check_rows(int64_t n, int64_t v)
{
    enum { GAP = 3 };
    fgti_real *x = integers(&first, n * v, 10), *y = integers(&second, n * (v + GAP), 11);
    fgti_real *out = integers(&third, n, 12);
    double     dots[96], sums[WIDEST * 96];
    for (int64_t r = 0; r < n; r++) {
        dots[r] = (double)out[r];
        for (int64_t i = 0; i < v; i++) {
            dots[r] += (double)x[r * v + i] * (double)y[r * (v + GAP) + i];
            sums[r * v + i] = (double)x[r * v + i] + (double)y[r * (v + GAP) + i];
        }
    }
    const fgti_real behind = y[v];
    vec->panels->dot_rows(n, v, x, v, y, v + GAP, out);
    vec->panels->add_rows(n, v, x, v, y, v + GAP);
    for (int64_t r = 0; r < n; r++) {
        near((double)out[r], dots[r], 0, "dot", (double)r);
        for (int64_t i = 0; i < v; i++)
            near((double)y[r * (v + GAP) + i], sums[r * v + i], 0, "sum", (double)i);
    }
    assert_true(y[v] == behind);
    intact(&second, n * (v + GAP));
    intact(&third, n);
    vec->panels->add_each(n, v, x, y, v + GAP);
    vec->panels->sum_rows(n, v, y, v + GAP, out);
    for (int64_t r = 0; r < n; r++) {
        for (int64_t i = 0; i < v; i++) dots[r] += sums[r * v + i] + (double)x[r];
        near((double)out[r], dots[r], 0, "sum of a row", (double)r);
    }
    assert_true(y[v] == behind);
    intact(&second, n * (v + GAP));
    intact(&third, n);
}

/* The gradient of whole rows makes delta itself. */
static void check_row_gradient(int64_t n, int64_t v)
{
    enum { GAP = 3 };
    const int64_t ld = v + GAP;
    fgti_real    *a = filled(&first, n * ld, 1, 6), *b = filled(&second, n * ld, 1, 7);
    fgti_real    *da = filled(&third, n * ld, 1, 8);
    double        want[(WIDEST + GAP) * 96];
    for (int64_t r = 0; r < n; r++) {
        double delta = 0;
        for (int64_t i = r * ld; i < r * ld + v; i++) delta += (double)b[i] * (double)da[i];
        for (int64_t i = r * ld; i < (r + 1) * ld; i++)
            want[i] = i < r * ld + v ? (double)b[i] * (double)da[i] - (double)a[i] * delta : (double)da[i];
    }
    vec->panels->softmax_grad_rows(n, v, ld, a, b, da);
    for (int64_t i = 0; i < n * ld; i++) near((double)da[i], want[i], 32 * EPS, "row gradient", (double)i);
    intact(&third, n * ld);
}

/* So does that of lanes. */
static void check_lane_gradient(int64_t n, int64_t v)
{
    fgti_real *a = filled(&first, n * v, 1, 6), *b = filled(&second, n * v, 1, 7);
    fgti_real *da = filled(&third, n * v, 1, 8);
    double     want[WIDEST * 96];
    for (int64_t l = 0; l < v; l++) {
        double delta = 0;
        for (int64_t j = 0; j < n; j++) delta += (double)b[j * v + l] * (double)da[j * v + l];
        for (int64_t i = l; i < n * v; i += v)
            want[i] = (double)b[i] * (double)da[i] - (double)a[i] * delta;
    }
    vec->panels->softmax_grad_lanes(n, v, a, b, da);
    for (int64_t i = 0; i < n * v; i++) near((double)da[i], want[i], 32 * EPS, "lane gradient", (double)i);
    intact(&third, n * v);
}

/* Lane l of x against the norm of that row alone. */
static void check_norm(int64_t d, int64_t v)
{
    enum { GAP = 16, EDGE = 96 };
    const int64_t ld = v + GAP;
    fgti_real    *x = filled(&first, d * ld, 1, 18), *w = filled(&second, 2 * d, 1, 19), *b = w + d;
    fgti_real    *of = fresh(&third), row[EDGE], want[WIDEST][EDGE], mean[WIDEST], rstd[WIDEST];
    if (v % FGTI_REGISTER) return;
    const fgti_real behind = x[v];
    for (int64_t l = 0; l < v; l++) {
        for (int64_t i = 0; i < d; i++) row[i] = x[i * ld + l];
        vec->norm(1, d, 1e-5, row, w, b, want[l], mean + l, rstd + l);
    }
    vec->panels->norm(d, v, ld, 1e-5, w, b, x, of, of + v);
    for (int64_t l = 0; l < v; l++) {
        near((double)of[l], (double)mean[l], 16 * EPS, "mean", (double)l);
        near((double)of[v + l], (double)rstd[l], 32 * EPS, "rstd", (double)l);
        for (int64_t i = 0; d > 1 && i < d; i++)
            near((double)x[i * ld + l], (double)want[l][i], 64 * EPS, "norm", (double)i);
    }
    assert_true(x[v] == behind);
    intact(&first, d * ld);
    intact(&third, 2 * v);
}

/* Integers, so that every order of the sums gives the same; X both ways round. */
static void check_multiply(int64_t k, int64_t v)
{
    enum { ROWS = 23, GAP = 16 };
    if (v % FGTI_REGISTER) return;
    const int64_t ld = v + GAP;
    for (int turned = 0; turned < 2; turned++)
        for (int beta = 0; beta < 4; beta += 3) {
            fgti_real *x = integers(&first, k * ROWS, 15), *y = integers(&second, k * ld, 16);
            fgti_real *c = integers(&third, ROWS * ld, 17);
            double     want[ROWS * (WIDEST + GAP)];
            for (int64_t i = 0; i < ROWS * ld; i++) {
                const int64_t r = i / ld, l = i % ld;
                want[i] = l < v ? beta * (double)c[i] : (double)c[i];
                for (int64_t p = 0; l < v && p < k; p++)
                    want[i] += 2 * (double)x[turned ? p * ROWS + r : r * k + p] * (double)y[p * ld + l];
                if (beta == 0 && l < v) c[i] = (fgti_real)NAN;
            }
            vec->panels->multiply(ROWS, v, k, 2, x, turned ? 1 : k, turned ? ROWS : 1, y, ld, (fgti_real)beta,
                                 c, ld);
            for (int64_t i = 0; i < ROWS * ld; i++) near((double)c[i], want[i], 0, "multiply", (double)i);
            intact(&third, ROWS * ld);
        }
}

/* Integers, so that every order of the sums gives the same. */
static void check_product(int64_t k, int64_t v)
{
    enum { U = 12, ROWS = 7, PADDED = 8 };
    if (v % 16) return;
    fgti_real *x = integers(&first, k * U, 15), *y = integers(&second, k * v, 16);
    fgti_real *c = integers(&third, PADDED * v, 17);
    double     want[2][PADDED * WIDEST];
    for (int64_t i = 0; i < PADDED * v; i++) {
        want[0][i] = 0;
        for (int64_t p = 0; p < k; p++) want[0][i] += 2 * (double)x[p * U + i / v] * (double)y[p * v + i % v];
        want[1][i] = want[0][i] + 3 * (double)c[i];
    }
    vec->panels->product(ROWS, v, k, 2, x, U, 0, y, 3, c);
    for (int64_t i = 0; i < PADDED * v; i++) near((double)c[i], want[1][i], 0, "product added", (double)i);
    for (int64_t i = 0; i < PADDED * v; i++) c[i] = (fgti_real)NAN;
    vec->panels->product(ROWS, v, k, 2, x, U, 0, y, 0, c);
    for (int64_t i = 0; i < PADDED * v; i++) near((double)c[i], want[0][i], 0, "product", (double)i);
    intact(&third, PADDED * v);
}

static void check_all(void)
{
    each_shape(check_softmax);
    each_shape(check_parts);
    each_shape(check_edges);
    each_shape(check_columns);
    each_shape(check_rows);
    each_shape(check_row_gradient);
    each_shape(check_lane_gradient);
    each_shape(check_multiply);
    each_shape(check_norm);
    each_shape(check_product);
}

static void test_lanes(void **state)
{
    (void)state;
    each_table(check_all);
}

/* A number that is not finite spoils its lane, as it should, and no other. */
static void check_nonfinite(void)
{
    enum { N = 5, V = 16 };
    fgti_real *s = filled(&first, N * V, 1, 13);
    s[2 * V + 3] = (fgti_real)NAN;
    s[1 * V + 7] = INF;
    vec->panels->softmax(N, V, s, fresh(&second), fresh(&third));
    for (int64_t j = 0; j < N; j++)
        for (int64_t l = 0; l < V; l++) assert_int_equal(isnan((double)s[j * V + l]) != 0, l == 3 || l == 7);
}

static void test_nonfinite(void **state)
{
    (void)state;
    each_table(check_nonfinite);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_nonfinite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
