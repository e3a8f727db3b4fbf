/* SPDX-License-Identifier: BSD-3-Clause */
/* The recurrences of state-space layers in every table that this processor runs, against complex
 * arithmetic one channel at a time. */
#include "vec_canaries.h"

#include <complex.h>

typedef double complex cplx;

enum { PAIRS = 5, TIME = 37, LD = 11, MOST = (PAIRS * 10 + 1) * FGTI_SCAN };

/* One problem: numbers of every channel, also of those that are not there. */
static double  coef[MOST], dcoef[MOST], x[(TIME + 1) * PAIRS * 2 * FGTI_SCAN], s[(TIME + 1) * FGTI_SCAN];
static double  lambda[PAIRS * 2 * FGTI_SCAN], sigma[FGTI_SCAN];
static double  start[PAIRS * 2 * FGTI_SCAN];
static guarded u, y, dy, du;

static double drawn(uint64_t i, double range)
{
    return range * (2 * fgti_rng_uniform((fgti_rng){3, 0}, i) - 1);
}

static void draw(const fgti_scan *a)
{
    const int64_t components = fgti_scan_components(a->low_rank);
    for (int64_t n = 0; n < a->pairs; n++)
        for (int64_t c = 0; c < components; c++)
            for (int k = 0; k < FGTI_SCAN; k++) {
                const int64_t i = (n * components + c) * FGTI_SCAN + k;
                coef[i]         = k < a->count ? drawn((uint64_t)i, c < 2 ? 0.65 : 0.5) : 0;
            }
    for (int k = 0; k < FGTI_SCAN; k++)
        coef[a->pairs * components * FGTI_SCAN + k] = k < a->count ? drawn(90000 + (uint64_t)k, 1) : 0;
    for (int64_t i = 0; i < a->pairs * 2 * FGTI_SCAN; i++)
        start[i] = i % FGTI_SCAN < a->count ? drawn(80000 + (uint64_t)i, 1) : 0;
    memset(dcoef, 0, sizeof dcoef);
    memset(lambda, 0, sizeof lambda);
    memset(sigma, 0, sizeof sigma);
}

static cplx number(const fgti_scan *a, const double *v, int64_t n, int which, int k)
{
    const double *at = v + (n * fgti_scan_components(a->low_rank) + which) * FGTI_SCAN + k;
    return at[0] + I * at[FGTI_SCAN];
}

/* One channel: its states before each step, after the last, and its y. */
static void reference(const fgti_scan *a, int k, cplx states[TIME + 1][PAIRS], double sums[TIME + 1],
                      double *out)
{
    for (int64_t n = 0; n < a->pairs; n++)
        states[0][n] = start[n * 2 * FGTI_SCAN + k] + I * start[(n * 2 + 1) * FGTI_SCAN + k];
    for (int64_t t = 0; t <= a->time; t++) {
        sums[t] = 0;
        for (int64_t n = 0; n < a->pairs && a->low_rank; n++)
            sums[t] += 2 * creal(number(a, coef, n, FGTI_SCAN_V, k) * states[t][n]);
        if (t == a->time) break;
        const double in = a->u ? (double)a->u[t * a->ldu + k] : 0;
        out[t]          = coef[a->pairs * fgti_scan_components(a->low_rank) * FGTI_SCAN + k] * in;
        for (int64_t n = 0; n < a->pairs; n++) {
            cplx next =
                number(a, coef, n, FGTI_SCAN_E, k) * states[t][n] + number(a, coef, n, FGTI_SCAN_B, k) * in;
            if (a->low_rank) next -= number(a, coef, n, FGTI_SCAN_W, k) * sums[t];
            states[t + 1][n] = next;
            out[t] += 2 * creal(number(a, coef, n, FGTI_SCAN_C, k) * next);
        }
    }
}

