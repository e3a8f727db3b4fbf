/* SPDX-License-Identifier: BSD-3-Clause */
#include "allocator_only.h"

#include <math.h>

#include "core/dft.h"
#include "core/rng.h"

#define PI 3.14159265358979323846

enum { LANES = FGTI_DFT_LANES, MOST = 120 };

static fgti_real    memory[6][MOST * LANES];
static fgti_complex turn[MOST];

static void fill(int64_t n, fgti_real *x, uint64_t stream)
{
    for (int64_t i = 0; i < n * LANES; i++)
        x[i] = (fgti_real)(fgti_rng_uniform((fgti_rng){7, stream}, (uint64_t)i) - 0.5);
}

/* X_f of one lane by its definition, in double. */
static void compare(int64_t n, int64_t f, int64_t lane, fgti_planes in, fgti_planes out)
{
    double re = 0, im = 0;
    for (int64_t t = 0; t < n; t++) {
        const double angle = -2 * PI * (double)(f * t % n) / (double)n, c = cos(angle), s = sin(angle);
        const double a = (double)in.re[t * LANES + lane], b = (double)in.im[t * LANES + lane];
        re += a * c - b * s;
        im += a * s + b * c;
    }
    assert_true(fabs((double)out.re[f * LANES + lane] - re) < 1e-5);
    assert_true(fabs((double)out.im[f * LANES + lane] - im) < 1e-5);
}

/* All lengths, powers of two, products and primes among them. */
static void test_definition(void **state)
{
    (void)state;
    const fgti_planes in = {memory[0], memory[1]}, out = {memory[2], memory[3]},
                      spare = {memory[4], memory[5]};
    for (int64_t n = 1; n <= MOST; n++) {
        fill(n, in.re, 1);
        fill(n, in.im, 2);
        fgti_dft_plan(n, turn);
        fgti_dft_run(n, turn, in, out, spare);
        for (int64_t f = 0; f < n; f++) compare(n, f, (f + n) % LANES, in, out);
    }
}

/* With the parts exchanged it is the inverse, times n. */
static void test_inverse(void **state)
{
    (void)state;
    enum { N = 90 };
    const fgti_planes in = {memory[0], memory[1]}, out = {memory[2], memory[3]},
                      spare = {memory[4], memory[5]};
    static fgti_real back[2][N * LANES];
    fill(N, in.re, 3);
    fill(N, in.im, 4);
    fgti_dft_plan(N, turn);
    fgti_dft_run(N, turn, in, out, spare);
    fgti_dft_run(N, turn, (fgti_planes){out.im, out.re}, (fgti_planes){back[1], back[0]}, spare);
    for (int i = 0; i < N * LANES; i++) {
        assert_true(fabs((double)(back[0][i] / N - in.re[i])) < 1e-6);
        assert_true(fabs((double)(back[1][i] / N - in.im[i])) < 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_definition), cmocka_unit_test(test_inverse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