static void check_forward(fgti_scan a)
{
    for (int keep = 0; keep < 2; keep++)
        for (int add = 0; add < 2; add++) {
            const int64_t states = fgti_scan_states(a.pairs), last = keep ? a.time * states : 0;
            a.keep = keep;
            a.add  = add;
            memcpy(x, start, (size_t)states * sizeof *x);
            filled(&y, TIME * LD, 1, 2);
            const guarded before = y;
            a.y                  = at(&y) + (a.ldy < 0 ? (TIME - 1) * LD : 0);
            const int64_t turn   = a.ldy < 0 ? TIME - 1 : 0;
            vec->scans->forward(&a);
            for (int k = 0; k < a.count; k++) {
                cplx   ref[TIME + 1][PAIRS];
                double sums[TIME + 1], out[TIME];
                reference(&a, k, ref, sums, out);
                for (int64_t t = 0; t < a.time; t++) {
                    const int64_t row = (turn ? turn - t : t) * LD + k;
                    const double  old = add ? (double)before.cell[9 + row] : 0;
                    near((double)at(&y)[row], out[t] + old, 4 * EPS * (1 + fabs(out[t])), "y", (double)t);
                    at(&y)[row] = before.cell[9 + row];
                }
                for (int64_t n = 0; n < a.pairs; n++)
                    near(x[last + n * 2 * FGTI_SCAN + k], creal(ref[a.time][n]), 1e-12, "x", (double)n);
                for (int64_t t = 0; t < a.time && keep && a.low_rank; t++)
                    near(s[t * FGTI_SCAN + k], sums[t], 1e-12, "s", (double)t);
            }
            assert_memory_equal(&y, &before, sizeof y); /* and nothing else was written */
        }
}

/* The adjoint, a channel at a time, from the last step to the first. */
static void check_channel(const fgti_scan_grad *g, int k, int64_t turn, const guarded *old)
{
    const fgti_scan *a = &g->of;
    cplx             ref[TIME + 1][PAIRS], l[PAIRS] = {0}, d[PAIRS][5] = {{0}};
    double           sums[TIME + 1], out[TIME], sig = 0, dd = 0;
    reference(a, k, ref, sums, out);
    for (int64_t t = a->time - 1; t >= 0; t--) {
        const double in = a->u ? (double)a->u[t * a->ldu + k] : 0, grad = (double)g->dy[t * g->lddy + k];
        double din = coef[a->pairs * fgti_scan_components(a->low_rank) * FGTI_SCAN + k] * grad, next = 0;
        dd += grad * in;
        for (int64_t n = 0; n < a->pairs; n++) {
            l[n] = conj(number(a, coef, n, FGTI_SCAN_E, k)) * l[n] +
                   2 * grad * conj(number(a, coef, n, FGTI_SCAN_C, k));
            if (a->low_rank) {
                l[n] += 2 * sig * conj(number(a, coef, n, FGTI_SCAN_V, k));
                next -= creal(conj(number(a, coef, n, FGTI_SCAN_W, k)) * l[n]);
                d[n][3] -= sums[t] * l[n];
                d[n][4] += 2 * sig * conj(ref[t + 1][n]);
            }
            d[n][0] += conj(ref[t][n]) * l[n];
            d[n][1] += in * l[n];
            d[n][2] += 2 * grad * conj(ref[t + 1][n]);
            din += creal(conj(number(a, coef, n, FGTI_SCAN_B, k)) * l[n]);
        }
        sig               = next;
        const int64_t row = (turn ? turn - t : t) * LD + k;
        near((double)at(&du)[row], din + (g->add ? (double)old->cell[9 + row] : 0), 8 * EPS * (1 + fabs(din)),
             "du", (double)t);
    }
    for (int64_t n = 0; n < a->pairs; n++)
        for (int which = 0; which < (a->low_rank ? 5 : 3); which++) {
            const cplx got = number(a, dcoef, n, 2 * which, k);
            near(creal(got), creal(d[n][which]), 1e-10, "dcoef", which);
            near(cimag(got), cimag(d[n][which]), 1e-10, "dcoef", which);
        }
    near(dcoef[a->pairs * fgti_scan_components(a->low_rank) * FGTI_SCAN + k], dd, 1e-10, "dD", 0);
    for (int64_t n = 0; n < a->pairs; n++)
        near(lambda[n * 2 * FGTI_SCAN + k], creal(l[n]), 1e-10, "lambda", 0);
    if (a->low_rank) near(sigma[k], 2 * sig, 1e-10, "sigma", 0);
}

static void check_backward(fgti_scan a)
{
    const int64_t turn = a.ldy < 0 ? TIME - 1 : 0, from = turn * LD;
    a.keep = true;
    a.y    = NULL;
    memcpy(x, start, (size_t)fgti_scan_states(a.pairs) * sizeof *x);
    vec->scans->forward(&a);
    filled(&dy, TIME * LD, 1, 3);
    for (int add = 0; add < 2; add++) {
        memset(dcoef, 0, sizeof dcoef);
        memset(lambda, 0, sizeof lambda);
        memset(sigma, 0, sizeof sigma);
        filled(&du, TIME * LD, 1, 4);
        const guarded  old = du;
        fgti_scan_grad g   = {.of     = a,
                              .dy     = at(&dy) + from,
                              .du     = at(&du) + from,
                              .lddy   = a.ldy,
                              .lddu   = a.ldy,
                              .add    = add,
                              .lambda = lambda,
                              .sigma  = sigma,
                              .dcoef  = dcoef};
        vec->scans->backward(&g);
        for (int k = 0; k < a.count; k++) check_channel(&g, k, turn, &old);
        for (int64_t i = 0; i < TIME * LD; i++) {
            const int64_t t = turn ? turn - i / LD : i / LD;
            if (i % LD >= a.count || t >= a.time) assert_true(at(&du)[i] == old.cell[9 + i]);
        }
        intact(&du, TIME * LD);
    }
}

static void sizes(void)
{
    static const int64_t times[] = {0, 1, 2, 16, TIME};
    filled(&u, TIME * LD, 1, 1);
    for (int64_t pairs = 0; pairs <= PAIRS; pairs += pairs ? 2 : 1)
        for (int64_t count = 1; count <= FGTI_SCAN; count++)
            for (size_t i = 0; i < sizeof times / sizeof *times; i++)
                for (int options = 0; options < 8; options++) {
                    const bool turn = options & 2;
                    fgti_scan  a    = {.pairs    = pairs,
                                       .time     = times[i],
                                       .count    = count,
                                       .low_rank = options & 1,
                                       .coef     = coef,
                                       .x        = x,
                                       .s        = s,
                                       .ldu      = turn ? -LD : LD,
                                       .ldy      = turn ? -LD : LD};
                    if (!(options & 4)) a.u = at(&u) + (turn ? (TIME - 1) * LD : 0);
                    draw(&a);
                    check_forward(a);
                    check_backward(a);
                }
}

static void test_sizes(void **state)
{
    (void)state;
    each_table(sizes);
}

/* A state that decays is never denormal, and neither are the rows. */
static void decayed(void)
{
    fgti_scan a = {.pairs = 1, .time = 1, .count = 1, .coef = coef, .x = x, .y = at(&y), .ldy = 1};
    draw(&a);
    coef[FGTI_SCAN_E * FGTI_SCAN]       = 0.5;
    coef[(FGTI_SCAN_E + 1) * FGTI_SCAN] = 0;
    memset(x, 0, sizeof x);
    x[0]   = 1;
    a.time = 16;
    for (int i = 0; i < 200; i++) {
        vec->scans->forward(&a);
        for (int k = 0; k < 2 * FGTI_SCAN; k++) assert_true(x[k] == 0 || fpclassify(x[k]) == FP_NORMAL);
        for (int t = 0; t < 16; t++) assert_true(at(&y)[t] == 0 || fpclassify(at(&y)[t]) == FP_NORMAL);
    }
    assert_true(x[0] == 0 && at(&y)[15] == 0);
}

static void test_decayed(void **state)
{
    (void)state;
    each_table(decayed);
}

/* ---- the gate of the blocks ---- */

static void gate(void)
{
    static guarded in, out, grad, back;
    for (int64_t n = 0; n < LENGTHS; n++)
        for (int64_t rows = 1; rows < 4; rows++) {
            const fgti_real *a = filled(&in, rows * 2 * n, 12, 5), *d = filled(&grad, rows * n, 1, 6);
            vec->glu(rows, n, a, fresh(&out));
            vec->glu_grad(rows, n, a, d, fresh(&back));
            for (int64_t i = 0; i < rows * n; i++) {
                const int64_t left = i / n * 2 * n + i % n;
                const double  p = (double)a[left], q = 1 / (1 + exp(-(double)a[left + n])), g = (double)d[i];
                near((double)at(&out)[i], p * q, 8 * EPS * fabs(p), "glu", p);
                near((double)at(&back)[left], g * q, 8 * EPS * fabs(g), "glu da", p);
                near((double)at(&back)[left + n], g * p * q * (1 - q), 8 * EPS * fabs(g * p), "glu db", p);
            }
            intact(&out, rows * n);
            intact(&back, rows * 2 * n);
        }
}

static void test_gate(void **state)
{
    (void)state;
    each_table(gate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_decayed),
        cmocka_unit_test(test_gate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
